"""A server of one page on the loopback interface during a run.

It listens on 127.0.0.1 alone. Every request needs the random token of the address and the Host of the
address. No name of another site can therefore point here. Where the browser states an Origin, it must match
too. The page and a stream of events (server-sent events) go out, commands of one word come in. Only pages of
this machine, such as notebooks, may frame it.
"""

from __future__ import annotations

import json
import secrets
import socket
import sys
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

LONGEST = 64  # bytes of a command
AHEAD = 8  # events that wait for a slow page; older ones are dropped
BREATH = 5.0  # seconds between signs of life to a page, which find out that it is gone
GRACE = 3.0  # seconds for the last event to go out
MOST = 32  # connections at once; further ones are closed
FRAMES = (
    "frame-ancestors http://127.0.0.1:* http://localhost:*"  # a notebook of this machine may frame the page
)


class Channel:
    """The events that wait for one page."""

    def __init__(self) -> None:
        self._waiting: deque[bytes] = deque(maxlen=AHEAD)
        self._some = threading.Condition()
        self._closed = False

    def put(self, event: bytes) -> None:
        """Add one."""
        with self._some:
            self._waiting.append(event)
            self._some.notify()

    def close(self) -> None:
        """Nothing more comes."""
        with self._some:
            self._closed = True
            self._some.notify()

    def get(self) -> bytes | None:
        """The next one, or a sign of life after a while; None at the end."""
        with self._some:
            if not self._waiting and not self._closed:
                self._some.wait(BREATH)
            if self._waiting:
                return self._waiting.popleft()
            return None if self._closed else b": \n\n"


class _Server(ThreadingHTTPServer):
    """A thread for each of MOST connections, all of which end with the server."""

    daemon_threads = True
    request_queue_size = MOST

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        self._serving: dict[socket.socket, threading.Thread] = {}
        self._open = threading.Lock()
        super().__init__(("127.0.0.1", 0), handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Begin a thread, or close the connection if there are too many."""
        thread = threading.Thread(target=self._serve, args=(request, client_address), daemon=True)
        with self._open:
            full = len(self._serving) >= MOST
            if not full:
                self._serving[request] = thread
        if full:
            self.shutdown_request(request)
        else:
            thread.start()

    def _serve(self, request: Any, client_address: Any) -> None:
        try:
            self.process_request_thread(request, client_address)
        finally:
            with self._open:
                self._serving.pop(request, None)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of connections that break off."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)

    def hang_up(self) -> None:
        """Close all connections, and wait until their threads have ended."""
        with self._open:
            left = list(self._serving.items())
        for request, _ in left:
            with suppress(OSError):
                request.shutdown(socket.SHUT_RDWR)
        for _, thread in left:
            thread.join(GRACE)


class Loopback:
    """Serves the return value of `page()`; `command(word)` is called in threads of the server.

    address: for the browser, with the token. first(): an event for a page that has just come, or None.
    """

    def __init__(
        self, page: Callable[[], str], command: Callable[[str], None], first: Callable[[], Any]
    ) -> None:
        self.token = secrets.token_urlsafe(24)
        self.page, self.command, self.first = page, command, first
        self.joined = threading.Event()  # a page listens
        self._channels: list[Channel] = []
        self._closed = False
        self._lock = threading.Lock()
        self._server = _Server(_handler(self))
        self.port = self._server.server_address[1]
        self.address = f"http://127.0.0.1:{self.port}/?token={self.token}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def send(self, event: Any) -> None:
        """Send a value for JSON to all pages."""
        with self._lock:
            channels = list(self._channels)
        if channels:
            data = as_event(event)
            for channel in channels:
                channel.put(data)

    def listen(self) -> Channel:
        """A page has come."""
        channel = Channel()
        first = self.first()
        if first is not None:
            channel.put(as_event(first))
        with self._lock:
            self._channels.append(channel)
            if self._closed:
                channel.close()
        self.joined.set()
        return channel

    def leave(self, channel: Channel) -> None:
        """A page is gone."""
        with self._lock, suppress(ValueError):
            self._channels.remove(channel)

    def close(self) -> None:
        """Wait until the pages have received everything, and end; nothing is left running."""
        with self._lock:
            self._closed, channels = True, list(self._channels)
        for channel in channels:
            channel.close()
        done = threading.Event()
        for _ in range(int(GRACE / 0.01)):
            if not self._channels:
                break
            done.wait(0.01)
        self._server.shutdown()
        self._server.hang_up()
        self._server.server_close()
        self._thread.join(GRACE)

    def refusal(self, headers: Any, token: str) -> str:
        """The reason to refuse a request, or an empty text."""
        own = {f"{name}:{self.port}" for name in ("127.0.0.1", "localhost")}
        if headers.get("Host", "") not in own:
            return "this host is not served here"
        origin = headers.get("Origin")
        if origin is not None and origin not in {f"http://{host}" for host in own}:
            return "requests of other origins are refused"
        if not secrets.compare_digest(token.encode("utf-8", "replace"), self.token.encode()):
            return "the token is missing or wrong; open the address that the run gave"
        return ""


def as_event(event: Any) -> bytes:
    """A server-sent event."""
    return b"data: " + json.dumps(event, separators=(",", ":")).encode() + b"\n\n"


def _handler(loopback: Loopback) -> type[BaseHTTPRequestHandler]:
    """The class that answers the requests to `loopback`."""

    class Handler(BaseHTTPRequestHandler):
        timeout = 60.0

        def do_GET(self) -> None:
            """The page, or the events."""
            try:
                address = urlsplit(self.path)
            except ValueError:  # such as http://[::1
                self._answer(400, "text/plain", b"must be a path, with the token of this run")
                return
            if self._refused(parse_qs(address.query).get("token", [""])[0]):
                return
            if address.path == "/":
                self._answer(200, "text/html; charset=utf-8", loopback.page().encode())
            elif address.path == "/events":
                self._stream()
            else:
                self._answer(404, "text/plain", b"there is no such page")

        def do_POST(self) -> None:
            """A command."""
            if self._refused(self.headers.get("X-Token", "")):
                return
            length = self.headers.get("Content-Length", "")
            if self.path != "/command" or not (length.isdecimal() and 0 < int(length) <= LONGEST):
                self._answer(400, "text/plain", b"must be a command of one word")
                return
            loopback.command(self.rfile.read(int(length)).decode("utf-8", "replace"))
            self._answer(204, "text/plain", b"")

        def _refused(self, token: str) -> bool:
            reason = loopback.refusal(self.headers, token)
            if reason:
                self._answer(403, "text/plain", reason.encode())
            return bool(reason)

        def _answer(self, code: int, kind: str, body: bytes) -> None:
            self.send_response(code)
            self._headers(kind)
            if body:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def _headers(self, kind: str) -> None:
            self.send_header("Content-Type", kind)
            self.send_header("Cache-Control", "no-store")
            self.send_header("Referrer-Policy", "no-referrer")
            self.send_header("X-Content-Type-Options", "nosniff")
            self.send_header("Content-Security-Policy", FRAMES)

        def _stream(self) -> None:
            self.send_response(200)
            self._headers("text/event-stream")
            self.end_headers()
            channel = loopback.listen()
            try:
                while (event := channel.get()) is not None:
                    self.wfile.write(event)
                    self.wfile.flush()
            except OSError:  # the page is closed
                pass
            finally:
                loopback.leave(channel)
                self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing is written anywhere."""

    return Handler
