//! The fence: decides whether an edit may still be committed.
//!
//! Between an edit and its commit a hold can run out, and another agent can be granted the same
//! path. So the edit hook notes the fence of the hold that let the edit pass. A path is *overtaken*
//! if another agent holds it now, or was granted it under a higher fence since. A hold that lapsed
//! without a grant to another agent is no reason to refuse. Neither is a grant to another if the
//! committer holds the path again, under a yet higher fence: it has had the chance to look at what
//! the other left.

use crate::core::event::Event;
use crate::core::ids::AgentName;
use crate::core::ownership::Note;
use crate::core::pattern::{Case, Pattern};
use crate::core::refusal::Conflict;
use crate::core::reservation::check::Asker;
use crate::core::reservation::paths::Paths;
use crate::core::reservation::target::Reach;
use crate::core::reservation::{About, Hold, Mode, Target};
use crate::core::time::Timestamp;

/// A path that may not be committed, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overtaken {
    pub path: Pattern,
    /// The hold of another agent, which has the path now or got it since the edit.
    pub by: Hold,
    pub how: How,
}

/// The way in which another agent came to stand in the way of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// The other agent holds the path now.
    HeldNow,
    /// The other agent was granted the path after the committer had edited it.
    GrantedSince,
    /// The other agent held the path when a shell command of the committer changed it.
    ChangedByShell,
}

/// An agent that wants to commit.
#[derive(Clone, Copy, Debug)]
pub struct Committer<'a> {
    pub agent: &'a AgentName,
    /// The worktree that it commits from.
    pub about: &'a About,
    pub now: Timestamp,
    pub case: Case,
}

impl Committer<'_> {
    /// Returns the paths that another agent holds. An edit in another worktree is no obstacle to a
    /// commit either, and neither is a hold for a file that a shell command of the committer wrote
    /// after one of the holder.
    pub fn held_now(&self, conflicts: Vec<Conflict>, notes: &[Note]) -> Vec<Overtaken> {
        let is_overwritten = |conflict: &Conflict| {
            notes.iter().any(|note| {
                note.is_written_over(&conflict.held)
                    && conflict.target.pattern() == Some(&note.path)
            })
        };
        let counts = |conflict: &Conflict| {
            !self.about.is_edit_elsewhere(&conflict.held) && !is_overwritten(conflict)
        };
        let overtaken = |Conflict { target, held }| match target {
            Target::Paths(Paths { pattern: path, .. }) => {
                Some(Overtaken { path, by: held, how: How::HeldNow })
            }
            Target::Lock(_) => None,
        };
        conflicts.into_iter().filter(counts).filter_map(overtaken).collect()
    }

    /// Asks for the paths as the committer, exclusively.
    pub fn asker(&self) -> Asker<'_> {
        Asker::exclusive(self.agent, self.now)
    }

    /// Returns the noted edits that a grant of `hold` has overtaken, given the holds that the
    /// committer has now.
    pub fn overtaken_by(&self, hold: &Hold, notes: &[Note], own: &[Hold]) -> Vec<Overtaken> {
        let is_strange = !hold.holder.is_one_with(self.agent)
            && hold.mode == Mode::Exclusive
            && !self.about.is_edit_elsewhere(hold);
        if !is_strange {
            return Vec::new();
        }
        let taken = hold.target.reach(self.case);
        let came_back = |path: &Reach<'_>| {
            own.iter().any(|own| {
                own.is_live(self.now)
                    && own.fence > hold.fence
                    && own.target.reach(self.case).meets(path)
            })
        };
        let meets = |note: &&Note| {
            let path = Target::of_file(&note.path);
            let path = path.reach(self.case);
            self.agent.is_one_with(&note.agent)
                && hold.fence > note.fence
                && taken.meets(&path)
                && !came_back(&path)
        };
        let overtaken = |note: &Note| {
            let how = if note.by_shell { How::ChangedByShell } else { How::GrantedSince };
            Overtaken { path: note.path.clone(), by: hold.clone(), how }
        };
        notes.iter().filter(meets).map(overtaken).collect()
    }
}

/// Returns the hold that an event gave to an agent.
pub fn given(event: &Event) -> Option<Hold> {
    let mut data = match event.kind.as_str() {
        "granted" | "mode_changed" | "transferred" => event.data.clone(),
        _ => return None,
    };
    for told_only in ["from", "forced", "because"] {
        data.shift_remove(told_only);
    }
    serde_json::from_value(data.into()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::reservation::Via;

    fn name(text: &str) -> AgentName {
        text.parse().unwrap()
    }

    fn about(worktree: Option<&str>, via: Via) -> About {
        let worktree = worktree.map(|name| name.parse().unwrap());
        About { reason: None, task: None, run: None, via, worktree, place: None }
    }

    fn hold(holder: &str, pattern: &str, fence: u64, about: About) -> Hold {
        let at = Timestamp::from_millis(0);
        Hold {
            id: "abcdefgh".parse().unwrap(),
            holder: name(holder),
            target: Pattern::canonical(pattern.as_bytes()).unwrap().into(),
            mode: Mode::Exclusive,
            about,
            process: None,
            shell: None,
            granted_at: at,
            expires_at: at,
            fence,
            unknown: serde_json::Map::new(),
        }
    }

    fn note(agent: &str, path: &str, fence: u64) -> Note {
        let path = Pattern::canonical(path.as_bytes()).unwrap();
        Note { fence, ..Note::of_edit(&name(agent), path, Timestamp::from_millis(0)) }
    }

    fn is_overtaken(by: &Hold, note: &Note) -> bool {
        is_overtaken_despite(by, note, &[])
    }

    fn is_overtaken_despite(by: &Hold, note: &Note, own: &[Hold]) -> bool {
        let (agent, here) = (name("alice"), about(None, Via::Hook));
        let committer = Committer {
            agent: &agent,
            about: &here,
            now: Timestamp::from_millis(0),
            case: Case::Sensitive,
        };
        !committer.overtaken_by(by, std::slice::from_ref(note), own).is_empty()
    }

    #[test]
    fn only_a_later_grant_to_a_stranger_overtakes() {
        let edit = note("alice", "src/a.rs", 7);
        let command = || about(None, Via::Command);
        assert!(is_overtaken(&hold("bob", "src/**", 8, command()), &edit));
        assert!(!is_overtaken(&hold("bob", "src/**", 7, command()), &edit), "not after the edit");
        assert!(!is_overtaken(&hold("bob", "docs/**", 8, command()), &edit), "somewhere else");
        assert!(!is_overtaken(&hold("alice/sub", "src/**", 8, command()), &edit), "own subagent");
        let mut shared = hold("bob", "src/**", 8, command());
        shared.mode = Mode::Shared;
        assert!(!is_overtaken(&shared, &edit), "who holds shared does not write");
    }

    #[test]
    fn an_edit_in_another_worktree_does_not_overtake() {
        let edit = note("alice", "src/a.rs", 7);
        assert!(!is_overtaken(&hold("bob", "src/a.rs", 8, about(Some("side"), Via::Hook)), &edit));
        assert!(is_overtaken(&hold("bob", "src/a.rs", 8, about(None, Via::Hook)), &edit));
        let meant = about(Some("side"), Via::Command);
        assert!(is_overtaken(&hold("bob", "src/a.rs", 8, meant), &edit));
    }

    #[test]
    fn who_holds_it_again_has_looked() {
        let (edit, other) = (note("alice", "src/a.rs", 7), about(None, Via::Command));
        let by = hold("bob", "src/**", 8, other.clone());
        let live = |fence| Hold {
            expires_at: Timestamp::from_millis(1),
            ..hold("alice", "src/a.rs", fence, other.clone())
        };
        assert!(!is_overtaken_despite(&by, &edit, &[live(9)]));
        assert!(is_overtaken_despite(&by, &edit, &[live(8)]), "held since before the other");
        let lapsed = hold("alice", "src/a.rs", 9, other.clone());
        assert!(is_overtaken_despite(&by, &edit, &[lapsed]));
    }

    /// A change by a shell command is overtaken by the hold that it ignored, and by no other.
    #[test]
    fn a_change_by_a_shell_is_behind_the_hold_that_it_ignored() {
        let command = || about(None, Via::Command);
        let held = hold("bob", "src/**", 8, command());
        let path = Pattern::canonical(b"src/a.rs").unwrap();
        let note = Note::of_shell(&name("alice"), path, &held, Timestamp::from_millis(0));
        assert!(is_overtaken(&held, &note));
        assert!(!is_overtaken(&hold("carol", "src/**", 7, command()), &note), "an earlier one");
        let again = Hold {
            expires_at: Timestamp::from_millis(1),
            ..hold("alice", "src/a.rs", 9, command())
        };
        assert!(!is_overtaken_despite(&held, &note, &[again]), "who is granted it has looked");
    }

    /// Of two shell commands that wrote a file the last one owns it, whoever holds it for the
    /// first.
    #[test]
    fn a_hold_for_what_a_shell_has_written_over_stops_nobody() {
        let here = about(None, Via::Hook);
        let (agent, case) = (name("alice"), Case::Sensitive);
        let now = Timestamp::from_millis(0);
        let committer = Committer { agent: &agent, about: &here, now, case };
        let held = hold("bob", "src/a.rs", 8, here.clone());
        let target = Target::of_file(&Pattern::canonical(b"src/a.rs").unwrap());
        let obstacles = |note: Note| {
            let conflicts = vec![Conflict { target: target.clone(), held: held.clone() }];
            committer.held_now(conflicts, &[note]).len()
        };
        let after = Note { hold: Some(held.id.clone()), ..note("alice", "src/a.rs", 8) };
        let by_shell = Note { via: crate::core::ownership::Via::Shell, ..after.clone() };
        assert_eq!(obstacles(by_shell.clone()), 0);
        for other in [
            after,
            Note { hold: None, ..by_shell.clone() },
            Note { path: Pattern::canonical(b"src/b.rs").unwrap(), ..by_shell.clone() },
            Note { by_shell: true, ..by_shell },
        ] {
            assert_eq!(obstacles(other.clone()), 1, "{other:?}");
        }
    }

    #[test]
    fn notes_of_others_say_nothing_about_this_commit() {
        let edit = note("carol", "src/a.rs", 7);
        assert!(!is_overtaken(&hold("bob", "src/**", 8, about(None, Via::Command)), &edit));
    }
}
