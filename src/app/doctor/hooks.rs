//! Checks that git and agents really call us: nobody would notice if they did not.

use std::path::{Path, PathBuf};

use super::claude::{Source, Wiring, by_version, wiring};
use super::rehearsal::{refuse_an_edit, save_before_git};
use super::{Check, State};
use crate::app::Ctx;
use crate::app::error::AppError;
use crate::app::install::claude::File;
use crate::app::install::claude_program;
use crate::app::install::found::{self, Host};
use crate::app::install::git_hooks::{self, Found};
use crate::app::install::handlers::Handler;
use crate::app::install::hook_file::GitHook;
use crate::app::install::plan::{Item, MONITOR_CALL, Need};
use crate::app::install::settings::Settings;
use crate::core::text::shown as shown_text;

const NAME: &str = "hooks";
const INSTALL: [&str; 3] = ["git", "coord", "install"];
const INSTALL_TERMINAL: [&str; 4] = ["git", "coord", "install", "--terminal"];

/// The hooks that were found.
struct Looked {
    git: Found,
    claude: Wiring,
    /// Settings files of other work trees that call us.
    elsewhere: Vec<PathBuf>,
    /// Settings files of this work tree that called us once.
    lost: Vec<PathBuf>,
    /// The part of the settings that depends on the version of Claude Code.
    by_version: Option<String>,
}

/// Checks the hooks, and reports each trouble by itself; `is_enabled` is `coord.enabled`.
pub(super) fn hooks(ctx: &Ctx, host: &Host, is_enabled: bool) -> Vec<Check> {
    let looked = match look(ctx, host) {
        Ok(looked) => looked,
        Err(error) => return vec![Check::new(NAME, State::Warning, error.to_string())],
    };
    let git = judged(&looked.git, is_enabled, looked.claude.is_there);
    let Some(tree) = ctx.repository().work_tree().filter(|_| is_enabled) else { return vec![git] };
    let mut troubles = looked.troubles();
    let mut tried = String::new();
    if let Some(handler) = &looked.claude.before_edit {
        let program = host.program.as_deref().unwrap_or(Path::new("git-coord"));
        match refuse_an_edit(handler, &tree.top, program) {
            Ok(()) => tried.push_str("; a made-up edit was refused"),
            Err(why) => troubles.push(Check::new(NAME, State::Fault, why).with_next(&INSTALL)),
        }
    }
    if host.monitor.as_deref() == Some(MONITOR_CALL) {
        let fault = |why| Check::new(NAME, State::Fault, why).with_next(&INSTALL_TERMINAL);
        match save_before_git(&tree.top) {
            Ok(()) => tried.push_str("; made-up work was saved before 'git reset --hard'"),
            Err(why) => troubles.push(fault(why)),
        }
    }
    if git.state != State::Ok {
        troubles.insert(0, git);
    } else if troubles.is_empty() {
        troubles.push(Check { text: format!("{}{tried}", git.text), ..git });
    }
    troubles.extend(looked.claude.in_other_words.iter().map(not_rehearsed));
    let note = |text| Check::new(NAME, State::Note, text).with_next(&INSTALL);
    troubles.extend(looked.by_version.map(note));
    troubles
}

/// Reports a handler that calls us in other words than `install` writes. It may have come with a
/// clone, so it is not run to see what it does.
fn not_rehearsed(handler: &Handler) -> Check {
    let text = format!(
        "not rehearsed: Claude Code would run '{}' before an edit, and install writes other words",
        shown_text(&handler.shown())
    );
    Check::new(NAME, State::Note, text).with_next(&INSTALL)
}

fn look(ctx: &Ctx, host: &Host) -> Result<Looked, AppError> {
    let git = found::hooks(ctx, host, &found::local(ctx)?)?;
    let source =
        |(path, content): (PathBuf, Vec<u8>)| Source { path, settings: Settings::read(&content) };
    let mut sources: Vec<Source> =
        found::claude_sources(ctx, host)?.into_iter().map(source).collect();
    let without = wiring(&sources);
    let (claude, by_version) = match found::claude_settings_of_main(ctx)? {
        Some(main) => {
            let path = shown(&main.0);
            sources.insert(0, source(main));
            let client = claude_program::version(ctx, &host.search_path);
            by_version(&path, client, without, wiring(&sources))
        }
        None => (without, None),
    };
    let (mut elsewhere, mut lost) = (Vec::new(), Vec::new());
    for file in found::every_claude_settings(ctx)? {
        let is_here = ctx.repository().work_tree().is_some_and(|tree| is_in(&file, &tree.top));
        match (is_here, file.calls_us()) {
            (false, true) => elsewhere.push(file.path),
            (true, false) if file.note.is_some() => lost.push(file.path),
            _ => {}
        }
    }
    Ok(Looked { git, claude, elsewhere, lost, by_version })
}

/// Tells whether a settings file belongs to the work tree with that top directory.
fn is_in(file: &File, top: &Path) -> bool {
    let directory = top.join(".claude");
    let directory = directory.canonicalize().unwrap_or(directory);
    file.path.parent() == Some(&directory)
}

impl Looked {
    /// Lists the reasons why Claude Code does not call us here although it was installed.
    fn troubles(&self) -> Vec<Check> {
        let Wiring { is_there, troubles, before_edit, in_other_words } = &self.claude;
        // Without any of these, no edit is refused.
        let is_called = before_edit.is_some() || !in_other_words.is_empty();
        let state = if is_called { State::Warning } else { State::Fault };
        let check = |text: &String| Check::new(NAME, state, text.clone()).with_next(&INSTALL);
        if *is_there {
            return troubles.iter().map(check).collect();
        }
        let text = match (self.lost.first(), self.elsewhere.first()) {
            (Some(lost), _) => {
                format!("Claude Code does not call git coord: nothing is left in '{}'", shown(lost))
            }
            (None, Some(other)) => format!(
                "Claude Code does not call git coord in this work tree; it does in that of '{}'",
                shown(other)
            ),
            (None, None) => return Vec::new(),
        };
        vec![Check::new(NAME, State::Warning, text).with_next(&INSTALL)]
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

fn judged(found: &Found, is_enabled: bool, has_agents: bool) -> Check {
    if !found.has_work_tree {
        return Check::ok(NAME, "none: nobody commits in a bare repository");
    }
    let missing = missing(found);
    let is_there = missing.len() < GitHook::ALL.len() || has_agents;
    let warning = |text: String| Check::new(NAME, State::Warning, text);
    match (&found.elsewhere, is_enabled) {
        (_, false) if !is_there => {
            Check::new(NAME, State::Note, "not installed here").with_next(&INSTALL)
        }
        (_, false) => {
            warning("installed, but they do nothing: coord.enabled is not true".to_owned())
                .with_next(&["git", "config", "coord.enabled", "true"])
        }
        (_, true) if missing.is_empty() => {
            let agents = if has_agents { "git and Claude Code call" } else { "git calls" };
            Check::ok(NAME, format!("{agents} git coord"))
        }
        (Some(elsewhere), true) => {
            let (path, missing) = (&elsewhere.path, missing.join(", "));
            let text =
                format!("core.hooksPath is '{path}', which does not call git coord: {missing}");
            warning(text).with_next(&INSTALL)
        }
        (None, true) => {
            let text = format!("missing, changed or not executable: {}", missing.join(", "));
            warning(text).with_next(&INSTALL)
        }
    }
}

/// Lists the hooks that `install` would change.
fn missing(found: &Found) -> Vec<&'static str> {
    let is_so = |item: &Item| item.need == Need::AlreadySo;
    let items = git_hooks::install(found);
    let each = GitHook::ALL.into_iter().zip(&items);
    each.filter(|(_, item)| !is_so(item)).map(|(hook, _)| hook.name()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::install::git_hooks::{Elsewhere, Manager, Place};
    use crate::app::install::hook_file;
    use crate::store::os::files::Shape;

    fn found(is_installed: bool, is_executable: bool) -> Found {
        let file = |hook| {
            let shape = Shape { is_link: false, is_executable };
            is_installed.then(|| (hook_file::own(hook).into_bytes(), shape))
        };
        let place = |hook| Place { hook, file: file(hook), chained: None };
        Found {
            git: (2, 47),
            has_work_tree: true,
            directory: "hooks".into(),
            places: GitHook::ALL.into_iter().map(place).collect(),
            elsewhere: None,
            called: Vec::new(),
            local: Vec::new(),
        }
    }

    #[test]
    fn each_way_to_be_left_uncalled_is_seen() {
        let shadowed = |called: Vec<GitHook>| Found {
            elsewhere: Some(Elsewhere {
                path: "x".to_owned(),
                manager: Manager::Unknown,
                mentioned: GitHook::ALL.to_vec(),
                called,
            }),
            ..found(true, true)
        };
        let bare = Found { has_work_tree: false, ..found(false, false) };
        for (found, is_enabled, state, words) in [
            (found(true, true), true, State::Ok, "git calls"),
            (found(false, false), false, State::Note, "not installed"),
            (found(true, true), false, State::Warning, "coord.enabled is not true"),
            (found(false, false), true, State::Warning, "missing"),
            (found(true, false), true, State::Warning, "not executable"),
            (shadowed(Vec::new()), true, State::Warning, "core.hooksPath is 'x'"),
            (shadowed(GitHook::ALL.to_vec()), true, State::Ok, "git calls"),
            (bare, false, State::Ok, "bare"),
        ] {
            let check = judged(&found, is_enabled, false);
            assert_eq!(check.state, state, "{check:?}");
            assert!(check.text.contains(words), "{check:?}");
            assert_eq!(check.next.is_empty(), state == State::Ok, "{check:?}");
        }
    }

    #[test]
    fn only_what_is_missing_is_named() {
        let mut found = found(true, true);
        found.places[3].file = None;
        let check = judged(&found, true, true);
        assert_eq!(check.text, "missing, changed or not executable: pre-push");
    }
}
