//! The record of file operations that the program writes when it is asked to.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// Steps that leave the disk as it was.
const READING: [&str; 6] = ["Open", "Lock", "Touch", "Read", "List", "Examine"];

/// One file operation.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) act: String,
    pub(super) path: PathBuf,
    /// The other name in a rename or a link.
    pub(super) from: Option<PathBuf>,
    /// What was written.
    pub(super) content: Option<Vec<u8>>,
    /// Whether it succeeded.
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

    /// Whether the disk may be another one after it.
    pub(super) fn changes(&self) -> bool {
        !READING.contains(&self.act.as_str()) || (self.act == "Open" && is_lockable(&self.path))
    }

    /// Whether names or content are others after it. The file of a queue may come and go.
    pub(super) fn matters(&self) -> bool {
        self.changes() && !["Open", "Share"].contains(&self.act.as_str())
    }

    /// The same step with paths from `directory` on.
    pub(super) fn below(self, directory: &Path) -> Step {
        let cut = |path: PathBuf| path.strip_prefix(directory).expect("it is ours").to_owned();
        Step { path: cut(self.path), from: self.from.map(cut), ..self }
    }

    /// What is done to which sort of file: the same for all packs.
    pub(super) fn kind(&self) -> (String, Option<PathBuf>, Option<OsString>) {
        let directory = self.path.parent().map(Path::to_owned);
        (self.act.clone(), directory, self.path.extension().map(OsStr::to_owned))
    }

    /// What is said of it when a test fails.
    pub(super) fn name(&self) -> String {
        format!("{} {}", self.act, self.path.display())
    }
}

/// The files of a queue and of those who wait in it are created by opening them.
fn is_lockable(path: &Path) -> bool {
    let in_one_of = |names: [&str; 2]| {
        path.parent().is_some_and(|directory| names.iter().any(|name| directory.ends_with(name)))
    };
    in_one_of(["locks", "errands"])
}

/// The steps in a record.
pub(super) fn recorded(record: &Path) -> Vec<Step> {
    let lines = std::fs::read_to_string(record).expect("the program recorded its steps");
    lines.lines().map(Step::parse).collect()
}
