"""A small HTTP server on loopback that plays another service."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@contextmanager
def answering(answer: Callable[[str, bytes], tuple[int, object]]) -> Iterator[str]:
    """Serve, and give the address; `answer` takes path and body of a request, and returns status and JSON value."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            status, value = answer(self.path, self.rfile.read(int(self.headers.get("Content-Length", 0))))
            body = json.dumps(value).encode()
            self.send_response(status)
            headers = {"Content-Type": "application/json", "Content-Length": len(body), "Cache-Control": "max-age=3600"}
            for name, said in headers.items():
                self.send_header(name, str(said))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST  # noqa: N815 - the names of http.server

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()
