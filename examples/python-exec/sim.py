# sim.py
import contextlib, json, os, urllib.error, urllib.request

def call(method, url, body=None):
    headers = {"content-type": "application/json",
               "authorization": "Bearer " + os.environ["OPENAI_API_KEY"]}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, headers, method=method)
    try:
        with urllib.request.urlopen(request) as response:
            return json.loads(response.read() or "null")
    except urllib.error.HTTPError as error:
        raise RuntimeError(f"{error}: {error.read().decode()}") from None

class Session:
    def __init__(self, base_url):
        self.base_url = base_url

    def verify(self, **expected):
        verdict = call("POST", self.base_url + "/__sim/verify", expected)
        assert verdict["ok"], verdict["message"]

@contextlib.contextmanager
def session(*rules, **options):
    if "GATEWAY_SIM_URL" not in os.environ:
        raise RuntimeError("GATEWAY_SIM_URL is not set: run this test with gateway-sim exec")
    sessions = os.environ["GATEWAY_SIM_URL"] + "/__sim/sessions"
    scenarios = [{"title": "Rules of a test", "rules": rules}] if rules else []
    created = call("POST", sessions, {"scenarios": scenarios, **options})
    try:
        yield Session(created["baseUrl"])
    finally:
        call("DELETE", sessions + "/" + created["name"])
