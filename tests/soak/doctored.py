"""A storm's own history and notes with one thing made wrong: the checker must find that too, or
its word on the rest is worth nothing."""

from dataclasses import replace


def granted(histories, acts):
    """A reservation that was acknowledged, with its entry's place."""
    done = {act.tag: act for act in acts if act.kind == "reserve" and act.is_done}
    for place, entry in enumerate(histories["reservations"]):
        if entry.tag in done and done[entry.tag].answer.get("granted"):
            return place, entry, done[entry.tag]
    return None


def lost(histories, acts):
    place, _, _ = granted(histories, acts)
    entries = histories["reservations"]
    return {**histories, "reservations": entries[:place] + entries[place + 1 :]}, acts


def twice(histories, acts):
    _, entry, _ = granted(histories, acts)
    return {**histories, "reservations": [*histories["reservations"], entry]}, acts


def overlap(histories, acts):
    place, entry, _ = granted(histories, acts)
    event = next(event for event in entry.events if event["type"] == "granted")
    other = {**event["data"], "id": "zzzzzzzz", "holder": "somebody-else"}
    events = [*entry.events, {**event, "subject": "zzzzzzzz", "data": other}]
    entries = list(histories["reservations"])
    entries[place] = replace(entry, events=events)
    return {**histories, "reservations": entries}, acts


def effect(histories, acts):
    _, _, done = granted(histories, acts)
    refused = replace(done, code=1, answer={})
    return histories, [refused if act is done else act for act in acts]


# What is done, and the kind of finding that it leads to.
WAYS = {"lost": lost, "twice": twice, "overlap": overlap, "effect": effect}
