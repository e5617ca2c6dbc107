"""Which service answers a message, and how a conversation returns from another service's answer."""
