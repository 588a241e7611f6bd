//! A difference between two contents of a path, as git shows it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use git2::{DiffOptions, Patch};

use crate::core::ownership::content::{Mode, Stored};
use crate::core::pattern::quoted_path;
use crate::store::error::StoreError;

/// The digits of a blob's id that a patch shows.
const DIGITS: usize = 10;

/// A file, with its content.
pub type Side<'s> = Option<(&'s Stored, &'s [u8])>;

/// Writes the patch that turns one content into the other; empty if they are the same.
pub fn patch(path: &[u8], before: Side<'_>, after: Side<'_>) -> Result<Vec<u8>, StoreError> {
    if before.map(|(stored, _)| stored) == after.map(|(stored, _)| stored) {
        return Ok(Vec::new());
    }
    let [old, new] = ["a/", "b/"].map(|side| quoted_path(&[side.as_bytes(), path].concat()));
    let mut text = format!("diff --git {old} {new}\n");
    text.push_str(&modes(before, after));
    let ids = [before, after].map(|side| {
        side.map_or_else(|| "0".repeat(DIGITS), |(it, _)| it.blob.as_str()[..DIGITS].to_owned())
    });
    if ids[0] == ids[1] {
        return Ok(text.into_bytes());
    }
    text.push_str(&format!("index {}..{}\n", ids[0], ids[1]));
    let [old, new] = [(before, old), (after, new)]
        .map(|(side, name)| if side.is_some() { name } else { "/dev/null".to_owned() });
    let hunks = hunks(path, content(before), content(after))?;
    let mut bytes = text.into_bytes();
    match hunks {
        Some(hunks) if hunks.is_empty() => {}
        Some(hunks) => {
            bytes.extend_from_slice(format!("--- {old}\n+++ {new}\n").as_bytes());
            bytes.extend(hunks);
        }
        None => {
            bytes.extend_from_slice(format!("Binary files {old} and {new} differ\n").as_bytes());
        }
    }
    Ok(bytes)
}

fn content(side: Side<'_>) -> &[u8] {
    side.map_or(&[], |(_, content)| content)
}

fn modes(before: Side<'_>, after: Side<'_>) -> String {
    let mode = |(stored, _): (&Stored, &[u8])| -> Mode { stored.mode };
    match (before.map(mode), after.map(mode)) {
        (None, Some(mode)) => format!("new file mode {:o}\n", mode.to_git()),
        (Some(mode), None) => format!("deleted file mode {:o}\n", mode.to_git()),
        (Some(old), Some(new)) if old != new => {
            format!("old mode {:o}\nnew mode {:o}\n", old.to_git(), new.to_git())
        }
        _ => String::new(),
    }
}

/// Compares two contents line by line; `None` if one of them is no text.
fn hunks(path: &[u8], before: &[u8], after: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
    let path = Path::new(OsStr::from_bytes(path));
    let mut options = DiffOptions::new();
    let mut found = Patch::from_buffers(before, Some(path), after, Some(path), Some(&mut options))?;
    if found.delta().flags().is_binary() {
        return Ok(None);
    }
    let whole = found.to_buf()?;
    let start = b"\n@@ ";
    let at = whole.windows(start.len()).position(|window| window == start);
    Ok(Some(at.map_or_else(Vec::new, |at| whole[at + 1..].to_vec())))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::store::git::object::{HashKind, Object, ObjectKind};

    fn stored(content: &[u8], mode: Mode) -> Stored {
        let blob = Object { kind: ObjectKind::Blob, bytes: content.to_vec() };
        Stored { blob: blob.id(HashKind::Sha1).to_string().parse().unwrap(), mode }
    }

    /// Git applies the patch to the one content, and gets the other.
    #[test]
    fn git_applies_a_patch() {
        let long: Vec<u8> = (0..60).flat_map(|line| format!("{line}\n").into_bytes()).collect();
        let changed = [&long[..], b"@@ more\nno end of line"].concat();
        let contents: [Option<&[u8]>; 4] = [None, Some(b"a\n"), Some(&long), Some(&changed)];
        for path in ["src/main.rs", "a b\t\"c\".rs", "gr\u{f6}\u{df}er"] {
            for before in contents {
                for after in contents.into_iter().filter(|after| *after != before) {
                    applies(path, before, after);
                }
            }
        }
    }

    fn applies(path: &str, before: Option<&[u8]>, after: Option<&[u8]>) {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        if let Some(before) = before {
            std::fs::write(&file, before).unwrap();
        }
        let stored = |content: Option<&[u8]>| content.map(|it| stored(it, Mode::File));
        let (old, new) = (stored(before), stored(after));
        let written = patch(path.as_bytes(), old.as_ref().zip(before), new.as_ref().zip(after));
        std::fs::write(home.path().join("patch"), written.unwrap()).unwrap();
        let mut git = Command::new("git");
        git.current_dir(home.path()).env("GIT_CEILING_DIRECTORIES", home.path());
        git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        let output = git.args(["apply", "patch"]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{path} {before:?} {after:?}: {said}");
        assert_eq!(std::fs::read(&file).ok().as_deref(), after);
    }

    #[test]
    fn modes_and_binary_files_are_named() {
        let (plain, executable) = (stored(b"a\n", Mode::File), stored(b"a\n", Mode::Executable));
        let moded = patch(b"a", Some((&plain, b"a\n")), Some((&executable, b"a\n"))).unwrap();
        let moded = String::from_utf8(moded).unwrap();
        assert_eq!(moded, "diff --git a/a b/a\nold mode 100644\nnew mode 100755\n");
        assert!(patch(b"a", Some((&plain, b"a\n")), Some((&plain, b"a\n"))).unwrap().is_empty());
        let binary = stored(b"\0\x01", Mode::File);
        let binary = patch(b"a", Some((&plain, b"a\n")), Some((&binary, b"\0\x01"))).unwrap();
        let binary = String::from_utf8(binary).unwrap();
        assert!(binary.ends_with("Binary files a/a and b/a differ\n"), "{binary}");
    }
}
