//! Programs are found in the absolute directories of `PATH`, and nowhere below the current one.

use std::fs;

use super::{Trap, edit_of, hook};
use crate::support::Repo;
use crate::support::gits::gits;
use crate::support::hooks::put_script;

/// 8/NO-HARM: hooks go to the directory of the file that is edited. With '.' or an empty entry in
/// `PATH`, a `git` that lies there would be the first to be found.
#[test]
fn a_program_of_the_clone_is_not_taken_for_git() {
    let repo = Repo::new();
    repo.git(["config", "coord.enabled", "true"]);
    let trap = Trap::in_world_of(&repo);
    let script = format!("#!/bin/sh\n{}\nexit 1\n", trap.command());
    for name in ["git", "git-coord", "git-upload-pack", "sh", "ps", "mkfifo", "agents", "ssh"] {
        put_script(&repo.work().join(name), &script);
        put_script(&repo.work().join("bin").join(name), &script);
    }
    // One that libgit2 does not know, so that the git program is asked for everything.
    repo.git(["config", "core.repositoryFormatVersion", "1"]);
    repo.git(["config", "extensions.partialClone", "origin"]);
    let own = gits()[0].program.parent().unwrap().to_owned();
    let machine = format!("{}:/usr/bin:/bin", own.display());
    let roster = repo.world().join("home/own");
    fs::write(&roster, "[coord]\n\troster = !agents\n").unwrap();
    for entry in [".", "", "bin", "./bin", "../work"] {
        let path = format!("{entry}:{machine}");
        for words in [
            &["status"][..],
            &["reserve", "x"],
            &["doctor"],
            &["route", "fd-style"],
            &["override", "list"],
            &["domain", "detect"],
        ] {
            let call = repo.call("ada").args(words).env("PATH", &path);
            let told = call.env("GIT_CONFIG_GLOBAL", &roster).run_unproven();
            trap.was_not_run(&format!("with '{entry}' in PATH, {}", told.called));
        }
        for event in ["SessionStart", "PreToolUse", "PostToolUse", "Stop"] {
            let edit = edit_of(&repo.work().join("x"));
            hook(&repo, event, &repo.work(), &edit).env("PATH", &path).run_unproven().done();
            trap.was_not_run(&format!("with '{entry}' in PATH, {event}"));
        }
    }
}
