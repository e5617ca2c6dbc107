"""What every function stands on: domain, ports, engine and adapters."""
