//! The documentation runs: every command that README.md, docs and examples show is executed, and
//! what it prints is compared with what the page says.
//!
//! - A ```` ```console ```` block is a session. `$ ` begins a command, `> ` continues it, what
//!   follows is its output (stdout and stderr as a terminal shows them), `? 1` an exit code other
//!   than 0. All blocks of a page run in order in one shell's worth of state (directory, exported
//!   variables) and one scratch repository ([`Content::clean`]); the environment is hermetic, and
//!   the clock is the machine's until `<!-- clock: time -->` stands on the line before a fence. To
//!   readers, nobody recommends a variable that turns the clock.
//! - Output is compared line by line. `[..]` stands for anything within a line, a line `...` for
//!   any lines, `[ID]` for an id, `[OID]` for an object name. A page may also show an id or an
//!   object name as it looks (8 letters and digits with at least one digit; 40 hex digits): it
//!   stands for whatever the program answers there, and for the same thing in later commands.
//! - A ```` ```sh ```` block is a script that must end with exit code 0. A block after the line
//!   `<!-- printed: by the block above -->` is what it prints.
//! - A block that cannot run is fenced as `console,norun` or `sh` and has
//!   `<!-- not run: reason -->` on the line before its fence.
//!
//! trycmd was tried first: it has no state between commands, no names for ids that differ from run
//! to run, and no place to set up a repository for each page.

mod expect;
mod markdown;
mod page;
mod session;

use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Lists README.md and every page of docs and examples.
fn pages() -> Vec<PathBuf> {
    let mut found = vec![root().join("README.md")];
    for directory in ["docs", "examples"] {
        let Ok(entries) = std::fs::read_dir(root().join(directory)) else {
            continue;
        };
        let paths = entries.map(|entry| entry.expect("our own files are readable").path());
        found.extend(paths.filter(|path| path.extension().is_some_and(|kind| kind == "md")));
    }
    found.sort();
    found
}

/// 3/GAPS-doc, 3/AUTH: what nobody should have to find out by being surprised.
#[test]
fn the_manual_says_what_a_window_and_a_name_are() {
    let manual = std::fs::read_to_string(root().join("docs/negotiation.md")).unwrap();
    for said in [
        "Windows are advice, and the time to live of a reservation is its hard end",
        "Nothing is authenticated",
    ] {
        assert!(manual.contains(said), "{said}");
    }
}

/// 3/DOC-1: so every command of the runbook in docs/troubleshooting.md is run.
#[test]
fn what_the_pages_show_is_what_happens() {
    let mut faults = Vec::new();
    for path in pages() {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.strip_prefix(root()).unwrap().display().to_string();
        faults.extend(page::run(&name, &text));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

/// Man page, reference, table of settings: written by the program, kept in the repository. With
/// `UPDATE=1` they are written anew.
#[test]
fn generated_files_are_up_to_date() {
    let update = std::env::var_os("UPDATE").is_some_and(|value| value == "1");
    let mut stale = Vec::new();
    for (path, contents) in git_coord::cli::generated() {
        let path = root().join(path);
        let contents: &[u8] = contents.as_ref();
        if std::fs::read(&path).ok().as_deref() == Some(contents) {
            continue;
        }
        if update {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, contents).unwrap();
        } else {
            stale.push(path);
        }
    }
    assert!(stale.is_empty(), "run 'UPDATE=1 cargo test --test it generated': {stale:?}");
}
