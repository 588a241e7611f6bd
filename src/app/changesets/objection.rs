//! An objection to a commit or a push, in words: what, who, why, until when, and what to do.

use serde_json::Value;

use crate::app::next::{command as next, from_top, in_shell};
use crate::app::wording::{conflict_text, held_text};
use crate::core::pattern::Pattern;
use crate::core::refusal::Conflict;
use crate::core::reservation::Target;
use crate::core::reservation::fence::{How, Overtaken};
use crate::core::text::is_disguise;
use crate::core::time::{Timestamp, relative};

pub(super) const PATHS_SHOWN_MAX: usize = 10;

/// An objection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objection {
    /// The word that programs go by.
    pub code: &'static str,
    /// The reason, one line for each path.
    pub message: String,
    /// Ways out, a line each.
    pub hints: Vec<String>,
    /// Commands that programs can run as they are.
    pub next: Vec<Vec<String>>,
    /// Further members of the refusal.
    pub details: Vec<(&'static str, Value)>,
}

/// The act that is objected to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    Commit,
    /// A commit without a parent.
    FirstCommit,
    /// A commit of more than is staged, such as `git commit -a`, which would stage it again.
    CommitOfMore,
    Push,
}

impl Objection {
    /// Objects to an act that reaches for paths that others hold or held; there is at least one.
    pub fn to(act: Act, overtaken: &[Overtaken], now: Timestamp) -> Objection {
        let heading = match act {
            Act::Commit | Act::FirstCommit | Act::CommitOfMore => {
                "this commit changes what is not yours to change:"
            }
            Act::Push => "this push changes what others hold:",
        };
        let shown = &overtaken[..overtaken.len().min(PATHS_SHOWN_MAX)];
        let mut lines = vec![heading.to_owned()];
        lines.extend(shown.iter().map(|found| line(found, now)));
        if let more @ 1.. = overtaken.len() - shown.len() {
            lines.push(format!("and {more} more"));
        }
        Objection { hints: hints(act, shown), ..Objection::saying("held", lines.join("\n  ")) }
    }

    /// Objects with nothing but a reason.
    pub fn saying(code: &'static str, message: String) -> Objection {
        Objection { code, message, hints: Vec::new(), next: Vec::new(), details: Vec::new() }
    }

    /// Adds that git goes on all the same with the commit or the push.
    #[must_use]
    pub(super) fn passing(mut self, what: &str) -> Objection {
        self.message.push_str(&format!("\nthe {what} goes through: this is only a warning"));
        self
    }

    /// Adds a command that helps, with the line before it.
    #[must_use]
    pub fn suggesting(mut self, line: String, words: Vec<String>) -> Objection {
        self.hints.push(line);
        self.hints.push(format!("  {}", in_shell(&words)));
        self.next.push(words);
        self
    }
}

fn line(overtaken: &Overtaken, now: Timestamp) -> String {
    let Overtaken { path, by, how } = overtaken;
    let target = Target::of_file(path);
    match how {
        How::HeldNow => conflict_text(&Conflict { target, held: by.clone() }, now),
        How::GrantedSince => {
            let ago = relative(by.granted_at.as_seconds(), now.as_seconds());
            let since = format!("at {} ({ago}), after you edited it", by.granted_at);
            held_text(&target, by, "was granted to", &since)
        }
        How::ChangedByShell => {
            held_text(&target, by, "was held by", "when it changed under a command of yours")
        }
    }
}

fn hints(act: Act, shown: &[Overtaken]) -> Vec<String> {
    let mut hints = Vec::new();
    if let Some(path) = shown.iter().find_map(|found| typed(from_top(&found.path))) {
        hints.push("see who holds it, and whether it is free by now:".to_owned());
        hints.push(format!("  {}", in_shell(&next(&["check", "--", &path]))));
    }
    if act == Act::Push {
        hints.push("push again when they are done, or agree with them first".to_owned());
        return hints;
    }
    hints.push("once it is free, read the file again and edit it again".to_owned());
    if act == Act::CommitOfMore {
        return hints;
    }
    let mut paths: Vec<String> =
        shown.iter().filter_map(|found| typed(from_top_literally(&found.path))).collect();
    paths.dedup();
    if !paths.is_empty() {
        let unstage: &[&str] = match act {
            Act::FirstCommit => &["git", "rm", "--cached", "--"],
            Act::Commit | Act::CommitOfMore | Act::Push => &["git", "restore", "--staged", "--"],
        };
        let words: Vec<&str> =
            unstage.iter().copied().chain(paths.iter().map(String::as_str)).collect();
        hints.push("to commit the rest without it:".to_owned());
        hints.push(format!("  {}", in_shell(&words)));
    }
    hints
}

/// Leaves out a word that cannot be typed.
pub(super) fn typed(word: Option<String>) -> Option<String> {
    word.filter(|word| !word.contains(is_disguise))
}

/// Writes the path for git, from any directory.
pub(super) fn from_top_literally(path: &Pattern) -> Option<String> {
    let path = String::from_utf8(path.literal_path()?).ok()?;
    let is_magic = path.contains(['*', '?', '[', '\\']);
    Some(if is_magic { format!(":(top,literal){path}") } else { format!(":/{path}") })
}
