//! `override block` and `unblock`: an agent that must not be left out, no matter what the evidence
//! says.

use serde::{Deserialize, Serialize};
use serde_json::Map;

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::routing::Block;
use crate::core::routing::events::EventBuilder;
use crate::core::routing::index::{self, Document as _};
use crate::core::routing::names::RoutedName;
use crate::core::routing::propose::line;
use crate::core::routing::refusal::Refusal;
use crate::core::routing::text::Note;
use crate::core::seen::{Seen, is_another};

/// Blocks an agent from being left out. An override in force stays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockAgent {
    pub agent: RoutedName,
    pub reason: Note,
}

impl Decide for BlockAgent {
    type Answer = Option<Block>;

    fn decide(&self, act: &mut Act<'_>) -> Result<Option<Block>, No> {
        put_block(act, &self.agent, &self.reason, true)
    }

    fn summary(&self, _: &Option<Block>, env: &Env<'_>) -> String {
        format!("block {} by {}: {}", self.agent, env.actor, self.reason)
    }
}

/// Blocks an agent. Replaces a block with another reason if `replaces` is set. Returns `None` if
/// nothing changed.
pub(super) fn put_block(
    act: &mut Act<'_>,
    agent: &RoutedName,
    reason: &Note,
    replaces: bool,
) -> Result<Option<Block>, No> {
    let before = index::block_of(act, agent)?;
    let reason = line(reason);
    if before.as_ref().is_some_and(|block| !replaces || block.reason == reason) {
        return Ok(None);
    }
    let block = Block {
        agent: agent.clone(),
        reason,
        at: act.env.now,
        by: act.env.actor.clone(),
        unknown: before.map_or_else(Map::new, |block| block.unknown),
    };
    EventBuilder::new("blocked", agent).put(act, &block).record(act);
    Ok(Some(block))
}

/// Lets an agent be left out again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unblock {
    pub agent: RoutedName,
    /// The block that the caller saw, which alone is lifted.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seen: Option<Seen>,
}

impl Decide for Unblock {
    type Answer = Option<Block>;

    fn decide(&self, act: &mut Act<'_>) -> Result<Option<Block>, No> {
        let block = index::block_of(act, &self.agent)?;
        if let Some(block) = &block {
            if is_another(self.seen.as_ref(), Some(block)) {
                let agent = self.agent.clone();
                return Err(Refusal::NotAsSeen { what: "block", agent }.into());
            }
            EventBuilder::new("unblocked", &self.agent).gone(act, block.key()).record(act);
        }
        Ok(block)
    }

    fn summary(&self, _: &Option<Block>, env: &Env<'_>) -> String {
        format!("unblock {} by {}", self.agent, env.actor)
    }
}
