"""Holds what agents were told against what the ledgers say.

It shares no code with the program: the history comes from git, patterns are matched by brute force
on sample paths, and the state is followed from the events. `check` is a pure function of histories
and acts, so that made-up ones show that it can fail (checker_test.py).
"""

import bisect
import fnmatch
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from history import seconds

# Commands that are one act, and leave one entry or none.
ONE_ACT = {
    "reserve", "shared", "each", "renew", "release", "transfer", "ask", "answer", "take", "send",
    "ack", "sweep", "rollback", "lock", "block", "evidence", "run", "artifact", "domain",
}
READERS = {"check", "list", "inbox", "status", "agents", "events", "log", "verify", "doctor"}
PUT_OFF = {"deferred", "refused"}
GRANTS = {"granted", "renewed", "mode_changed"}
# What a refusal may leave behind: it takes nothing, and removes what was over already.
TIDYING = {"expired", "wait_over", "freed", "ask_changed", "sent"}
# What one is told whose request another process has taken on and then not ended.
NOT_KNOWN = "has taken this request on"
# Clocks of processes are read before they wait, and truncated to milliseconds.
CLOCK_SLACK = 0.005


@dataclass
class Act:
    """One command of an agent, and what it was told."""

    tag: str
    agent: str
    kind: str
    start: float  # monotonic, like `end`
    end: float
    code: int  # negative: the signal that ended it
    answer: dict = field(default_factory=dict)
    err: str = ""
    path: str = ""  # for an edit
    patterns: list = field(default_factory=list)
    began: float = 0.0  # wall clock, like `ended`
    ended: float = 0.0

    @property
    def is_known(self):
        """Whether the agent was told what became of it."""
        said = self.err + self.answer.get("error", {}).get("message", "")
        return self.code >= 0 and NOT_KNOWN not in said

    @property
    def is_done(self):
        return self.is_known and self.code == 0


class Findings:
    """What is wrong, by kind."""

    def __init__(self):
        self.by_kind = defaultdict(list)
        self.looked_at = Counter()

    def add(self, kind, text):
        self.by_kind[kind].append(text)


def names_match(patterns, names):
    """Whether the segments of a pattern match the names of a path."""
    if not patterns:
        return not names
    if patterns[0] == "**":
        return any(names_match(patterns[1:], names[at:]) for at in range(len(names) + 1))
    return bool(names) and (
        fnmatch.fnmatchcase(names[0], patterns[0]) and names_match(patterns[1:], names[1:])
    )


def matches(pattern, path):
    """Whether a pattern covers a path; without wildcards also all that is below it."""
    if not any(letter in pattern for letter in "*?["):
        return path == pattern or path.startswith(pattern + "/")
    return names_match(pattern.split("/"), path.split("/"))


class Space:
    """Which sample paths each pattern covers, as a set of bits; locks are names of their own."""

    def __init__(self, paths):
        self.paths = paths
        self.known = {}
        self.locks = {}

    def bits(self, hold):
        if "lock" in hold:
            return self.locks.setdefault(hold["lock"], 1 << (len(self.paths) + len(self.locks)))
        pattern, is_file = hold["pattern"], hold.get("kind") == "file"
        covered = self.matched(pattern, is_file)
        for gone in hold.get("except", []):
            covered &= ~self.matched(gone, False)
        return covered

    def matched(self, pattern, is_file):
        """The paths that a pattern covers; a file has nothing below it."""
        if (pattern, is_file) not in self.known:
            covers = str.__eq__ if is_file else matches
            covered = (1 << at for at, path in enumerate(self.paths) if covers(pattern, path))
            self.known[pattern, is_file] = sum(covered)
        return self.known[pattern, is_file]


def is_one_session(one, other):
    """Whether two holders are one session, which does not stand in its own way."""
    return one == other or one.startswith(other + "/") or other.startswith(one + "/")


def worktree(hold):
    """The work tree that a hold was made in, which is all that it protects if an edit made it."""
    return hold.get("place"), hold.get("worktree")


def conflict(space, one, other):
    """Whether two holds exclude each other."""
    if is_one_session(one["holder"], other["holder"]):
        return False
    if one["mode"] == "shared" and other["mode"] == "shared":
        return False
    if one.get("via") == other.get("via") == "hook" and worktree(one) != worktree(other):
        return False
    return bool(space.bits(one) & space.bits(other))


def follow(holds, event):
    """Takes a state on by one event."""
    kind, subject = event["type"], event.get("subject")
    if kind in GRANTS or kind in {"transferred", "narrowed"}:
        holds[subject] = event["data"]
    elif kind in {"released", "expired", "revoked", "absorbed"}:
        holds.pop(subject, None)


def check_overlaps(entries, space, findings):
    """No two live holds that exclude each other, after any entry. Gives the state after each."""
    holds, states = {}, [{}]
    for entry in entries:
        changed = set()
        for event in entry.events:
            follow(holds, event)
            changed.add(event.get("subject"))
        live = {i: h for i, h in holds.items() if seconds(h["expires_at"]) > entry.time}
        for i in changed & live.keys():
            for j, other in live.items():
                findings.looked_at["pairs of holds"] += 1
                if i != j and conflict(space, live[i], other):
                    text = f"{describe(live[i])} and {describe(other)}"
                    findings.add("overlap", f"{text} after {entry.commit[:10]}")
        states.append(dict(holds))
    return states


def describe(hold):
    return f"{hold['holder']}: {hold.get('lock', hold.get('pattern'))} ({hold['id']})"


def check_chain(entries, findings):
    """Every act once, counters that only grow."""
    seen = {}
    last = None
    for entry in entries:
        findings.looked_at["entries"] += 1
        if entry.op in seen:
            findings.add("twice", f"op {entry.op}: {seen[entry.op]} and {entry.commit}")
        seen[entry.op] = entry.commit
        if last and (entry.seq != last.seq + len(entry.events) or entry.time < last.time):
            findings.add("chain", f"{entry.commit[:10]} does not follow {last.commit[:10]}")
        last = entry


def facts(act):
    """What the answer says that has happened, each as (types, subject, fields)."""
    answer = act.answer
    found = []
    for hold in answer.get("granted", []) if not answer.get("replayed") else []:
        same = {name: hold[name] for name in ("id", "fence", "expires_at", "holder")}
        found.append((GRANTS, hold["id"], same))
    for hold in answer.get("renewed", []):
        found.append(({"renewed"}, hold["id"], {"expires_at": hold["expires_at"]}))
    gone = {"release": "released", "transfer": "transferred", "sweep": "expired"}.get(act.kind)
    if gone:
        found += [({gone}, subject, {}) for subject in answer.get("ids", [])]
    if act.kind == "ask" and answer.get("joined") is False:
        found.append(({"asked"}, answer["thread"], {}))
    # Letting go of what is gone already is done already, and leaves nothing.
    gave = answer.get("ids") or answer.get("narrowed")
    if act.kind == "answer" and (gave or answer.get("status") in PUT_OFF):
        found.append(({"answered", *PUT_OFF}, answer["thread"], {}))
    if act.kind == "take" and "thread" in answer:
        found.append(({"taken"}, answer["thread"], {}))
    if act.kind == "send" and "message" in answer:
        found.append(({"sent"}, answer["message"]["id"], {}))
    if act.kind == "run" and answer.get("created"):
        found.append(({"run_created"}, answer["run"]["id"], {}))
    if act.kind == "block" and answer.get("changed"):
        found.append(({"blocked"}, answer["agent"], {}))
    return found


def is_in(fact, events):
    types, subject, fields = fact
    return any(
        event["type"] in types
        and event.get("subject") == subject
        and all(event["data"].get(name) == value for name, value in fields.items())
        for event in events
    )


def is_over(entry, at):
    """Whether nothing that an entry granted was still held then."""
    ends = [e["data"]["expires_at"] for e in entry.events if e["type"] in GRANTS]
    return bool(ends) and all(seconds(end) <= at + CLOCK_SLACK for end in ends)


def check_acts(acts, by_tag, findings):
    """What was acknowledged is in the history, once; what was refused is not. Only what was over
    before that could be told is asked for again, and counts for nothing."""
    for act in acts:
        entries = by_tag.get(act.tag, [])
        events = [event for entry in entries for event in entry.events]
        named = f"{act.tag} {act.agent} {act.kind} (exit {act.code})"
        later = [entry.time for entry in entries[1:]] + [act.ended]
        counting = [e for e, at in zip(entries, later) if not is_over(e, at)]
        if act.kind in ONE_ACT and len(entries) > 1 and len(counting) > 1:
            findings.add("twice", f"{named}: {[entry.commit[:10] for entry in entries]}")
        if not act.is_known:
            findings.looked_at["not known"] += 1
            continue
        told = facts(act)
        for fact in told:
            findings.looked_at["acknowledged facts"] += 1
            if not is_in(fact, events):
                findings.add("lost", f"{named}: {fact}")
        # A renewal of some tells of others that are lost, and exits with 1.
        is_refused = act.kind in ONE_ACT and act.code != 0 and not told
        if act.kind == "domain":
            is_refused = False  # 'detect' records that nothing was found, and exits with 1
        if is_refused or act.kind in READERS:
            findings.looked_at["refused or reading"] += 1
            if act.kind == "each" and {event["type"] for event in events} <= TIDYING:
                continue  # the entry says 'sweep what a refused request met'
            if counting:
                findings.add("effect", f"{named}: {[entry.commit[:10] for entry in entries]}")
    known = {act.tag for act in acts}
    for tag, entries in by_tag.items():
        if tag not in known:
            findings.add("stranger", f"{tag}: {[entry.commit[:10] for entry in entries]}")


class Windows:
    """Between which states an act took place: after all that had ended when it began, and before
    all that began when it had ended."""

    def __init__(self, acts, place_by_tag):
        placed = [act for act in acts if act.tag in place_by_tag]
        self.after = answered(placed, place_by_tag)
        self.before = lowest(sorted((a.start, min(place_by_tag[a.tag])) for a in placed))

    def states(self, act, count):
        """The first and the last state that it may have seen."""
        first = bisect.bisect_left(self.after[0], act.start)
        last = bisect.bisect_right(self.before[0], act.end)
        low = self.after[1][first - 1] if first else 0
        high = self.before[1][last] - 1 if last < len(self.before[0]) else count - 1
        return low, high


def answered(acts, place_by_tag):
    """When acts were answered, and the highest place of an entry that was answered by then."""
    rows = [(act.end, max(place_by_tag[act.tag])) for act in acts if act.is_done]
    times, places, best = [], [], 0
    for time, place in sorted(rows):
        best = max(best, place)
        times.append(time)
        places.append(best)
    return times, places


def lowest(rows):
    """Times, and the lowest place from each on."""
    times, places, best = [], [], float("inf")
    for time, place in reversed(rows):
        best = min(best, place)
        times.append(time)
        places.append(best)
    return times[::-1], places[::-1]


def check_order(acts, place_by_tag, findings):
    """What had been answered before another act began stands before it."""
    placed = [act for act in acts if act.tag in place_by_tag]
    ended = answered(placed, place_by_tag)
    for act in placed:
        earlier = bisect.bisect_left(ended[0], act.start)
        findings.looked_at["orders"] += 1
        if earlier and ended[1][earlier - 1] > min(place_by_tag[act.tag]):
            named = f"{act.tag} {act.agent} {act.kind}"
            findings.add("order", f"{named} stands before what was answered before it began")


def live_at(state, low, high):
    """The holds that were live at some moment between two readings of a clock; and those that were
    at each."""
    some = {i: h for i, h in state.items() if seconds(h["expires_at"]) > low - CLOCK_SLACK}
    # One that goes with a process may be over before its time.
    lasting = (row for row in some.items() if "process" not in row[1])
    always = {i: h for i, h in lasting if seconds(h["expires_at"]) > high + CLOCK_SLACK}
    return some, always


def check_answers(acts, states, place_by_tag, space, findings):
    """'Free', 'held' and silence to an edit are true of a state that there was at that time."""
    windows = Windows(acts, place_by_tag)
    for act in acts:
        if not act.is_known or act.kind not in {"check", "reserve", "edit"}:
            continue
        low, high = windows.states(act, len(states))
        seen = (live_at(state, act.began, act.ended) for state in states[low : high + 1])
        if act.kind == "edit":
            is_true = act.code != 0 or act.err or act.answer or any(
                holds_path(some, act) for some, _ in seen
            )
        elif act.code == 0 and act.kind == "check":
            wish = {"holder": act.agent, "mode": "exclusive"}
            wanted = [{**wish, "pattern": pattern} for pattern in act.patterns]
            is_true = any(
                not any(conflict(space, want, h) for want in wanted for h in always.values())
                for _, always in seen
            )
        elif act.code == 1:
            ids = [row["held"]["id"] for row in act.answer.get("conflicts", []) if "held" in row]
            is_true = not ids or any(all(i in some for i in ids) for some, _ in seen)
        else:
            continue
        findings.looked_at["answers"] += 1
        if not is_true:
            findings.add(
                "untrue",
                f"{act.tag} {act.agent} {act.kind} {act.patterns or act.path} (exit {act.code}) "
                f"in none of the states {low} to {high}",
            )


def holds_path(state, act):
    return any(
        is_one_session(hold["holder"], act.agent) and matches(hold.get("pattern", ""), act.path)
        for hold in state.values()
    )


def revoked(entries):
    """The acts that lost what they were granted: to a rollback of the ledger, or to another act, such
    as a session that releases what its subagent holds."""
    made, tags = {}, set()
    for entry in entries:
        for event in entry.events:
            if event["type"] in GRANTS:
                made[event["subject"]] = entry.tag
            elif event["type"] in {"revoked", "released", "transferred"}:
                maker = made.get(event["subject"])
                if event["type"] == "revoked" or maker != entry.tag:
                    tags.add(maker)
    return tags


def check_sections(lines, killed, findings, revoked=frozenset()):
    """Commands that ran under one lock did not run at the same time, unless it was taken from one of
    them. `lines` are what they wrote at their beginning and their end, in one file."""
    running = {}
    for word, tag in lines:
        if word == "leave":
            running.pop(tag, None)
            continue
        findings.looked_at["sections"] += 1
        for other in running:
            # A command may begin after its lock was taken: a process needs its time to start.
            if other in revoked or tag in revoked:
                findings.looked_at["sections whose lock was taken away"] += 1
            elif tag in killed or other in killed:
                findings.add("outlived", f"{tag} beside {other}, whose 'with' was killed")
            else:
                findings.add("section", f"{tag} beside {other}")
        running[tag] = True


def check(histories, acts, paths):
    """Everything above. `histories` are the entries of each ledger, `paths` the sample."""
    findings = Findings()
    space = Space(paths)
    by_tag = defaultdict(list)
    states = [{}]
    for name, entries in histories.items():
        check_chain(entries, findings)
        for entry in entries:
            by_tag[entry.tag].append(entry)
        if name == "reservations":
            states = check_overlaps(entries, space, findings)
            place_by_tag = defaultdict(list)
            for place, entry in enumerate(entries, start=1):
                place_by_tag[entry.tag].append(place)
            check_order(acts, place_by_tag, findings)
            check_answers(acts, states, place_by_tag, space, findings)
    check_acts(acts, by_tag, findings)
    return findings, states
