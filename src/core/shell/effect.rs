//! The table of effects on uncommitted work, as data: of git's verbs, and of programs that write
//! files.

use std::path::PathBuf;

use super::pathspec::{Scope, wild};

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// `reset --hard` and its like: tracked changes are gone.
    Wipe,
    /// Another branch or commit is checked out.
    MoveHead,
    /// Named paths are put back, removed or moved.
    WipePaths,
    /// Named paths are taken out of the index.
    Unstage,
    /// The whole index is reset.
    ResetIndex,
    /// Changes go into the stash.
    Stash,
    /// Untracked files are removed.
    Clean,
    /// Ignored files are removed.
    CleanIgnored,
    /// A rebase.
    Rebase,
    /// A command that puts changes aside, and back afterwards.
    Autostash,
    /// A merge or the like is given up.
    Abort,
    /// Paths are added to the index.
    Add,
    /// A commit is made.
    Commit,
    /// A work tree is removed.
    RemoveTree,
    /// Files are written or removed by another program than git.
    WriteFiles,
    /// The newest commit is replaced by another.
    Amend,
    /// A branch is deleted or moved, whatever only it has.
    DropBranch,
    /// An entry of the stash is used up or deleted.
    UseStash,
    /// An entry of the stash is applied, and stays.
    ApplyStash,
    /// The branch that is checked out is moved back, and leaves commits behind.
    MoveBack,
}

/// Commits that an act takes away from their author.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Commits {
    /// The commit that is checked out.
    Head,
    /// Those that only this branch has, and not the commit that it is moved to.
    OnlyOn { branch: String, target: Option<String> },
    /// Those that only the branch has that is checked out, and not this commit. Without one, it is
    /// the newest commit.
    LeftBehind { target: Option<String> },
    /// This entry of the stash; the newest one has the number 0.
    StashEntry(u32),
    /// Every entry of the stash.
    Stash,
}

/// The work that a rule touches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Touches {
    /// Changes of tracked files.
    pub tracked: bool,
    /// Files that git does not track.
    pub untracked: bool,
    /// Changes that are staged, wherever they are.
    pub staged: bool,
    /// Staged changes that the file itself does not have.
    pub only_staged: bool,
    /// Files that another agent holds.
    pub held: bool,
    /// Everything of everybody who works here.
    pub everybody: bool,
}

/// An act of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    pub rule: Rule,
    pub touches: Touches,
    pub scope: Scope,
    /// Patterns for the last name of a path; empty if any is meant.
    pub names: Vec<String>,
    /// The work tree, where it is another one than that of the command.
    pub tree: Option<PathBuf>,
    /// The commits that it takes away.
    pub commits: Option<Commits>,
    /// The words behind `git worktree add <directory>` that check the same branch out elsewhere;
    /// empty if it is not known.
    pub tree_words: Vec<String>,
}

const NOTHING: Touches = Touches {
    tracked: false,
    untracked: false,
    staged: false,
    only_staged: false,
    held: false,
    everybody: false,
};

impl Rule {
    /// Returns the work that the rule touches by itself.
    pub fn touches(self) -> Touches {
        match self {
            Rule::Wipe | Rule::Stash | Rule::Autostash => Touches { tracked: true, ..NOTHING },
            Rule::MoveHead | Rule::Rebase | Rule::CleanIgnored | Rule::RemoveTree => {
                Touches { everybody: true, ..NOTHING }
            }
            Rule::WipePaths | Rule::WriteFiles => {
                Touches { tracked: true, untracked: true, held: true, ..NOTHING }
            }
            Rule::Unstage => Touches { only_staged: true, ..NOTHING },
            Rule::ResetIndex | Rule::Abort | Rule::Commit => Touches { staged: true, ..NOTHING },
            Rule::Clean => Touches { untracked: true, ..NOTHING },
            Rule::Add => Touches { tracked: true, untracked: true, ..NOTHING },
            // Commits are no uncommitted work.
            Rule::Amend | Rule::DropBranch | Rule::UseStash | Rule::ApplyStash | Rule::MoveBack => {
                NOTHING
            }
        }
    }

    /// Tells whether everything is to be saved before a command that goes ahead.
    pub fn is_kept(self) -> bool {
        matches!(
            self,
            Rule::Wipe
                | Rule::WipePaths
                | Rule::Stash
                | Rule::Autostash
                | Rule::Clean
                | Rule::CleanIgnored
                | Rule::Abort
                | Rule::RemoveTree
        )
    }

    /// Tells whether commits are to be kept that a command drops when it goes ahead.
    pub fn drops_commits(self) -> bool {
        matches!(self, Rule::DropBranch | Rule::UseStash | Rule::MoveBack)
    }

    /// Tells whether the work goes into a commit, which loses nothing.
    pub fn is_sweep(self) -> bool {
        matches!(self, Rule::Add | Rule::Commit)
    }

    /// Tells whether it is the index alone that decides what others lose.
    pub fn is_about_index(self) -> bool {
        matches!(self, Rule::Unstage | Rule::ResetIndex | Rule::Add | Rule::Commit | Rule::Abort)
    }

    /// Says what the command would do, before the paths.
    pub fn does(self) -> &'static str {
        match self {
            Rule::Wipe | Rule::WipePaths => "would throw away uncommitted changes of others",
            Rule::MoveHead => "would change the branch under the uncommitted work of others",
            Rule::Unstage | Rule::ResetIndex => "would undo what others have staged",
            Rule::Stash => "would put uncommitted changes of others into the stash",
            Rule::Clean => "would delete new files of others",
            Rule::CleanIgnored => "would delete ignored files, which others may need",
            Rule::Rebase => "would move the branch under the uncommitted work of others",
            Rule::Autostash => "would put uncommitted changes of others aside",
            Rule::Abort => "would throw away what others have staged",
            Rule::Add => "would stage uncommitted changes of others",
            Rule::Commit => "would commit what is not yours to change",
            Rule::RemoveTree => "would delete a work tree with uncommitted work of others",
            Rule::WriteFiles => "would write over or delete work of others",
            Rule::Amend => "would replace a commit of another agent",
            Rule::DropBranch => "would drop commits of another agent that no other branch has",
            Rule::UseStash | Rule::ApplyStash => {
                "would use up what another agent has put into the stash"
            }
            Rule::MoveBack => "would leave commits of another agent behind",
        }
    }

    /// Returns the beginning of the command that does the same to the own paths only; none if there
    /// is no such command.
    pub fn instead(self) -> Option<&'static [&'static str]> {
        Some(match self {
            Rule::Wipe => &["git", "restore", "--staged", "--worktree", "--"],
            Rule::WipePaths => &["git", "restore", "--"],
            Rule::Unstage | Rule::ResetIndex => &["git", "restore", "--staged", "--"],
            Rule::Stash | Rule::Autostash => &["git", "stash", "push", "--"],
            Rule::Clean => &["git", "clean", "-f", "--"],
            Rule::Add => &["git", "add", "--"],
            Rule::Commit => &["git", "commit", "--only", "--"],
            _ => return None,
        })
    }

    /// Tells whether a work tree of its own is the way on.
    pub fn wants_own_tree(self) -> bool {
        matches!(self, Rule::MoveHead | Rule::Rebase)
    }
}

impl Effect {
    /// Makes an effect that touches what the rule says.
    pub fn new(rule: Rule, scope: Scope) -> Effect {
        Effect {
            rule,
            touches: rule.touches(),
            scope,
            names: Vec::new(),
            tree: None,
            commits: None,
            tree_words: Vec::new(),
        }
    }

    /// Makes an effect of which nothing is known: it may touch anything, and refuses nothing.
    pub fn unknown() -> Effect {
        Effect::new(Rule::WipePaths, Scope::UNKNOWN)
    }

    /// Tells whether a path is meant.
    pub fn contains(&self, path: &[u8]) -> bool {
        self.scope.contains(path) && self.is_named(path)
    }

    /// Tells whether a path may be meant, as far as the text tells.
    pub fn may_touch(&self, path: &[u8]) -> bool {
        self.scope.may_contain(path) && self.is_named(path)
    }

    fn is_named(&self, path: &[u8]) -> bool {
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
        let is_named = |pattern: &String| wild(pattern.as_bytes(), name, false);
        self.names.iter().all(is_named)
    }

    pub fn everywhere(rule: Rule) -> Effect {
        Effect::new(rule, Scope::Everything)
    }

    /// Makes an effect that takes commits away.
    pub fn on_commits(rule: Rule, commits: Commits) -> Effect {
        Effect { commits: Some(commits), ..Effect::everywhere(rule) }
    }
}
