"""Scenes about two sessions that want one file."""

from client import Talk, shell


def ask_and_answer(world, promise):
    """B is refused what A edits, and asks as it was told to; A answers as it was told to."""
    repository = world.repository()
    answers = [
        {"tools": [repository.edit("src/lib.rs", "lib", "library")]},
        {"follow": r"git coord answer \w+ --release"},
        {"raised": "answered", "until": "over"},
    ]
    a = repository.holder("a", "asked", then=answers)
    edit = {"tools": [repository.edit("src/main.rs", "two()", "three()")]}
    again = {"raised": "asked", "until": "answered", **edit}
    b = repository.session("b", [repository.look(), edit, {"follow": "git coord ask .*"}, again])
    b.done()
    world.raise_flag("over")
    a.done()
    told = b.told(2)
    promise("B is refused", "is_error" in told, told)
    promise("B is told who holds it", f"{a.agent()} holds" in told, told)
    told = b.told(3)
    is_asked = f"{b.agent()} asks {a.agent()}" in told
    promise("what B was told to run runs in its name", is_asked, told)
    told = a.told(3)
    promise("A is told at its next edit", f"{b.agent()} asks for" in told, told)
    told = a.told(4)
    promise("what A was told to run runs", f"is {b.agent()}'s until" in told, told)
    told = b.told(4)
    promise("B's edit passes then", "updated successfully" in told, told)
    holds = repository.holds()
    promise("nothing is held when both have left", holds == [], holds)
    edit = {"tools": [repository.edit("src/main.rs", "three()", "four()")]}
    third = repository.session("third", [repository.look(), edit]).done()
    told = third.told(2)
    promise("the next session gets what B was given", "updated successfully" in told, told)


def told_of_a_request(world, promise):
    """A holder that edits nothing more is told of a request by whatever it does next."""
    calls = {
        "a shell command": [shell("true")],
        "a failing shell command": [shell("false")],
        "a look": None,
    }
    for number, (what, tools) in enumerate(calls.items()):
        repository = world.repository(f"repository-{number}")
        step = {"tools": tools} if tools else repository.look("docs/guide.md")
        a = repository.holder(f"a{number}", f"asked {number}", then=[step])
        ask = {"tools": [shell("git coord ask src/main.rs --reason need")]}
        b = repository.session(f"b{number}", [ask]).done()
        world.raise_flag(f"asked {number}")
        a.done()
        told = a.told(3)
        promise(f"A is told after {what}", f"{b.agent()} asks for" in told, told)


def told_at_the_next_prompt(world, promise):
    """A session that holds something by command is told of a request when its person speaks."""
    repository = world.repository()
    talk = Talk(repository, "talk")
    talk.say("first", [{"tools": [shell("git coord reserve src/main.rs --reason mine")]}])
    ask = {"tools": [shell("git coord ask src/main.rs --reason need")]}
    b = repository.session("b", [ask]).done()
    talk.say("second", [{}])
    told = world.told("second", 0)
    promise("A is told at the next prompt", f"{b.agent()} asks for" in told, told)
    talk.leave()


SCENES = [ask_and_answer, told_of_a_request, told_at_the_next_prompt]
