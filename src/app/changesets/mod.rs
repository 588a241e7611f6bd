//! Commits and pushes: the net below the edits, for what was written through a shell, without a
//! reservation, or after it had lapsed.
//!
//! Each answers from the same ref as the commands do. None changes the index, the work tree or a
//! branch.

pub mod commit;
pub mod objection;
pub mod push;
mod sweep;
pub mod trailers;

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::Ctx;
use crate::app::config::Severity;
use crate::app::identity::ActorKind;
use crate::core::pattern::{self, Pattern};
use crate::store::worktree::changes::PathBytes;

pub use objection::Objection;

/// The answer to a hook of git, which goes by the exit code. Notes and refusals say the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Body {}

/// The answer to whether a commit or a push may go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It goes on.
    Pass,
    /// It goes on, with a warning.
    Warn(Objection),
    /// It stops here.
    Refuse(Objection),
}

impl Verdict {
    /// Decides about an objection: it stops agents, and people where that is configured.
    fn on(ctx: &Ctx, objection: Objection) -> Verdict {
        match (ctx.identity().kind, ctx.settings().hook.people) {
            (ActorKind::Person, Severity::Warn) => Verdict::Warn(objection),
            (ActorKind::Agent, _) | (_, Severity::Refuse) => Verdict::Refuse(objection),
        }
    }
}

/// Turns paths of git into patterns. A directory stands for paths that are too deep to be one.
fn literal<'p>(paths: impl IntoIterator<Item = &'p PathBytes>) -> Vec<Pattern> {
    let mut patterns: Vec<Pattern> =
        paths.into_iter().filter_map(|path| pattern::for_path(path)).collect();
    patterns.dedup();
    patterns
}
