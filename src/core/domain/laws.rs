//! The laws of the ledger of domains, which hold in every state.

use crate::core::documents::{Documents, Key, ReadError, read, walk};
use crate::core::domain::AGENTS;
use crate::core::domain::agent_record::{self, AgentRecord};
use crate::core::domain::cache::{Classified, Detected, answer_keys, classified_key, detected_key};
use crate::core::domain::detection::Found;
use crate::core::domain::structure::{ALGORITHM, Fingerprint};
use crate::core::laws::Fault;

/// Returns every law that the state breaks.
pub fn faults(documents: &dyn Documents) -> Result<Vec<Fault>, ReadError> {
    let mut faults = Vec::new();
    for key in answer_keys(documents)? {
        let detected: Detected = match read(documents, &key) {
            Ok(Some(detected)) => detected,
            Ok(None) => continue,
            Err(error) => {
                faults.push(damaged(error)?);
                continue;
            }
        };
        let mut broken =
            |what: &str| faults.push(Fault { key: key.clone(), what: what.to_owned() });
        let Fingerprint { algorithm, list, .. } = &detected.fingerprint;
        if detected_key(&detected.fingerprint) != key {
            broken("it stands under another structure or list than its own");
        } else if *algorithm == ALGORITHM
            && detected.structure.fingerprint(list) != detected.fingerprint
        {
            broken("the fingerprint is not that of its structure");
        }
        if !is_in_order(&detected.domains) {
            broken("not exactly the first domain is the primary one");
        }
    }
    match read::<Classified>(documents, &classified_key()) {
        Ok(Some(classified)) if !is_in_order(&classified.domains) => faults.push(Fault {
            key: classified_key(),
            what: "not exactly the first domain is the primary one".to_owned(),
        }),
        Ok(_) => {}
        Err(error) => faults.push(damaged(error)?),
    }
    for key in walk(documents, &Key::of([AGENTS]))? {
        match read::<AgentRecord>(documents, &key) {
            Ok(Some(record)) if agent_record::key(&record.path) != key => {
                let what = "it stands under another path than its own".to_owned();
                faults.push(Fault { key, what });
            }
            Ok(_) => {}
            Err(error) => faults.push(damaged(error)?),
        }
    }
    Ok(faults)
}

fn is_in_order(domains: &[Found]) -> bool {
    domains.iter().enumerate().all(|(place, found)| found.primary == (place == 0))
}

fn damaged(error: ReadError) -> Result<Fault, ReadError> {
    match error {
        ReadError::Damaged { key, why } => Ok(Fault { key, what: why }),
        error @ ReadError::Store(_) => Err(error),
    }
}
