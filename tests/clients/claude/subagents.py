"""Scenes about the subagents of one session, which work side by side."""

from client import quoted, shell


def agent(script):
    """Makes the call of a tool that starts a subagent with a script."""
    prompt = f"SCRIPT:{script}"
    given = {"description": script, "prompt": prompt, "subagent_type": "general-purpose"}
    return ["Agent", given]


def siblings(world, promise):
    """One edits; the other is kept out, in the shell as well."""
    repository = world.repository()
    edit = {"tools": [repository.edit("src/main.rs", "one()", "two()")]}
    world.script("one", [repository.look(), edit, {"raised": "holds", "until": "over"}])
    edit = {"tools": [repository.edit("src/main.rs", "two()", "three()")]}
    commit = repository.script("commit.sh", "git commit -qam 'two: all'")
    steps = [
        {"until": "holds", **repository.look()},
        edit,
        {"follow": "git coord ask .*"},
        {"tools": [shell("git coord check src/main.rs")]},
        {"tools": [shell("git commit -qam 'two: all'")]},
        {"tools": [shell(commit)]},
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
    told = [world.told("two", step) for step in range(7)]
    holders = [holder for path, holder in held if path == "src/main.rs"]
    is_own = len(holders) == 1 and holders[0].startswith(f"{me}/")
    promise("a subagent's edit is reserved in its own name", is_own, held)
    is_refused = "is_error" in told[2] and f"{me}/" in told[2]
    promise("a sibling's edit is refused", is_refused, told[2])
    promise("what the sibling was told to run runs", "pending" in told[3], told[3])
    promise("it is not told that the file is free", f"{me}/" in told[4], told[4])
    promise("its commit of it is refused before it runs", "not run" in told[5], told[5])
    is_refused = "is_error" in told[6] and "src/main.rs" in told[6]
    promise("so is one that a program of its own makes", is_refused, told[6])
    promise("the first still holds what it works on", after == held, f"{held} -> {after}")
    for name in ["one", "two"]:
        welcome = [line for line in world.told(name, 0).splitlines() if "git coord" in line]
        is_welcome = any(f"you are {me}/" in line for line in welcome)
        promise(f"subagent {name} is told who it is", is_welcome, welcome)
    holds = repository.holds()
    promise("nothing is held when all are done", holds == [], holds)


def side_by_side(world, promise):
    """One runs a program that is not git all the while that the other runs git."""
    repository = world.repository()
    one, two = (quoted(world.directory / "tmp" / name) for name in ["one", "two"])
    world.run("mkfifo", one, two, cwd=repository.root)
    program = shell(f"echo >{one}; timeout 60 cat {two}")
    git = shell(f"timeout 60 cat {one}; git coord whoami; echo >{two}")
    world.script("one", [{"tools": [program]}])
    world.script("two", [{"tools": [git]}])
    main = repository.session("main", [{"tools": [agent("one"), agent("two")]}]).done()
    told = world.told("two", 1).splitlines()[0:1]
    is_own = any(f"{main.agent()}/" in line for line in told)
    promise("who runs git has its own name", is_own, told)


def one_after_the_other(world, promise):
    """What a subagent held ends with it, while the session works on."""
    repository = world.repository()
    edit = {"tools": [repository.edit("src/main.rs", "one()", "two()")]}
    world.script("one", [repository.look(), edit])
    call = agent("one")
    call[1]["run_in_background"] = False
    end = {"raised": "worked", "until": "seen"}
    main = repository.session("main", [{"tools": [call]}, end])
    world.wait("worked")
    holds, events = repository.holds(), repository.git("coord", "events", "--limit", "20")
    world.raise_flag("seen")
    main.done()
    is_own = f"{main.agent()}/" in events
    promise("it held what it edited", is_own and "src/main.rs" in events, events)
    promise("it holds nothing when it is done", holds == [], holds)


SCENES = [siblings, side_by_side, one_after_the_other]
