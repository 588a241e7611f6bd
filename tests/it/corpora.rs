//! Inputs that fuzzers found, fed to the laws that they check: `fuzz/corpus` has a directory for
//! each of the files in `corpora`, and `fuzz/fuzz_targets` a target.

mod command;
mod entry;
mod hook_payload;
mod pack;
mod pattern;
mod shell_command;

use std::path::Path;

use crate::support::gits::skip;

/// Checks every stored input of the law of this name.
fn replay(name: &str, check: fn(&[u8])) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name);
    if !corpus.is_dir() {
        return skip("the corpora of the fuzzers are not part of the package");
    }
    let mut count = 0;
    for entry in std::fs::read_dir(corpus).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        let kept = std::panic::catch_unwind(|| check(&bytes));
        assert!(kept.is_ok(), "'{}' breaks a law", path.display());
        count += 1;
    }
    assert!(count > 20, "a corpus of {count}");
}

#[test]
fn kept_patterns_keep_the_laws() {
    replay("pattern", pattern::check);
}

#[test]
fn kept_payloads_keep_the_laws() {
    replay("hook_payload", hook_payload::check);
}

#[test]
fn kept_entries_keep_the_laws() {
    replay("entry", entry::check);
}

#[test]
fn kept_packs_keep_the_laws() {
    replay("pack", pack::check);
}

#[test]
fn kept_commands_keep_the_laws() {
    replay("command", command::check);
}

#[test]
fn kept_shell_commands_keep_the_laws() {
    replay("shell_command", shell_command::check);
}
