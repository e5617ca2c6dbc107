"""Wire models of HTTP, SSE and the queue."""
