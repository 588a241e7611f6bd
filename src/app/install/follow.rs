//! Carries a plan out, or only shows it.

use schemars::JsonSchema;
use serde::Serialize;

use super::carry_out;
use super::plan::{Item, Need};
use crate::app::Ctx;
use crate::app::answer::Answer;
use crate::app::problem::Problem;

/// The answer to `install` and `uninstall`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    /// The parts of the installation, in the order in which they were handled.
    pub items: Vec<ItemView>,
    pub dry_run: bool,
}

/// A part of the installation: a hook, a file, or a setting.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Item")]
pub struct ItemView {
    pub state: State,
    /// The name of the part, for people.
    pub what: String,
}

/// The result for a part of the installation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub enum State {
    /// Nothing had to be done.
    #[serde(rename = "already so")]
    AlreadySo,
    /// Advice: the user may have to do something.
    #[serde(rename = "note")]
    Note,
    /// A dry run: without `--dry-run` it would be changed.
    #[serde(rename = "would do")]
    WouldDo,
    /// It was changed.
    #[serde(rename = "done")]
    Done,
}

impl State {
    /// Names the state for people, as JSON does for programs.
    pub fn word(self) -> &'static str {
        match self {
            State::AlreadySo => "already so",
            State::Note => "note",
            State::WouldDo => "would do",
            State::Done => "done",
        }
    }
}

/// A plan that was carried out as far as it went.
pub struct Followed {
    pub answer: Answer<Body>,
    /// The reason why the rest was not done.
    pub failed: Option<Problem>,
}

/// Carries a plan out, item by item, until one fails.
pub(super) fn follow(ctx: &Ctx, items: &[Item], dry_run: bool) -> Followed {
    let mut done = Vec::new();
    let mut failed = None;
    for item in items {
        let state = match item.need {
            Need::AlreadySo => State::AlreadySo,
            Need::Note => State::Note,
            Need::Change(_) if dry_run => State::WouldDo,
            Need::Change(_) => State::Done,
        };
        if state == State::Done
            && let Err(error) = carry_out(ctx, item)
        {
            failed = Some(Problem::from(error));
            break;
        }
        done.push(ItemView { state, what: item.what.clone() });
    }
    Followed { answer: Answer::read(Body { items: done, dry_run }, ctx.clock()), failed }
}
