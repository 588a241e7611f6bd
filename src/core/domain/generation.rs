//! What is done about the file of each agent: a decision over what is wanted, what was made, and
//! what is on disk.
//!
//! Whatever was not made here is not touched, whatever its name and whatever the mode. What
//! somebody has edited is kept unless that is forced. Nothing is ever deleted.

use schemars::JsonSchema;
use serde::Serialize;

use crate::core::domain::made::Made;

/// How much is done to files that are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Only files that are not there are written.
    Skip,
    /// Also those that were made from another specification or by another generator.
    Regenerate,
    /// Also those that were edited.
    Force,
}

/// What is at the path of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OnDisk {
    /// Nothing.
    Nothing,
    /// A file with content of that SHA-256.
    File(String),
    /// A link, a directory, or something else that is no file.
    NoFile,
    /// Something that cannot be looked at, and why.
    Unreadable(String),
}

/// What is done about an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "AgentAction")]
pub enum Action {
    /// Its file is written.
    Write,
    /// Its file is as it should be, and is recorded.
    Adopt,
    /// Nothing: its file is as it should be.
    Current,
    /// Nothing: its file is there, and the mode leaves it.
    Exists,
    /// Nothing: somebody edited it.
    Edited,
    /// Nothing: it is a file that was not made here.
    NotOurs,
    /// Nothing: what is in its place is no file, so the agent is not there.
    NoFile,
    /// Nothing: every project has such an agent from elsewhere.
    Core,
    /// Nothing: another domain asks for an agent of that name.
    Twice,
}

impl Action {
    /// Whether there is such an agent afterwards.
    pub fn is_success(self) -> bool {
        self != Action::NoFile
    }

    /// What it means, for people.
    pub fn words(self) -> &'static str {
        match self {
            Action::Write => "written",
            Action::Adopt => "recorded as it is",
            Action::Current => "as it should be",
            Action::Exists => "kept, though its profile has changed",
            Action::Edited => "kept, somebody edited it",
            Action::NotOurs => "kept, it was not made here",
            Action::NoFile => "not there, what is in its place is no file",
            Action::Core => "left out, it comes from elsewhere",
            Action::Twice => "left out, another domain has one of that name",
        }
    }
}

/// What is done about an agent whose file should have content of that SHA-256.
pub fn action(mode: Mode, wanted: &str, known: Option<&Made>, disk: &OnDisk) -> Action {
    let there = match disk {
        OnDisk::Nothing => return Action::Write,
        OnDisk::NoFile | OnDisk::Unreadable(_) => return Action::NoFile,
        OnDisk::File(content) => content.as_str(),
    };
    let Some(known) = known else {
        // A command that was killed before it could record what it wrote leaves this behind.
        return if there == wanted { Action::Adopt } else { Action::NotOurs };
    };
    if there == wanted {
        let is_recorded = known.wrote(wanted) && !known.forgotten;
        return if is_recorded { Action::Current } else { Action::Adopt };
    }
    let is_as_made = known.wrote(there);
    if known.forgotten && !is_as_made && !known.has_accepted(there) {
        return Action::NotOurs;
    }
    match (is_as_made, mode) {
        (true, Mode::Skip) => Action::Exists,
        (true, Mode::Regenerate | Mode::Force) | (false, Mode::Force) => Action::Write,
        (false, Mode::Skip | Mode::Regenerate) => Action::Edited,
    }
}

/// How it stands with an agent or a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "AgentState")]
pub enum State {
    /// It is as it was made, or as somebody's edits were accepted.
    Ok,
    /// Somebody edited it.
    Edited,
    /// Its file is gone.
    Missing,
    /// Nothing asks for it any more.
    Orphaned,
    /// A file that was not made here.
    Unknown,
}

impl State {
    /// The word for people and programs.
    pub fn word(self) -> &'static str {
        match self {
            State::Ok => "ok",
            State::Edited => "edited",
            State::Missing => "missing",
            State::Orphaned => "orphaned",
            State::Unknown => "unknown",
        }
    }
}

/// How it stands with the file of an agent that was made, whether or not it is still wanted.
pub fn file_state(made: &Made, disk: &OnDisk) -> State {
    match disk {
        OnDisk::Nothing => State::Missing,
        OnDisk::File(content) if made.wrote(content) || made.has_accepted(content) => State::Ok,
        // Nobody missed it, so whoever put something there made it.
        _ if made.forgotten => State::Unknown,
        OnDisk::File(_) | OnDisk::NoFile | OnDisk::Unreadable(_) => State::Edited,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::domain::agent::GENERATOR;
    use crate::core::time::Timestamp;

    fn made(content: &str, accepted: Option<&str>) -> Made {
        Made {
            path: ".claude/agents/fd-x.md".parse().unwrap(),
            agent: "fd-x".parse().unwrap(),
            domain: "web-api".parse().unwrap(),
            content: content.to_owned(),
            earlier: vec!["older".to_owned()],
            generator: GENERATOR,
            made_at: Timestamp::from_millis(0),
            accepted: accepted.map(str::to_owned).into_iter().collect(),
            forgotten: false,
            unknown: serde_json::Map::new(),
        }
    }

    const MODES: [Mode; 3] = [Mode::Skip, Mode::Regenerate, Mode::Force];

    fn in_each_mode(made: Option<&Made>, disk: &OnDisk) -> [Action; 3] {
        MODES.map(|mode| action(mode, "new", made, disk))
    }

    /// 2/P1-1-user: what was not made here is touched in no mode.
    #[test]
    fn a_file_of_somebody_else_is_never_touched() {
        let file = OnDisk::File("theirs".to_owned());
        assert_eq!(in_each_mode(None, &file), [Action::NotOurs; 3]);
        assert_eq!(in_each_mode(None, &OnDisk::NoFile), [Action::NoFile; 3]);
        assert_eq!(in_each_mode(Some(&made("old", None)), &OnDisk::NoFile), [Action::NoFile; 3]);
        // What nobody missed and somebody made anew is theirs.
        let forgotten = Made { forgotten: true, ..made("old", None) };
        assert_eq!(in_each_mode(Some(&forgotten), &file), [Action::NotOurs; 3]);
        assert_eq!(file_state(&forgotten, &file), State::Unknown);
    }

    /// Another worktree has an earlier version, or still has what this one has forgotten.
    #[test]
    fn every_version_that_was_made_is_known() {
        use Action::{Exists, Write};
        let file = OnDisk::File("older".to_owned());
        assert_eq!(in_each_mode(Some(&made("old", None)), &file), [Exists, Write, Write]);
        assert_eq!(file_state(&made("old", None), &file), State::Ok);
        let forgotten = Made { forgotten: true, ..made("old", None) };
        assert_eq!(in_each_mode(Some(&forgotten), &file), [Exists, Write, Write]);
        assert_eq!(file_state(&forgotten, &file), State::Ok);
        assert_eq!(file_state(&forgotten, &OnDisk::Nothing), State::Missing);
    }

    #[test]
    fn modes_differ_in_what_they_do_to_files_that_were_made() {
        use Action::{Adopt, Current, Edited, Exists, Write};
        let file = |content: &str| OnDisk::File(content.to_owned());
        let old = made("old", None);
        assert_eq!(in_each_mode(None, &OnDisk::Nothing), [Write; 3]);
        assert_eq!(in_each_mode(Some(&old), &OnDisk::Nothing), [Write; 3]);
        assert_eq!(in_each_mode(Some(&old), &file("old")), [Exists, Write, Write]);
        assert_eq!(in_each_mode(Some(&old), &file("edited")), [Edited, Edited, Write]);
        assert_eq!(in_each_mode(Some(&made("new", None)), &file("new")), [Current; 3]);
        assert_eq!(in_each_mode(Some(&old), &file("new")), [Adopt; 3], "killed before it recorded");
        assert_eq!(in_each_mode(None, &file("new")), [Adopt; 3], "the same, the first time");
        let accepted = made("old", Some("mine"));
        assert_eq!(in_each_mode(Some(&accepted), &file("mine")), [Edited, Edited, Write]);
    }

    #[test]
    fn states_are_told_by_content() {
        let one = made("as-made", Some("accepted"));
        let file = |content: &str| OnDisk::File(content.to_owned());
        assert_eq!(file_state(&one, &file("as-made")), State::Ok);
        assert_eq!(file_state(&one, &file("accepted")), State::Ok);
        assert_eq!(file_state(&one, &file("else")), State::Edited);
        assert_eq!(file_state(&one, &OnDisk::NoFile), State::Edited);
        assert_eq!(file_state(&one, &OnDisk::Unreadable("x".to_owned())), State::Edited);
        assert_eq!(file_state(&one, &OnDisk::Nothing), State::Missing);
    }
}
