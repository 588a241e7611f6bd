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
use crate::core::pattern::{self, Pattern, Reading};
use crate::store::changes::PathBytes;

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

/// Paths of git as patterns. One that is too deep to be a pattern cannot be reserved by its name.
fn literal<'p>(paths: impl IntoIterator<Item = &'p PathBytes>) -> Vec<Pattern> {
    let paths = paths.into_iter();
    let patterns = paths.filter_map(|path| pattern::parse(path, b"", Reading::Literal).ok());
    patterns.flatten().collect()
}
