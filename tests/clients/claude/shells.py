"""Scenes about what a shell does to files that another session works on."""

from client import shell

REFUSED = {
    "a write": "sed -i s/two/six/ src/main.rs",
    "a write that fails": "sed -i s/two/six/ src/main.rs; false",
    "a checkout": "git checkout -q -- src/main.rs",
    "a reset": "git reset -q --hard",
    "a stash": "git stash",
}
WRITE = "sed -i s/two/six/ src/main.rs"


def commands_against_others(world, promise):
    """What can be seen before it runs does not run."""
    repository = world.repository()
    a = repository.holder("a", "over")
    steps = [{"tools": [shell(command)]} for command in REFUSED.values()]
    b = repository.session("b", steps).done()
    text = repository.text("src/main.rs")
    world.raise_flag("over")
    a.done()
    for step, what in enumerate(REFUSED, 1):
        told = b.told(step)
        is_refused = "is_error" in told and "not run" in told and f"by {a.agent()}" in told
        promise(f"{what} that would hit A's work is refused", is_refused, told)
    promise("A's work is still there", "two()" in text, text)


def programs_that_write(world, promise):
    """What nobody could see before it ran is named after it, and kept out of commits."""
    for what, end in [("succeeds", ""), ("fails", "; false")]:
        repository = world.repository(what)
        a = repository.holder(f"a-{what}", f"told {what}")
        program = repository.script(f"{what}.sh", WRITE)
        commit = shell("git commit -qam 'b: all'")
        steps = [
            {"tools": [shell(program + end)]},
            {"raised": f"told {what}", "until": f"over {what}", "tools": [commit]},
        ]
        b = repository.session(f"b-{what}", steps)
        a.done()
        holds = repository.holds()
        world.raise_flag(f"over {what}")
        b.done()
        told = b.told(1)
        is_named = "files that another agent holds have changed" in told
        promise(f"what a program that {what} has written is named", is_named, told)
        promise(f"the person is told, too ({what})", is_named_to_person(b))
        promise(f"A lets go at the end ({what})", holds == [], holds)
        told = b.told(2)
        promise(f"B's commit of it is refused ({what})", "is_error" in told, told)


def is_named_to_person(session):
    """Tells whether the client shows the warning, beside what it hands to the model."""
    shown = [message for message in session.messages if message.get("type") == "system"]
    return any("files that another agent holds" in str(message) for message in shown)


def what_a_shell_writes(world, promise):
    """A file that a session writes in a shell is as much its own as one that it edits."""
    repository = world.repository()
    write = {"tools": [shell("sed -i s/one/two/ src/main.rs")]}
    a = repository.session("a", [write, {"raised": "wrote", "until": "over"}])
    world.wait("wrote")
    holds = repository.holds()
    promise("what a shell writes is reserved", holds == [("src/main.rs", a.agent())], holds)
    edit = {"tools": [repository.edit("src/main.rs", "two()", "three()")]}
    b = repository.session("b", [repository.look(), edit]).done()
    told = b.told(2)
    promise("nobody else edits it then", "is_error" in told and a.agent() in told, told)
    world.raise_flag("over")
    a.done()
    holds = repository.holds()
    promise("and the end of the turn lets go", holds == [], holds)


SCENES = [commands_against_others, programs_that_write, what_a_shell_writes]
