"""Scenes with `coord.hook.shell` switched off: nobody looks at a command before it runs, so what
is said after it and what git asks before a commit have to hold alone."""

from client import shell
from subagents import agent

COMMANDS = {
    "sed": "sed -i s/two/six/ src/main.rs",
    "failing": "sed -i s/two/six/ src/main.rs; false",
    "checkout": "git checkout -q -- src/main.rs",
}


def unlooked(world, name="repository"):
    """Makes a repository whose shell commands are not looked at."""
    repository = world.repository(name)
    repository.git("config", "coord.hook.shell", "false")
    return repository


def nets_after_a_shell(world, promise):
    """What B writes to A's file through a shell is named, and B's commit of it refused."""
    commit = shell("git commit -qam 'b: all'")
    for name, command in COMMANDS.items():
        repository = unlooked(world, name)
        a = repository.holder(f"{name}-a", f"{name} told")
        steps = [
            {"tools": [shell(command)]},
            {"raised": f"{name} told", "until": f"{name} over", "tools": [commit]},
        ]
        b = repository.session(f"{name}-b", steps)
        a.done()
        holds = repository.holds()
        world.raise_flag(f"{name} over")
        b.done()
        told = b.told(1)
        is_named = "files that another agent holds have changed" in told
        promise(f"{command!r} on A's file is named", is_named, told)
        if name == "checkout":
            continue
        told = b.told(2)
        is_refused = "not yours to change" in told and holds == []
        promise(f"B's commit of it is refused when A's turn is over ({name})", is_refused, told)
    repository = unlooked(world)
    write = {"tools": [shell("sed -i s/one/two/ src/main.rs")]}
    writer = repository.session("writer", [write, {"raised": "wrote", "until": "seen"}])
    world.wait("wrote")
    holds = repository.holds()
    promise("what a shell writes is reserved for its session", holds != [], holds)
    world.raise_flag("seen")
    writer.done()


def nets_between_siblings(world, promise):
    """A subagent has its own name and holds; a sibling is kept out, in the shell as well."""
    repository = unlooked(world)
    edit = {"tools": [repository.edit("src/main.rs", "one()", "two()")]}
    world.script("one", [repository.look(), edit, {"raised": "holds", "until": "over"}])
    edit = {"tools": [repository.edit("src/main.rs", "two()", "three()")]}
    steps = [
        {"until": "holds", **repository.look()},
        edit,
        {"follow": r"git coord ask .*"},
        {"tools": [shell("git commit -qam 'two: all'")]},
        {"raised": "tried"},
    ]
    world.script("two", steps)
    main = repository.session("main", [{"tools": [agent("one"), agent("two")]}])
    world.wait("holds")
    held = repository.holds()
    world.wait("tried")
    after = repository.holds()
    world.raise_flag("over")
    main.done()
    me = main.agent()
    told = [world.told("two", step) for step in range(5)]
    holders = [holder for path, holder in held if path == "src/main.rs"]
    is_own = holders != [] and holders[0].startswith(f"{me}/")
    promise("a subagent's edit is reserved in its own name", is_own, held)
    is_refused = "is_error" in told[2] and f"{me}/" in told[2]
    promise("a sibling's edit is refused", is_refused, told[2])
    promise("what the sibling was told to run runs", "pending" in told[3], told[3])
    promise("its commit of it is refused", "not yours to change" in told[4], told[4])
    promise("the first still holds what it works on", after == held, f"{held} -> {after}")
    holds = repository.holds()
    promise("nothing is held when all are done", holds == [], holds)


def nets_before_a_commit(world, promise):
    """A commit with A's file in it is refused, with the way to commit the rest."""
    repository = unlooked(world)
    a = repository.holder("a", "over")
    show = "git show --stat --format=%s HEAD && git status --short"
    steps = [
        repository.look(),
        {"tools": [repository.edit("src/lib.rs", "lib", "library")]},
        {"tools": [shell("git add -A && git commit -qm 'b: all'")]},
        {"follow": r"git restore --staged .*"},
        {"tools": [shell(f"git commit -qm 'b: mine' && {show}")]},
    ]
    b = repository.session("b", steps).done()
    world.raise_flag("over")
    a.done()
    told = b.told(3)
    is_refused = "not yours to change" in told and a.agent() in told
    promise("the commit is refused", is_refused, told)
    rest = b.told(5)
    is_whole = "b: mine" in rest and "src/lib.rs" in rest and " M src/main.rs" in rest
    promise("the rest is committed as B was told to", is_whole, rest)
    text = repository.text("src/main.rs")
    promise("A's work is still there", "two()" in text, text)


SCENES = [nets_after_a_shell, nets_between_siblings, nets_before_a_commit]
