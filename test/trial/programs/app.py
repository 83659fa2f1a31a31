"""Streams a chat response, makes a video and downloads it, and uploads a file. Retries what may be repeated."""

import json
import os
import sys
import time
import urllib.error
import urllib.request

BASE = os.environ["GATEWAY_SIM_URL"]
KEY = os.environ["GATEWAY_SIM_API_KEY"]
# Seconds. No failure that it is tried with hangs, and a busy server may take one or two.
PATIENCE = 15.0


class GaveUp(Exception):
    pass


def send(path, body=None, repeatable=True, read=lambda response: response.read(), **more):
    """One request with up to three attempts; one that creates something is repeated only if it did not."""
    for attempt in (1, 2, 3):
        try:
            url = path if path.startswith("http") else BASE + path
            headers = {} if path.startswith("http") else {"authorization": "Bearer " + KEY}
            data = more.get("data")
            if body is not None:
                data = json.dumps(body).encode()
                headers["content-type"] = "application/json"
            request = urllib.request.Request(url, data=data, headers=headers, method=more.get("method"))
            with urllib.request.urlopen(request, timeout=PATIENCE) as response:
                return read(response)
        except urllib.error.HTTPError as error:
            created_nothing = error.code in (429, 503)
            if attempt == 3 or not (created_nothing or (repeatable and error.code >= 500)):
                raise GaveUp(f"{path}: {error.code}")
            time.sleep(float(error.headers.get("retry-after", 0.2)))
        except GaveUp:
            raise
        except Exception as error:
            if attempt == 3 or not repeatable:
                raise GaveUp(f"{path}: {error}")
            time.sleep(0.2)


def read_json(response):
    if not response.headers.get("content-type", "").startswith("application/json"):
        raise ValueError("not JSON")
    return json.loads(response.read())


def field(value, name, kind):
    if not isinstance(value, dict) or not isinstance(value.get(name), kind):
        raise GaveUp(f"no {name}")
    return value[name]


def read_stream(response):
    text, finish, data = "", None, []
    lines = response.read().decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for line in lines:
        if line.startswith("data:"):
            data.append(line[5:])
        if line != "" or not data:
            continue
        event, data = "\n".join(data).strip(), []
        if event == "[DONE]":
            break
        event = json.loads(event)
        if "error" in event:
            raise ValueError("an error event")
        choice = event["choices"][0] if event.get("choices") else {}
        text += choice.get("delta", {}).get("content") or ""
        finish = choice.get("finish_reason") or finish
    if finish != "stop":
        raise ValueError("an incomplete stream")
    return text


def chat():
    messages = [{"role": "user", "content": "Tell me about the sea."}]
    body = {"model": "gpt-4o", "stream": True, "messages": messages}
    return send("/v1/chat/completions", body, read=read_stream)


def video():
    made = send("/v1/videos", {"model": "sora-2", "prompt": "A calm sea"}, repeatable=False, read=read_json)
    name = field(made, "id", str)
    for _ in range(20):
        status = field(send("/v1/videos/" + name, read=read_json), "status", str)
        if status == "completed":
            return len(send("/v1/videos/" + name + "/content"))
        if status == "failed":
            raise GaveUp("the video failed")
        time.sleep(0.01)
    raise GaveUp("the video takes too long")


def upload():
    target = send("/v1/files/upload_url", {"path": "a/b.txt"}, read=read_json)
    send(field(target, "upload_url", str), method=field(target, "method", str), data=b"abcd")


try:
    print(chat())
    print("a video" if video() > 1000 else "no video")
    upload()
except GaveUp as error:
    sys.exit(f"gave up: {error}")
