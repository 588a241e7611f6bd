//! Decides the treatment of each agent's file, from the wanted content, the record and the file on
//! disk.
//!
//! A file that was not generated here is never touched, in any mode. A file that somebody edited
//! stays unless the mode is [`Mode::Force`]. No file is ever deleted.

use schemars::JsonSchema;
use serde::Serialize;

use crate::core::domain::agent_record::AgentRecord;
use crate::core::words::words;

/// The treatment of files that exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Only missing files are written.
    Skip,
    /// Also files from another specification or of another generator are written.
    Regenerate,
    /// Also edited files are written.
    Force,
}

/// The state of the file system at the path of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OnDisk {
    Nothing,
    /// A file with content of that SHA-256.
    File(String),
    /// A link, a directory, or something else that is no file.
    NoFile,
    /// Something that cannot be read, and the reason why.
    Unreadable(String),
}

/// The treatment of an agent's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "AgentAction")]
pub enum Action {
    /// The file is written.
    Write,
    /// The file is up to date already, and is recorded.
    Adopt,
    /// Nothing is done: the file is up to date.
    Current,
    /// Nothing is done: the file exists, and the mode leaves it.
    Exists,
    /// Nothing is done: somebody edited the file.
    Edited,
    /// Nothing is done: the file was not generated here.
    NotOurs,
    /// Nothing is done: something that is no file is at its path, so the agent is missing.
    NoFile,
    /// Nothing is done: every project has this agent from elsewhere.
    Core,
    /// Nothing is done: another domain asks for an agent of that name.
    Twice,
}

impl Action {
    /// Tells whether the agent exists afterwards.
    pub fn is_success(self) -> bool {
        self != Action::NoFile
    }

    /// Returns the words for people.
    pub fn words(self) -> &'static str {
        match self {
            Action::Write => "written",
            Action::Adopt => "recorded as it is",
            Action::Current => "as it should be",
            Action::Exists => "kept, though its profile has changed",
            Action::Edited => "kept, somebody edited it",
            Action::NotOurs => "kept, it was not record here",
            Action::NoFile => "not there, what is in its place is no file",
            Action::Core => "left out, it comes from elsewhere",
            Action::Twice => "left out, another domain has one of that name",
        }
    }
}

/// Decides the treatment of an agent whose file should have content of the SHA-256 `wanted`.
pub fn action(mode: Mode, wanted: &str, known: Option<&AgentRecord>, disk: &OnDisk) -> Action {
    let there = match disk {
        OnDisk::Nothing => return Action::Write,
        OnDisk::NoFile | OnDisk::Unreadable(_) => return Action::NoFile,
        OnDisk::File(content) => content.as_str(),
    };
    let Some(known) = known else {
        // A command that was killed after it wrote the file and before it recorded it leaves this
        // behind.
        return if there == wanted { Action::Adopt } else { Action::NotOurs };
    };
    if there == wanted {
        let is_recorded = known.wrote(wanted) && !known.forgotten;
        return if is_recorded { Action::Current } else { Action::Adopt };
    }
    let is_as_generated = known.wrote(there);
    if known.forgotten && !is_as_generated && !known.has_accepted(there) {
        return Action::NotOurs;
    }
    match (is_as_generated, mode) {
        (true, Mode::Skip) => Action::Exists,
        (true, Mode::Regenerate | Mode::Force) | (false, Mode::Force) => Action::Write,
        (false, Mode::Skip | Mode::Regenerate) => Action::Edited,
    }
}

words! {
    /// The state of an agent or a file.
    #[schemars(rename = "AgentState")]
    pub enum State {
        /// The file is as it was generated, or has edits that somebody accepted.
        Ok = "ok",
        /// Somebody edited the file.
        Edited = "edited",
        /// The file is gone.
        Missing = "missing",
        /// No profile asks for the agent any more.
        Orphaned = "orphaned",
        /// The file was not generated here.
        Unknown = "unknown",
    }
}

/// Tells the state of a generated agent's file, also if no profile asks for it any more.
pub fn file_state(record: &AgentRecord, disk: &OnDisk) -> State {
    match disk {
        OnDisk::Nothing => State::Missing,
        OnDisk::File(content) if record.wrote(content) || record.has_accepted(content) => State::Ok,
        // Nobody missed the generated file, so this one is somebody else's.
        _ if record.forgotten => State::Unknown,
        OnDisk::File(_) | OnDisk::NoFile | OnDisk::Unreadable(_) => State::Edited,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::domain::agent::GENERATOR;
    use crate::core::time::Timestamp;

    fn recorded(content: &str, accepted: Option<&str>) -> AgentRecord {
        AgentRecord {
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

    fn in_each_mode(record: Option<&AgentRecord>, disk: &OnDisk) -> [Action; 3] {
        MODES.map(|mode| action(mode, "new", record, disk))
    }

    /// 2/P1-1-user: what was not made here is touched in no mode.
    #[test]
    fn a_file_of_somebody_else_is_never_touched() {
        let file = OnDisk::File("theirs".to_owned());
        assert_eq!(in_each_mode(None, &file), [Action::NotOurs; 3]);
        assert_eq!(in_each_mode(None, &OnDisk::NoFile), [Action::NoFile; 3]);
        assert_eq!(
            in_each_mode(Some(&recorded("old", None)), &OnDisk::NoFile),
            [Action::NoFile; 3]
        );
        // A file that nobody missed and that somebody put there again is theirs.
        let forgotten = AgentRecord { forgotten: true, ..recorded("old", None) };
        assert_eq!(in_each_mode(Some(&forgotten), &file), [Action::NotOurs; 3]);
        assert_eq!(file_state(&forgotten, &file), State::Unknown);
    }

    /// Another worktree has an earlier version, or still has what this one has forgotten.
    #[test]
    fn every_version_that_was_made_is_known() {
        use Action::{Exists, Write};
        let file = OnDisk::File("older".to_owned());
        assert_eq!(in_each_mode(Some(&recorded("old", None)), &file), [Exists, Write, Write]);
        assert_eq!(file_state(&recorded("old", None), &file), State::Ok);
        let forgotten = AgentRecord { forgotten: true, ..recorded("old", None) };
        assert_eq!(in_each_mode(Some(&forgotten), &file), [Exists, Write, Write]);
        assert_eq!(file_state(&forgotten, &file), State::Ok);
        assert_eq!(file_state(&forgotten, &OnDisk::Nothing), State::Missing);
    }

    #[test]
    fn modes_differ_in_what_they_do_to_files_that_were_made() {
        use Action::{Adopt, Current, Edited, Exists, Write};
        let file = |content: &str| OnDisk::File(content.to_owned());
        let old = recorded("old", None);
        assert_eq!(in_each_mode(None, &OnDisk::Nothing), [Write; 3]);
        assert_eq!(in_each_mode(Some(&old), &OnDisk::Nothing), [Write; 3]);
        assert_eq!(in_each_mode(Some(&old), &file("old")), [Exists, Write, Write]);
        assert_eq!(in_each_mode(Some(&old), &file("edited")), [Edited, Edited, Write]);
        assert_eq!(in_each_mode(Some(&recorded("new", None)), &file("new")), [Current; 3]);
        assert_eq!(in_each_mode(Some(&old), &file("new")), [Adopt; 3], "killed before it recorded");
        assert_eq!(in_each_mode(None, &file("new")), [Adopt; 3], "the same, the first time");
        let accepted = recorded("old", Some("mine"));
        assert_eq!(in_each_mode(Some(&accepted), &file("mine")), [Edited, Edited, Write]);
    }

    #[test]
    fn states_are_told_by_content() {
        let one = recorded("as-generated", Some("accepted"));
        let file = |content: &str| OnDisk::File(content.to_owned());
        assert_eq!(file_state(&one, &file("as-generated")), State::Ok);
        assert_eq!(file_state(&one, &file("accepted")), State::Ok);
        assert_eq!(file_state(&one, &file("else")), State::Edited);
        assert_eq!(file_state(&one, &OnDisk::NoFile), State::Edited);
        assert_eq!(file_state(&one, &OnDisk::Unreadable("x".to_owned())), State::Edited);
        assert_eq!(file_state(&one, &OnDisk::Nothing), State::Missing);
    }
}
