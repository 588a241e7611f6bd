//! The places of holds in the tree: the tree is the index.
//!
//! ```text
//! ids/abcdefgh                      by id
//! holders/+claude:7f3a91c2/abcdefgh by holder; a subagent is a directory below its session
//! paths/+src/+api/@abcdefgh         by the literal leading segments of the pattern
//! locks/+build/@abcdefgh            or by the name of the lock
//! ```
//!
//! The three places of a hold name the same blob. If two patterns share a path, the path begins
//! with the literal segments of both. So the holds that meet a pattern stand on the way to its node
//! or below it, and a check costs the depth of the path, not the number of holds.

use std::collections::BTreeSet;

use crate::core::damage::{self, Damage, Found};
use crate::core::decision::Act;
use crate::core::documents::{Child, ChildKind, Documents, Key, ReadError, Walk, read, walk};
use crate::core::ids::{AgentName, HoldId, HoldIdPrefix, LockName};
use crate::core::pattern::{Case, Pattern, node_name, node_segment};
use crate::core::reservation::paths::{Comparing, Paths, Region};
use crate::core::reservation::target::Reach;
use crate::core::reservation::{Hold, Target};

/// The directories that this module owns.
pub const ROOTS: [&str; 4] = [IDS, "holders", "paths", "locks"];

const IDS: &str = "ids";

/// Returns the place of a hold by its id.
pub fn id_key(id: &HoldId) -> Key {
    Key::of([IDS, id.as_str()])
}

/// Returns the directory of an agent below a root; a subagent's is below its session's.
pub fn agent_dir(root: &str, agent: &AgentName) -> Key {
    agent
        .as_str()
        .split('/')
        .fold(Key::of([root]), |dir, part| dir.join(&node_name(part.as_bytes(), Case::Sensitive)))
}

fn holder_dir(holder: &AgentName) -> Key {
    agent_dir("holders", holder)
}

fn lock_dir(name: &LockName) -> Key {
    Key::of(["locks"]).join(&node_name(name.as_str().as_bytes(), Case::Sensitive))
}

fn path_dir(pattern: &Pattern, case: Case) -> Key {
    pattern
        .literal_segments()
        .iter()
        .fold(Key::of(["paths"]), |dir, segment| dir.join(&node_name(segment, case)))
}

/// Returns the three places of a hold.
pub fn keys(hold: &Hold, case: Case) -> [Key; 3] {
    let id = hold.id.as_str();
    let target_dir = match &hold.target {
        Target::Paths(paths) => path_dir(&paths.pattern, case),
        Target::Lock(name) => lock_dir(name),
    };
    [id_key(&hold.id), holder_dir(&hold.holder).join(id), target_dir.join(&format!("@{id}"))]
}

/// Writes a hold at its three places.
pub fn put(act: &mut Act<'_>, hold: &Hold) {
    for key in keys(hold, act.env.case) {
        act.put(key, hold);
    }
}

/// Removes a hold from its three places.
pub fn remove(act: &mut Act<'_>, hold: &Hold) {
    for key in keys(hold, act.env.case) {
        act.remove(key);
    }
}

/// Reads a hold by its id, live or not.
pub fn by_id(documents: &dyn Documents, id: &HoldId) -> Result<Option<Hold>, ReadError> {
    read(documents, &id_key(id))
}

fn at(documents: &dyn Documents, key: &Key) -> Result<Hold, ReadError> {
    let hold: Option<Hold> = read(documents, key)?;
    let hold = hold.ok_or_else(|| ReadError::damaged(key, "listed but not there"))?;
    let (_, name) = key.split_last();
    if name.trim_start_matches('@') != hold.id.as_str() {
        return Err(ReadError::damaged(key, format!("it is the hold {}", hold.id)));
    }
    Ok(hold)
}

/// Lists the ids of holds that begin with the prefix.
pub fn with_prefix(
    documents: &dyn Documents,
    prefix: &HoldIdPrefix,
) -> Result<Vec<HoldId>, ReadError> {
    let children = documents.list_starting(&Key::of([IDS]), prefix.as_str())?;
    Ok(children.iter().filter_map(|child| child.name.parse().ok()).collect())
}

/// Reads all holds, live or not, in the order of their ids.
pub fn all(documents: &dyn Documents) -> Result<Vec<Hold>, ReadError> {
    holds_below(documents, &Key::of([IDS]))
}

/// Lists the places of every hold that cannot be read at one of its places.
pub fn unreadable(documents: &dyn Documents) -> Result<Vec<Key>, ReadError> {
    let (mut keys, mut ids) = (Vec::new(), BTreeSet::new());
    for root in ROOTS {
        for key in walk(documents, &Key::of([root]))? {
            let Some(id) = hold_named_by(&key) else { continue };
            if let Some(Found::Damaged(_)) = damage::found(at(documents, &key).map(Some))? {
                ids.insert(id.clone());
            }
            keys.push((id, key));
        }
    }
    keys.retain(|(id, _)| ids.contains(id));
    Ok(keys.into_iter().map(|(_, key)| key).collect())
}

/// Reads the holds, live or not, that `chosen` takes of a share of all; every hold is in the share
/// of some turn.
pub fn share(
    documents: &dyn Documents,
    turn: u64,
    chosen: impl Fn(Vec<Child>) -> Vec<Child>,
) -> Result<Vec<Hold>, ReadError> {
    let dir = Key::of([IDS]);
    let children = chosen(documents.list_share(&dir, turn)?);
    let keys: Vec<Key> = children.iter().map(|child| dir.join(&child.name)).collect();
    holds_named(documents, &keys)
}

/// The holds that an agent calls "mine".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    Own,
    /// The agent's own holds and those of its subagents.
    Session,
}

/// Reads the holds of an agent, live or not.
pub fn of_agent(
    documents: &dyn Documents,
    agent: &AgentName,
    whose: Whose,
) -> Result<Vec<Hold>, ReadError> {
    let dir = holder_dir(agent);
    match whose {
        Whose::Session => holds_below(documents, &dir),
        Whose::Own => own_keys(documents, agent)?.iter().map(|key| at(documents, key)).collect(),
    }
}

/// Lists the places of the agent's own holds, which counts them without reading them.
pub fn own_keys(documents: &dyn Documents, agent: &AgentName) -> Result<Vec<Key>, ReadError> {
    let dir = holder_dir(agent);
    let children = documents.list(&dir)?;
    // A subagent is a directory whose name begins with `+` or `~`.
    let own = children.iter().filter(|child| child.kind == ChildKind::Document);
    Ok(own.map(|child| dir.join(&child.name)).collect())
}

/// Tells whether the agent may have a thousand holds of its own or more, by reading little. Ids are
/// as good as random, which [`Documents::may_have`] needs.
pub fn may_have_a_thousand(
    documents: &dyn Documents,
    agent: &AgentName,
) -> Result<bool, ReadError> {
    documents.may_have(&holder_dir(agent), 1_000)
}

fn holds_below(documents: &dyn Documents, dir: &Key) -> Result<Vec<Hold>, ReadError> {
    holds_named(documents, &walk(documents, dir)?)
}

fn holds_named(documents: &dyn Documents, keys: &[Key]) -> Result<Vec<Hold>, ReadError> {
    keys.iter().filter(|key| hold_named_by(key).is_some()).map(|key| at(documents, key)).collect()
}

/// Holds that can be read, and the damage of those that cannot.
pub type Readable = (Vec<Hold>, Vec<Damage>);

/// Reads all holds in the order of their ids, live or not, and reports those that cannot be read.
/// This is for displays: a decision must not pass over damage.
pub fn all_readable(documents: &dyn Documents) -> Result<Readable, ReadError> {
    let (mut holds, mut damaged) = (Vec::new(), Vec::new());
    let keys = walk(documents, &Key::of([IDS]))?;
    for key in keys.iter().filter(|key| hold_named_by(key).is_some()) {
        match damage::found(at(documents, key).map(Some))? {
            Some(Found::Whole(hold)) => holds.push(hold),
            Some(Found::Damaged(damage)) => damaged.push(damage),
            None => {}
        }
    }
    Ok((holds, damaged))
}

/// Returns the id of the hold that a document is named for. Other names belong to a later version.
pub fn hold_named_by(key: &Key) -> Option<HoldId> {
    key.split_last().1.trim_start_matches('@').parse().ok()
}

/// Reads the holds whose pattern begins with a wildcard, live or not. Every check reads them.
pub fn at_root(documents: &dyn Documents) -> Result<Vec<Hold>, ReadError> {
    holds_at(documents, &Key::of(["paths"]))
}

fn holds_at(documents: &dyn Documents, node: &Key) -> Result<Vec<Hold>, ReadError> {
    let holds = documents.list_starting(node, "@")?;
    holds.iter().map(|child| at(documents, &node.join(&child.name))).collect()
}

/// Finds the holds, live or not, that meet the target.
pub fn meeting(
    documents: &dyn Documents,
    target: &Target,
    by: impl Into<Comparing>,
) -> Result<Vec<Hold>, ReadError> {
    match target {
        Target::Paths(paths) => sharing_a_path(documents, paths, by.into()),
        Target::Lock(name) => {
            let mut holds = holds_at(documents, &lock_dir(name))?;
            holds.retain(|hold| hold.target == *target);
            Ok(holds)
        }
    }
}

/// Reads the holds on locks, live or not.
pub fn on_locks(documents: &dyn Documents) -> Result<Vec<Hold>, ReadError> {
    holds_below(documents, &Key::of(["locks"]))
}

fn sharing_a_path(
    documents: &dyn Documents,
    paths: &Paths,
    by: Comparing,
) -> Result<Vec<Hold>, ReadError> {
    let region = paths.region(by);
    let is_file = region.is_file();
    let mut node = Key::of(["paths"]);
    let walk = Walk::from(documents, &node);
    let mut search = Search { documents, walk, region, by, found: Vec::new() };
    search.at_node(&node)?;
    let segments = paths.pattern.literal_segments();
    for segment in &segments {
        node = node.join(&node_name(segment, by.case));
        search.at_node(&node)?;
    }
    if !is_file {
        search.below_node(node, segments)?;
    }
    Ok(search.found)
}

/// A search for the holds that share a path with a set of paths.
struct Search<'d> {
    documents: &'d dyn Documents,
    walk: Walk<'d>,
    region: Region,
    by: Comparing,
    found: Vec<Hold>,
}

impl Search<'_> {
    fn at_node(&mut self, node: &Key) -> Result<(), ReadError> {
        let holds = holds_at(self.documents, node)?;
        self.keep_meeting(holds);
        Ok(())
    }

    /// Searches below a node, and passes over directories that the pattern cannot match.
    fn below_node(&mut self, node: Key, segments: Vec<Vec<u8>>) -> Result<(), ReadError> {
        let mut pending = vec![(node, segments)];
        while let Some((node, segments)) = pending.pop() {
            let children = self.walk.list(&node)?;
            for child in children.iter().filter(|child| child.kind == ChildKind::Directory) {
                let below = node.join(&child.name);
                // The name of a very long segment is a hash, so everything below it must be read.
                let Some(segment) = node_segment(&child.name) else {
                    let keys = self.walk.below(&below)?;
                    let holds = holds_named(self.documents, &keys)?;
                    self.keep_meeting(holds);
                    continue;
                };
                let mut path = segments.clone();
                path.push(segment);
                if self.region.matcher().may_match_below(&path) {
                    self.at_node(&below)?;
                    pending.push((below, path));
                }
            }
        }
        Ok(())
    }

    fn keep_meeting(&mut self, holds: Vec<Hold>) {
        let meets = |hold: &Hold| match hold.target.reach(self.by) {
            Reach::Paths(region) => self.region.meets(&region),
            Reach::Lock(_) => false,
        };
        self.found.extend(holds.into_iter().filter(meets));
    }
}
