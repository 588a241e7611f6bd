//! Whether git and agents really call us, which nobody notices when they do not.

use super::rehearsal::refuse_an_edit;
use super::{Check, State};
use crate::app::Ctx;
use crate::app::error::AppError;
use crate::app::install::claude::File;
use crate::app::install::found::{self, Surroundings};
use crate::app::install::git_hooks::{self, Found};
use crate::app::install::hook_file::GitHook;
use crate::app::install::plan::{Item, Need};

const NAME: &str = "hooks";
const INSTALL: [&str; 3] = ["git", "coord", "install"];

/// How it stands with the hooks; `is_enabled` is `coord.enabled`.
pub fn hooks(ctx: &Ctx, around: &Surroundings, is_enabled: bool) -> Check {
    match look(ctx, around) {
        Ok((found, has_agents)) => {
            let check = judged(&found, is_enabled, has_agents);
            if check.state == State::Ok && has_agents { rehearsed(check) } else { check }
        }
        Err(error) => Check::new(NAME, State::Warning, error.to_string()),
    }
}

/// What looks right is tried once.
fn rehearsed(check: Check) -> Check {
    match refuse_an_edit() {
        Ok(()) => Check { text: format!("{}; a made-up edit was refused", check.text), ..check },
        Err(why) => Check::new(NAME, State::Fault, why).with_next(&INSTALL),
    }
}

fn look(ctx: &Ctx, around: &Surroundings) -> Result<(Found, bool), AppError> {
    let found = found::hooks(ctx, around, &found::local(ctx)?)?;
    let has_agents = found::every_claude_settings(ctx)?.iter().any(File::calls_us);
    Ok((found, has_agents))
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

/// The hooks that `install` would see to.
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
    use crate::store::files::Shape;

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
            elsewhere: Some(Elsewhere { path: "x".to_owned(), manager: Manager::Unknown, called }),
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
