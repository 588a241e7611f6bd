//! The entries that make Claude Code call us, in one of its settings files, and the way back.
//!
//! Pure. A note keeps the file as it was, so that the way back restores its bytes if nobody has
//! changed it since. If somebody has, only our entries are taken out.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::app::install::plan::{Act, Item};
use crate::app::install::settings::{BadSettings, Settings, Wanted};
use crate::store::os::files::Rights;

/// Settings that we leave alone because we cannot read them.
#[derive(Debug, thiserror::Error)]
#[error("cannot read the settings in '{}', so nothing was changed: {fault}", path.display())]
pub struct Unreadable {
    pub path: PathBuf,
    pub fault: BadSettings,
}

/// A settings file, as it was found.
#[derive(Clone, Debug)]
pub struct File {
    pub path: PathBuf,
    /// None where there is no file.
    pub content: Option<Vec<u8>>,
    pub has_directory: bool,
    /// Set if git could take the file into a commit.
    pub is_for_git: bool,
    /// The path of the note on its earlier content.
    pub note_path: PathBuf,
    pub note: Option<Before>,
}

/// A file as it was before we changed it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Before {
    pub path: PathBuf,
    /// The content as base64; none where there was no file.
    content: Option<String>,
    had_directory: bool,
    /// The hash of the content that we wrote: as long as it matches, nobody else has changed the
    /// file.
    wrote: String,
}

impl Before {
    fn new(file: &File, content: Option<&[u8]>, had_directory: bool, wrote: &[u8]) -> Before {
        let content = content.map(|content| STANDARD.encode(content));
        Before { path: file.path.clone(), content, had_directory, wrote: hash(wrote) }
    }

    fn bytes(&self) -> Option<Vec<u8>> {
        self.content.as_ref().and_then(|content| STANDARD.decode(content).ok())
    }

    /// Plans to write the note; none if JSON cannot hold the path, which then is not UTF-8.
    fn write(&self, path: &Path) -> Option<Act> {
        let content = serde_json::to_vec(self).ok()?;
        Some(Act::Write { path: path.to_owned(), content, rights: Rights::AsBefore })
    }
}

/// Names the note on the file at a path.
pub fn note_name(path: &Path) -> String {
    format!("{}.json", hash(path.as_os_str().as_encoded_bytes()))
}

pub(super) fn hash(content: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(content))
}

impl File {
    fn settings(&self) -> Result<Settings, Unreadable> {
        let read = self.content.as_deref().map_or(Ok(Settings::empty()), Settings::read);
        read.map_err(|fault| self.unreadable(fault))
    }

    fn unreadable(&self, fault: BadSettings) -> Unreadable {
        Unreadable { path: self.path.clone(), fault }
    }

    /// Returns the note if the file is still as we wrote it.
    fn whole_note(&self) -> Option<&Before> {
        let now = self.content.as_deref().map(hash);
        self.note.as_ref().filter(|note| Some(&note.wrote) == now.as_ref())
    }

    /// Tells whether the file makes Claude Code call us.
    pub fn calls_us(&self) -> bool {
        self.settings().is_ok_and(|settings| settings.has_ours())
    }

    fn write(&self, content: Vec<u8>) -> Act {
        Act::Write { path: self.path.clone(), content, rights: Rights::AsBefore }
    }

    fn shown(&self) -> String {
        self.path.display().to_string()
    }
}

/// Plans our entries in a settings file.
pub fn install(file: &File, wanted: Wanted) -> Result<Vec<Item>, Unreadable> {
    let settings = file.settings()?;
    let with = settings.with_ours(wanted).map_err(|fault| file.unreadable(fault))?;
    let what = format!("hooks of Claude Code in {}", file.shown());
    let mut items = Vec::new();
    if with == settings {
        items.push(Item::already_so(what));
    } else {
        let content = with.written();
        let mut acts = Vec::from_iter(before(file, &settings, &content)?.write(&file.note_path));
        acts.push(file.write(content));
        items.push(Item::change(what, acts));
    }
    if !with.has_permissions() {
        let what = "Claude Code asks before it runs 'git coord'; --allow permits those of its \
                    commands that run no others";
        items.push(Item::note(what));
    }
    if file.is_for_git {
        let what = format!("{} is private and not ignored by git; ignore it", file.shown());
        items.push(Item::note(what));
    }
    Ok(items)
}

/// Works out the content that the way back has to restore.
fn before(file: &File, settings: &Settings, wrote: &[u8]) -> Result<Before, Unreadable> {
    if let Some(note) = file.whole_note() {
        return Ok(Before { wrote: hash(wrote), ..note.clone() });
    }
    let without = settings.without_hooks().map_err(|fault| file.unreadable(fault))?;
    let content = if without == *settings {
        file.content.clone()
    } else {
        (!without.is_empty()).then(|| without.written())
    };
    let had_directory = file.note.as_ref().map_or(file.has_directory, |note| note.had_directory);
    Ok(Before::new(file, content.as_deref(), had_directory, wrote))
}

/// Plans the way back; none if there is nothing of ours.
pub fn uninstall(file: &File) -> Option<Item> {
    let what = format!("no hooks of Claude Code in {}", file.shown());
    let forget = file.note.as_ref().map(|_| Act::Remove(file.note_path.clone()));
    let mut acts = if let Some(note) = file.whole_note() {
        match note.bytes() {
            Some(content) => vec![file.write(content)],
            None => gone(file),
        }
    } else {
        match ours_taken_out(file) {
            Ok(acts) => acts,
            Err(error) => return Some(Item::note(error.to_string())),
        }
    };
    if acts.is_empty() && forget.is_none() {
        return None;
    }
    acts.extend(forget);
    Some(Item::change(what, acts))
}

fn ours_taken_out(file: &File) -> Result<Vec<Act>, Unreadable> {
    if file.content.is_none() {
        return Ok(Vec::new());
    }
    let settings = file.settings()?;
    let mut without = settings.without_hooks().map_err(|fault| file.unreadable(fault))?;
    if let Some(note) = &file.note {
        let before = note.bytes().and_then(|content| Settings::read(&content).ok());
        without = without.without_permissions(&before.unwrap_or_else(Settings::empty));
    }
    let was_there = file.note.as_ref().is_none_or(|note| note.content.is_some());
    Ok(if without == settings {
        Vec::new()
    } else if without.is_empty() && !was_there {
        gone(file)
    } else {
        vec![file.write(without.written())]
    })
}

fn gone(file: &File) -> Vec<Act> {
    let mut acts = vec![Act::Remove(file.path.clone())];
    if let Some(directory) = file.path.parent()
        && file.note.as_ref().is_some_and(|note| !note.had_directory)
    {
        acts.push(Act::RemoveIfEmpty(directory.to_owned()));
    }
    acts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::install::plan::Need;

    const PLAIN: Wanted = Wanted { fail_closed: false, allow: false };
    const ALLOWED: Wanted = Wanted { fail_closed: false, allow: true };

    fn file(content: Option<&str>) -> File {
        File {
            path: "top/.claude/settings.local.json".into(),
            content: content.map(|content| content.as_bytes().to_vec()),
            has_directory: content.is_some(),
            is_for_git: false,
            note_path: "coord/before/x".into(),
            note: None,
        }
    }

    /// Applies the acts to a file in memory.
    fn after(mut file: File, item: &Item) -> File {
        let Need::Change(acts) = &item.need else { return file };
        for act in acts {
            match act {
                Act::Write { path, content, .. } if *path == file.path => {
                    file.content = Some(content.clone());
                }
                Act::Write { content, .. } => {
                    file.note = serde_json::from_slice(content).unwrap();
                }
                Act::Remove(path) if *path == file.path => file.content = None,
                Act::Remove(_) => file.note = None,
                Act::RemoveIfEmpty(_) => file.has_directory = false,
                other => panic!("{other:?}"),
            }
        }
        file
    }

    fn installed(before: File, wanted: Wanted) -> File {
        let items = install(&before, wanted).unwrap();
        after(before, &items[0])
    }

    #[test]
    fn the_way_back_ends_at_the_same_bytes() {
        for content in [None, Some("{}"), Some("{ \"a\":1,\n\n \"b\": [1,2] }\n\n")] {
            for wanted in [PLAIN, ALLOWED] {
                let before = file(content);
                let mut there = installed(before.clone(), wanted);
                there.has_directory = true;
                assert!(!install(&there, wanted).unwrap()[0].is_change());
                // Another wish in between does not lose the beginning.
                let there = installed(there, Wanted { fail_closed: true, ..wanted });
                let back = after(there.clone(), &uninstall(&there).unwrap());
                assert_eq!(back.content, before.content);
                assert_eq!(back.note, None);
                assert_eq!(back.has_directory, before.has_directory);
                assert_eq!(uninstall(&back), None);
                assert!(there.calls_us() && !back.calls_us());
            }
        }
    }

    #[test]
    fn what_somebody_added_since_stays() {
        let mut there = installed(file(None), ALLOWED);
        let text = String::from_utf8(there.content.unwrap()).unwrap();
        there.content = Some(text.replacen("{\n", "{\n  \"model\": \"x\",\n", 1).into_bytes());
        let back = after(there.clone(), &uninstall(&there).unwrap());
        assert_eq!(back.content.unwrap(), b"{\n  \"model\": \"x\"\n}\n");
    }

    #[test]
    fn a_permission_that_was_there_stays_there() {
        let with = r#"{"permissions":{"allow":["Bash(git coord:*)"]}}"#;
        let mut there = installed(file(Some(with)), ALLOWED);
        there.content.as_mut().unwrap().push(b'\n');
        let back = after(there.clone(), &uninstall(&there).unwrap());
        assert!(Settings::read(&back.content.unwrap()).unwrap().has_permissions());
    }

    #[test]
    fn a_file_that_is_gone_is_forgotten() {
        let there = installed(file(None), PLAIN);
        let gone = File { content: None, ..there };
        let forget = Need::Change(vec![Act::Remove(gone.note_path.clone())]);
        assert_eq!(uninstall(&gone).unwrap().need, forget);
        assert_eq!(uninstall(&file(None)), None);
    }

    #[test]
    fn what_cannot_be_read_is_named_and_left() {
        let error = install(&file(Some("{,}")), PLAIN).unwrap_err();
        assert!(error.to_string().contains("settings.local.json"), "{error}");
        assert_eq!(uninstall(&file(Some("{,}"))).unwrap().need, Need::Note);
    }

    #[test]
    fn what_to_think_of_is_said() {
        let mut file = file(None);
        file.is_for_git = true;
        let said: Vec<String> =
            install(&file, PLAIN).unwrap().into_iter().map(|item| item.what).collect();
        assert!(said[1].contains("--allow") && said[2].contains("not ignored"), "{said:?}");
        assert_eq!(install(&file, ALLOWED).unwrap().len(), 2);
    }
}
