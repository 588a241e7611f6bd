"""A storm: agents run every command in one repository while processes are killed and stopped and
git tidies up beside them. What each was told is noted, and handed to the checker at the end.

See tests/soak.sh for how to run it.
"""

import argparse
import functools
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from pathlib import Path

import doctored
import history
from checker import Act, check, check_sections, revoked
from deeds import FILES, SAMPLE, Deed

LEDGERS = ["reservations", "overrides", "domains", "runs"]
UPKEEP = [
    ["gc", "--quiet"],
    ["gc", "--quiet", "--prune=now"],
    ["pack-refs", "--all"],
    ["repack", "-q", "-a", "-d"],
    ["repack", "-q", "-d", "--geometric=2"],
    ["repack", "-q", "-d", "--cruft"],
    ["maintenance", "run", "--quiet"],
    ["multi-pack-index", "write"],
    ["multi-pack-index", "verify"],
    ["prune", "--expire=now"],
    ["prune-packed", "-q"],
    ["fetch", "-q", "--prune", "origin"],
    ["for-each-ref", "refs/coord"],
]
# Said of a ledger that is whole, these are false.
DAMAGE = ("is missing", "damaged", "doctor --repair")
HUNG_SECONDS = 120


class Storm:
    """One repository, everybody in it, and what was noted."""

    def __init__(self, options, scratch, kind):
        self.options = options
        self.kind = kind
        self.home = scratch / kind.replace("+", "-")
        self.repo = self.home / "repo"
        self.sections = self.home / "sections"
        self.random = random.Random(options.seed)
        self.over = threading.Event()
        self.noting = threading.Lock()
        self.acts = []
        self.running = {}  # pid of a process of ours, and its tag
        self.killed = set()
        self.counts = Counter()
        self.upkeep = defaultdict(Counter)
        self.problems = defaultdict(list)

    def environment(self, tag="storm"):
        who = {f"GIT_{role}_NAME": tag for role in ("AUTHOR", "COMMITTER")}
        who |= {f"GIT_{role}_EMAIL": "storm@example.org" for role in ("AUTHOR", "COMMITTER")}
        return {**os.environ, **who, "HOME": str(self.home)}

    def git(self, *args):
        return subprocess.run(
            ["git", "-C", str(self.repo), *args],
            capture_output=True, text=True, env=self.environment(), timeout=600, check=False,
        )

    def problem(self, kind, text):
        with self.noting:
            self.problems[kind].append(text)

    def make(self):
        """Makes the repository; says why where this git cannot."""
        self.home.mkdir(parents=True)
        self.sections.mkdir()
        form, _, queue = self.kind.partition("+")
        extra = {"reftable": ["--ref-format=reftable"], "sha256": ["--object-format=sha256"]}
        for name in ("origin", "repo"):
            made = subprocess.run(
                ["git", "init", "-q", *extra.get(form, []), str(self.home / name)],
                capture_output=True, text=True, env=self.environment(), check=False,
            )
            if made.returncode:
                return made.stderr.strip().splitlines()[0]
        for path in FILES:
            target = self.repo / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text("text\n")
        settings = {
            "coord.enabled": "true",
            "coord.queue": "false" if queue == "unqueued" else "true",
            "coord.wait": "15s",
            "gc.auto": "0",
            "remote.origin.url": str(self.home / "origin"),
            "remote.origin.fetch": "+refs/heads/*:refs/remotes/origin/*",
        }
        for name, value in settings.items():
            self.git("config", name, value)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "first")
        # Some of git's upkeep fails where there is no pack at all.
        self.git("repack", "-q", "-a", "-d")
        return None

    # What an agent does.

    def call(self, dice, tag, agent, kind, args, path="", stdin=b"", patterns=()):
        """Runs one command, notes what it said, and gives that."""
        words = [self.options.program, "-C", str(self.repo)]
        if agent and kind not in {"edit", "hook"}:
            words += ["--as", agent]
        words += ["--json", *args] if kind not in {"edit", "hook", "section", "with"} else args
        began, start = time.time(), time.monotonic()
        child = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=self.environment(tag), cwd=self.repo, start_new_session=True,
        )
        with self.noting:
            self.running[child.pid] = tag
        self.trouble(dice, child, tag)
        try:
            out, err = child.communicate(stdin, timeout=HUNG_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            out, err = child.communicate()
            self.problem("hung", f"{tag} {agent} {args}")
        with self.noting:
            self.running.pop(child.pid, None)
        end, ended = time.monotonic(), time.time()
        act = Act(
            tag=tag, agent=agent, kind=kind, start=start, end=end, code=child.returncode,
            answer=parsed(out), err=err.decode(errors="replace").strip(), path=path,
            patterns=list(patterns), began=began, ended=ended,
        )
        self.note(act, args)
        return act

    def trouble(self, dice, child, tag):
        """Kills or stops a process now and then, at any moment of its life."""
        luck = dice.random()
        if luck < 0.012:
            self.later(dice.uniform(0, 0.08), child.pid, signal.SIGKILL, tag)
        elif luck < 0.02:
            self.later(dice.uniform(0, 0.05), child.pid, signal.SIGSTOP, tag)
            self.later(dice.uniform(0.1, self.options.stop), child.pid, signal.SIGCONT, tag)

    def later(self, delay, pid, number, tag):
        timer = threading.Timer(delay, self.signal, [pid, number, tag])
        timer.daemon = True
        timer.start()

    def signal(self, pid, number, tag):
        with self.noting:
            if self.running.get(pid) != tag:
                return
            if number == signal.SIGKILL:
                self.killed.add(tag)
            self.counts[signal.Signals(number).name] += 1
            os.kill(pid, number)

    def note(self, act, args):
        said = act.err + json.dumps(act.answer.get("error", ""))
        with self.noting:
            self.acts.append(act)
            self.counts[f"exit {act.code}" if act.code >= 0 else "killed"] += 1
        if any(word in said for word in DAMAGE) or (
            act.kind in {"doctor", "verify"} and act.code == 128
        ):
            self.problem("damage", f"{act.tag} {act.agent} {args}: {said}")
        elif act.kind == "doctor" and act.code == 1:
            bad = [row for row in act.answer.get("checks", []) if row["state"] == "error"]
            self.problem("doctor", f"{act.tag}: {bad}")
        elif "panicked" in said or act.code in {101, 129} or (
            act.code == 128 and act.kind not in {"section", "with"}
        ):
            self.problem("error", f"{act.tag} {act.agent} {args}: exit {act.code}: {said}")

    def agent(self, number):
        dice = random.Random(self.options.seed * 1000 + number)
        name = f"a{number:02}" if number % 5 else f"a{number + 1:02}/x"
        mine, count = [], 0
        while not self.over.is_set():
            count += 1
            tag = f"t{number}-{count}"
            try:
                Deed(self, dice, tag, name).do(number, mine)
            except Exception as error:  # a storm goes on, and tells at its end
                self.problem("storm", f"{tag}: {type(error).__name__}: {error}")

    # What happens beside them.

    def tidy(self):
        """Runs git's upkeep, one after the other: what fails of it, we have broken."""
        dice = random.Random(self.options.seed + 1)
        while not self.over.is_set():
            words = dice.choice(UPKEEP)
            if words[1:] == ["verify"] and not self.has_multi_pack_index():
                continue
            done = self.git(*words)
            self.upkeep[" ".join(words)]["runs"] += 1
            if done.returncode and self.is_gits_own(words, done.stderr):
                self.upkeep[" ".join(words)]["not its turn"] += 1
            elif done.returncode:
                self.upkeep[" ".join(words)]["failed"] += 1
                kind = "index" if words[0] == "multi-pack-index" else "upkeep"
                self.problem(kind, f"git {' '.join(words)}: {done.stderr.strip()[:300]}")
            if words[0] == "for-each-ref":
                time.sleep(0.5)

    def is_gits_own(self, words, err):
        """Whether git stood in its own way: in a reftable, 'git pack-refs' and 'git reflog' give
        up when 'git update-ref' writes at that moment, whoever started that."""
        parts = ("failed to run pack-refs", "failed to run reflog")
        return self.kind.startswith("reftable") and (
            words[0] == "pack-refs" or any(part in err for part in parts)
        )

    def has_multi_pack_index(self):
        return (self.repo / ".git/objects/pack/multi-pack-index").exists()

    def hunt(self):
        """Kills and stops whoever is at the front of the queue, where the kernel tells who."""
        dice = random.Random(self.options.seed + 2)
        locks = self.repo / ".git/coord/locks/reservations.lock"
        while not self.over.wait(dice.uniform(0.05, 0.6)):
            pid = holder_of(locks)
            with self.noting:
                tag = self.running.get(pid)
            if tag is None:
                continue
            if dice.random() < 0.7:
                self.counts["front killed"] += 1
                self.signal(pid, signal.SIGKILL, tag)
            else:
                self.counts["front stopped"] += 1
                self.signal(pid, signal.SIGSTOP, tag)
                self.later(dice.uniform(0.1, self.options.stop), pid, signal.SIGCONT, tag)

    def blow(self, seconds):
        """Lets everybody loose for that long."""
        work = [functools.partial(self.agent, number) for number in range(self.options.agents)]
        work += [self.tidy] + ([self.hunt] if sys.platform == "linux" else [])
        threads = [threading.Thread(target=each) for each in work]
        for thread in threads:
            thread.start()
        time.sleep(seconds)
        self.over.set()
        for thread in threads:
            thread.join()

    # What is left.

    def last_word(self):
        """Checks the repository when all is quiet."""
        calm = random.Random(0)
        calm.random = lambda: 1.0
        # The next writer clears up what the killed have left; a sweep may have nothing to write.
        words = ["reserve", "--lock", "last", "--ttl", "1s"]
        act = self.call(calm, "t-last", "last", "reserve", words)
        if act.code:
            self.problem("error", f"the last command failed: {act.err} {act.answer}")
        for ledger in LEDGERS:
            act = self.call(calm, f"t-{ledger}", "last", "verify", ["ledger", "verify", ledger])
            if act.code not in {0, 4}:
                self.problem("verify", f"{ledger}: {act.answer} {act.err}")
        for kind, words in [
            ("fsck", [*history.WITHOUT_INDEX, "fsck", "--strict", "--no-dangling"]),
            ("index", ["multi-pack-index", "verify"]),
            ("upkeep", ["rev-list", "--objects", "--all"]),
            ("upkeep", ["gc", "--quiet"]),
        ]:
            if kind == "index" and not self.has_multi_pack_index():
                continue
            done = self.git(*words)
            if done.returncode:
                text = f"git {' '.join(words)} at the end"
                self.problem(kind, f"{text}: {done.stderr.strip()[:300]}")
        self.leftovers()

    def leftovers(self):
        common = self.repo / ".git"
        for path in common.rglob("*.lock"):
            name = path.relative_to(common).as_posix()
            if not name.startswith("coord/locks/"):
                self.problem("stray", name)
        for path in [*common.glob("objects/pack/*.keep"), *common.glob("coord/errands/*")]:
            self.problem("stray", path.relative_to(common).as_posix())
        old = [path for path in common.glob("coord/tmp/*") if path.is_file()]
        packs = len(list(common.glob("objects/pack/*.pack")))
        helpers = sum(1 for path in common.glob("coord/**/*") if path.is_file())
        size = sum(path.stat().st_size for path in common.rglob("*") if path.is_file())
        self.counts.update({"packs": packs, "helper files": helpers, "KB": size // 1024})
        bounds = [
            # Those of the killed go after an hour.
            ("staged files", len(old), 4 * self.counts["killed"] + 20),
            ("packs", packs, 60),
            ("helper files", helpers, 12 * self.options.agents + 60),
            ("KB for each entry", size // 1024 // max(1, self.entries()), 64),
        ]
        for name, found, most in bounds:
            if found > most:
                self.problem("size", f"{found} {name}, at most {most}")

    def done(self):
        return [act for act in self.acts if act.is_done]

    def entries(self):
        count = [*history.WITHOUT_INDEX, "rev-list", "--count", "--glob=refs/coord"]
        return int(self.git(*count).stdout or 0)

    def verdict(self):
        """Holds everything that was noted against the history."""
        histories = {name: history.ledger(self.repo, name) for name in LEDGERS}
        findings, states = check(histories, self.acts, SAMPLE)
        self.question_the_checker(histories, findings)
        for log in self.sections.iterdir():
            lines = [line.split(" ", 1) for line in log.read_text().splitlines()]
            check_sections(lines, self.killed, findings, revoked(histories["reservations"]))
        entries = histories["reservations"]
        for place in {0, len(entries) // 2, len(entries) - 1} if entries else {}:
            findings.looked_at["trees"] += 1
            if history.held(self.repo, entries[place].tree) != documents(states[place + 1]):
                findings.add("tree", f"{entries[place].commit} is not what its events lead to")
        for kind, texts in findings.by_kind.items():
            self.problems[kind] += texts
        return findings


    def question_the_checker(self, histories, findings):
        """Makes one thing wrong, and wants to hear of it."""
        if not doctored.granted(histories, self.acts):
            return
        for kind, way in doctored.WAYS.items():
            wrong, _ = check(*way(histories, self.acts), SAMPLE)
            findings.looked_at["wrongs to be found"] += 1
            if len(wrong.by_kind[kind]) <= len(findings.by_kind.get(kind, [])):
                findings.add("blind", f"the checker does not see: {kind}")


def documents(state):
    """Holds as they stand in a tree: without what their events say besides."""
    besides = {"from", "because", "forced", "was"}
    return {i: {k: v for k, v in h.items() if k not in besides} for i, h in state.items()}


def parsed(out):
    try:
        answer = json.loads(out)
    except ValueError:
        return {"text": out.decode(errors="replace")} if out.strip() else {}
    return answer if isinstance(answer, dict) else {}


def holder_of(path):
    """Which process has a file locked, by what the kernel tells."""
    try:
        inode = path.stat().st_ino
        for row in Path("/proc/locks").read_text().splitlines():
            words = row.split()
            if words[1] == "FLOCK" and words[5].endswith(f":{inode}"):
                return int(words[4])
    except (OSError, ValueError, IndexError):
        pass
    return None


def rows(storm, findings):
    """The counts of one storm, for people."""
    told = storm.counts
    yield "commands", len(storm.acts)
    answers = (str(told[f"exit {code}"]) for code in (0, 1, 5))
    yield "  of them done / refused / busy", " / ".join(answers)
    tried, done = ({act.kind for act in acts} for acts in (storm.acts, storm.done()))
    yield "  kinds, of them not once done", f"{len(tried)}, {' '.join(sorted(tried - done)) or 0}"
    yield "  killed, of them at the front", f"{told['killed']}, {told['front killed']}"
    yield "  stopped, of them at the front", f"{told['SIGSTOP']}, {told['front stopped']}"
    runs = sum(row["runs"] for row in storm.upkeep.values())
    failed, not_its_turn = (
        sum(row[what] for row in storm.upkeep.values()) for what in ("failed", "not its turn")
    )
    yield "git's upkeep, runs / failed", f"{runs} / {failed}"
    if not_its_turn:
        yield "  stopped by another git", not_its_turn
    for name, count in findings.looked_at.items():
        yield f"checked: {name}", count
    yield "packs / helper files / KB", f"{told['packs']} / {told['helper files']} / {told['KB']}"


def weather(options, scratch, kind, seconds):
    """One storm, from the first command to the verdict; the number of problems, none if this git
    cannot."""
    storm = Storm(options, scratch, kind)
    cannot = storm.make()
    if cannot:
        print(f"skipped: {kind}: {cannot}")
        return 0, 0
    storm.blow(seconds)
    storm.last_word()
    findings = storm.verdict()
    print(f"\n{kind}: {options.agents} agents, {seconds:.0f} s, seed {options.seed}")
    for name, value in rows(storm, findings):
        print(f"  {name:<36} {value}")
    failed = 0
    for problem, texts in sorted(storm.problems.items()):
        is_tolerated = problem in options.tolerate
        failed += 0 if is_tolerated else len(texts)
        print(f"  {'tolerated' if is_tolerated else 'FAILED'}: {problem}: {len(texts)}")
        for text in texts[: options.show]:
            print(f"    {text[:400]}")
    passed = sum(findings.looked_at.values())
    return passed, failed


def forget_the_user():
    """Leaves nothing of the user's environment but what finds programs."""
    for name in set(os.environ) - {"PATH", "TMPDIR", "HOME"}:
        del os.environ[name]
    os.environ.update(GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM="1")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, help="the git-coord to run")
    parser.add_argument("--seconds", type=float, default=300, help="for all kinds together")
    parser.add_argument("--agents", type=int, default=50)
    parser.add_argument("--kinds", default="files,files+unqueued,reftable,sha256")
    parser.add_argument("--stop", type=float, default=3, help="longest stop of a process")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--tolerate", default="", help="kinds of problems that do not count")
    parser.add_argument("--show", type=int, default=5, help="problems of a kind that are shown")
    parser.add_argument("--keep", action="store_true", help="keep the repositories")
    options = parser.parse_args()
    forget_the_user()
    options.tolerate = set(filter(None, options.tolerate.split(",")))
    options.program = str(Path(options.program).resolve())
    kinds = options.kinds.split(",")
    scratch = Path(tempfile.mkdtemp(prefix="git-coord-storm-"))
    try:
        totals = [weather(options, scratch, kind, options.seconds / len(kinds)) for kind in kinds]
    finally:
        if options.keep:
            print(f"kept: {scratch}")
        else:
            subprocess.run(["rm", "-rf", str(scratch)], check=False)
    passed, failed = (sum(column) for column in zip(*totals))
    print(f"\n{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
