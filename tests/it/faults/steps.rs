//! The record of file operations, which the program writes on request.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// Steps that do not change the disk.
const READING: [&str; 6] = ["Open", "Lock", "Touch", "Read", "List", "Examine"];

/// One file operation.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) act: String,
    pub(super) path: PathBuf,
    /// The other name in a rename or a link.
    pub(super) from: Option<PathBuf>,
    pub(super) content: Option<Vec<u8>>,
    pub(super) done: bool,
}

impl Step {
    fn parse(line: &str) -> Step {
        let step: Value = serde_json::from_str(line).expect("a step is a line of JSON");
        let text = |key: &str| step[key].as_str().map(str::to_owned);
        Step {
            act: text("step").expect("a step has a name"),
            path: text("path").expect("a step has a path").into(),
            from: text("from").map(PathBuf::from),
            content: text("content").map(|text| STANDARD.decode(text).expect("base64")),
            done: step["done"].as_bool().expect("a step is done or not"),
        }
    }

    /// Tells whether the step may change the disk.
    pub(super) fn changes(&self) -> bool {
        !READING.contains(&self.act.as_str()) || (self.act == "Open" && is_lockable(&self.path))
    }

    /// Tells whether the step changes names or content. The file of a queue may come and go.
    pub(super) fn matters(&self) -> bool {
        self.changes() && !["Open", "Share"].contains(&self.act.as_str())
    }

    /// Makes the paths of the step relative to `directory`.
    pub(super) fn below(self, directory: &Path) -> Step {
        let cut = |path: PathBuf| path.strip_prefix(directory).expect("it is ours").to_owned();
        Step { path: cut(self.path), from: self.from.map(cut), ..self }
    }

    /// Returns the operation and the sort of file, which is the same for all packs.
    pub(super) fn kind(&self) -> (String, Option<PathBuf>, Option<OsString>) {
        let directory = self.path.parent().map(Path::to_owned);
        (self.act.clone(), directory, self.path.extension().map(OsStr::to_owned))
    }

    /// Names the step in messages.
    pub(super) fn name(&self) -> String {
        format!("{} {}", self.act, self.path.display())
    }
}

/// Tells whether opening a file creates it, as for the files of a queue and of its waiters.
fn is_lockable(path: &Path) -> bool {
    let in_one_of = |names: [&str; 2]| {
        path.parent().is_some_and(|directory| names.iter().any(|name| directory.ends_with(name)))
    };
    in_one_of(["locks", "errands"])
}

/// Reads the steps of a record.
pub(super) fn recorded(record: &Path) -> Vec<Step> {
    let lines = std::fs::read_to_string(record).expect("the program recorded its steps");
    lines.lines().map(Step::parse).collect()
}
