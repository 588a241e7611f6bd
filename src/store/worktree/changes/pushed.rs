//! The commits of a push that is about to be made, their recorded agents, and the paths that they
//! change.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead};
use std::io::{BufReader, Write as _};
use std::process::{Child, Stdio};

use super::{Changes, PathBytes};
use crate::store::error::StoreError;
use crate::store::git::object::ObjectId;
use crate::store::git::program::{ProgramError, running};

/// The maximum number of commits of a push that are examined one by one.
pub const COMMITS_MAX: usize = 1_000;
/// The maximum number of paths of a push that are examined.
pub const PATHS_MAX: usize = 10_000;

/// The trailer that names the agent that made a commit.
pub const AGENT_TRAILER: &str = "Coord-Agent";

/// A push, as git announces it to a hook.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Push {
    /// The revisions that are pushed.
    pub tips: Vec<String>,
    /// The commits that the remote is known to have.
    pub known: Vec<ObjectId>,
    /// The refs of the remote that the push moves.
    pub replaced: Vec<Replaced>,
    /// The name of the remote; `None` if it is only an address.
    pub remote: Option<String>,
    /// The snapshots of uncommitted content that are pushed.
    pub snapshots: Vec<String>,
}

/// A ref of the remote that a push moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// The commit that it points at now.
    pub old: ObjectId,
    /// The revision that it will point at.
    pub new: String,
}

/// The content of a push.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pushed {
    /// The commits; empty if they are too many to be examined one by one.
    pub commits: Vec<PushedCommit>,
    /// Every path that a commit changes, with the positions of those commits. A merge changes the
    /// paths that differ from every parent. If there are too many commits, these are the paths that
    /// they change in total.
    pub paths: BTreeMap<PathBytes, Vec<usize>>,
    /// Set if only the total change of all commits was examined.
    pub is_total: bool,
    /// Every path that the push reverts on the remote to a state before a commit that was pushed
    /// there.
    pub reverted: BTreeSet<PathBytes>,
    /// Set if the push drops commits of the remote that are missing in this repository.
    pub drops_unknown_commits: bool,
    /// Set if there were more paths than are examined.
    pub is_cut_short: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushedCommit {
    pub id: ObjectId,
    /// The agents in its trailers.
    pub made_by: Vec<String>,
}

impl Push {
    /// Builds the arguments for git that select the pushed commits which the remote does not have
    /// yet.
    pub(super) fn range(&self) -> Vec<String> {
        let there = match &self.remote {
            Some(name) => format!("--remotes={name}"),
            None => "--remotes".to_owned(),
        };
        let options = ["--not", &there, "--not", "--end-of-options"].map(str::to_owned);
        let known = self.known.iter().map(|id| format!("^{id}"));
        let end = ["--".to_owned()];
        options.into_iter().chain(self.tips.iter().cloned()).chain(known).chain(end).collect()
    }
}

impl Changes {
    /// Finds the pushed commits that the remote does not have yet, and the paths that the push
    /// reverts there. The content of a remote without a name is not known, so commits that are on
    /// any remote do not count.
    pub fn to_be_pushed(&self, push: &Push) -> Result<Pushed, StoreError> {
        if push.tips.is_empty() {
            return Ok(Pushed::default());
        }
        let commits = self.commits_of(push)?;
        let pushed = if commits.len() > COMMITS_MAX {
            self.total_changes(push)?
        } else {
            self.changed_by(commits)?
        };
        self.with_reverted(pushed, push)
    }

    fn commits_of(&self, push: &Push) -> Result<Vec<PushedCommit>, StoreError> {
        let count = format!("--max-count={}", COMMITS_MAX + 1);
        // Git prints `commit <id>` before it, and omits an empty line.
        let format =
            format!("--format=by %(trailers:key={AGENT_TRAILER},valueonly,unfold,separator=%x00)");
        let range = push.range();
        let options = ["rev-list", "--ignore-missing", &count, &format];
        let words: Vec<&str> =
            options.into_iter().chain(range.iter().map(String::as_str)).collect();
        Ok(listed(&self.program.ask(&words)?))
    }

    pub(super) fn changed_by(&self, commits: Vec<PushedCommit>) -> Result<Pushed, StoreError> {
        // With `--name-only` a path could not be told from a commit.
        let diff_tree =
            ["diff-tree", "--stdin", "--raw", "-z", "-r", "-c", "--root", "--no-renames"];
        let mut command = self.program.command(&diff_tree);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let (mut child, _guard) = running::start(&mut command)?;
        let piped = "a child with pipes has them";
        let mut questions = child.stdin.take().expect(piped);
        let answers = BufReader::new(child.stdout.take().expect(piped));
        let lines: Vec<String> = commits.iter().map(|commit| format!("{}\n", commit.id)).collect();
        // A separate thread writes, because both pipes may be full at once. If git stops reading,
        // its answer shows it.
        let ask = move || lines.iter().try_for_each(|line| questions.write_all(line.as_bytes()));
        let asking = std::thread::spawn(ask);
        let read = first_paths(answers, commits);
        finish(child, &read)?;
        asking.join().ok();
        read.map_err(|error| invalid_answer(&error).into())
    }
}

/// Parses git's list of commits, two lines each.
fn listed(lines: &[u8]) -> Vec<PushedCommit> {
    let text = String::from_utf8_lossy(lines);
    let mut commits: Vec<PushedCommit> = Vec::new();
    for line in text.lines() {
        if let Some(names) = line.strip_prefix("by ") {
            let names = names.split('\0').filter(|name| !name.is_empty()).map(str::to_owned);
            if let Some(commit) = commits.last_mut() {
                commit.made_by = names.collect();
            }
        } else if let Some(id) = line.strip_prefix("commit ").and_then(|id| id.parse().ok()) {
            commits.push(PushedCommit { id, made_by: Vec::new() });
        }
    }
    commits
}

/// Collects each path once, up to the limit. Git lists the commits in the order of the requests,
/// and omits those that change nothing.
fn first_paths(answers: impl BufRead, commits: Vec<PushedCommit>) -> io::Result<Pushed> {
    let mut pushed = Pushed { commits, ..Pushed::default() };
    let mut current = 0;
    let mut answers = answers.split(0);
    while let Some(record) = answers.next().transpose()? {
        if record.first() != Some(&b':') {
            let id: Option<ObjectId> = String::from_utf8_lossy(&record).parse().ok();
            let later = pushed.commits.iter().skip(current);
            let found = later.take_while(|commit| Some(commit.id) != id).count();
            current += found;
            continue;
        }
        let Some(path) = answers.next().transpose()? else { break };
        if pushed.paths.len() == PATHS_MAX && !pushed.paths.contains_key(&path) {
            pushed.is_cut_short = true;
            break;
        }
        pushed.paths.entry(path).or_default().push(current);
    }
    Ok(pushed)
}

/// Waits for git, or kills it if enough was read.
fn finish(mut child: Child, read: &io::Result<Pushed>) -> Result<(), ProgramError> {
    let is_enough = read.as_ref().is_ok_and(|read| read.is_cut_short);
    if is_enough {
        child.kill().ok();
    }
    let status = child.wait().map_err(|error| invalid_answer(&error))?;
    if status.success() || is_enough {
        return Ok(());
    }
    Err(ProgramError::Failed { verb: "diff-tree".to_owned(), words: String::new() })
}

fn invalid_answer(error: &io::Error) -> ProgramError {
    ProgramError::InvalidAnswer { verb: "diff-tree", why: error.to_string() }
}
