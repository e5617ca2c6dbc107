"""The port `AppCheck` on Firebase App Check."""
