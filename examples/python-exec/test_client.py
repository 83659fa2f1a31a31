import unittest

from client import Client
from sim import session


class ClientTest(unittest.TestCase):
    def test_downloads_a_video(self):
        with session() as sim:
            client = Client(sim.base_url + "/v1")
            content = client.download(client.make_video("a sunset"))
            self.assertEqual(content[4:8], b"ftyp")  # the beginning of an MP4 file
            sim.verify(requests="videos.retrieve", atMost=10)

    def test_falls_back_to_a_smaller_model(self):
        overloaded = {"when": {"model": "gpt-4o"}, "then": {"error": {"status": 503}}}
        with session(overloaded) as sim:
            self.assertEqual(Client(sim.base_url + "/v1").ask("Reply with exactly: pong"), "pong")
            sim.verify(inOrder=[{"status": 503}, {"model": "gpt-4o-mini"}], noOthers=True)

    def test_submits_a_video_once(self):
        lost = {"when": {"operation": "videos.create", "times": 1}, "then": {"fault": "reset"}}
        with session(lost) as sim:
            Client(sim.base_url + "/v1").make_video("a sunset")
            sim.verify(requests="videos.create", times=1)
