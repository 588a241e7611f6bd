"""A home, a scripted model and repositories below one directory, with nothing of the caller's."""

import json
import os
import shutil
import subprocess
from pathlib import Path

from client import Hung, Session, quoted
from model import WAIT_SECONDS, Model

FILES = {
    "src/main.rs": "fn main() {\n    one();\n}\n",
    "src/lib.rs": "pub fn lib() {}\n",
    "docs/guide.md": "# Guide\n",
    ".gitignore": ".claude/\n",
}


class World:
    """What one scene plays in."""

    def __init__(self, directory, claude, git_coord):
        self.directory = Path(directory).resolve()
        self.claude = str(Path(claude).resolve())
        self.home = self.directory / "home"
        self.model = Model()
        self.sessions = []
        programs = [Path(git_coord).resolve(), shutil.which("git"), shutil.which("bash")]
        self.search_path = [str(Path(program).parent) for program in programs] + [os.defpath]
        for directory in [self.home / ".claude", self.directory / "tmp"]:
            directory.mkdir(parents=True)
        write(self.home / ".claude.json", json.dumps({"hasCompletedOnboarding": True}))

    def environment(self, **more):
        return {
            "HOME": str(self.home),
            "TMPDIR": str(self.directory / "tmp"),
            "CLAUDE_CODE_TMPDIR": str(self.directory / "tmp"),
            "PATH": ":".join(self.search_path),
            "SHELL": shutil.which("bash"),
            "LANG": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            # Root may skip the client's questions in a sandbox only, and this is one.
            "IS_SANDBOX": "1",
            "ANTHROPIC_BASE_URL": self.model.url,
            "ANTHROPIC_API_KEY": "of-a-scripted-model",
            "HTTP_PROXY": self.model.url,
            "HTTPS_PROXY": self.model.url,
            "NO_PROXY": "127.0.0.1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_TELEMETRY": "1",
            **more,
        }

    def run(self, *words, cwd, check=True, **variables):
        """Runs a program to its end, and gives what it says."""
        done = subprocess.run(
            words, cwd=cwd, env=self.environment(**variables), stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=WAIT_SECONDS,
        )
        if check and done.returncode != 0:
            raise RuntimeError(f"{' '.join(words)}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def repository(self, name="repository", install=("--agents", "claude")):
        return Repository(self, name, install)

    def script(self, name, steps):
        self.model.scripts[name] = steps

    def raise_flag(self, name):
        self.model.flag(name).set()

    def wait(self, name):
        """Waits until a model has come to a step that raises this flag."""
        if not self.model.wait(name):
            raise Hung(f"'{name}' is not raised in time\n{self.printed()}")

    def told(self, script, step):
        return self.model.told(script, step)

    def printed(self):
        return "\n".join(session.printed() for session in self.sessions)

    def close(self):
        for session in self.sessions:
            session.kill()
        self.model.shutdown()
        self.model.server_close()


class Repository:
    """A small repository that `git coord install` was run in."""

    def __init__(self, world, name, install):
        self.world = world
        self.root = world.directory / name
        for path, text in FILES.items():
            write(self.root / path, text)
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("config", "user.name", "Pat")
        self.git("config", "user.email", "pat@example.com")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "first")
        if install is not None:
            self.git("coord", "install", *install)

    def git(self, *words, cwd=None, check=True, **variables):
        return self.world.run("git", *words, cwd=cwd or self.root, check=check, **variables)

    def text(self, path):
        return (self.root / path).read_text(encoding="utf-8")

    def script(self, name, text):
        """Writes a shell script outside of the repository. Nobody reads it before it runs."""
        path = self.world.directory / "tmp" / name
        write(path, text + "\n")
        return f"sh {quoted(path)}"

    def holds(self):
        """Lists who holds what, as pairs of pattern and holder."""
        rows = (line.split() for line in self.git("coord", "list", "--all").splitlines())
        return sorted((row[1], row[2]) for row in rows if len(row) > 3)

    def agents(self, name):
        """Gives the line of `git coord agents` on an agent."""
        lines = self.git("coord", "agents").splitlines()
        return "\n".join(line for line in lines if line.split()[:1] == [name])

    def edit(self, path, old, new):
        """Makes the call of a tool that edits a file."""
        given = {"file_path": str(self.root / path), "old_string": old, "new_string": new}
        return ["Edit", given]

    def look(self, *paths):
        """Makes a step that reads files: some clients edit nothing that they have not read."""
        files = paths or ("src/main.rs", "src/lib.rs")
        return {"tools": [["Read", {"file_path": str(self.root / path)}] for path in files]}

    def session(self, script, steps, *words, **how):
        """Starts a client that follows these steps and ends."""
        return Session(self, script, steps, words, **how)

    def holder(self, name, until, path="src/main.rs", old="one()", new="two()", then=()):
        """Starts a session that has edited a file and is in its turn until a flag is raised. What
        it does after that begins at step 2."""
        first, *rest = then or [{}]
        edit = {"tools": [self.edit(path, old, new)]}
        middle = {"raised": f"{name} holds", "until": until, **first}
        session = self.session(name, [self.look(), edit, middle, *rest])
        self.world.wait(f"{name} holds")
        return session


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
