//! The position of each consumer in the events of each ledger.
//!
//! A small file per consumer on its own machine. It is no state: a consumer that loses it reads
//! again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::ids::AgentName;
use crate::store::error::StoreError;
use crate::store::layout::HelperDir;
use crate::store::os::files::{Files, Purpose};

const CURSOR_BYTES_MAX: u64 = 64 * 1024;

/// The last entry that was delivered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Position {
    /// Its name.
    pub entry: String,
    /// Its number at that time.
    pub seq: u64,
}

/// The positions of a consumer, by ledger.
pub type Cursor = BTreeMap<String, Position>;

/// The cursors of this repository on this machine.
pub struct Cursors {
    dir: PathBuf,
    files: Files,
}

impl Cursors {
    /// Opens the cursors under that common directory.
    pub fn new(common_dir: &Path, files: Files) -> Cursors {
        Cursors { dir: HelperDir::Cursors.below(common_dir), files }
    }

    fn path(&self, consumer: &AgentName) -> PathBuf {
        // A consumer's name may hold slashes; `%` is in no name.
        self.dir.join(format!("{}.json", consumer.as_str().replace('/', "%2F")))
    }

    /// Loads the positions of a consumer; none if it was never seen.
    pub fn load(&self, consumer: &AgentName) -> Result<Option<Cursor>, StoreError> {
        let path = self.path(consumer);
        let Some(bytes) = self.files.read(&path, CURSOR_BYTES_MAX)? else { return Ok(None) };
        serde_json::from_slice(&bytes).map(Some).map_err(|error| {
            let name = path.display();
            StoreError::Malformed(format!("'{name}' is damaged ({error}); reset the cursor"))
        })
    }

    /// Moves the consumer's cursor, all of it or not at all.
    pub fn save(&self, consumer: &AgentName, cursor: &Cursor) -> Result<(), StoreError> {
        self.files.make_directories(&self.dir)?;
        let path = self.path(consumer);
        let staged = self.dir.join(format!(
            ".{}.{}",
            consumer.as_str().replace('/', "%2F"),
            std::process::id()
        ));
        self.files.remove(&staged)?;
        let bytes = serde_json::to_vec(cursor).expect("a cursor is plain data");
        self.files.write_new(&staged, &bytes, Purpose::State)?;
        Ok(self.files.rename(&staged, &path)?)
    }

    /// Forgets a consumer; whether it was known.
    pub fn delete(&self, consumer: &AgentName) -> Result<bool, StoreError> {
        Ok(self.files.remove(&self.path(consumer))?)
    }

    /// Every consumer.
    pub fn list(&self) -> Result<Vec<AgentName>, StoreError> {
        let names = self.files.list(&self.dir)?;
        let consumers = names.iter().filter_map(|name| {
            let name = name.to_str()?.strip_suffix(".json")?;
            name.replace("%2F", "/").parse().ok()
        });
        Ok(consumers.collect())
    }
}
