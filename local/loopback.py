"""Common to HTTP clients of this machine's own servers."""

import ssl

NO_AUTHORITIES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""For `verify`: they speak plain HTTP, and loading the usual authorities takes 40 ms of CPU time."""
