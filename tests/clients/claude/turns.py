"""Scenes about one session: its name, and what ends its reservations."""

import json
import os
import signal

from client import Talk, shell


def a_session(world, promise):
    """Edits; its turn ends, once well and once by an error of the model; it leaves."""
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
    edit = {"tools": [repository.edit("src/main.rs", "two()", "three()")]}
    talk.say("second", [edit, {"status": 400}])
    # The client does not wait for the hook of a turn that has failed.
    wait = ["reserve", "src/main.rs", "--wait", "30s"]
    granted = repository.git("coord", "--as", "bob", *wait, check=False)
    promise("a turn that fails lets go as well", granted.startswith("reserved"), granted)
    repository.git("coord", "--as", "bob", "release", "--mine")
    talk.say("third", [{"tools": [shell("git coord reserve docs --reason later")]}])
    talk.leave()
    holds = repository.holds()
    promise("who has left holds nothing, not by a command either", holds == [], holds)
    agents = repository.agents(me)
    promise("nor is it said to be alive", "alive" not in agents, agents)


def an_interrupted_turn(world, promise):
    """The person stops a shell command, and says something else. Of the first the client tells
    nobody."""
    repository = world.repository()
    talk = Talk(repository, "talk")
    edit = {"tools": [repository.edit("src/main.rs", "one()", "two()")]}
    talk.begin("first", [repository.look(), edit, {"tools": [shell("sleep 100")]}])
    talk.await_message(lambda message: "sleep 100" in str(message), "shell command")
    talk.interrupt()
    talk.end()
    talk.say("second", [{"tools": [shell("git coord list --all")]}])
    listed = world.told("second", 1)
    promise("the next prompt lets go of an interrupted turn", "no reservations" in listed, listed)
    talk.leave()


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


def a_forked_session(world, promise):
    """Goes on from another one that is still there, as somebody else."""
    repository = world.repository()
    first = repository.holder("first", "over")
    whoami = {"tools": [shell("git coord whoami")]}
    edit = {"tools": [repository.edit("src/main.rs", "two()", "three()")]}
    words = ["--resume", first.id(), "--fork-session"]
    fork = repository.session("fork", [whoami, repository.look(), edit], *words).done()
    world.raise_flag("over")
    first.done()
    promise("a fork has a name of its own", f"{fork.agent()} " in fork.told(1), fork.told(1))
    told = fork.told(3)
    promise("it is refused what the first holds", f"{first.agent()} holds" in told, told)


def a_session_that_is_asked_to_end(world, promise):
    """Gets a signal in the middle of its turn, as from a terminal that is closed."""
    repository = world.repository()
    for asked in [signal.SIGTERM, signal.SIGHUP, signal.SIGINT]:
        name = asked.name
        session = repository.holder(name, f"{name} over")
        promise(f"it holds what it edits ({name})", repository.holds() != [])
        os.kill(session.process.pid, asked)
        world.raise_flag(f"{name} over")
        session.done()
        holds, agents = repository.holds(), repository.agents(session.agent())
        promise(f"nothing is held after {name}", holds == [], holds)
        promise(f"nor is it said to be alive ({name})", "alive" not in agents, agents)
        repository.git("checkout", "--quiet", "--", ".")


def odd_names(world, promise):
    """Files may have any name."""
    repository = world.repository()
    files = [str(repository.root / path) for path in ODD_NAMES]
    writes = [["Write", {"file_path": file, "content": "new\n"}] for file in files]
    end = {"raised": "written", "until": "seen"}
    session = repository.session("session", [{"tools": writes}, end])
    world.wait("written")
    listed = json.loads(repository.git("coord", "list", "--all", "--json"))["reservations"]
    free = [path for path in ODD_NAMES if is_free(repository, path)]
    world.raise_flag("seen")
    session.done()
    holders = {hold["holder"] for hold in listed}
    promise("each is reserved by itself", len(listed) == len(ODD_NAMES), listed)
    promise("they are the session's", holders == {session.agent()}, holders)
    promise("and free for nobody else", free == [], free)


def is_free(repository, path):
    said = repository.git("coord", "--as", "bob", "check", "--literal", "--", path, check=False)
    return said.startswith("free")


def several_repositories(world, promise):
    """Edits in a repository that it neither stands in nor began in."""
    here, there = world.repository("here"), world.repository("there")
    edit = {"tools": [there.edit("src/main.rs", "one()", "two()")]}
    end = {"raised": "edited", "until": "seen"}
    session = here.session("session", [there.look(), edit, end])
    world.wait("edited")
    holds = there.holds()
    promise("an edit elsewhere is reserved there", len(holds) == 1, holds)
    world.raise_flag("seen")
    session.done()
    holds = there.holds()
    promise("the end of the turn lets go there, too", holds == [], holds)


ODD_NAMES = ["odd name.txt", "odd/[a]*.txt", "odd 'quote\".txt", "-odd.txt", "odd/ünïcödé.txt"]
SCENES = [
    a_session,
    an_interrupted_turn,
    a_killed_session,
    a_session_that_is_asked_to_end,
    a_resumed_session,
    a_forked_session,
    odd_names,
    several_repositories,
]
