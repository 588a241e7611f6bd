//! The places of the documents of runs.
//!
//! ```text
//! runs/k3v9x0ab/run                              the run itself, small
//! active/k3v9x0ab                                the same blob, while it is active
//! runs/k3v9x0ab/gates                            its gates, if they are not the usual ones
//! runs/k3v9x0ab/children/q7...                   the runs that are parts of it
//! runs/k3v9x0ab/completions/0001                 when it was completed
//! runs/k3v9x0ab/rollbacks/0001                   when it went back, and why
//! runs/k3v9x0ab/dispatches/da...                 dispatches, by id
//! runs/k3v9x0ab/agents/mx...                     agents, by id
//! runs/k3v9x0ab/phases/03-planned/tally          what gates ask of the phase
//! runs/k3v9x0ab/phases/03-planned/skip           why it is passed over
//! runs/k3v9x0ab/phases/03-planned/artifacts/b2...
//! runs/k3v9x0ab/phases/03-planned/verdicts/v1...
//! runs/k3v9x0ab/phases/03-planned/open/da...     the dispatches that go on
//! runs/k3v9x0ab/phases/03-planned/working/mx...  the agents that work
//! runs/k3v9x0ab/phases/03-planned/visits/0001    when the run came and left
//! runs/k3v9x0ab/phases/03-planned/gates/0001     what the gate behind it said
//! ```

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::core::decision::{Act, No};
use crate::core::documents::{Documents, Key, ReadError, read, walk};
use crate::core::run::names::{ArtifactId, DispatchId, IdPrefix, MemberId, RunId, VerdictId};
use crate::core::run::refusal::Refusal;
use crate::core::run::{Run, Status};

/// The directory of all runs.
pub const RUNS: &str = "runs";
/// The directory of the active runs.
pub const ACTIVE: &str = "active";

/// The directory of the open dispatches of a phase.
const OPEN: &str = "open";
/// The directory of the working agents of a phase.
const WORKING: &str = "working";

/// The name of a run's own document.
pub const HEADER: &str = "run";

pub fn dir(id: &RunId) -> Key {
    Key::of([RUNS]).join(id.as_str())
}

/// Returns the place of a run's own document.
pub fn header(id: &RunId) -> Key {
    dir(id).join(HEADER)
}

/// Returns the second place of an active run.
pub fn active(id: &RunId) -> Key {
    Key::of([ACTIVE]).join(id.as_str())
}

/// Returns the place of a run's gates, which exists only if they are not the default ones.
pub fn gates(id: &RunId) -> Key {
    dir(id).join("gates")
}

/// Returns the directory of the children of a run.
pub fn children(id: &RunId) -> Key {
    dir(id).join("children")
}

pub fn child(parent: &RunId, id: &RunId) -> Key {
    children(parent).join(id.as_str())
}

/// Returns the place of a completion of the run, counted from 1.
pub fn completion(id: &RunId, number: u32) -> Key {
    dir(id).join("completions").join(&format!("{number:04}"))
}

/// Returns the place of a rollback record of the run, counted from 1.
pub fn rollback(id: &RunId, number: u32) -> Key {
    dir(id).join("rollbacks").join(&format!("{number:04}"))
}

pub fn dispatches(id: &RunId) -> Key {
    dir(id).join("dispatches")
}

pub fn dispatch(id: &RunId, dispatch: &DispatchId) -> Key {
    dispatches(id).join(dispatch.as_str())
}

pub fn agents(id: &RunId) -> Key {
    dir(id).join("agents")
}

pub fn agent(id: &RunId, member: &MemberId) -> Key {
    agents(id).join(member.as_str())
}

/// Returns the directory of one phase of a run.
pub fn phase(run: &Run, place: usize) -> Key {
    dir(&run.id).join("phases").join(&format!("{place:02}-{}", run.phases.at(place)))
}

pub fn artifacts(run: &Run, place: usize) -> Key {
    phase(run, place).join("artifacts")
}

pub fn artifact(run: &Run, place: usize, id: &ArtifactId) -> Key {
    artifacts(run, place).join(id.as_str())
}

pub fn verdicts(run: &Run, place: usize) -> Key {
    phase(run, place).join("verdicts")
}

pub fn verdict(run: &Run, place: usize, id: &VerdictId) -> Key {
    verdicts(run, place).join(id.as_str())
}

pub fn open_dispatches(run: &Run, place: usize) -> Key {
    phase(run, place).join(OPEN)
}

pub fn open_dispatch(run: &Run, place: usize, id: &DispatchId) -> Key {
    open_dispatches(run, place).join(id.as_str())
}

pub fn working_agents(run: &Run, place: usize) -> Key {
    phase(run, place).join(WORKING)
}

pub fn working_agent(run: &Run, place: usize, id: &MemberId) -> Key {
    working_agents(run, place).join(id.as_str())
}

/// Tells whether a document of this ledger is a second name of another one.
pub fn is_link(key: &Key) -> bool {
    let parts: Vec<&str> = key.parts().collect();
    match parts.as_slice() {
        [ACTIVE, ..] => true,
        [RUNS, _, "phases", _, list, ..] => matches!(*list, OPEN | WORKING),
        _ => false,
    }
}

/// Writes a run to its places.
pub fn put(act: &mut Act<'_>, run: &Run) {
    act.put(header(&run.id), run);
    if run.status == Status::Active {
        act.put(active(&run.id), run);
    } else {
        act.remove(active(&run.id));
    }
}

/// Reads a run by its id.
pub fn by_id(documents: &dyn Documents, id: &RunId) -> Result<Option<Run>, ReadError> {
    at(documents, &header(id), id)
}

fn at(documents: &dyn Documents, key: &Key, id: &RunId) -> Result<Option<Run>, ReadError> {
    let run: Option<Run> = read(documents, key)?;
    match run {
        Some(run) if run.id != *id => {
            Err(ReadError::damaged(key, format!("it is the run {}", run.id)))
        }
        run => Ok(run),
    }
}

/// Finds the one run whose id begins with the prefix.
pub fn select(documents: &dyn Documents, prefix: &IdPrefix) -> Result<Run, No> {
    if let Ok(id) = prefix.as_str().parse() {
        let found = by_id(documents, &id)?;
        return Ok(found.ok_or_else(|| Refusal::NoRun(prefix.clone()))?);
    }
    let ids: Vec<RunId> = ids_starting(documents, &Key::of([RUNS]), prefix)?;
    match ids.as_slice() {
        [] => Err(Refusal::NoRun(prefix.clone()).into()),
        [id] => {
            let run = by_id(documents, id)?;
            run.ok_or_else(|| Refusal::NoRun(prefix.clone()).into())
        }
        several => Err(ambiguous(prefix, several).into()),
    }
}

/// Refuses a prefix that several ids begin with.
pub fn ambiguous(prefix: &IdPrefix, ids: &[impl ToString]) -> Refusal {
    let ids = ids.iter().map(ToString::to_string).collect();
    Refusal::Ambiguous { prefix: prefix.to_string(), ids }
}

/// Lists the ids in a directory that begin with the prefix.
pub fn ids_starting<I: std::str::FromStr>(
    documents: &dyn Documents,
    dir: &Key,
    prefix: &IdPrefix,
) -> Result<Vec<I>, ReadError> {
    let children = documents.list_starting(dir, prefix.as_str())?;
    Ok(children.iter().filter_map(|child| child.name.parse().ok()).collect())
}

/// The documents of a directory that can be read, and the damage of those that cannot.
#[derive(Debug)]
pub struct Readable<T> {
    pub found: Vec<T>,
    pub damaged: Vec<ReadError>,
}

/// Reads every document below a directory, and reports those that are damaged.
pub fn readable<T: DeserializeOwned>(
    documents: &dyn Documents,
    dir: &Key,
) -> Result<Readable<T>, ReadError> {
    readable_where(documents, walk(documents, dir)?)
}

fn readable_where<T: DeserializeOwned>(
    documents: &dyn Documents,
    keys: Vec<Key>,
) -> Result<Readable<T>, ReadError> {
    let mut readable = Readable { found: Vec::new(), damaged: Vec::new() };
    for key in keys {
        match read(documents, &key) {
            Ok(found) => readable.found.extend(found),
            Err(error @ ReadError::Damaged { .. }) => readable.damaged.push(error),
            Err(error) => return Err(error),
        }
    }
    Ok(readable)
}

/// Reads every document below a directory; a damaged one is an error.
pub fn all<T: DeserializeOwned>(documents: &dyn Documents, dir: &Key) -> Result<Vec<T>, ReadError> {
    let keys = walk(documents, dir)?;
    let found: Result<Vec<Option<T>>, ReadError> =
        keys.iter().map(|key| read(documents, key)).collect();
    Ok(found?.into_iter().flatten().collect())
}

/// Reads the active runs.
pub fn active_runs(documents: &dyn Documents) -> Result<Readable<Run>, ReadError> {
    readable(documents, &Key::of([ACTIVE]))
}

/// Reads every run.
pub fn every_run(documents: &dyn Documents) -> Result<Readable<Run>, ReadError> {
    readable_where(documents, headers(documents)?)
}

/// Lists the places of all runs, without listing what belongs to them.
pub fn headers(documents: &dyn Documents) -> Result<Vec<Key>, ReadError> {
    let runs = Key::of([RUNS]);
    let children = documents.list(&runs)?;
    Ok(children.iter().map(|child| runs.join(&child.name).join(HEADER)).collect())
}

/// Writes a document to its own place and to the one where it is looked for.
pub fn put_linked(act: &mut Act<'_>, key: Key, link: Key, document: &impl Serialize) {
    act.put(key, document);
    act.put(link, document);
}
