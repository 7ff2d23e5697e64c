"""The live view's server: limited connections, none outlives it, no traceback."""

import socket
import threading
from contextlib import closing

import pytest

from nsgalpha.show.loopback_server import MOST, Loopback


@pytest.fixture
def served():
    """A server, and the threads that were there before it."""
    before = set(threading.enumerate())
    loopback = Loopback(lambda: "page", lambda word: None, lambda: None)
    yield loopback, before
    loopback.close()


def asked(loopback, line):
    """A connection that has sent the first `line` of a request."""
    connection = socket.create_connection(("127.0.0.1", loopback.port), timeout=10)
    connection.sendall(f"{line}\r\nHost: 127.0.0.1:{loopback.port}\r\n\r\n".encode())
    return connection


def test_connections_beyond_the_cap_are_closed(served):
    loopback, before = served
    stream = f"GET /events?token={loopback.token} HTTP/1.1"
    held = [asked(loopback, stream) for _ in range(MOST)]
    assert all(each.recv(1) == b"H" for each in held)  # of HTTP: all are answered
    with closing(socket.create_connection(("127.0.0.1", loopback.port), timeout=10)) as one_more:
        assert one_more.recv(1) == b""
    assert len(set(threading.enumerate()) - before) == MOST + 1
    for each in held:
        each.close()


def test_no_thread_outlives_the_server(served):
    loopback, before = served
    silent = [socket.create_connection(("127.0.0.1", loopback.port)) for _ in range(3)]
    listening = asked(loopback, f"GET /events?token={loopback.token} HTTP/1.1")
    assert listening.recv(1) == b"H"
    loopback.close()
    assert not [each for each in set(threading.enumerate()) - before if each.is_alive()]
    for each in (*silent, listening):
        each.close()


@pytest.mark.parametrize("address", ["http://[::1", "http://[bad]/", "//[", "http://[::1/events?token=x"])
def test_a_bad_address_is_refused_without_a_traceback(served, capfd, address):
    with closing(asked(served[0], f"GET {address} HTTP/1.1")) as connection:
        assert b" 400 " in connection.recv(4096) or address.startswith("//")
    served[0].close()
    assert "Traceback" not in capfd.readouterr().err
