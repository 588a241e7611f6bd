#!/usr/bin/env python3
"""Plays scenes with the real Claude Code and a scripted model, with `git coord` installed as its
README says, and tells of each promise whether it was kept, with what was seen where it was not.

Nothing is asked beyond 127.0.0.1, nothing of the caller's environment is used, and nothing is
written outside of the directory. Exits with 1 if a promise was broken or a client hung.
"""

import argparse
import os
import shutil
import sys
import tempfile
import threading
import traceback

import commits
import nets
import payloads
import settings
import shells
import subagents
import talks
import turns
import worktrees
from world import World

SCENES = {
    scene.__name__: scene
    for part in [turns, talks, shells, nets, subagents, commits, worktrees, settings, payloads]
    for scene in part.SCENES
}
# The longest that a scene may take, all waits together.
SCENE_SECONDS = 300.0
SHOWN_CHARACTERS = 2500


class Report:
    """What was promised, and what came of it."""

    def __init__(self):
        self.broken = 0

    def promise(self, what, is_kept, seen=""):
        self.broken += not is_kept
        print(f"{'kept  ' if is_kept else 'BROKEN'}  {what}", flush=True)
        if not is_kept:
            shown = str(seen).strip()[:SHOWN_CHARACTERS].replace("\n", "\n        ")
            print(f"        {shown}", flush=True)


def play(name, directory, given, report):
    """Plays one scene in a world of its own."""
    print(f"== {name}", flush=True)
    world = World(os.path.join(directory, name), given.claude, given.git_coord)

    def give_up():
        why = f"'{name}' is not over after {SCENE_SECONDS:.0f}s"
        print(f"BROKEN  {why}\n{world.printed()}", flush=True)
        for session in world.sessions:
            session.kill()
        os._exit(1)

    limit = threading.Timer(SCENE_SECONDS, give_up)
    limit.daemon = True
    limit.start()
    try:
        SCENES[name](world, report.promise)
        if world.model.late:
            report.promise(f"flags are raised in time: {world.model.late}", False, world.printed())
    except Exception:  # whatever went wrong, the other scenes are still played
        report.promise(f"'{name}' comes to its end", False, traceback.format_exc())
    finally:
        limit.cancel()
        world.close()
    if given.told:
        for heard in world.model.heard:
            print(f"\n## {heard.script}, step {heard.step}\n{heard.text}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--claude", default=shutil.which("claude"), help="the client")
    parser.add_argument("--git-coord", default=shutil.which("git-coord"), help="the program")
    parser.add_argument("--dir", help="an empty directory to work in; kept afterwards")
    parser.add_argument("--told", action="store_true", help="print all that the models were told")
    parser.add_argument("--record", help="a directory to write the payloads of hooks to")
    parser.add_argument("--list", action="store_true", help="print the names of the scenes")
    parser.add_argument("scenes", nargs="*", metavar="scene", help="a scene to play; all without")
    given = parser.parse_args()
    if given.list:
        print("\n".join(SCENES))
        return 0
    payloads.RECORD = given.record
    unknown = [name for name in given.scenes if name not in SCENES]
    if unknown:
        parser.error(f"no such scene: {', '.join(unknown)}")
    if not given.claude or not given.git_coord:
        parser.error("--claude and --git-coord are needed")
    directory = given.dir or tempfile.mkdtemp(prefix="git-coord-claude-")
    report = Report()
    try:
        for name in given.scenes or SCENES:
            play(name, directory, given, report)
    finally:
        if not given.dir:
            shutil.rmtree(directory, ignore_errors=True)
    print(f"{report.broken} broken")
    return 1 if report.broken else 0


if __name__ == "__main__":
    sys.exit(main())
