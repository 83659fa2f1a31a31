"""A client of the gateway. It reads its URL and API key from the environment, like the SDKs."""

import http.client
import json
import os
import urllib.error
import urllib.request


class Client:
    def __init__(self, base_url=None):
        self.base_url = base_url or os.environ["OPENAI_BASE_URL"]

    def send(self, method, path, body=None):
        headers = {
            "content-type": "application/json",
            "authorization": "Bearer " + os.environ["OPENAI_API_KEY"],
        }
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base_url + path, data, headers, method=method)
        with urllib.request.urlopen(request) as response:
            return response.read()

    def call(self, method, path, body=None):
        return json.loads(self.send(method, path, body))

    def ask(self, question):
        """Falls back to a smaller model if the first model is overloaded."""
        messages = [{"role": "user", "content": question}]
        try:
            chat = self.call("POST", "/chat/completions", {"model": "gpt-4o", "messages": messages})
        except urllib.error.HTTPError as error:
            if error.code != 503:
                raise
            chat = self.call("POST", "/chat/completions", {"model": "gpt-4o-mini", "messages": messages})
        return chat["choices"][0]["message"]["content"]

    def make_video(self, prompt):
        """Submits a video once: after a lost response, it looks for the video in the list."""
        try:
            return self.call("POST", "/videos", {"model": "sora-2", "prompt": prompt})
        except (http.client.HTTPException, ConnectionError):
            return self.call("GET", "/videos")["data"][0]

    def download(self, video, polls=100):
        """Polls the video until it is finished, then returns its bytes."""
        for _ in range(polls):
            if video["status"] == "completed":
                return self.send("GET", "/videos/" + video["id"] + "/content")
            if video["status"] == "failed":
                raise RuntimeError(video["error"]["message"])
            # A real client sleeps here. The clock of `exec` advances on each poll.
            video = self.call("GET", "/videos/" + video["id"])
        raise TimeoutError("The video is not finished.")
