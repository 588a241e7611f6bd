//! The files of this repository.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A text file under version control.
pub(super) struct File {
    /// Relative to the root of the repository.
    pub(super) path: String,
    pub(super) text: String,
}

impl File {
    pub(super) fn name(&self) -> String {
        self.path.clone()
    }

    pub(super) fn is_rust(&self) -> bool {
        Path::new(&self.path).extension().is_some_and(|kind| kind == "rs")
    }

    /// Numbers its lines from one.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(index, line)| (index + 1, line))
    }
}

/// Returns the root of the repository.
pub(super) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Lists every text file that is tracked or untracked, but not ignored.
pub(super) fn tracked() -> Vec<File> {
    let listed = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .env_remove("GIT_DIR")
        .env_remove("GIT_INDEX_FILE")
        .env_remove("GIT_WORK_TREE")
        .output()
        .expect("git lists the files");
    assert!(listed.status.success(), "the house rules are checked in a clone");
    let names = String::from_utf8(listed.stdout).expect("our own names are UTF-8");
    let text = |name: &str| std::fs::read_to_string(PathBuf::from(root()).join(name)).ok();
    let file = |name: &str| text(name).map(|text| File { path: name.to_owned(), text });
    names.split_terminator('\0').filter_map(file).collect()
}

/// Lists the program's source files, without those that contain only tests.
pub(super) fn source() -> Vec<File> {
    let is_source = |file: &File| file.path.starts_with("src/") && file.is_rust();
    let is_test = |file: &File| file.path.ends_with("/tests.rs") || file.path.contains("/tests/");
    tracked().into_iter().filter(|file| is_source(file) && !is_test(file)).collect()
}
