"""Scenes about commits with the work of another session in them."""

from client import Talk, shell

COMMIT = "git commit -qm 'b: mine'"
SHOW = "git show --stat --format=%s HEAD && git status --short"


def commands_that_take_all(world, promise):
    """B is kept from staging A's file, and does what it is told to instead."""
    repository = world.repository()
    a = repository.holder("a", "over")
    steps = [
        *own_edit(repository),
        {"tools": [shell("git add -A && git commit -qm 'b: all'")]},
        {"follow": "git add -- .*"},
        {"tools": [shell(f"{COMMIT} && {SHOW}")]},
    ]
    b = repository.session("b", steps).done()
    world.raise_flag("over")
    a.done()
    told = b.told(3)
    promise("to stage all is refused", "not run" in told and a.agent() in told, told)
    is_committed(promise, repository, b.told(5))


def programs_that_take_all(world, promise):
    """The same where nobody could see it before: git itself asks."""
    repository = world.repository()
    a = repository.holder("a", "over")
    steps = [
        *own_edit(repository),
        {"tools": [shell(repository.script("all.sh", "git add -A && git commit -qm 'b: all'"))]},
        {"follow": "git restore --staged .*"},
        {"tools": [shell(f"{COMMIT} && {SHOW}")]},
    ]
    b = repository.session("b", steps).done()
    world.raise_flag("over")
    a.done()
    told = b.told(3)
    promise("the commit is refused", "is_error" in told and f"'{a.agent()}'" in told, told)
    is_committed(promise, repository, b.told(5))


def changes_after_a_turn(world, promise):
    """A holds nothing any more, and has not committed what it changed."""
    repository = world.repository()
    a = Talk(repository, "a")
    edit = {"tools": [repository.edit("src/main.rs", "one()", "two()")]}
    a.say("first", [repository.look(), edit])
    steps = [
        *own_edit(repository),
        {"tools": [shell(repository.script("all.sh", "git add -A && git commit -qm 'b: all'"))]},
        {"follow": "git commit (--only .*)", "as": rf"{COMMIT} \1"},
        {"tools": [shell(SHOW)]},
    ]
    b = repository.session("b", steps).done()
    a.leave()
    told = b.told(3)
    promise("the commit is refused", "is_error" in told and a.agent() in told, told)
    is_committed(promise, repository, b.told(5))


def own_edit(repository):
    return [repository.look(), {"tools": [repository.edit("src/lib.rs", "lib", "library")]}]


def is_committed(promise, repository, shown):
    is_whole = "b: mine" in shown and "src/lib.rs" in shown and "1 file changed" in shown
    promise("the rest is committed as B was told to", is_whole, shown)
    text = repository.text("src/main.rs")
    is_changed = any(line.split() == ["M", "src/main.rs"] for line in shown.splitlines())
    promise("A's work is still there, and not committed", is_changed, shown)
    promise("nor is a letter of it lost", "two()" in text, text)


SCENES = [commands_that_take_all, programs_that_take_all, changes_after_a_turn]
