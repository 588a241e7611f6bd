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
    repository = world.repository()
    a = repository.holder("a", "told")
    commit = {"raised": "told", "until": "over", "tools": [shell("git commit -qam 'b: all'")]}
    write = {"tools": [shell(repository.script("write.sh", WRITE))]}
    b = repository.session("b", [write, commit])
    a.done()
    holds = repository.holds()
    world.raise_flag("over")
    b.done()
    told = b.told(1)
    is_named = "files that another agent holds have changed" in told
    promise("what a program has written to A's file is named", is_named, told)
    promise("A lets go at its end", holds == [], holds)
    promise("B's commit of it is refused all the same", "is_error" in b.told(2), b.told(2))


SCENES = [commands_against_others, programs_that_write]
