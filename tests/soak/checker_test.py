"""Made-up histories with one thing wrong each: the checker finds it, and finds nothing in a right
one. tests/soak.sh runs this before every storm."""

import unittest

from checker import Act, Findings, check, check_sections, matches, revoked
from history import Entry, parse

PATHS = ["src/a", "src/b", "src/a/x", "docs/a"]


def hold(name, holder, pattern, until="2026-01-31T09:00:00Z", **more):
    return {
        "id": name, "holder": holder, "pattern": pattern, "mode": "exclusive",
        "expires_at": until, "fence": 7, **more,
    }


def granted(document, kind="granted"):
    return {"type": kind, "subject": document["id"], "data": document}


def ended(name, kind="released"):
    return {"type": kind, "subject": name, "data": {}}


class Ledger:
    """A history and the acts that made it, one second after the other."""

    def __init__(self):
        self.entries, self.acts, self.now, self.seq = [], [], 0, 0

    def act(self, kind, events=(), agent="a", code=0, answer=None, entries=1, **more):
        self.now += 2
        tag = f"t{self.now}"
        for copy in range(entries if events else 0):
            self.seq += len(events)
            self.entries.append(
                Entry(
                    commit=f"{self.now:039x}{copy}",
                    tag=tag,
                    op=f"{self.now}.{copy}",
                    seq=self.seq,
                    time=1769848200.0 + self.now,
                    events=list(events),
                    command={},
                )
            )
        times = {"start": self.now, "end": self.now + 1}
        clock = {"began": 1769848200.0 + self.now, "ended": 1769848201.0 + self.now}
        told = {"code": code, "answer": answer or {}, **times, **clock, **more}
        self.acts.append(Act(tag=tag, agent=agent, kind=kind, **told))
        return self.acts[-1]

    def reserve(self, document, **more):
        answer = {"granted": [document]}
        return self.act("reserve", [granted(document)], document["holder"], answer=answer, **more)

    def found(self):
        findings, _ = check({"reservations": self.entries}, self.acts, PATHS)
        return {kind: len(texts) for kind, texts in findings.by_kind.items()}


class CheckerTest(unittest.TestCase):
    def setUp(self):
        self.ledger = Ledger()

    def test_a_right_history_is_right(self):
        ledger = self.ledger
        ledger.reserve(hold("h1", "a", "src/a"))
        ledger.reserve(hold("h2", "b", "src/b"))
        ledger.reserve(hold("h3", "a/x", "src/a"))  # the same session
        row = {"held": hold("h1", "a", "src/a")}
        ledger.act("reserve", agent="b", code=1, answer={"conflicts": [row]})
        ledger.act("check", agent="b", patterns=["docs"])
        ledger.act("release", [ended("h1"), ended("h3")], answer={"ids": ["h1"]})
        ledger.reserve(hold("h4", "b", "src/**"))
        ledger.act("edit", agent="b", path="src/b")
        self.assertEqual(ledger.found(), {})

    def test_the_rest_stays_and_what_was_given_is_gone(self):
        ledger = self.ledger
        ledger.reserve(hold("h1", "a", "src/**"))
        rest = hold("h1", "a", "src/**", **{"except": ["src/a"]})
        given = hold("h2", "b", "src/a")
        ledger.act("answer", [granted(rest, "narrowed"), granted(given)])
        self.assertEqual(ledger.found(), {})
        ledger.reserve(hold("h3", "c", "src/b"))
        self.assertEqual(ledger.found(), {"overlap": 1})

    def test_a_file_is_a_file(self):
        self.ledger.reserve(hold("h1", "a", "src/a", kind="file"))
        self.ledger.reserve(hold("h2", "b", "src/a/x"))
        self.assertEqual(self.ledger.found(), {})
        self.ledger.reserve(hold("h3", "c", "src/*"))
        self.assertEqual(self.ledger.found(), {"overlap": 1})

    def test_edits_protect_their_own_worktree(self):
        self.ledger.reserve(hold("h1", "a", "src/a", via="hook"))
        self.ledger.reserve(hold("h2", "b", "src/a", via="hook", worktree="side"))
        self.assertEqual(self.ledger.found(), {})
        self.ledger.reserve(hold("h3", "c", "src/a", via="command", worktree="side"))
        self.assertEqual(self.ledger.found(), {"overlap": 2})

    def test_two_who_hold_one_path(self):
        self.ledger.reserve(hold("h1", "a", "src"))
        self.ledger.reserve(hold("h2", "b", "*/b"))
        self.assertEqual(self.ledger.found(), {"overlap": 1})

    def test_shared_and_expired_ones_do_not_exclude(self):
        ledger = self.ledger
        ledger.reserve(hold("h1", "a", "src", mode="shared"))
        ledger.reserve(hold("h2", "b", "src", mode="shared"))
        ledger.reserve(hold("h3", "a", "docs", until="2026-01-31T08:30:07Z"))
        ledger.reserve(hold("h4", "b", "docs"))
        self.assertEqual(ledger.found(), {})
        ledger.reserve(hold("h5", "c", "src/a"))
        self.assertEqual(ledger.found(), {"overlap": 2})

    def test_a_transfer_that_brings_two_together(self):
        self.ledger.reserve(hold("h1", "a", "src"))
        self.ledger.reserve(hold("h2", "a/x", "src/a"))
        moved = granted(hold("h2", "b", "src/a"), "transferred")
        self.ledger.act("transfer", [moved], answer={"ids": ["h2"]})
        self.assertEqual(self.ledger.found(), {"overlap": 1})

    def test_what_was_acknowledged_and_is_missing(self):
        self.ledger.reserve(hold("h1", "a", "src"))
        self.ledger.entries.clear()
        self.assertEqual(self.ledger.found(), {"lost": 1})

    def test_an_answer_is_missing_unless_it_changed_nothing(self):
        self.ledger.act("answer", answer={"thread": "x", "status": "expired", "ids": []})
        self.assertEqual(self.ledger.found(), {})
        self.ledger.act("answer", answer={"thread": "x", "status": "released", "ids": ["h1"]})
        self.ledger.act("answer", answer={"thread": "x", "status": "refused"})
        self.assertEqual(self.ledger.found(), {"lost": 2})

    def test_what_was_acknowledged_otherwise(self):
        act = self.ledger.reserve(hold("h1", "a", "src"))
        act.answer = {"granted": [hold("h1", "a", "src", until="2026-01-31T10:00:00Z")]}
        self.assertEqual(self.ledger.found(), {"lost": 1})

    def test_one_act_that_is_there_twice(self):
        self.ledger.reserve(hold("h1", "a", "src"), entries=2)
        self.assertEqual(self.ledger.found(), {"twice": 1})
        self.ledger.entries[1].op = self.ledger.entries[0].op
        self.assertEqual(self.ledger.found(), {"twice": 2})

    def test_what_was_over_before_it_could_be_told_is_asked_for_again(self):
        self.ledger.reserve(hold("h1", "a", "src", until="2026-01-31T08:30:02Z"), entries=2)
        brief = granted(hold("h2", "a", "src", until="2026-01-31T08:30:04Z"))
        self.ledger.act("reserve", [brief], code=1)
        self.assertEqual(self.ledger.found(), {})

    def test_a_refusal_with_an_effect(self):
        self.ledger.act("reserve", [granted(hold("h1", "a", "src"))], code=1)
        self.assertEqual(self.ledger.found(), {"effect": 1})

    def test_who_was_killed_may_have_done_it(self):
        self.ledger.reserve(hold("h1", "a", "src"), code=-9)
        self.ledger.act("reserve", agent="b", code=-9)
        self.assertEqual(self.ledger.found(), {})

    def test_an_entry_that_nobody_asked_for(self):
        self.ledger.reserve(hold("h1", "a", "src"))
        self.ledger.acts.clear()
        self.assertEqual(self.ledger.found(), {"stranger": 1})

    def test_an_answer_before_an_older_one(self):
        self.ledger.reserve(hold("h1", "a", "src"))
        self.ledger.reserve(hold("h2", "b", "docs"))
        self.ledger.entries.reverse()
        found = self.ledger.found()
        self.assertEqual(found.pop("order"), 1)
        self.assertEqual(found, {"chain": 1})

    def test_answers_that_were_true_at_no_time(self):
        self.ledger.reserve(hold("h1", "a", "src"))
        self.ledger.act("check", agent="b", patterns=["src/a"])
        self.ledger.act("edit", agent="b", path="src/b")
        row = {"held": hold("h9", "c", "docs")}
        self.ledger.act("check", agent="b", code=1, answer={"conflicts": [row]})
        self.assertEqual(self.ledger.found(), {"untrue": 3})

    def test_two_commands_under_one_lock(self):
        findings = Findings()
        lines = [("enter", "t1"), ("leave", "t1"), ("enter", "t2"), ("enter", "t3")]
        check_sections(lines, set(), findings)
        self.assertEqual(list(findings.by_kind), ["section"])
        findings = Findings()
        check_sections(lines, {"t2"}, findings)
        self.assertEqual(list(findings.by_kind), ["outlived"])

    def test_a_lock_that_a_rollback_took(self):
        act = self.ledger.reserve(hold("h1", "a", "src"))
        self.ledger.act("rollback", [ended("h1", "revoked")])
        findings = Findings()
        lines = [("enter", act.tag), ("enter", "t9")]
        check_sections(lines, set(), findings, revoked(self.ledger.entries))
        self.assertEqual(list(findings.by_kind), [])
        other = self.ledger.reserve(hold("h2", "a/x", "docs"))
        self.ledger.act("release", [ended("h2", "released")], agent="a")
        findings = Findings()
        lines = [("enter", other.tag), ("enter", "t9")]
        check_sections(lines, set(), findings, revoked(self.ledger.entries))
        self.assertEqual(list(findings.by_kind), [], "its session has released the lock")
        late = Findings()
        lines = [("enter", "t9"), ("enter", act.tag)]
        check_sections(lines, set(), late, revoked(self.ledger.entries))
        self.assertEqual(list(late.by_kind), [], "its command began after its lock was taken")

    def test_patterns(self):
        for pattern, path, expected in [
            ("src", "src/a/b", True), ("src", "srcx", False), ("src/*", "src/a", True),
            ("src/*", "src/a/b", False), ("src/**", "src/a/b", True), ("**/b", "b", True),
            ("d[0-2]/f", "d1/f", True), ("d[0-2]/f", "d3/f", False),
        ]:
            self.assertEqual(matches(pattern, path), expected, (pattern, path))

    def test_an_entry_is_read(self):
        entry = parse(
            "c1",
            "tree t\nparent p\nauthor A B <a> 1 +0000\ncommitter A B <a> 1 +0000\n\n"
            'reserve\n\n{"type":"granted","data":{}}\n{"command":"reserve"}\n\n'
            "Coord-Op: 6d\nCoord-Seq: 12\nCoord-Time: 2026-01-31T08:30:00.123Z\nCoord-Fence: 1\n",
        )
        self.assertEqual((entry.tag, entry.op, entry.seq), ("A B", "6d", 12))
        self.assertEqual(entry.time, 1769848200.123)
        self.assertEqual([event["type"] for event in entry.events], ["granted"])


if __name__ == "__main__":
    unittest.main()
