"""Scenes about several work trees of one repository."""

import os

from client import shell
from subagents import agent


def two_work_trees(world, promise):
    """That somebody edits a file in another work tree does not open it to two in this one."""
    repository = world.repository()
    repository.git("worktree", "add", "-q", "../linked", "-b", "linked")
    linked = world.directory / "linked"
    # Not every client reads the settings of the main work tree in a linked one.
    repository.git("coord", "install", "--agents", "claude", cwd=linked)
    file = os.path.join(linked, "src/main.rs")
    look = {"tools": [["Read", {"file_path": file}]]}
    change = {"file_path": file, "old_string": "one()", "new_string": "zero()"}
    steps = [look, {"tools": [["Edit", change]]}, {"raised": "there", "until": "over"}]
    there = repository.session("there", steps, cwd=linked)
    world.wait("there")
    here = repository.holder("here", "over")
    told = here.told(2)
    promise("who edits the same here is warned", "edited in another worktree" in told, told)
    edit = {"tools": [repository.edit("src/main.rs", "two()", "three()")]}
    second = repository.session("second", [repository.look(), edit]).done()
    told = second.told(2)
    promise("a second one here is refused", f"{here.agent()} holds" in told, told)
    world.raise_flag("over")
    there.done()
    here.done()
    holds = repository.holds()
    promise("nothing is held when all have left", holds == [], holds)


def an_isolated_subagent(world, promise):
    """A subagent that the client gives a work tree of its own leaves the main one protected."""
    repository = world.repository()
    world.script("alone", ALONE)
    call = agent("alone")
    call[1]["isolation"] = "worktree"
    main = repository.session("main", [{"tools": [call]}])
    world.wait("alone")
    here = repository.holder("here", "over")
    edit = {"tools": [repository.edit("src/main.rs", "two()", "three()")]}
    second = repository.session("second", [repository.look(), edit]).done()
    holds = repository.holds()
    world.raise_flag("over")
    here.done()
    main.done()
    holders = sorted(holder for path, holder in holds if path == "src/main.rs")
    is_both = any(f"{main.agent()}/" in holder for holder in holders) and here.agent() in holders
    promise("both hold their own", is_both, holds)
    told = second.told(2)
    promise("a third is refused", f"{here.agent()} holds" in told, told)
    holds = repository.holds()
    promise("nothing is held when all have left", holds == [], holds)


def a_session_with_a_work_tree(world, promise):
    """The client makes one for the session, below the main one."""
    repository = world.repository()
    change = shell("sed -i s/one/two/ src/main.rs && git rev-parse --git-dir")
    steps = [{"tools": [change]}, {"tools": [shell("git coord list --all")]}]
    session = repository.session("session", steps, "--worktree", "side").done()
    me, told = session.agent(), session.told(0)
    promise("the session is told who it is", f"you are {me}" in told, told[-500:])
    promise("it works in a linked work tree", "/worktrees/" in session.told(1), session.told(1))
    listed = session.told(2)
    promise("what it writes is reserved", f"src/main.rs  {me}" in listed, listed)


# The subagent does not know the place of its work tree before it is there.
ALONE = [
    {"tools": [shell("sed -i s/one/alone/ src/main.rs")]},
    {"raised": "alone", "until": "over"},
]
SCENES = [two_work_trees, an_isolated_subagent, a_session_with_a_work_tree]
