//! Any text as a shell command.

use git_coord::core::shell::effect::Effect;
use git_coord::core::shell::git::Ground;
use git_coord::core::shell::pathspec::Place;
use git_coord::core::shell::verbs::Facts;
use git_coord::core::shell::{COMMANDS_MAX, Known, Start, act, read};

/// Reads the input as a command: bounded, the same each time, and with known places only where the
/// text tells them.
pub(super) fn check(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let variables = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"];
    let variables = variables.map(|name| (name.to_owned(), Known::Unset)).into_iter().collect();
    let start = Start { directory: "/top".into(), variables };
    let reading = read(text, &start);
    assert_eq!(reading, read(text, &start));
    assert!(reading.commands.len() <= COMMANDS_MAX);
    for simple in &reading.commands {
        let directory = Ground::of(simple).directory;
        assert!(directory.as_ref().is_none_or(|path| path.is_absolute()));
        let Some(directory) = directory else { continue };
        let facts = Facts {
            place: Place { top: "/top".into(), directory },
            branch: Some("main".to_owned()),
            is_path: &|path| path.len() % 2 == 0,
            is_directory: &|path| path.len() % 3 == 0,
            config: &|key| key.starts_with("alias.").then(|| format!("!git {} x", &key[6..])),
        };
        let effects = act::effects(simple, &facts);
        assert!(effects.is_empty() || act::can_have_effects(simple));
        for Effect { scope, tree, .. } in &effects {
            assert!(scope.paths().iter().all(|path| !path.starts_with(b"/")), "{scope:?}");
            assert!(tree.as_ref().is_none_or(|tree| tree.is_absolute()));
        }
    }
}
