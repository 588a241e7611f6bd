"""What an agent of a storm does: one of all commands, with patterns that often meet others'."""

import json

DIRECTORIES = [f"d{n}" for n in range(6)]
FILES = [f"{d}/f{n}" for d in DIRECTORIES for n in range(6)] + [f"{d}/sub/f0" for d in DIRECTORIES]
# Below each file and directory too, so that a pattern that covers more shows it.
SAMPLE = FILES + [f"{path}/x" for path in FILES] + [f"{d}/new" for d in DIRECTORIES] + ["top"]
LOCKS = ["db", "port 8080"]

# What agents do, and how often.
OFTEN = {
    "reserve": 24,
    "shared": 5,
    "each": 3,
    "wait": 3,
    "lock": 4,
    "check": 12,
    "renew": 8,
    "release": 12,
    "transfer": 3,
    "ask": 4,
    "answer": 4,
    "take": 2,
    "send": 4,
    "ack": 3,
    "with": 3,
    "section": 5,
    "edit": 9,
    "hook": 3,
    "inbox": 2,
    "list": 3,
    "status": 1,
    "agents": 1,
    "events": 1,
    "log": 1,
    "verify": 0.1,
    "doctor": 0.3,
    "sweep": 2,
    "rollback": 0.3,
    "compact": 0.15,
    "block": 0.6,
    "evidence": 0.6,
    "run": 0.8,
    "domain": 0.4,
}

# Says when it runs, in the order in which such commands run.
SECTION = 'echo "enter $1" >>"$2"; sleep 0.05; echo "leave $1" >>"$2"'


def plain(kind, tag, other):
    """The words of a command that needs no more."""
    say = ["--reason", f"for {tag}"]
    return {
        "inbox": ["inbox"],
        "list": ["list", "--all"],
        "status": ["status"],
        "agents": ["agents"],
        "events": ["events", "--limit", "20"],
        "log": ["ledger", "log", "reservations", "--limit", "20"],
        "verify": ["ledger", "verify", "reservations"],
        "doctor": ["doctor"],
        "sweep": ["sweep", "--threads", "1h"],
        "compact": ["ledger", "compact", "reservations", "--keep", "20s"],
        "block": ["override", "block", f"fd-{other}", *say],
        "evidence": ["override", "evidence", "add", f"fd-{other}", "--event", "override"],
        "run": ["run", "create", "--goal", tag, "--phases", "plan,do,done"],
        "domain": ["domain", "set", "library-sdk", "--source", "human", *say],
    }[kind]


class Deed:
    """One thing that an agent does."""

    def __init__(self, storm, dice, tag, name):
        self.storm, self.dice, self.tag, self.name = storm, dice, tag, name
        self.kind = dice.choices(list(OFTEN), list(OFTEN.values()))[0]
        self.other = f"a{dice.randrange(storm.options.agents):02}"
        self.ttl = dice.choice(["2s", "5s", "20s", "2m"])
        self.say = ["--reason", f"for {tag}"]
        self.patterns = [self.pattern() for _ in range(dice.choice([1, 1, 1, 2]))]

    def pattern(self):
        directory, number = self.dice.choice(DIRECTORIES), self.dice.randrange(6)
        if self.dice.random() < 0.4:
            return self.dice.choice(FILES)
        forms = ["{d}", "{d}/f{n}", "{d}/*", "{d}/**", "{d}/sub", "d[0-2]/f{n}", "*/f{n}"]
        return self.dice.choice(forms).format(d=directory, n=number)

    def call(self, args, **more):
        return self.storm.call(self.dice, self.tag, self.name, self.kind, args, **more)

    def look(self, args):
        """Reads the inbox first, which is a command of its own."""
        return self.storm.call(self.dice, self.tag + "r", self.name, "inbox", args).answer

    def do(self, number, mine):
        """Does it; `mine` are the ids of what the agent was granted."""
        if self.kind in {"reserve", "shared", "each", "wait", "lock", "check"}:
            self.take_paths(mine)
        elif self.kind in {"renew", "release", "transfer"}:
            self.change(mine)
        elif self.kind in {"ask", "answer", "take", "send", "ack"}:
            self.talk()
        elif self.kind in {"with", "section"}:
            self.run_under()
        elif self.kind in {"edit", "hook"}:
            self.hook(number)
        elif self.kind == "rollback":
            self.roll_back()
        else:
            self.call(plain(self.kind, self.tag, self.other))

    def take_paths(self, mine):
        if self.kind == "check":
            self.call(["check", *self.patterns], patterns=self.patterns)
        elif self.kind == "lock":
            lock = self.dice.choice(["l1", "l2"])
            self.call(["reserve", "--ttl", "2s", "--lock", lock, *self.say])
        else:
            extra = {"shared": ["--shared"], "each": ["--each"], "wait": ["--wait", "2s"]}
            args = ["--ttl", self.ttl, *self.say, *extra.get(self.kind, [])]
            act = self.call(["reserve", *args, *self.patterns], patterns=self.patterns)
            mine += [hold["id"] for hold in act.answer.get("granted", [])]

    def change(self, mine):
        ids = mine[-2:] if mine and self.dice.random() < 0.6 else ["--mine"]
        if self.kind == "renew":
            self.call(["renew", "--ttl", self.ttl, *ids])
        elif self.kind == "release":
            self.call(["release", *ids])
            mine.clear()
        else:
            self.call(["transfer", "--to", self.other, *mine[-1:]])

    def talk(self):
        urgent, ack = (option[: self.dice.randrange(2)] for option in (["--urgent"], ["--ack"]))
        if self.kind == "ask":
            self.call(["ask", *self.say, *urgent, self.patterns[0]])
        elif self.kind == "take":
            self.call(["take", self.patterns[0], *self.say])
        elif self.kind == "send":
            self.call(["send", self.other, "--subject", f"from {self.tag}", *urgent, *ack])
        elif self.kind == "answer":
            ways = [["--release"], ["--defer", "20m", *self.say], ["--refuse", *self.say]]
            for row in self.look(["inbox"]).get("to_answer", [])[:1]:
                self.call(["answer", row["thread"], *self.dice.choice(ways)])
        else:
            for row in self.look(["inbox", "--unread"]).get("messages", [])[:1]:
                self.call(["inbox", "--ack", row["id"]])

    def run_under(self):
        if self.kind == "with":
            self.call(["with", self.patterns[0], "--ttl", "5s", "--", "true"])
            return
        lock = self.dice.choice(LOCKS)
        log = str(self.storm.sections / lock.replace(" ", "-"))
        wait = ["--wait", "3s"][: self.dice.choice([0, 2])]
        script = ["sh", "-c", SECTION, "sh", self.tag, log]
        self.call(["with", "--lock", lock, *wait, "--ttl", "1m", "--", *script])

    def hook(self, number):
        """Calls the hook of a coding agent; the session is one of this agent's two."""
        session = f"{number:04x}{self.dice.randrange(2):04x}"
        path = self.dice.choice(FILES)
        others = ["SessionStart", "Stop", "SessionEnd"]
        payload = {
            "session_id": session,
            "hook_event_name": "PreToolUse" if self.kind == "edit" else self.dice.choice(others),
            "cwd": str(self.storm.repo),
            "tool_name": "Edit",
            "tool_use_id": self.tag,
            "tool_input": {"file_path": str(self.storm.repo / path)},
        }
        self.name = f"claude:{session}"
        self.call(["hook", "claude"], path=path, stdin=json.dumps(payload).encode())

    def roll_back(self):
        newest = self.storm.git("rev-list", "-8", "refs/coord/reservations").stdout.split()
        if len(newest) > 2:
            to = self.dice.choice(newest[1:])
            self.call(["ledger", "rollback", "reservations", "--to", to, *self.say])
