"""Sessions of the simulator: each test has its own rules and sees only its own requests."""

import contextlib
import json
import os
import urllib.request


def control(method, url, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json"}, method=method)
    with urllib.request.urlopen(request) as response:
        return json.loads(response.read() or "null")


class Session:
    def __init__(self, base_url):
        self.base_url = base_url

    def verify(self, **expected):
        verdict = control("POST", self.base_url + "/__sim/verify", expected)
        assert verdict["ok"], verdict["message"]


@contextlib.contextmanager
def session(*rules):
    sessions = os.environ["GATEWAY_SIM_URL"] + "/__sim/sessions"
    scenarios = [{"title": "Rules of a test", "rules": rules}] if rules else []
    created = control("POST", sessions, {"scenarios": scenarios, "ttl": "10m"})
    try:
        yield Session(created["baseUrl"])
    finally:
        control("DELETE", sessions + "/" + created["name"])
