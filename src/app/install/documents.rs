//! The manual and the completions. They belong beside the program. `install` puts them there, and
//! `uninstall` takes them away unless somebody has changed them since.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::app::install::claude::hash;
use crate::app::install::plan::{Act, Item};
use crate::store::os::files::Rights;

/// A page of documentation that belongs beside the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Relative to the directory that `bin` is in.
    pub path: &'static str,
    pub content: String,
}

/// The place of the documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Beside {
    /// Below this directory.
    Prefix(PathBuf),
    /// The program was just built, and is not installed.
    BuildDirectory,
    /// The program is in no `bin`.
    NoPrefix,
    /// This user may not write to that directory.
    NotWritable(PathBuf),
}

/// The note on the files that `install` put beside the program. A file that was there before is not
/// ours to remove.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The hash of the content that was written, by file.
    wrote: BTreeMap<PathBuf, String>,
    /// Directories that were not there.
    made: Vec<PathBuf>,
    /// The common directories of the repositories that the documents were installed for. The last
    /// one to uninstall takes the documents with it.
    #[serde(default)]
    users: BTreeSet<PathBuf>,
}

impl Beside {
    /// Names the file of the note, which all repositories of this program share.
    pub fn note_path(&self) -> Option<PathBuf> {
        match self {
            Beside::Prefix(prefix) => Some(prefix.join("share/git-coord/installed.json")),
            _ => None,
        }
    }
}

impl Note {
    /// Lists the files that `install` wrote.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.wrote.keys().map(PathBuf::as_path)
    }
}

/// The files and directories as they are.
pub struct Found<'a> {
    /// Returns the content of the file at a path.
    pub content: &'a dyn Fn(&Path) -> Option<Vec<u8>>,
    /// Tells whether there is a directory at a path.
    pub is_directory: &'a dyn Fn(&Path) -> bool,
    pub note_path: &'a Path,
    pub note: Option<Note>,
    /// The common directory of the repository.
    pub repository: &'a Path,
}

/// Plans the manual and the completions beside the program.
pub fn install(beside: &Beside, documents: &[Document], found: &Found<'_>) -> Vec<Item> {
    let prefix = match beside {
        Beside::Prefix(prefix) => prefix,
        Beside::BuildDirectory => {
            return vec![Item::note(
                "no manual and completions: the program runs from where it was built",
            )];
        }
        Beside::NoPrefix => {
            return vec![Item::note("no manual and completions: the program is in no 'bin'")];
        }
        Beside::NotWritable(path) => {
            let path = path.display();
            return vec![Item::note(format!("no manual and completions: '{path}' is read-only"))];
        }
    };
    let mut note = found.note.clone().unwrap_or_default();
    let is_new = note.users.insert(found.repository.to_owned());
    let mut item = |document: &Document| {
        let path = prefix.join(document.path);
        let what = format!("file {}", path.display());
        let content = document.content.clone().into_bytes();
        let before = (found.content)(&path);
        if before.as_ref() == Some(&content) {
            return Item::already_so(what);
        }
        let mut acts = Vec::new();
        if before.is_none() || note.wrote.contains_key(&path) {
            let missing = path.ancestors().skip(1).take_while(|path| !(found.is_directory)(path));
            note.made.extend(missing.map(Path::to_owned));
            let own = found.note_path.ancestors().skip(1);
            let own = own.take_while(|path| !(found.is_directory)(path));
            note.made.extend(own.map(Path::to_owned));
            note.wrote.insert(path.clone(), hash(&content));
            acts.extend(write_note(&mut note, found.note_path));
        }
        acts.push(Act::Write { path, content, rights: Rights::AsBefore });
        Item::change(what, acts)
    };
    let mut items: Vec<Item> = documents.iter().map(&mut item).collect();
    if is_new && !note.wrote.is_empty() && !items.iter().any(Item::is_change) {
        let acts: Vec<Act> = write_note(&mut note, found.note_path).into_iter().collect();
        items.push(Item::change("manual and completions: used by this repository too", acts));
    }
    items
}

/// Plans to write the note; none if JSON cannot hold a path in it, which then is not UTF-8.
fn write_note(note: &mut Note, path: &Path) -> Option<Act> {
    note.made.sort();
    note.made.dedup();
    let content = serde_json::to_vec(note).ok()?;
    Some(Act::Write { path: path.to_owned(), content, rights: Rights::AsBefore })
}

/// Plans to remove the files that are still as `install` wrote them.
pub fn uninstall(found: &Found<'_>) -> Vec<Item> {
    let Some(note) = &found.note else { return Vec::new() };
    let mut rest = note.clone();
    let was_user = rest.users.remove(found.repository);
    rest.users.retain(|repository| (found.is_directory)(repository));
    if !was_user {
        return Vec::new();
    }
    if !rest.users.is_empty() {
        let count = rest.users.len();
        let what = format!("manual and completions stay for {count} other repositories");
        let acts: Vec<Act> = write_note(&mut rest, found.note_path).into_iter().collect();
        return vec![Item::change(what, acts)];
    }
    let is_ours = |(path, wrote): &(&PathBuf, &String)| {
        (found.content)(path).is_some_and(|content| hash(&content) == **wrote)
    };
    let gone = |(path, _): (&PathBuf, &String)| {
        Item::change(format!("no file {}", path.display()), [Act::Remove(path.clone())])
    };
    let mut items: Vec<Item> = note.wrote.iter().filter(is_ours).map(gone).collect();
    // Subdirectories come first.
    let directories = note.made.iter().rev();
    let mut acts = vec![Act::Remove(found.note_path.to_owned())];
    acts.extend(directories.map(|path| Act::RemoveIfEmpty(path.clone())));
    items.push(Item::change("no note on manual and completions", acts));
    items
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::install::plan::Need;

    const PAGE: &str = "share/man/man1/x.1";

    fn page() -> [Document; 1] {
        [Document { path: PAGE, content: "page".to_owned() }]
    }

    fn installed(content: Option<&[u8]>, note: Option<Note>) -> Vec<Item> {
        let found = Found {
            content: &|_| content.map(<[u8]>::to_vec),
            is_directory: &|path| path == Path::new("/opt"),
            note_path: Path::new("/opt/note"),
            note,
            repository: Path::new("/repo"),
        };
        install(&Beside::Prefix("/opt".into()), &page(), &found)
    }

    /// Returns the note that an installation leaves.
    fn noted(items: &[Item]) -> Note {
        let Need::Change(acts) = &items[0].need else { panic!("{items:?}") };
        let Act::Write { content, .. } = &acts[0] else { panic!("{acts:?}") };
        if acts.len() == 1 { Note::default() } else { serde_json::from_slice(content).unwrap() }
    }

    #[test]
    fn documents_are_written_where_they_can_be_found() {
        assert!(installed(None, None)[0].is_change());
        assert!(installed(Some(b"old"), None)[0].is_change());
        assert!(!installed(Some(b"page"), None)[0].is_change());
        for elsewhere in
            [Beside::BuildDirectory, Beside::NoPrefix, Beside::NotWritable("/usr".into())]
        {
            let found = Found {
                content: &|_| None,
                is_directory: &|_| false,
                note_path: Path::new("/opt/note"),
                note: None,
                repository: Path::new("/repo"),
            };
            let items = install(&elsewhere, &page(), &found);
            assert!(matches!(items.as_slice(), [Item { need: Need::Note, .. }]));
        }
    }

    #[test]
    fn only_what_was_not_there_is_ours() {
        let ours = noted(&installed(None, None));
        assert_eq!(ours.files().collect::<Vec<_>>(), [Path::new("/opt").join(PAGE)]);
        let made = ["/opt/share", "/opt/share/man", "/opt/share/man/man1"].map(PathBuf::from);
        assert_eq!(ours.made, made);
        assert_eq!(noted(&installed(Some(b"theirs"), None)), Note::default());
        // A new version in the place of our own is ours as well.
        let newer = noted(&installed(Some(b"our last one"), Some(ours.clone())));
        assert_eq!(newer, ours);
    }

    #[test]
    fn what_somebody_has_changed_stays() {
        let ours = noted(&installed(None, None));
        let removed = |content: &'static [u8]| {
            let found = Found {
                content: &|_| Some(content.to_vec()),
                is_directory: &|_| true,
                note_path: Path::new("/opt/note"),
                note: Some(ours.clone()),
                repository: Path::new("/repo"),
            };
            uninstall(&found).len()
        };
        assert_eq!((removed(b"page"), removed(b"changed")), (2, 1));
    }

    #[test]
    fn the_last_repository_takes_them_along() {
        let mut note = noted(&installed(None, None));
        note.users.insert("/other".into());
        note.users.insert("/gone".into());
        let left = |repository: &str, note: &Note| {
            let found = Found {
                content: &|_| Some(b"page".to_vec()),
                is_directory: &|path| path != Path::new("/gone"),
                note_path: Path::new("/opt/note"),
                note: Some(note.clone()),
                repository: Path::new(repository),
            };
            uninstall(&found)
        };
        let items = left("/repo", &note);
        let Need::Change(acts) = &items[0].need else { panic!("{items:?}") };
        let [Act::Write { content, .. }] = acts.as_slice() else { panic!("{acts:?}") };
        let rest: Note = serde_json::from_slice(content).unwrap();
        assert_eq!(rest.users, BTreeSet::from(["/other".into()]));
        assert_eq!(left("/stranger", &rest), []);
        assert_eq!(left("/other", &rest).len(), 2);
        // One more that finds everything in place is noted.
        let again = installed(Some(b"page"), Some(rest));
        assert_eq!(again.iter().filter(|item| item.is_change()).count(), 1);
    }
}
