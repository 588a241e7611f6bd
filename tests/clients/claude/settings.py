"""Scenes about what `install` and the plugin put into the settings of a client."""

import os
from pathlib import Path

from client import shell

PLUGIN = Path(__file__).resolve().parents[3]
# Unasked, an agent does what concerns itself.
UNASKED = [
    "git coord status",
    "git coord reserve docs/new.md --reason 'a page'",
    "git coord ask docs/guide.md --reason 'a line'",
    "git coord release --mine",
]
# These could be turned against somebody, so a person is asked.
ASKED = [
    "git coord release {} --force --reason mine",
    "git coord release --force --reason mine {}",
    'git coord release {} "--force" --reason mine',
    "git coord release {} '--force' --reason mine",
    "git coord release --as bob {}",
    'git coord release "--as" bob {}',
    "git coord release --as=bob {}",
    "git coord status && git coord release {} --force --reason mine",
    "git coord status -C ..",
    'git coord status "-C" ..',
    "GIT_COORD_AGENT=bob git coord release {}",
    "git coord take docs/guide.md --reason mine",
    "git coord adopt docs/guide.md --reason mine",
    "git coord with --lock x -- true",
]


def permissions(world, promise):
    """`install --allow`, and nobody there to say yes."""
    repository = world.repository(install=("--agents", "claude", "--allow"))
    repository.git("coord", "--as", "bob", "reserve", "docs/guide.md", "--reason", "mine")
    held = repository.git("coord", "list").split()[0]
    asked = [command.format(held) for command in ASKED]
    steps = [{"tools": [shell(command)]} for command in [*UNASKED, *asked]]
    session = repository.session("session", steps, mode="default").done()
    told = [session.told(step) for step in range(1, len(steps) + 1)]
    for command, answer in zip(UNASKED, told):
        promise(f"runs unasked: {command}", "is_error" not in answer, answer)
    for command, answer in zip(ASKED, told[len(UNASKED) :]):
        promise(f"is asked about: {command}", is_asked(answer), answer)
    holds = repository.holds()
    promise("the other holds what it held", ("docs/guide.md", "bob") in holds, holds)


def is_asked(answer):
    return "is_error" in answer and ("approval" in answer or "requested permissions" in answer)


def a_missing_program(world, promise):
    """With `coord.hook.failClosed` and without the program, no edit passes; the shell, which has
    to get the program back, does."""
    repository = world.repository(install=None)
    repository.git("config", "coord.hook.failClosed", "true")
    repository.git("coord", "install", "--agents", "claude")
    edit = {"tools": [repository.edit("src/main.rs", "one()", "two()")]}
    steps = [repository.look(), edit, {"tools": [shell("echo 'the shell runs'")]}]
    without = ":".join(world.search_path[1:])
    session = repository.session("session", steps, PATH=without).done()
    told, text = session.told(2), repository.text("src/main.rs")
    promise("an edit that nobody can check is refused", "is_error" in told, told)
    promise("and not made", "one()" in text, text)
    told = session.told(3)
    promise("the shell runs", "the shell runs" in told, told)


def the_plugin(world, promise):
    """Without `install` in the settings, and beside it."""
    for what, install in [("alone", ("--agents", "none")), ("beside", ("--agents", "claude"))]:
        repository = world.repository(what, install)
        edit = {"tools": [repository.edit("src/main.rs", "one()", "two()")]}
        look = {"tools": [shell("git coord list --all")]}
        steps = [repository.look(), edit, look]
        session = repository.session(what, steps, "--plugin-dir", str(PLUGIN)).done()
        me = session.agent()
        count = session.told(0).count(f"you are {me}")
        promise(f"a session is told once who it is ({what})", count == 1, session.told(0))
        shown = session.told(3)
        promise(f"its edit is reserved ({what})", f"src/main.rs  {me}" in shown, shown)


def a_linked_work_tree(world, promise):
    """What `doctor` says of a work tree that has no settings of its own is what the client does."""
    repository = world.repository()
    repository.git("worktree", "add", "-q", "../linked", "-b", "linked")
    linked = world.directory / "linked"
    search_path = ":".join([os.path.dirname(world.claude), *world.search_path])
    said = repository.git("coord", "doctor", cwd=linked, check=False, PATH=search_path)
    session = repository.session("session", [{}], cwd=linked).done()
    is_told = f"you are {session.agent()}" in session.told(0)
    is_said = "git and Claude Code call git coord" in said
    promise("doctor says whether a session is told who it is", is_said == is_told, said)
    promise("doctor knows the version", "cannot be told" not in said, said)
    repository.git("coord", "install", "--agents", "claude", cwd=linked)
    session = repository.session("again", [{}], cwd=linked).done()
    count = session.told(0).count(f"you are {session.agent()}")
    promise("with settings of its own it is told once", count == 1, session.told(0))


SCENES = [permissions, a_missing_program, the_plugin, a_linked_work_tree]
