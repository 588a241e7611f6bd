//! The hooks of git: the net below the edits, for what was written through a shell, without a
//! reservation, or after it had lapsed.
//!
//! All of them ask `app`, as the command does, and so answer from the same ref. None changes the
//! index, the work tree or a branch.

pub mod commit;
pub mod message;
pub mod objection;
pub mod push;

use crate::app::Ctx;
use crate::app::config::People;
use crate::app::identity::ActorKind;
use crate::core::pattern::{self, Pattern};
use crate::store::worktree::changes::PathBytes;

pub use objection::Objection;

/// What a hook says to git.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Go on.
    Pass,
    /// Go on, but see this.
    Warn(Objection),
    /// Stop.
    Refuse(Objection),
}

impl Verdict {
    /// An objection stops agents, and people where that is configured.
    fn on(ctx: &Ctx, objection: Objection) -> Verdict {
        match (ctx.identity().kind, ctx.settings().hook.people) {
            (ActorKind::Person, People::Warn) => Verdict::Warn(objection),
            (ActorKind::Agent, _) | (_, People::Refuse) => Verdict::Refuse(objection),
        }
    }
}

/// Paths of git as patterns. For one that is too deep to be a pattern stands a directory above it.
fn literal<'p>(paths: impl IntoIterator<Item = &'p PathBytes>) -> Vec<Pattern> {
    let mut patterns: Vec<Pattern> =
        paths.into_iter().filter_map(|path| pattern::for_path(path)).collect();
    patterns.dedup();
    patterns
}
