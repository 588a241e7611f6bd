//! Laws that hold for every state of a ledger, whoever wrote it.

use crate::core::damage::Damage;
use crate::core::documents::{Documents, Key, ReadError};
use crate::core::domain;
use crate::core::ledger::LedgerName;
use crate::core::negotiation;
use crate::core::pattern::Case;
use crate::core::reservation;
use crate::core::routing;
use crate::core::run;
use crate::core::time::Timestamp;

/// A law that a state breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub key: Key,
    pub what: String,
}

impl Fault {
    pub fn of(damage: &Damage) -> Fault {
        Fault { key: Key::of(damage.key.split('/')), what: damage.why.clone() }
    }
}

/// Finds every law that the state breaks at that moment.
pub fn faults(
    ledger: LedgerName,
    documents: &dyn Documents,
    now: Timestamp,
    case: Case,
) -> Result<Vec<Fault>, ReadError> {
    match ledger {
        LedgerName::Reservations => {
            let mut faults = reservation::laws::faults(documents, now, case)?;
            faults.extend(negotiation::laws::faults(documents, now)?);
            Ok(faults)
        }
        LedgerName::Overrides => routing::laws::faults(documents),
        LedgerName::Domains => domain::laws::faults(documents),
        LedgerName::Runs => run::laws::faults(documents),
    }
}
