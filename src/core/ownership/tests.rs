//! The laws of ownership, against a model that remembers who contributed to each version.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::content::{Mode, Stored};
use super::standing::{Seen, Standing, standing};
use super::sweep::taken_along;
use super::turn::{Signs, Turn};
use super::written::{Written, gives_way, written};
use super::{Content, Left, Note, Via};
use crate::core::ids::{AgentName, HoldId};
use crate::core::pattern::Pattern;
use crate::core::time::Timestamp;

/// A session, two of its subagents, and a stranger.
const AGENTS: [&str; 4] = ["one", "one/a", "one/b", "other"];

/// An act on the one path of the model.
#[derive(Clone, Copy, Debug)]
enum Op {
    /// An agent edits the file, on top of what is there.
    Edit(usize),
    /// A shell command of an agent writes the file.
    Shell(usize),
    /// An agent edits the file until it is as the commit has it.
    TakeBack(usize),
    /// Somebody without hooks changes the file.
    Outside,
    Stage,
    /// Commits the whole file.
    Commit,
    /// Commits what is staged.
    CommitStaged,
    /// Makes the file as the commit has it.
    Reset,
    /// An agent adopts everything.
    Adopt(usize),
}

/// A version of the file, with the uncommitted work in it: the agents, and when each wrote.
#[derive(Clone, Debug, Default, PartialEq)]
struct Version {
    number: u64,
    work: BTreeSet<(usize, i64)>,
}

impl Version {
    fn by(&self) -> BTreeSet<usize> {
        self.work.iter().map(|(agent, _)| *agent).collect()
    }
}

#[derive(Default)]
struct World {
    time: i64,
    numbers: u64,
    head: Version,
    file: Version,
    staged: Version,
    notes: BTreeMap<usize, Note>,
}

fn name(agent: usize) -> AgentName {
    AGENTS[agent].parse().unwrap()
}

fn content(number: u64) -> Content {
    let blob = format!("{number:040x}").parse().unwrap();
    Content::Stored(Stored { blob, mode: Mode::File })
}

fn stamp(number: u64) -> Left {
    Left { written_ns: Some(number), bytes: number }
}

impl World {
    /// Writes the file on top of what is there.
    fn write(&mut self, by: Option<usize>) {
        self.numbers += 1;
        self.file.number = self.numbers;
        self.file.work.extend(by.map(|agent| (agent, self.time)));
    }

    fn note(&mut self, agent: usize) {
        let at = Timestamp::from_millis(self.time);
        let path = Pattern::canonical(b"file").unwrap();
        let before = self.notes.remove(&agent).filter(|note| !note.lost);
        let note = before.unwrap_or_else(|| Note::of_edit(&name(agent), path, at));
        let (left, content) = (Some(stamp(self.file.number)), Some(content(self.file.number)));
        self.notes.insert(agent, Note { at, left, content, ..note });
    }

    /// Does an act, after which whoever did it looks at the notes.
    fn act(&mut self, op: Op) {
        self.time += 1;
        match op {
            Op::Edit(agent) => {
                self.write(Some(agent));
                self.give_way(agent);
                self.note(agent);
                self.notes.get_mut(&agent).unwrap().via = Via::Edit;
            }
            Op::Shell(agent) => self.write_by_shell(agent),
            Op::TakeBack(agent) => {
                self.reset();
                self.note(agent);
            }
            Op::Outside => self.write(None),
            Op::Stage => self.staged = self.file.clone(),
            Op::Commit => {
                self.head = Version { number: self.file.number, work: BTreeSet::new() };
                self.reset();
            }
            Op::CommitStaged => {
                self.head = Version { number: self.staged.number, work: BTreeSet::new() };
                self.file.work = &self.file.work - &self.staged.work;
                self.staged = self.head.clone();
                if self.file.number == self.head.number {
                    self.reset();
                }
            }
            Op::Reset => self.reset(),
            Op::Adopt(agent) => {
                let has_any = !self.file.work.is_empty();
                self.notes.clear();
                for version in [&mut self.file, &mut self.staged] {
                    version.work = version.work.iter().map(|(_, at)| (agent, *at)).collect();
                }
                if has_any {
                    self.note(agent);
                }
            }
        }
        self.look();
    }

    fn write_by_shell(&mut self, agent: usize) {
        self.write(None);
        let now = stamp(self.file.number);
        match written(&name(agent), now, &self.judged(), &[]) {
            Written::Known => unreachable!("nobody has noted a file that was just written"),
            Written::Theirs => {}
            Written::Own => {
                self.give_way(agent);
                let is_own = |note: &Note| note.agent.is_one_with(&name(agent)) && !note.lost;
                let own = self.notes.iter().filter(|(_, note)| is_own(note));
                let own: Vec<usize> = own.map(|(it, _)| *it).collect();
                for own in own {
                    self.note(own);
                }
            }
            Written::Claimed => {
                self.give_way(agent);
                self.file.work.insert((agent, self.time));
                self.note(agent);
                self.notes.get_mut(&agent).unwrap().via = Via::Shell;
            }
        }
    }

    /// Ends what shell commands of others have written before this agent did.
    fn give_way(&mut self, agent: usize) {
        let now = stamp(self.file.number);
        let over: Vec<usize> = self
            .notes
            .iter()
            .filter(|(_, note)| gives_way(note, &name(agent), now))
            .map(|(it, _)| *it)
            .collect();
        for it in over {
            self.notes.remove(&it);
            for version in [&mut self.file, &mut self.staged] {
                version.work.retain(|(agent, _)| *agent != it);
            }
        }
    }

    fn reset(&mut self) {
        self.file = self.head.clone();
        self.staged = self.head.clone();
    }

    fn judged(&self) -> Vec<(&Note, Standing)> {
        let seen = Seen {
            head: content(self.head.number),
            file: Some(content(self.file.number)),
            stamp: stamp(self.file.number),
            is_clean: self.file.number == self.head.number,
        };
        self.notes.values().map(|note| (note, standing(note, &seen))).collect()
    }

    fn look(&mut self) {
        let standings: Vec<Standing> = self.judged().into_iter().map(|(_, is)| is).collect();
        let notes = std::mem::take(&mut self.notes);
        for ((agent, note), standing) in notes.into_iter().zip(standings) {
            match standing {
                Standing::Settled => {}
                Standing::Lost => drop(self.notes.insert(agent, Note { lost: true, ..note })),
                Standing::Owned | Standing::Unmade => drop(self.notes.insert(agent, note)),
            }
        }
    }

    fn owners(&self) -> BTreeSet<usize> {
        let owned = self.judged().into_iter().filter(|(_, is)| *is == Standing::Owned);
        let agent = |note: &Note| (0..AGENTS.len()).find(|it| name(*it) == note.agent).unwrap();
        owned.map(|(note, _)| agent(note)).collect()
    }
}

fn op() -> impl Strategy<Value = Op> {
    let agent = 0..AGENTS.len();
    prop_oneof![
        5 => agent.clone().prop_map(Op::Edit),
        3 => agent.clone().prop_map(Op::Shell),
        1 => agent.clone().prop_map(Op::TakeBack),
        1 => Just(Op::Outside),
        2 => Just(Op::Stage),
        1 => Just(Op::Commit),
        1 => Just(Op::CommitStaged),
        1 => Just(Op::Reset),
        1 => agent.prop_map(Op::Adopt),
    ]
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    proptest::collection::vec(op(), 0..24)
}

proptest! {
    /// 8/SWEEP: whose work is in the staged content is in the way of every committer that is not
    /// one with it, whatever was done before.
    #[test]
    fn nobodys_work_is_taken_along_silently(ops in ops(), committer in 0..AGENTS.len()) {
        let mut world = World::default();
        for op in ops {
            world.act(op);
        }
        let staged = content(world.staged.number);
        let committer = name(committer);
        let taken = taken_along(&committer, &staged, &world.judged());
        let is_strange = |agent: &&usize| !name(**agent).is_one_with(&committer);
        let in_file = world.owners();
        // What another took out of the file again with an edit of its own is in nobody's note.
        let staged_by = world.staged.by();
        let strangers = staged_by.iter().filter(is_strange).filter(|it| in_file.contains(it));
        for stranger in strangers {
            let is_named = taken.iter().any(|note| note.agent == name(*stranger));
            prop_assert!(is_named);
        }
        prop_assert!(taken.iter().all(|note| !note.agent.is_one_with(&committer)));
    }

    /// The owners are exactly those whose work is in the file, as long as whole files are
    /// committed. A part of a file that is committed settles no more than what is surely in it.
    #[test]
    fn the_owners_are_those_who_contributed(ops in ops()) {
        let mut world = World::default();
        let mut is_exact = true;
        for op in ops {
            is_exact &= !matches!(op, Op::CommitStaged);
            world.act(op);
            let (owners, by) = (world.owners(), world.file.by());
            prop_assert!(!is_exact || owners == by, "{owners:?} {by:?} after {op:?}");
        }
    }

    /// 8/SHELL-WRITE: a shell takes nothing from an agent whose edit passed the gate, and of shell
    /// commands the last one owns.
    #[test]
    fn a_shell_takes_nothing_from_an_edit(ops in ops(), agent in 0..AGENTS.len()) {
        let mut world = World::default();
        for op in ops {
            world.act(op);
        }
        let by_edit = |world: &World| -> BTreeSet<usize> {
            let notes = world.notes.iter().filter(|(_, note)| note.via != Via::Shell);
            &notes.map(|(agent, _)| *agent).collect() & &world.owners()
        };
        let before = by_edit(&world);
        world.act(Op::Shell(agent));
        let owners = world.owners();
        prop_assert!(owners.is_superset(&before), "{before:?} {owners:?}");
        let is_strange = |it: &usize| !name(*it).is_one_with(&name(agent));
        if before.is_empty() {
            prop_assert!(!owners.is_empty() && !owners.iter().any(is_strange), "{owners:?}");
        }
    }

    /// 8/HARMLESS: who has worked alone since the last commit is never in its own way.
    #[test]
    fn who_works_alone_commits(ops in ops(), agent in 0..AGENTS.len()) {
        let mut world = World::default();
        for op in ops {
            world.act(op);
        }
        world.act(Op::Commit);
        for op in [Op::Shell(agent), Op::Edit(agent), Op::Outside, Op::Edit(agent), Op::Stage] {
            world.act(op);
            let staged = content(world.staged.number);
            let judged = world.judged();
            prop_assert!(taken_along(&name(agent), &staged, &judged).is_empty());
        }
    }

    /// Time alone never makes a turn run, and an ended session stays ended.
    #[test]
    fn a_turn_never_begins_by_itself(
        own in signs(), session in signs(), now in 0..200_000_i64, later in 0..200_000_i64,
    ) {
        let at = |seconds: i64| Timestamp::from_millis(seconds * 1_000);
        let (before, after) =
            (Turn::of(own, session, at(now)), Turn::of(own, session, at(now + later)));
        prop_assert!(before == after || after == Turn::Died);
        prop_assert_eq!(before == Turn::Ended, after == Turn::Ended);
        if own.is_none() && session.is_none() {
            prop_assert_eq!(before, Turn::Over);
        }
    }
}

fn signs() -> impl Strategy<Value = Option<Signs>> {
    let flags = any::<(bool, bool, bool, bool)>();
    let some = (0..100_000_i64, flags).prop_map(|(seen, (turn, alive, left, none))| Signs {
        last_seen: Timestamp::from_millis(seen * 1_000),
        in_turn: turn,
        is_alive: alive,
        has_left: left,
        has_no_process: none,
    });
    proptest::option::of(some)
}

fn signs_at(seconds: i64) -> Signs {
    let last_seen = Timestamp::from_millis(seconds * 1_000);
    Signs { last_seen, in_turn: true, is_alive: true, has_left: false, has_no_process: false }
}

#[test]
fn a_finished_subagent_works_while_its_session_does() {
    let (now, session) = (Timestamp::from_millis(0), signs_at(0));
    let finished = Signs { in_turn: false, ..session };
    assert_eq!(Turn::of(Some(finished), Some(session), now), Turn::Running);
    assert_eq!(Turn::of(Some(session), Some(finished), now), Turn::Running);
    assert_eq!(Turn::of(Some(finished), Some(finished), now), Turn::Over);
    let left = Signs { has_left: true, ..session };
    assert_eq!(Turn::of(Some(session), Some(left), now), Turn::Ended);
    let dead = Signs { has_no_process: true, ..session };
    assert_eq!(Turn::of(Some(finished), Some(dead), now), Turn::Died);
    let day_later = Timestamp::from_millis(24 * 3_600 * 1_000);
    assert_eq!(Turn::of(None, Some(session), day_later), Turn::Died);
}

/// A change that B staged as it left it, before A edited on top, is B's alone.
#[test]
fn what_was_staged_before_the_others_edit_is_the_committers() {
    let mut world = World::default();
    for op in [Op::Edit(0), Op::Stage, Op::Edit(3)] {
        world.act(op);
    }
    let staged = content(world.staged.number);
    assert!(taken_along(&name(0), &staged, &world.judged()).is_empty());
    world.act(Op::Stage);
    let staged = content(world.staged.number);
    assert_eq!(taken_along(&name(0), &staged, &world.judged()).len(), 1);
    assert_eq!(taken_along(&name(3), &staged, &world.judged()).len(), 1);
    world.act(Op::Adopt(0));
    assert!(taken_along(&name(0), &staged, &world.judged()).is_empty());
}

/// 8/SHELL-WRITE: what another holds stays the other's, unless it holds it for what a shell wrote.
#[test]
fn a_shell_takes_nothing_that_another_holds() {
    let (one, other) = (name(0), name(3));
    let path = Pattern::canonical(b"file").unwrap();
    let hold: HoldId = "abcdefgh".parse().unwrap();
    let note = Note::of_edit(&other, path, Timestamp::from_millis(0));
    let note = Note { left: Some(stamp(1)), content: Some(content(1)), ..note };
    let made = Note { hold: Some(hold.clone()), via: Via::Shell, ..note.clone() };
    let fate = |note: &Note, now, held: &[&HoldId]| {
        written(&one, stamp(now), &[(note, Standing::Owned)], held)
    };
    assert_eq!(fate(&made, 2, &[&hold]), Written::Claimed);
    assert_eq!(fate(&made, 1, &[&hold]), Written::Known, "nobody has written it since");
    assert_eq!(fate(&Note { via: Via::Edit, ..made.clone() }, 2, &[&hold]), Written::Theirs);
    assert_eq!(fate(&note, 2, &[]), Written::Theirs);
    assert_eq!(fate(&Note { lost: true, ..note.clone() }, 2, &[]), Written::Claimed);
    let elsewhere: HoldId = "bcdefghj".parse().unwrap();
    assert_eq!(fate(&made, 2, &[&elsewhere]), Written::Theirs, "held for another reason");
    assert_eq!(written(&one, stamp(2), &[], &[&elsewhere]), Written::Theirs);
    let own = Note { agent: one.clone(), via: Via::Edit, ..note };
    assert_eq!(fate(&own, 2, &[]), Written::Own);
    assert_eq!(fate(&own, 2, &[&elsewhere]), Written::Theirs);
}

/// An edit that was announced owns nothing until it has changed the file.
#[test]
fn an_edit_that_was_not_made_owns_nothing() {
    let path = Pattern::canonical(b"file").unwrap();
    let before = Some(stamp(1));
    let note = Note { before, ..Note::of_edit(&name(0), path, Timestamp::from_millis(0)) };
    let seen = |file: u64| Seen {
        head: content(0),
        file: Some(content(file)),
        stamp: stamp(file),
        is_clean: false,
    };
    assert_eq!(standing(&note, &seen(1)), Standing::Unmade);
    assert_eq!(standing(&note, &seen(2)), Standing::Owned, "killed before it was noted");
}

/// A deletion is owned like any other change, and a change of mode is a change.
#[test]
fn deletions_and_modes_count() {
    let path = Pattern::canonical(b"file").unwrap();
    let note = Note::of_edit(&name(0), path, Timestamp::from_millis(0));
    let left = Some(Left { written_ns: None, bytes: 0 });
    let gone = Note { left, content: Some(Content::Gone), ..note.clone() };
    let seen = |head: Content, file: Content| Seen {
        is_clean: head == file,
        head,
        file: Some(file),
        stamp: stamp(1),
    };
    assert_eq!(standing(&gone, &seen(content(1), Content::Gone)), Standing::Owned);
    assert_eq!(standing(&gone, &seen(Content::Gone, Content::Gone)), Standing::Settled);
    assert_eq!(standing(&gone, &seen(content(1), content(1))), Standing::Lost);
    let blob = content(1).blob().cloned().unwrap();
    let executable = Content::Stored(Stored { blob, mode: Mode::Executable });
    let moded = Note { left: Some(stamp(1)), content: Some(executable.clone()), ..note };
    assert_eq!(standing(&moded, &seen(content(1), executable)), Standing::Owned);
}
