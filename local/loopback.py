"""What HTTP clients of this machine's own servers have in common."""

import ssl

NO_AUTHORITIES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""For `verify`: they speak plain HTTP, and a client reads the usual authorities for 40 ms of CPU time."""
