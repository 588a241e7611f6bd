//! `ledger upgrade`: brings a ledger to a newer format.
//!
//! The documents stay as they are, and the store writes them in the layout of the newer format. The
//! decision is for the record, and so that `verify` can repeat it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use crate::core::clean::{Clean, LeftOut};
use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::Documents as _;
use crate::core::text::BadText;

/// A request to bring a ledger to a newer format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Upgrade {
    /// The format that the ledger gets.
    pub to: u64,
}

/// The effect of an upgrade.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Upgraded {
    /// The format that the ledger had.
    pub from: u64,
}

impl Clean for Upgrade {
    fn clean(&mut self) -> Result<LeftOut, BadText> {
        Ok(LeftOut::default())
    }
}

impl Decide for Upgrade {
    type Answer = Upgraded;

    fn decide(&self, act: &mut Act<'_>) -> Result<Upgraded, No> {
        let from = act.format();
        if from < self.to {
            let data = [("from", json!(from)), ("to", json!(self.to))];
            let data = data.map(|(name, value)| (name.to_owned(), value));
            act.record_of_ledger("upgraded", Map::from_iter(data));
        }
        Ok(Upgraded { from })
    }

    fn summary(&self, _: &Upgraded, env: &Env<'_>) -> String {
        format!("upgrade to format {} by {}", self.to, env.actor)
    }
}
