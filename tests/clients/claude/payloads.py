"""The payloads that the client sends to hooks, beside those that are kept for tests without it."""

import json
import re
import time
from pathlib import Path

from client import Hung, Talk, quoted, shell
from subagents import agent

KEPT = Path(__file__).resolve().parents[2] / "it/hook/payloads/claude-code-2.1.326"
# Where to write the samples again; nowhere without.
RECORD = None
EVENTS = [
    "PreToolUse", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "SessionStart",
    "SessionEnd", "Stop", "StopFailure", "SubagentStart", "SubagentStop",
]
# An id of the session, and of a subagent, as the samples have them.
SESSION = "7f3a91c2-5b1d-4c7e-9a30-1f2e3d4c5b6a"
SUBAGENT = "a0123456789abcdef"
AGENT_ID = re.compile(r"\ba[0-9a-f]{16}\b")
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
# These come with some of the payloads of a kind only.
SOMETIMES = {"model", "session_title", "effort", "prompt_id"}


def kept_payloads(world, promise):
    """Each sample has the fields that the client sends."""
    repository = world.repository()
    log = world.directory / "tmp" / "payloads"
    log.mkdir()
    add_logger(repository, log)
    talk = Talk(repository, "talk")
    edit = {"tools": [repository.edit("src/main.rs", "one()", "two()")]}
    file = str(repository.root / "src/new.rs")
    write = {"tools": [["Write", {"file_path": file, "content": "new\n"}]]}
    call = agent("one")
    call[1]["run_in_background"] = False
    world.script("one", [repository.look(), {"tools": [repository.edit("src/lib.rs", "lib", "a")]}])
    talk.say("first", [
        repository.look(),
        edit,
        write,
        {"tools": [shell("sed -i s/two/six/ src/main.rs")]},
        {"tools": [shell("echo done")]},
        {"tools": [shell("exit 3")]},
        {"tools": [call]},
    ])
    talk.say("second", [{"status": 400}])
    # The client does not wait for this hook, and takes it along when it leaves.
    until = time.monotonic() + 30
    while not any("StopFailure" in path.read_text("utf-8") for path in log.glob("*.json")):
        if time.monotonic() > until:
            break
        time.sleep(0.1)
    talk.leave()
    names = {str(world.home): "$HOME", str(repository.root): "$REPO", talk.id(): SESSION}
    kept = {path.stem: json.loads(path.read_text("utf-8")) for path in KEPT.glob("*.json")}
    seen = samples(log, names)
    if RECORD:
        for name, payload in seen.items():
            text = json.dumps(payload, indent=2) + "\n"
            (Path(RECORD) / f"{name}.json").write_text(text, encoding="utf-8")
    promise("the same kinds of payloads come", set(kept) == set(seen), f"{set(kept) ^ set(seen)}")
    for name in sorted(set(kept) & set(seen)):
        old, new = fields(kept[name]), fields(seen[name])
        promise(f"the fields of {name} are known", old == new, f"{old ^ new}")


def add_logger(repository, log):
    """Has the client write each payload into a file, in the order in which they come."""
    path = repository.root / ".claude/settings.local.json"
    settings = json.loads(path.read_text("utf-8"))
    # Whole or not at all, because somebody may read it at any time.
    name = f"{quoted(log)}/$(date +%s%N)-$$"
    command = f"file={name}; cat >$file.part && mv $file.part $file.json"
    for event in EVENTS:
        handler = {"hooks": [{"type": "command", "command": command}]}
        settings["hooks"].setdefault(event, []).append(handler)
    path.write_text(json.dumps(settings), encoding="utf-8")


def samples(log, names):
    """Reads one payload of each kind, without what is of this machine or random."""
    found = {}
    for path in sorted(log.glob("*.json")):
        text = path.read_text("utf-8")
        for name, word in names.items():
            text = text.replace(name, word)
        text = re.sub(r"/projects/[^/\"]*/", "/projects/-repo/", text)
        text = UUID.sub(lambda id: id[0] if id[0] == SESSION else "0" * 8 + SESSION[8:], text)
        payload = json.loads(AGENT_ID.sub(SUBAGENT, text))
        found.setdefault(kind(payload), payload)
    if not found:
        raise Hung("the client has called no hook")
    return found


def kind(payload):
    """Names a payload: its event, its tool, and what is special about it."""
    parts = [payload["hook_event_name"], payload.get("tool_name")]
    response = payload.get("tool_response")
    diff = isinstance(response, dict) and response.get("bashEditDiff")
    parts.append("bashEditDiff" if diff else None)
    parts.append("interrupted" if payload.get("is_interrupt") else None)
    is_sub = payload.get("agent_id") and not payload["hook_event_name"].startswith("Subagent")
    parts.append("in-subagent" if is_sub else None)
    return "-".join(part for part in parts if part)


def fields(payload, above=""):
    """Lists the fields of a payload, with those of its own objects."""
    found = set()
    for name, value in payload.items():
        if name in SOMETIMES:
            continue
        found.add(above + name)
        if isinstance(value, dict) and name in ("tool_input", "bashEditDiff"):
            found |= fields(value, f"{above}{name}.")
    return found


SCENES = [kept_payloads]
