"""A model that follows scripts. It speaks the streaming Messages API on 127.0.0.1, which is all
that Claude Code asks of a model: no account, no network.

A script is a list of steps, and the words `SCRIPT:<name>` in a message of the user choose it. The
last such word counts, and the number of the model's messages since is the step to take: a client
that was killed and resumed goes on where it was, and a subagent follows the script that its prompt
names.

A step is an object with any of

  tools   [[name, input], ...]: the tools to call
  follow  a regular expression: the first match in what was just told is run in a shell, to the
          letter, as a model does that does what it reads
  as      what is run instead: a template such as `git commit -m mine \1`, filled in from the match
  text    what to say; without a tool it ends the turn
  raised  a flag to raise before anything else
  until   a flag to wait for then
  status  the HTTP status to fail with

Past the last step, the turn ends. A flag that is not raised in time is noted in `late`.
"""

import json
import re
import sys
import threading
from collections import defaultdict
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MARK = re.compile(r"SCRIPT:([\w.-]+)")
# Longer than any client needs on a busy machine; nobody waits that long where all is well.
WAIT_SECONDS = 60.0
NOTHING_TO_FOLLOW = "echo 'there is nothing to follow'; exit 99"


def blocks_of(content):
    """Lists the blocks of a message; text alone is one."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def text_of(block):
    """Gives what a block says to a model."""
    if block.get("type") == "text":
        return block["text"]
    if block.get("type") != "tool_result":
        return f"[{block.get('type')}]"
    inner = "\n".join(text_of(part) for part in blocks_of(block.get("content") or ""))
    return ("[tool_result, is_error] " if block.get("is_error") else "[tool_result] ") + inner


def place_of(messages):
    """Finds the script that a conversation follows, and the step it has come to."""
    name, step = None, 0
    for message in messages:
        if message["role"] == "assistant":
            step += 1
            continue
        for block in blocks_of(message["content"]):
            marks = MARK.findall(block["text"]) if block.get("type") == "text" else []
            if marks:
                name, step = marks[-1], 0
    return name, step


def news_of(messages):
    """Gives what the model was told since it last spoke."""
    news = []
    for message in reversed(messages):
        if message["role"] == "assistant":
            break
        news[:0] = [text_of(block) for block in blocks_of(message["content"])]
    return "\n".join(news)


@dataclass
class Heard:
    """What a model was told at a step of a script."""

    script: str
    step: int
    text: str


class Model(ThreadingHTTPServer):
    """The server, its scripts, its flags and what it has heard."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answers)
        self.scripts = {}
        self.heard = []
        self.late = []
        self.made = 0
        self.lock = threading.Lock()
        self.flags = defaultdict(threading.Event)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def flag(self, name):
        with self.lock:
            return self.flags[name]

    def wait(self, name):
        """Waits for a flag, and tells whether it was raised in time."""
        if self.flag(name).wait(WAIT_SECONDS):
            return True
        self.late.append(name)
        return False

    def told(self, script, step):
        """Gives what the model was told at a step: what the client sent last for it."""
        all_heard = reversed(list(self.heard))
        found = (heard.text for heard in all_heard if (heard.script, heard.step) == (script, step))
        return next(found, "")

    def fresh(self, prefix):
        with self.lock:
            self.made += 1
            return f"{prefix}{self.made:016x}"

    def message(self, body):
        """Takes the next step of the script: gives a message, or the status to fail with."""
        messages = body.get("messages", [])
        name, number = place_of(messages)
        # Titles and summaries quote the prompt, and have no tools to follow a script with.
        steps = self.scripts.get(name) if body.get("tools") else None
        news, step = news_of(messages), {}
        if steps is not None:
            self.heard.append(Heard(name, number, news))
            step = steps[number] if number < len(steps) else {}
        if "raised" in step:
            self.flag(step["raised"]).set()
        if "until" in step:
            self.wait(step["until"])
        if "status" in step:
            return step["status"]
        calls = list(step.get("tools", []))
        if "follow" in step:
            found = re.search(step["follow"], news)
            template = step.get("as", r"\g<0>")
            command = found.expand(template) if found else NOTHING_TO_FOLLOW
            # A model gives its reason, and a scene goes on while it waits.
            command = command.replace("<why>", "I need it to go on").replace(" --wait 5m", "")
            calls.append(["Bash", {"command": command, "description": "what was suggested"}])
        said = step.get("text") or ("" if calls else "done")
        blocks = [{"type": "text", "text": said}] if said else []
        for tool, given in calls:
            call = {"type": "tool_use", "id": self.fresh("toolu_"), "name": tool, "input": given}
            blocks.append(call)
        return {
            "id": self.fresh("msg_"),
            "type": "message",
            "role": "assistant",
            "model": body.get("model", "scripted"),
            "content": blocks,
            "stop_reason": "tool_use" if calls else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 100, "output_tokens": 10},
        }

    def handle_error(self, request, client_address):
        # A client that was killed has hung up.
        if not isinstance(sys.exc_info()[1], (BrokenPipeError, ConnectionResetError)):
            super().handle_error(request, client_address)


class Answers(BaseHTTPRequestHandler):
    """One connection of a client."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.answer({})

    def do_GET(self):
        self.answer({})

    def do_CONNECT(self):
        """Refuses to be a proxy: clients are told to go through this one, so that none gets out."""
        self.answer({}, 403)

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        path = self.path.split("?")[0]
        if path.endswith("/count_tokens"):
            return self.answer({"input_tokens": 100})
        if not path.endswith("/messages"):
            return self.answer({})
        message = self.server.message(body)
        if isinstance(message, int):
            error = {"type": "invalid_request_error", "message": "a scripted failure"}
            return self.answer({"type": "error", "error": error}, message)
        return self.stream(message) if body.get("stream") else self.answer(message)

    def answer(self, value, status=200):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def stream(self, message):
        self.close_connection = True
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("request-id", message["id"])
        self.send_header("connection", "close")
        self.end_headers()
        self.event("message_start", message={**message, "content": [], "stop_reason": None})
        for index, block in enumerate(message["content"]):
            self.block(index, block)
        why = {"stop_reason": message["stop_reason"], "stop_sequence": None}
        self.event("message_delta", delta=why, usage={"output_tokens": 10})
        self.event("message_stop")

    def block(self, index, block):
        if block["type"] == "text":
            begin = {**block, "text": ""}
            delta = {"type": "text_delta", "text": block["text"]}
        else:
            begin = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        self.event("content_block_start", index=index, content_block=begin)
        self.event("content_block_delta", index=index, delta=delta)
        self.event("content_block_stop", index=index)

    def event(self, kind, **fields):
        data = json.dumps({"type": kind, **fields})
        self.wfile.write(f"event: {kind}\ndata: {data}\n\n".encode())
        self.wfile.flush()
