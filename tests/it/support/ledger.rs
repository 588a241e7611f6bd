//! The ledger of reservations as git sees it: for tests that read it with other tools, and for
//! tests that damage it.

use serde_json::Value;

use super::contract::{FORMAT, RESERVATIONS_REF};
use super::repo::Repo;

impl Repo {
    /// Reads the newest entry; empty before the first.
    pub(crate) fn tip(&self) -> String {
        let call = self.git_call(["rev-parse", "--verify", "--quiet", RESERVATIONS_REF]);
        call.run_unproven().stdout.trim_end().to_owned()
    }

    /// Counts the entries.
    #[track_caller]
    pub(crate) fn entry_count(&self) -> usize {
        if self.tip().is_empty() {
            return 0;
        }
        let count = self.git(["rev-list", "--count", RESERVATIONS_REF]);
        count.parse().expect("git counts in numbers")
    }

    /// Lists the values of a trailer, oldest entry first.
    #[track_caller]
    pub(crate) fn trailers(&self, key: &str) -> Vec<String> {
        let format = format!("--format=%(trailers:key={key},valueonly,separator=)");
        let all = self.git(["log", "--reverse", &format, RESERVATIONS_REF]);
        all.lines().map(str::to_owned).collect()
    }

    /// Lists the paths of the newest entry's tree.
    #[track_caller]
    pub(crate) fn documents(&self) -> Vec<String> {
        let paths = self.git(["ls-tree", "-r", "-z", "--name-only", RESERVATIONS_REF]);
        paths.split_terminator('\0').map(str::to_owned).collect()
    }

    /// Lists the documents of one hold: by id, by holder, and at its path.
    #[track_caller]
    pub(crate) fn documents_of(&self, id: &str) -> Vec<String> {
        let is_its = |path: &String| path.ends_with(&format!("/{id}")) || path.ends_with(&at(id));
        let found: Vec<String> = self.documents().into_iter().filter(is_its).collect();
        assert_eq!(found.len(), 3, "three links to one document: {found:?}");
        found
    }

    /// Reads a document of the newest entry.
    #[track_caller]
    pub(crate) fn document(&self, path: &str) -> String {
        self.git(["cat-file", "blob", &format!("{RESERVATIONS_REF}:{path}")])
    }

    /// Replaces documents of the newest entry, behind the program's back.
    #[track_caller]
    pub(crate) fn overwrite(&self, paths: &[String], text: &str) {
        self.overwrite_as("100644", paths, text);
    }

    /// Replaces a path of the newest entry by a symbolic link.
    #[track_caller]
    pub(crate) fn overwrite_by_link(&self, path: &str) {
        self.overwrite_as("120000", &[path.to_owned()], "elsewhere");
    }

    #[track_caller]
    fn overwrite_as(&self, mode: &str, paths: &[String], text: &str) {
        let blob = self.store_blob(text);
        self.change_tip(paths, |path| {
            let entry = format!("{mode},{blob},{path}");
            ["--add", "--replace", "--cacheinfo", &entry].map(str::to_owned).to_vec()
        });
    }

    /// Removes documents of the newest entry, behind the program's back.
    #[track_caller]
    pub(crate) fn take_out(&self, paths: &[String]) {
        self.change_tip(paths, |path| vec!["--force-remove".to_owned(), path.to_owned()]);
    }

    /// Changes the tree of the newest entry. `change` returns the arguments of `git update-index`
    /// for each path.
    #[track_caller]
    fn change_tip(&self, paths: &[String], change: impl Fn(&str) -> Vec<String>) {
        let index = self.world().join("tmp/index-of-damage");
        let git = |args: &[String]| {
            let call = self.git_call(args).env("GIT_INDEX_FILE", &index);
            call.run_unproven().done().stdout.trim_end().to_owned()
        };
        git(&["read-tree", RESERVATIONS_REF].map(str::to_owned));
        for path in paths {
            git(&[vec!["update-index".to_owned()], change(path)].concat());
        }
        let tree = git(&["write-tree".to_owned()]);
        self.replace_tip(&tree, &self.tip_message());
    }

    /// Replaces the message of the newest entry, behind the program's back.
    #[track_caller]
    pub(crate) fn overwrite_message(&self, message: &str) {
        let tree = self.git(["rev-parse", &format!("{RESERVATIONS_REF}^{{tree}}")]);
        self.replace_tip(&tree, message);
    }

    /// Reads the message of the newest entry.
    #[track_caller]
    pub(crate) fn tip_message(&self) -> String {
        self.git(["log", "-1", "--format=%B", RESERVATIONS_REF])
    }

    /// Changes the version in the `format` document of the newest entry.
    #[track_caller]
    pub(crate) fn raise_format(&self, version: u64) {
        let mut format: Value =
            serde_json::from_str(&self.document(FORMAT)).expect("'format' is JSON");
        assert!(format["version"].is_number(), "'format' has a version: {format}");
        format["version"] = version.into();
        self.overwrite(&[FORMAT.to_owned()], &format.to_string());
    }

    /// Stores a blob and returns its id.
    #[track_caller]
    pub(crate) fn store_blob(&self, text: &str) -> String {
        let file = self.world().join("tmp/blob");
        std::fs::write(&file, text).expect("a file can be written");
        self.git_call(["hash-object", "-w"])
            .args([&file])
            .run_unproven()
            .done()
            .stdout
            .trim()
            .into()
    }

    /// Replaces the newest entry by one with another tree and message.
    #[track_caller]
    pub(crate) fn replace_tip(&self, tree: &str, message: &str) {
        let mut args = vec!["commit-tree".to_owned(), tree.to_owned()];
        let parents = self.git(["log", "-1", "--format=%P", RESERVATIONS_REF]);
        for parent in parents.split_whitespace() {
            args.extend(["-p".to_owned(), parent.to_owned()]);
        }
        let file = self.world().join("tmp/message");
        std::fs::write(&file, message).expect("a file can be written");
        args.extend(["-F".to_owned(), file.display().to_string()]);
        let commit = self.git(&args);
        self.git(["update-ref", RESERVATIONS_REF, &commit]);
    }
}

fn at(id: &str) -> String {
    format!("/@{id}")
}

#[test]
fn a_document_can_be_overwritten() {
    let repo = Repo::new();
    repo.git(["update-ref", RESERVATIONS_REF, "HEAD"]);
    repo.overwrite(&[FORMAT.to_owned(), "a/@b".to_owned()], "{\"version\":1}");
    repo.raise_format(7);
    assert_eq!(repo.document(FORMAT), "{\"version\":7}");
    assert!(repo.documents().contains(&"a/@b".to_owned()));
    assert_eq!((repo.entry_count(), repo.tip_message().as_str()), (1, "first"));
}
