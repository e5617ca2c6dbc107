"""Wire models: what goes over HTTP, SSE and the queue."""
