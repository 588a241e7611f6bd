"""Scenes about the subagents of one session, which work side by side."""

from client import shell


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
    steps = [
        {"until": "holds", **repository.look()},
        edit,
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
    told = [world.told("two", step) for step in range(4)]
    holders = [holder for path, holder in held if path == "src/main.rs"]
    is_own = len(holders) == 1 and holders[0].startswith(f"{me}/")
    promise("a subagent's edit is reserved in its own name", is_own, held)
    is_refused = "is_error" in told[2] and f"{me}/" in told[2]
    promise("a sibling's edit is refused", is_refused, told[2])
    promise("so is its commit of it", "not run" in told[3], told[3])
    promise("the first still holds what it works on", after == held, f"{held} -> {after}")
    holds = repository.holds()
    promise("nothing is held when all are done", holds == [], holds)


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


SCENES = [siblings, one_after_the_other]
