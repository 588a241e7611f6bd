//! The position of each consumer in the events of each ledger.
//!
//! Each consumer has a small file on its own machine. The file is not state: a consumer that loses
//! it reads the events again.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::ids::AgentName;
use crate::store::error::StoreError;
use crate::store::layout::HelperDir;
use crate::store::machine::record::{agent_of, file_name, replace};
use crate::store::os::files::{Files, Purpose};

const CURSOR_BYTES_MAX: u64 = 64 * 1024;

/// The last entry that was delivered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Position {
    /// The entry's name.
    pub entry: String,
    /// The entry's number at that time.
    pub seq: u64,
}

/// The positions of a consumer, by ledger.
pub type Cursor = BTreeMap<String, Position>;

/// The cursors of one repository on this machine.
pub struct Cursors {
    dir: PathBuf,
    files: Files,
}

impl Cursors {
    pub fn new(common_dir: &Path, files: Files) -> Cursors {
        Cursors { dir: HelperDir::Cursors.below(common_dir), files }
    }

    fn path(&self, consumer: &AgentName) -> PathBuf {
        self.dir.join(format!("{}.json", file_name(consumer)))
    }

    /// Loads the positions of a consumer; `None` for a new consumer.
    pub fn load(&self, consumer: &AgentName) -> Result<Option<Cursor>, StoreError> {
        let path = self.path(consumer);
        let Some(bytes) = self.files.read(&path, CURSOR_BYTES_MAX)? else { return Ok(None) };
        serde_json::from_slice(&bytes).map(Some).map_err(|error| {
            let name = path.display();
            StoreError::Malformed(format!("'{name}' is damaged ({error}); reset the cursor"))
        })
    }

    /// Replaces the consumer's cursor atomically.
    pub fn save(&self, consumer: &AgentName, cursor: &Cursor) -> Result<(), StoreError> {
        let bytes = serde_json::to_vec(cursor).expect("a cursor is plain data");
        Ok(replace(self.files, &self.path(consumer), &bytes, Purpose::State)?)
    }

    /// Deletes the cursor of a consumer. Returns false if there was none.
    pub fn delete(&self, consumer: &AgentName) -> Result<bool, StoreError> {
        Ok(self.files.remove(&self.path(consumer))?)
    }

    /// Lists all consumers.
    pub fn list(&self) -> Result<Vec<AgentName>, StoreError> {
        let names = self.files.list(&self.dir)?;
        let consumer = |name: &OsString| agent_of(name.to_str()?.strip_suffix(".json")?);
        Ok(names.iter().filter_map(consumer).collect())
    }
}
