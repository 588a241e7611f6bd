//! The common interface of artifacts, verdicts, dispatches and agents: each belongs to a phase.

use serde::de::DeserializeOwned;

use crate::core::documents::Key;
use crate::core::run::agent::{Member, MemberStatus};
use crate::core::run::artifact::Artifact;
use crate::core::run::dispatch::{Dispatch, DispatchStatus};
use crate::core::run::names::PhaseName;
use crate::core::run::verdict::Verdict;
use crate::core::run::{Run, Standing, index};
use crate::core::time::Timestamp;

/// A document that belongs to a phase of a run.
pub trait Part: DeserializeOwned {
    /// Lists the directories that may contain parts of these phases.
    fn dirs(run: &Run, places: &[usize]) -> Vec<Key>;

    fn phase(&self) -> &PhaseName;

    /// Orders the parts of one directory: by age, then by id.
    fn age(&self) -> (Timestamp, &str);

    /// Tells whether the part is listed for a caller that does not ask for all.
    fn counts(&self) -> bool;
}

/// Implements access to the fields that have the same name in every part.
macro_rules! common {
    () => {
        fn phase(&self) -> &PhaseName {
            &self.phase
        }

        fn age(&self) -> (Timestamp, &str) {
            (self.at, self.id.as_str())
        }
    };
}

impl Part for Artifact {
    fn dirs(run: &Run, places: &[usize]) -> Vec<Key> {
        places.iter().map(|place| index::artifacts(run, *place)).collect()
    }

    common!();

    fn counts(&self) -> bool {
        self.status == Standing::Active
    }
}

impl Part for Verdict {
    fn dirs(run: &Run, places: &[usize]) -> Vec<Key> {
        places.iter().map(|place| index::verdicts(run, *place)).collect()
    }

    common!();

    fn counts(&self) -> bool {
        self.status == Standing::Active
    }
}

impl Part for Dispatch {
    fn dirs(run: &Run, _places: &[usize]) -> Vec<Key> {
        vec![index::dispatches(&run.id)]
    }

    common!();

    fn counts(&self) -> bool {
        self.status != DispatchStatus::Cancelled
    }
}

impl Part for Member {
    fn dirs(run: &Run, _places: &[usize]) -> Vec<Key> {
        vec![index::agents(&run.id)]
    }

    common!();

    fn counts(&self) -> bool {
        self.status != MemberStatus::Failed || self.because.is_none()
    }
}
