"""Reads ledgers with git alone: the chain of entries, what a compaction set aside included."""

import calendar
import functools
import json
import subprocess
import time
from dataclasses import dataclass, field


@dataclass
class Entry:
    """One commit of a ledger."""

    commit: str
    tag: str  # the committer's name, by which an act knows its entries
    op: str
    seq: int
    time: float  # seconds since 1970
    events: list
    command: dict
    events_at: str = ""  # the document that has the events, if the message has not
    tree: str = ""
    parent: str = ""
    trailers: dict = field(default_factory=dict)


# Objects are found whatever git's own index of packs says; whether that is right is another
# matter.
WITHOUT_INDEX = ["-c", "core.multiPackIndex=false"]


def git(repo, *args, stdin=None):
    """Runs git and gives what it prints."""
    words = ["git", "-C", str(repo), *WITHOUT_INDEX, *args]
    return subprocess.run(words, input=stdin, capture_output=True, check=True).stdout


@functools.lru_cache(maxsize=1 << 16)
def seconds(text):
    """The time in an entry, as seconds since 1970."""
    whole, _, fraction = text.rstrip("Z").partition(".")
    return calendar.timegm(time.strptime(whole, "%Y-%m-%dT%H:%M:%S")) + float(f"0.{fraction or 0}")


def parse(commit, text):
    """Reads a commit object; the format is that of docs/data-model.md."""
    header, message = text.split("\n\n", 1)
    fields = dict(line.split(" ", 1) for line in header.split("\n"))
    _, rest = message.split("\n\n", 1)
    body, trailers = rest.rstrip("\n").rsplit("\n\n", 1)
    lines = [json.loads(line) for line in body.split("\n")]
    trailers = dict(line.split(": ", 1) for line in trailers.split("\n"))
    return Entry(
        commit=commit,
        tag=fields["committer"].split(" <")[0],
        op=trailers["Coord-Op"],
        seq=int(trailers["Coord-Seq"]),
        time=seconds(trailers["Coord-Time"]),
        events=[line for line in lines if "type" in line],
        events_at=next((line["events"]["blob"] for line in lines if "events" in line), ""),
        command=next(line for line in lines if "command" in line),
        tree=fields["tree"],
        parent=fields.get("parent", ""),
        trailers=trailers,
    )


def objects(repo, names):
    """The contents of objects, in the order of their names."""
    if not names:
        return []
    data = git(repo, "cat-file", "--batch", stdin="\n".join(names).encode() + b"\n")
    contents, at = [], 0
    for name in names:
        end = data.index(b"\n", at)
        words = data[at:end].split()
        if len(words) != 3:
            raise ValueError(f"object {name} is missing")
        size = int(words[2])
        contents.append(data[end + 1 : end + 1 + size])
        at = end + 1 + size + 1
    return contents


def chain(repo, tip):
    """The entries from the first to `tip`. A checkpoint is no act: the entries up to the one that
    it stands for take its place."""
    names = git(repo, "rev-list", tip).decode().split()
    entries = [parse(n, t.decode()) for n, t in zip(names, objects(repo, names))]
    large = [entry for entry in entries if entry.events_at]
    documents = objects(repo, [entry.events_at for entry in large])
    for entry, document in zip(large, documents):
        entry.events = [json.loads(line) for line in document.decode().splitlines()]
    entries.reverse()
    stands_for = entries[0].trailers.get("Coord-Stands-For") if entries else None
    if stands_for:
        return chain(repo, stands_for) + entries[1:]
    return entries


def ledger(repo, name):
    """All entries of a ledger, none if there is no such ledger."""
    found = git(repo, "for-each-ref", "--format=%(objectname)", f"refs/coord/{name}").decode()
    return chain(repo, found.split()[0]) if found.split() else []


def held(repo, tree):
    """The holds that the tree of an entry has, by id."""
    rows = git(repo, "ls-tree", "-r", tree, "ids/").decode().splitlines()
    blobs = [row.split()[2] for row in rows]
    holds = [json.loads(content) for content in objects(repo, blobs)]
    return {hold["id"]: hold for hold in holds}
