"""The live view follows, holds, steps and stops a run; strangers are refused."""

import http.client
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from urllib.parse import urlsplit

import numpy as np
import pytest
from chromium import needs_chromium
from shown_runs import slide

import nsgalpha as ns
from elements import SpherePlane
from nsgalpha.case.case_commands import found_case
from nsgalpha.show import live_view

H = 1e-3


def bouncing():
    """A ball on a plane."""
    model = ns.Model(gravity=(0, 0, -9.81))
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 1.0), velocity=(0.2, 0, 0), name="ball")
    floor = model.add_plane(normal=(0, 0, 1), name="floor")
    model.add(SpherePlane([ball], floor, mu=0.1, e_n=0.9))
    return model


class Started:
    """A run in a thread, with a page."""

    def __init__(self, t_end, **others):
        self.addresses, self.result, self.error = Queue(), None, None

        def run():
            try:
                self.result = ns.simulate(bouncing(), t_end=t_end, h=H, view=self.addresses.put, **others)
            except BaseException as error:
                self.error = error

        self.thread = threading.Thread(target=run, daemon=True)
        self.thread.start()
        self.address = self.addresses.get(timeout=120)
        self.parts = urlsplit(self.address)

    def ask(self, method, path, body=None, **headers):
        """Code and text of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.parts.port, timeout=20)
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.putrequest(method, path, skip_host="Host" in headers)
        if body is not None:
            headers["Content-Length"] = str(len(body))
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders(body)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text

    @property
    def token(self):
        return self.parts.query.removeprefix("token=")

    def ended(self):
        """The result; nothing listens any more."""
        self.thread.join(60)
        assert not self.thread.is_alive()
        with pytest.raises(ConnectionRefusedError):
            self.ask("GET", "/")
        assert not [each for each in threading.enumerate() if "serve_forever" in each.name]
        return self.result


@needs_chromium
def test_the_page_follows_holds_steps_and_stops_the_run(tab):
    run = Started(1e4)
    tab.open(run.address)
    tab.wait("Number(document.body.dataset.frames) > 5")
    tab.js("document.getElementById('hold').click()")
    tab.wait("document.getElementById('state').textContent === 'held'")
    held = float(tab.js("document.getElementById('time').max"))
    assert held > 0.0
    tab.js("document.getElementById('step').click()")
    tab.wait(f"Number(document.getElementById('time').max) > {held}")
    stepped = float(tab.js("document.getElementById('time').max"))
    assert stepped == pytest.approx(held + H, rel=1e-9)
    tab.key("ArrowLeft")  # the frames so far can be looked at
    tab.wait(f"Number(document.body.dataset.drawn) < {held}")
    tab.js("document.getElementById('hold').click()")
    tab.wait(f"Number(document.getElementById('time').max) > {stepped + 10 * H}")
    assert tab.js("document.getElementById('play').textContent") == "play"  # it did not jump to the end
    tab.js("document.getElementById('stop').click()")
    tab.wait("document.body.dataset.ended !== undefined")
    words = tab.js("document.body.dataset.ended")
    result = run.ended()
    assert result.status.ok
    assert words == str(result.status)
    assert words.endswith("by the page of the live view")
    assert stepped < result.t[-1] < 1e4
    assert not tab.console
    assert {urlsplit(each).netloc for each in tab.requests if each.startswith("http")} == {run.parts.netloc}
    tab.key("Home")  # and it can still be played
    tab.wait(f"Number(document.body.dataset.drawn) < {held}")


@needs_chromium
def test_a_run_that_ends_by_itself_says_so_in_the_page(tab):
    run = Started(2.0, watch=[ns.StopWhen(lambda now: now.t > 0.05, name="patience")])
    tab.open(run.address)
    tab.wait("document.body.dataset.ended !== undefined")
    assert tab.js("document.body.dataset.ended") == str(run.ended().status)
    assert "by patience" in str(run.result.status)
    assert float(tab.js("document.getElementById('time').max")) == pytest.approx(run.result.t[-1])


class Frame(BaseHTTPRequestHandler):
    """A page, such as a notebook, with the `address` in a frame."""

    address = ""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(f'<body data-drawn><iframe src="{self.address}"></iframe></body>'.encode())

    def log_message(self, *args):
        pass


@needs_chromium
def test_a_notebook_of_this_machine_may_frame_the_page_and_a_file_may_not(tab, tmp_path):
    run = Started(0.05)
    (tmp_path / "frame.html").write_text(f'<body data-drawn><iframe src="{run.address}"></iframe></body>')
    tab.open((tmp_path / "frame.html").as_uri())
    tab.wait("new Promise(done => setTimeout(() => done(true), 300))")
    assert any("frame-ancestors" in line for line in tab.console)
    assert run.result is None  # it waits for a page
    with ThreadingHTTPServer(("127.0.0.1", 0), type("Framed", (Frame,), {"address": run.address})) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), name="notebook", daemon=True).start()
        tab.open(f"http://localhost:{server.server_port}/")
        assert run.ended().status.ok
        server.shutdown()


def test_strangers_are_refused():
    run = Started(1e4)
    own, good = f"127.0.0.1:{run.parts.port}", f"/?token={run.token}"
    assert run.parts.hostname == "127.0.0.1"
    assert len(run.token) >= 32
    cases = {
        "token": [("GET", "/", None, {}), ("GET", "/?token=wrong", None, {}), ("GET", "/events", None, {})],
        "host": [("GET", good, None, {"Host": "evil.example"}), ("GET", good, None, {"Host": "127.0.0.1:1"})],
        "origin": [
            ("GET", good, None, {"Host": own, "Origin": "http://evil.example"}),
            ("GET", good, None, {"Host": own, "Origin": "null"}),
            ("POST", "/command", b"stop", {"X_Token": run.token, "Origin": f"https://{own}"}),
        ],
    }
    for reason, requests in cases.items():
        for method, path, body, headers in requests:
            code, text = run.ask(method, path, body, **headers)
            assert (code, reason in text) == (403, True), (path, headers)
    assert run.ask("POST", "/command", b"stop", X_Token="wrong")[0] == 403
    assert run.ask("POST", "/command", b"stop" * 99, X_Token=run.token)[0] == 400
    assert run.ask("POST", "/elsewhere", b"stop", X_Token=run.token)[0] == 400
    assert run.ask("GET", f"/etc/passwd?token={run.token}")[0] == 404
    assert run.ask("POST", "/command", b"explode", X_Token=run.token)[0] == 204  # and nothing happens
    assert run.ask("GET", good)[0] == 200
    assert run.thread.is_alive()
    assert run.ask("POST", "/command", b"stop", X_Token=run.token)[0] == 204
    listen(run)
    assert "live view" in str(run.ended().status)


def listen(run):
    """The events, as a page gets them; the run then begins."""
    events = []

    def read():
        connection = http.client.HTTPConnection("127.0.0.1", run.parts.port, timeout=60)
        connection.request("GET", f"/events?token={run.token}")
        for line in connection.getresponse():
            if line.startswith(b"data: "):
                events.append(json.loads(line[6:]))

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    return events, thread


def test_the_stream_has_the_states_of_the_run_and_its_status():
    run = Started(0.2)
    events, thread = listen(run)
    result = run.ended()
    thread.join(20)
    assert events[0]["frame"]["t"] == 0.0
    assert events[-1]["end"] == str(result.status)
    assert events[-1]["frame"]["t"] == result.t[-1]
    times = [event["frame"]["t"] for event in events if "frame" in event]
    assert times == sorted(times)


def test_a_view_costs_a_run_little_and_changes_nothing():
    run = Started(1.0)
    listen(run)
    plain = ns.simulate(bouncing(), t_end=1.0, h=H)
    assert np.array_equal(run.ended().position, plain.position)
    assert str(run.result.status) == str(plain.status)


def test_an_error_of_the_user_ends_the_page_too():
    def angry(now):
        raise RuntimeError("enough")

    run = Started(1.0, watch=[ns.Sensor("x", angry)])
    events, thread = listen(run)
    run.thread.join(60)
    thread.join(20)
    assert isinstance(run.error, RuntimeError)
    assert events[-1]["end"] == "ended by RuntimeError: enough"
    with pytest.raises(ConnectionRefusedError):
        run.ask("GET", "/")


def test_a_run_without_a_page_begins_after_a_while(monkeypatch, caplog):
    monkeypatch.setattr(live_view, "PATIENCE", 0.1)
    monkeypatch.setattr(live_view.webbrowser, "get", lambda: live_view.webbrowser.GenericBrowser("true"))
    result = ns.simulate(bouncing(), t_end=0.01, h=H, view=True)
    assert result.status.ok
    assert "no browser was found" in caplog.text
    assert "http://127.0.0.1:" in caplog.text


def test_bad_views_are_refused():
    for view in ("page", 1, None, int):
        with pytest.raises(ValueError, match="view = "):
            ns.simulate(bouncing(), t_end=0.01, h=H, view=view)
    assert found_case("bouncing_ball").exists()


@needs_chromium
def test_a_model_and_a_result_are_shown_without_a_server(tab, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr(live_view, "opened", opened.append)
    before = threading.active_count()
    for thing in (bouncing(), slide()):
        shown = ns.view(thing)
        tab.open(opened[-1])
        assert shown.path.as_uri() == opened[-1]
        assert (np.ptp(tab.picture(), axis=2) > 45).sum() > 300  # balls
        assert not tab.console
        assert "<iframe" in shown._repr_html_()
        shown.path.unlink()
    assert threading.active_count() == before
    with pytest.raises(ValueError, match="thing = 3"):
        ns.view(3)
