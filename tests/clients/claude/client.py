"""Sessions of the real client: some follow one script and end, others stay to talk."""

import json
import os
import shlex
import signal
import subprocess
import threading

# What a client may take for a turn or for its end, on a machine that others keep busy.
LIMIT_SECONDS = 120.0
# What a report shows of what a client printed: so many messages, of each so much.
SHOWN_MESSAGES = 8
SHOWN_CHARACTERS = 400


class Hung(Exception):
    """A client has not done in time what it always does."""


def quoted(path):
    return shlex.quote(str(path))


def shell(command):
    """Makes the call of a tool that runs a shell command."""
    return ["Bash", {"command": command, "description": "a command"}]


class Session:
    """A client in print mode. Its messages are read as they come."""

    def __init__(self, repository, script, steps, words=(), prompt="", **how):
        repository.world.script(script, steps)
        self.start(repository, script, ["-p", f"SCRIPT:{script} {prompt}", *words], **how)

    def start(
        self, repository, script, words, cwd=None, mode="bypassPermissions", stdin=None, **variables
    ):
        self.world, self.script = repository.world, script
        self.messages, self.news = [], threading.Condition()
        self.errors = self.world.directory / "tmp" / f"{script}.stderr"
        self.world.sessions.append(self)
        form = ["--output-format", "stream-json", "--verbose", "--permission-mode", mode]
        with open(self.errors, "wb") as errors:
            self.process = subprocess.Popen(
                [self.world.claude, *words, *form],
                cwd=cwd or repository.root,
                env=self.world.environment(**variables),
                stdin=stdin or subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
            )
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            try:
                message = json.loads(line)
            except ValueError:
                message = {"type": "no JSON", "text": line.decode(errors="replace")}
            with self.news:
                self.messages.append(message)
                self.news.notify_all()

    def await_message(self, is_meant, what):
        """Waits for a message of the client."""
        with self.news:
            if not self.news.wait_for(lambda: any(map(is_meant, self.messages)), LIMIT_SECONDS):
                raise Hung(f"no {what} from '{self.script}' in time\n{self.printed()}")
            return next(message for message in self.messages if is_meant(message))

    def agent(self):
        """Gives the name that `git coord` has for the session."""
        return "claude:" + self.id()[:8]

    def id(self):
        is_first = lambda message: message.get("subtype") == "init"
        return self.await_message(is_first, "first message")["session_id"]

    def told(self, step):
        """Gives what its model was told at a step."""
        return self.world.told(self.script, step)

    def done(self):
        """Waits for its end."""
        try:
            self.process.wait(LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            raise Hung(f"'{self.script}' does not end\n{self.printed()}") from None
        self.reader.join(LIMIT_SECONDS)
        return self

    def kill(self):
        """Kills it as a machine would, so that it says goodbye to nobody."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()

    def printed(self):
        """Gives the end of what the client has printed."""
        last = [json.dumps(message) for message in self.messages[-SHOWN_MESSAGES:]]
        lines = [line[:SHOWN_CHARACTERS] for line in last]
        errors = self.errors.read_text(encoding="utf-8", errors="replace")
        lines += errors.splitlines()[-SHOWN_MESSAGES:]
        return "\n".join([f"'{self.script}' printed last:", *lines])


class Talk(Session):
    """A client that stays between turns, as one does that a person sits at."""

    def __init__(self, repository, script, **how):
        self.turns = 0
        words = ["-p", "--input-format", "stream-json"]
        self.start(repository, script, words, stdin=subprocess.PIPE, **how)

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def begin(self, script, steps):
        """Begins a turn that follows these steps."""
        self.world.script(script, steps)
        content = [{"type": "text", "text": f"SCRIPT:{script}"}]
        self.send({"type": "user", "message": {"role": "user", "content": content}})
        self.turns += 1

    def end(self):
        """Waits until every turn is over."""

        def is_last(message):
            results = [other for other in self.messages if other.get("type") == "result"]
            return len(results) >= self.turns and message is results[-1]

        return self.await_message(is_last, f"end of turn {self.turns}")

    def say(self, script, steps):
        """Has one turn."""
        self.begin(script, steps)
        return self.end()

    def interrupt(self):
        """Does what the key for it does in a terminal."""
        request = {"subtype": "interrupt"}
        self.send({"type": "control_request", "request_id": "interrupt", "request": request})

    def leave(self):
        self.process.stdin.close()
        return self.done()
