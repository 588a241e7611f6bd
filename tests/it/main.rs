//! The single integration-test binary. Each file here is one command or one concern, and `support`
//! is their common set-up. Every test calls the built program in a repository of its own.
//!
//! Ids such as `1/C1` name the requirement that a test shows; docs/requirements.md has the list.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

mod adopt;
mod agents;
mod answer;
mod ask;
mod bad_input;
mod beside_git;
mod bounded;
mod changes;
mod check;
mod claude_code;
mod clocks;
mod clones;
mod compact;
mod completions;
mod concurrency;
mod config_hooks;
mod configuration;
mod corpora;
mod covers;
mod damage;
mod demo;
mod docs;
mod doctor;
mod domain;
mod doors;
mod events;
mod everywhere;
// A release build cannot be made to fail.
#[cfg(debug_assertions)]
mod faults;
mod frame;
mod golden;
mod group_commit;
mod help;
mod hook;
mod hook_git;
mod hook_managers;
mod identity;
mod in_the_way;
mod inbox;
mod inputs;
mod install;
mod interop;
mod laws;
mod ledger;
mod list;
mod locks;
mod log;
mod matrix;
mod memory;
mod mirrors;
mod model;
mod negotiation;
mod next_steps;
mod overrides;
mod owners;
mod ownership;
mod patterns;
mod picture;
mod prime;
mod program;
mod readers;
mod recorded_conflicts;
mod release;
mod renew;
mod rescue;
mod reserve;
mod rights;
mod route;
mod run;
mod scenario;
mod secrets;
mod send;
mod shell_commands;
mod shells;
mod site;
mod skill;
mod soak;
mod status;
mod sweep;
mod take;
mod three_sessions;
mod tidy;
mod transcripts;
mod transfer;
mod trust;
mod undo;
mod uninstall;
mod version;
mod waiting;
mod who;
mod whoami;
mod wide;
mod with;

/// A file that nobody lists is a test that nobody runs.
#[test]
fn every_file_here_is_listed_above() {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let list = include_str!("main.rs");
    for entry in std::fs::read_dir(here).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let is_listed = list.lines().any(|line| line == format!("mod {stem};"));
        assert!(is_listed || stem == "main", "'{stem}' is not listed in tests/it/main.rs");
    }
}
