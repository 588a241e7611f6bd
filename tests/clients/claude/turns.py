"""Scenes about one session: its name, and what ends its reservations."""

from client import Talk, shell


def a_session(world, promise):
    """Edits; its turn ends; it leaves."""
    repository = world.repository()
    talk = Talk(repository, "talk")
    look = shell("git coord whoami; git coord list --all")
    edit = {"tools": [repository.edit("src/main.rs", "one()", "two()")]}
    talk.say("first", [repository.look(), edit, {"tools": [look]}])
    me, shown = talk.agent(), world.told("first", 3)
    promise("a session is told who it is", f"you are {me}" in world.told("first", 0))
    promise("its edit is reserved in its name", f"src/main.rs  {me}" in shown, shown)
    promise("its shell has the same name", shown.startswith(f"[tool_result] {me} "), shown)
    holds = repository.holds()
    promise("the end of a turn lets go", holds == [], holds)
    talk.leave()
    agents = repository.agents(me)
    promise("who has left is not said to be alive", "alive" not in agents, agents)


def a_killed_session(world, promise):
    """Ends in the middle of its turn without a word."""
    repository = world.repository()
    killed = repository.holder("killed", "never")
    me, holds = killed.agent(), repository.holds()
    promise("it holds what it edits", holds == [("src/main.rs", me)], holds)
    killed.kill()
    world.raise_flag("never")
    agents = repository.agents(me)
    promise("who was killed is not said to be alive", "alive" not in agents, agents)
    edit = {"tools": [repository.edit("src/main.rs", "two()", "three()")]}
    other = repository.session("other", [repository.look(), edit]).done()
    told = other.told(2)
    promise("its file can be edited at once", "updated successfully" in told, told)


def a_resumed_session(world, promise):
    """Comes back after its end."""
    repository = world.repository()
    whoami = {"tools": [shell("git coord whoami")]}
    first = repository.session("first", [whoami]).done()
    again = repository.session("again", [whoami], "--resume", first.id()).done()
    promise("a resumed session has its name again", again.told(1) == first.told(1), again.told(1))


SCENES = [a_session, a_killed_session, a_resumed_session]
