"""Run it with: npx gateway-sim exec -- python3 -m unittest discover tests (or python3 -m pytest tests)."""

import contextlib
import http.client
import json
import os
import unittest
import urllib.request


def call(method, url, body=None):
    headers = {
        "content-type": "application/json",
        "authorization": "Bearer " + os.environ["OPENAI_API_KEY"],
    }
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, headers, method=method)
    with urllib.request.urlopen(request) as response:
        return json.loads(response.read() or "null")


@contextlib.contextmanager
def session(title, *scenario_files):
    """A session of the simulator for one test. Yields its base URL."""
    if "GATEWAY_SIM_URL" not in os.environ:
        raise RuntimeError("GATEWAY_SIM_URL is not set: run this test with gateway-sim exec")
    sessions = os.environ["GATEWAY_SIM_URL"] + "/__sim/sessions"
    created = call("POST", sessions, {"title": title})
    try:
        for name in scenario_files:
            with open(name, encoding="utf-8") as file:
                call("POST", created["baseUrl"] + "/__sim/scenarios", {"text": file.read()})
        yield created["baseUrl"]
    finally:
        call("DELETE", sessions + "/" + created["name"])


def submit_video(base_url):
    """A stand-in for your client: replace it."""
    body = {"model": "sora-2", "prompt": "a sunset"}
    try:
        return call("POST", base_url + "/v1/videos", body)
    except (OSError, http.client.HTTPException):
        return call("POST", base_url + "/v1/videos", body)


class GatewayTest(unittest.TestCase):
    def test_submits_a_video_once(self):
        with session(self.id().rpartition(".")[2]) as base_url:
            self.assertEqual(submit_video(base_url)["status"], "pending")
            verdict = call("POST", base_url + "/__sim/verify", {"requests": "videos.create", "times": 1})
            self.assertTrue(verdict["ok"], verdict["message"])

    def test_survives_a_lost_response(self):
        """Fails on purpose: the client retries after the lost response and creates a second video.

        To fix it, look up the video in the list of videos (GET /v1/videos) instead of submitting it again.
        """
        with session(self.id().rpartition(".")[2], "scenarios/lost-response.yaml") as base_url:
            submit_video(base_url)
            report = call("GET", base_url + "/__sim/client-report")
            self.assertTrue(report["ok"], json.dumps(report["findings"], indent=2))
