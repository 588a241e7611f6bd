//! The ways into git, each from what is found to what is done.

use super::*;
use crate::app::install::plan::Need;

const RUNS: Shape = Shape { is_link: false, is_executable: true };

fn found(git: (u32, u32)) -> Found {
    let place = |hook| Place { hook, file: None, chained: None };
    Found {
        git,
        has_work_tree: true,
        directory: "hooks".into(),
        places: GitHook::ALL.into_iter().map(place).collect(),
        elsewhere: None,
        called: Vec::new(),
        local: Vec::new(),
    }
}

fn with_file(content: &str, shape: Shape) -> Found {
    let mut found = found((2, 47));
    found.places[0].file = Some((content.as_bytes().to_vec(), shape));
    found
}

fn acts(item: &Item) -> &[Act] {
    match &item.need {
        Need::Change(acts) => acts,
        Need::AlreadySo | Need::Note => &[],
    }
}

/// The repository after the plan for its first hook, whose acts are carried out on paper.
fn after(mut found: Found, items: &[Item]) -> Found {
    let hook = GitHook::ALL[0];
    for act in items.iter().flat_map(acts) {
        let place = &mut found.places[0];
        match act {
            Act::Write { path, content, rights } if path.ends_with(hook.name()) => {
                let before = place.file.as_ref().map_or(RUNS, |(_, shape)| *shape);
                let shape = if *rights == Rights::Executable { RUNS } else { before };
                place.file = Some((content.clone(), shape));
            }
            Act::Link { .. } if place.chained.is_none() => {
                place.chained = place.file.as_ref().map(|(content, _)| content.clone());
            }
            Act::Rename { .. } if place.chained.is_some() => {
                place.file = place.chained.take().map(|content| (content, RUNS));
            }
            Act::Remove(path) if path.ends_with(hook.name()) => place.file = None,
            Act::Set(setting) => found.local.push(setting.clone()),
            Act::Unset(setting) => found.local.retain(|set| set != setting),
            _ => {}
        }
    }
    found
}

#[test]
fn each_way_is_done_once_and_undone_completely() {
    let off = Shape { is_link: false, is_executable: false };
    let link = Shape { is_link: true, is_executable: true };
    let before = [
        found((2, 47)),
        found((2, 54)),
        with_file("#!/bin/sh\nexit 1\n", RUNS),
        with_file("#!/usr/bin/python3\n", RUNS),
        with_file("#!/bin/sh\n", off),
        with_file("#!/bin/sh\n", link),
    ];
    for before in before {
        let items = install(&before);
        assert!(items[0].is_change(), "{before:?}");
        let installed = after(before.clone(), &items);
        assert!(!install(&installed)[0].is_change(), "{installed:?}");
        let removed = after(installed.clone(), &uninstall(&installed));
        let content = |found: &Found| found.places[0].file.clone().map(|(content, _)| content);
        assert_eq!(content(&removed), content(&before));
        assert_eq!(removed.places[0].chained, None);
        assert_eq!(removed.local, before.local);
    }
}

#[test]
fn another_git_does_not_call_us_twice() {
    let old = after(found((2, 47)), &install(&found((2, 47))));
    let newer = Found { git: (2, 54), ..old };
    let moved = after(newer.clone(), &install(&newer));
    assert_eq!(moved.places[0].file, None);
    assert_eq!(moved.local.len(), 2 * GitHook::ALL.len());
    let older = Found { git: (2, 47), ..moved };
    let back = after(older.clone(), &install(&older));
    assert!(back.places[0].file.is_some() && back.local.is_empty());
}

#[test]
fn where_a_manager_has_the_hooks_nothing_is_written() {
    for (manager, word) in [
        (Manager::Husky, ".husky/pre-push"),
        (Manager::Lefthook, "use_stdin: true"),
        (Manager::PreCommit, "stages: [pre-push]"),
        (Manager::Unknown, "'hooks-of-mine/pre-push'"),
    ] {
        let mut found = found((2, 47));
        let called = vec![GitHook::PreCommit];
        let mentioned = called.clone();
        let path = "hooks-of-mine".to_owned();
        found.elsewhere = Some(Elsewhere { path, manager, called, mentioned });
        let items = install(&found);
        assert!(!items.iter().any(Item::is_change));
        assert_eq!(items[0].need, Need::AlreadySo);
        assert!(items[3].what.contains(word), "{}", items[3].what);
        let hands_on_names: Vec<bool> =
            items.iter().map(|item| item.what.contains("pass_filenames: true")).collect();
        let is_pre_commit = manager == Manager::PreCommit;
        assert_eq!(hands_on_names, [false, false, false, false, is_pre_commit]);
        // A newer git does not need them.
        let newer = Found { git: (2, 54), ..found };
        assert!(install(&newer).iter().all(Item::is_change));
    }
}

#[test]
fn a_bare_repository_gets_none() {
    let bare = Found { has_work_tree: false, ..found((2, 54)) };
    assert!(matches!(install(&bare).as_slice(), [Item { need: Need::Note, .. }]));
}

#[test]
fn a_name_that_is_taken_stops_one_hook_only() {
    let mut found = with_file("#!/usr/bin/python3\n", RUNS);
    found.places[0].chained = Some(b"another".to_vec());
    let items = install(&found);
    assert_eq!(items[0].need, Need::Note);
    assert!(items[1..].iter().all(Item::is_change));
    // An interrupted call has left this one.
    found.places[0].chained = found.places[0].file.clone().map(|(content, _)| content);
    assert_eq!(acts(&install(&found)[0]).len(), 1);
}

#[test]
fn ours_is_repaired_where_it_is_old_or_cannot_be_run() {
    let own = hook_file::own(GitHook::PreCommit);
    let off = Shape { is_link: false, is_executable: false };
    assert!(install(&with_file(&own, off))[0].is_change());
    assert!(install(&with_file(&own.replace("$?", "1"), RUNS))[0].is_change());
    assert!(!install(&with_file(&own, RUNS))[0].is_change());
}

/// Our lines are there at once, and so is the word on how to stay.
#[test]
fn a_hook_that_a_manager_makes_anew_gets_both() {
    for made in
        ["call_lefthook()", "# File generated by pre-commit: x", "# File generated by prek: x"]
    {
        let mut found = with_file(&format!("#!/bin/sh\n{made}\n"), RUNS);
        let items = install(&found);
        assert!(items[0].is_change());
        let note = items.last().unwrap();
        assert!(note.need == Need::Note && note.what.contains("makes that file anew"), "{note:?}");
        found.called.push(GitHook::ALL[0]);
        let items = install(&found);
        assert_eq!((items.len(), &items[0].need), (GitHook::ALL.len(), &Need::AlreadySo));
    }
}
