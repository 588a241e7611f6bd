//! A model of a disk that loses everything that was not synced.
//!
//! Files are numbered; a directory maps names to numbers. The content of a file is certain once it
//! is synced, a name once its directory is. Everything else is lost, or kept, as [`Loss`] says.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::steps::Step;

/// The part of the unsynced changes that is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loss {
    /// Names and content.
    EverythingUnsynced,
    /// Content only: the names exist, and the files are empty.
    ContentUnsynced,
    /// Some changes of names, and some content, chosen by this seed.
    Random(u64),
}

/// The node at a name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Node {
    Nothing,
    Directory,
    /// A file by its number, since it may have two names.
    File(usize, Vec<u8>),
}

/// The differences from the disk at the beginning, by path below the git directory.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Disk(BTreeMap<PathBuf, Node>);

/// A file or directory, whatever its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Thing {
    Directory,
    File(usize),
}

/// A change of one or two names, which happens as a whole.
struct Change {
    names: Vec<(PathBuf, Option<Thing>)>,
    is_synced: bool,
}

#[derive(Default)]
struct File {
    synced: Vec<u8>,
    written: Vec<u8>,
}

/// The steps so far, as changes of names and content.
struct Journal<'a> {
    /// The directory before the steps.
    git_dir: &'a Path,
    names: BTreeMap<PathBuf, Thing>,
    files: Vec<File>,
    changes: Vec<Change>,
}

impl Journal<'_> {
    /// Returns the file of this name. A file from before the steps is read on first use.
    fn file(&mut self, path: &Path) -> usize {
        if let Some(Thing::File(number)) = self.names.get(path) {
            return *number;
        }
        let content = fs::read(self.git_dir.join(path)).unwrap_or_default();
        self.files.push(File { synced: content.clone(), written: content });
        self.names.insert(path.to_owned(), Thing::File(self.files.len() - 1));
        self.files.len() - 1
    }

    fn change(&mut self, names: Vec<(PathBuf, Option<Thing>)>) {
        for (path, thing) in &names {
            match thing {
                Some(thing) => self.names.insert(path.clone(), *thing),
                None => self.names.remove(path),
            };
        }
        self.changes.push(Change { names, is_synced: false });
    }

    fn take(&mut self, step: &Step) {
        let path = step.path.clone();
        match step.act.as_str() {
            "Create" => {
                self.files.push(File::default());
                let file = Thing::File(self.files.len() - 1);
                self.change(vec![(path, Some(file))]);
            }
            "Write" | "Append" => {
                let number = self.file(&path);
                self.files[number].written.extend(step.content.as_ref().expect("it writes"));
            }
            "Sync" => {
                let number = self.file(&path);
                let File { synced, written } = &mut self.files[number];
                synced.clone_from(written);
            }
            "SyncDirectory" => self.sync_directory(&path),
            "MakeDirectory" => self.change(vec![(path, Some(Thing::Directory))]),
            "Link" | "Rename" => {
                let from = step.from.clone().expect("it has two names");
                let file = Thing::File(self.file(&from));
                let mut names = vec![(path, Some(file))];
                if step.act == "Rename" {
                    names.push((from, None));
                }
                self.change(names);
            }
            "Remove" | "RemoveDirectory" => self.change(vec![(path, None)]),
            other => panic!("'{other}' is a step that this disk does not know"),
        }
    }

    /// Marks the changes in a directory as certain. A change is certain once each of its
    /// directories was synced; the new name of a file from another directory is certain with its
    /// own directory.
    fn sync_directory(&mut self, directory: &Path) {
        let is_in = |path: &Path| path.parent() == Some(directory);
        for change in std::mem::take(&mut self.changes) {
            let parts = change.names.into_iter().partition(|(path, _)| is_in(path));
            let (here, elsewhere): (Vec<_>, Vec<_>) = parts;
            for (names, is_synced) in [(here, true), (elsewhere, change.is_synced)] {
                if !names.is_empty() {
                    self.changes.push(Change { names, is_synced });
                }
            }
        }
    }
}

impl Disk {
    /// Computes the disk after these steps in `git_dir`, which is as it was before, and a power
    /// cut.
    pub(super) fn after(steps: &[&Step], loss: Loss, git_dir: &Path) -> Disk {
        let (names, files, changes) = (BTreeMap::new(), Vec::new(), Vec::new());
        let mut journal = Journal { git_dir, names, files, changes };
        for step in steps {
            journal.take(step);
        }
        let mut coin = Coin::new(loss);
        let mut names: BTreeMap<PathBuf, Option<Thing>> = BTreeMap::new();
        for change in &journal.changes {
            if change.is_synced || coin.keeps_name() {
                names.extend(change.names.iter().cloned());
            }
        }
        // A file has one content, however many names.
        let keep =
            |file: &File| if coin.keeps_content() { &file.written } else { &file.synced }.clone();
        let contents: Vec<Vec<u8>> = journal.files.iter().map(keep).collect();
        let node = |thing| match thing {
            None => Node::Nothing,
            Some(Thing::Directory) => Node::Directory,
            Some(Thing::File(number)) => Node::File(number, contents[number].clone()),
        };
        Disk(names.into_iter().map(|(path, thing)| (path, node(thing))).collect())
    }

    /// Makes a git directory equal to this disk.
    pub(super) fn put_into(&self, git_dir: &Path) {
        let mut placed: BTreeMap<usize, PathBuf> = BTreeMap::new();
        for (name, node) in &self.0 {
            let path = git_dir.join(name);
            // The content of a lost directory is lost with it.
            if !path.parent().is_some_and(Path::is_dir) {
                continue;
            }
            if path.is_dir() {
                if *node == Node::Nothing {
                    fs::remove_dir_all(&path).expect("a directory can be removed");
                }
                continue;
            }
            fs::remove_file(&path).ok();
            match node {
                Node::Nothing => {}
                Node::Directory => fs::create_dir(&path).expect("a directory can be made"),
                Node::File(number, content) => {
                    if let Some(other) = placed.get(number) {
                        fs::hard_link(other, &path).expect("a file can have two names");
                        continue;
                    }
                    fs::write(&path, content).expect("a file can be written");
                    placed.insert(*number, path);
                }
            }
        }
    }
}

/// Decides which unsynced changes are kept.
struct Coin {
    loss: Loss,
    state: u64,
}

impl Coin {
    fn new(loss: Loss) -> Coin {
        let seed = if let Loss::Random(seed) = loss { seed } else { 0 };
        Coin { loss, state: seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) }
    }

    /// Advances a xorshift generator.
    fn toss(&mut self) -> bool {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 32) & 1 == 1
    }

    fn keeps_name(&mut self) -> bool {
        match self.loss {
            Loss::EverythingUnsynced => false,
            Loss::ContentUnsynced => true,
            Loss::Random(_) => self.toss(),
        }
    }

    fn keeps_content(&mut self) -> bool {
        matches!(self.loss, Loss::Random(_)) && self.toss()
    }
}
