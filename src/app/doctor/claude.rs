//! Checks that Claude Code would call us in a session of this work tree. Pure: settings in,
//! troubles out.

use std::path::PathBuf;

use crate::app::install::claude_program::{READS_MAIN_SETTINGS, Version};
use crate::app::install::handlers::Handler;
use crate::app::install::settings::{BadSettings, NEEDED, Settings};

/// One of the files that Claude Code reads for a work tree.
pub(super) struct Source {
    pub(super) path: PathBuf,
    pub(super) settings: Result<Settings, BadSettings>,
}

/// The calls that Claude Code would make here.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Wiring {
    /// Set if any hook here calls us.
    pub(super) is_there: bool,
    /// A sentence for each thing that is wrong.
    pub(super) troubles: Vec<String>,
    /// The handler of an edit that is exactly as `install` writes it; none where all hooks are off.
    pub(super) before_edit: Option<Handler>,
    /// Other handlers of an edit that call us.
    pub(super) in_other_words: Vec<Handler>,
}

/// Combines settings files, the strongest first.
pub(super) fn wiring(sources: &[Source]) -> Wiring {
    let mut wiring = Wiring::default();
    let mut read: Vec<(&PathBuf, &Settings)> = Vec::new();
    for Source { path, settings } in sources {
        match settings {
            Ok(settings) => read.push((path, settings)),
            Err(fault) => wiring.troubles.push(format!(
                "Claude Code runs no hook of '{}', which it cannot read: {fault}",
                path.display()
            )),
        }
    }
    let ours = |event: &str, tool: Option<&str>| {
        let handlers = read.iter().flat_map(|(_, settings)| settings.handlers(event, tool));
        handlers.into_iter().find(Handler::calls_us)
    };
    let mut missing = Vec::new();
    for (event, tools) in NEEDED {
        let wanted: Vec<Option<&str>> =
            if tools.is_empty() { vec![None] } else { tools.iter().copied().map(Some).collect() };
        let lacking: Vec<Option<&str>> =
            wanted.iter().copied().filter(|tool| ours(event, *tool).is_none()).collect();
        wiring.is_there |= lacking.len() < wanted.len();
        match lacking.as_slice() {
            [] => {}
            all if all.len() == wanted.len() => missing.push((*event).to_owned()),
            some => {
                let tools: Vec<&str> = some.iter().copied().flatten().collect();
                missing.push(format!("{event} of {}", tools.join(", ")));
            }
        }
    }
    if wiring.is_there && !missing.is_empty() {
        let missing = missing.join("; ");
        wiring.troubles.push(format!("Claude Code does not call git coord at {missing}"));
    }
    let is_old = |settings: &Settings| {
        let all = NEEDED.iter().flat_map(|(event, _)| settings.handlers(event, None));
        all.into_iter().any(|handler| handler.is_old_form())
    };
    if let Some((path, _)) = read.iter().find(|(_, settings)| is_old(settings)) {
        wiring.troubles.push(format!(
            "'{}' calls git coord in an old form, which other agents read as well and run without \
             its arguments; install again",
            path.display()
        ));
    }
    let switch = read.iter().find_map(|(path, settings)| Some((path, settings.disables_all()?)));
    if let Some((path, true)) = switch {
        let path = path.display();
        wiring.troubles.push(format!(
            "Claude Code runs no hooks at all: 'disableAllHooks' is set in '{path}'; remove it"
        ));
    } else {
        let handlers = read.iter().flat_map(|(_, read)| read.handlers("PreToolUse", Some("Edit")));
        let (exact, others): (Vec<Handler>, Vec<Handler>) = handlers
            .filter(Handler::calls_us)
            .partition(|handler| handler.as_installed().is_some());
        wiring.before_edit = exact.into_iter().next();
        wiring.in_other_words = others;
    }
    wiring
}

/// Chooses the calls that the installed version of Claude Code makes in a linked work tree, without
/// the settings of the main one or with them; those of newer versions if it cannot be told. Returns
/// what to know about it, too.
pub(super) fn by_version(
    main: &str,
    client: Option<Version>,
    without: Wiring,
    with: Wiring,
) -> (Wiring, Option<String>) {
    let since = READS_MAIN_SETTINGS;
    match client {
        _ if with == without => (with, None),
        Some(client) if client >= since => (with, None),
        Some(client) => {
            let note = format!(
                "Claude Code {client} does not read '{main}' in a linked work tree; {since} does"
            );
            (without, Some(note))
        }
        None => {
            let so = match without.troubles.as_slice() {
                _ if !without.is_there => "does not call git coord here".to_owned(),
                [] => "runs what the settings here say".to_owned(),
                troubles => format!("has this trouble: {}", troubles.join("; ")),
            };
            let note = format!(
                "the version of Claude Code cannot be told: before {since} it does not read \
                 '{main}' in a linked work tree, and {so}"
            );
            (with, Some(note))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::app::install::settings::{Wanted, hooks};

    fn judged(values: &[Value]) -> Wiring {
        let source = |value: &Value| Source {
            path: "settings".into(),
            settings: Settings::read(value.to_string().as_bytes()),
        };
        wiring(&values.iter().map(source).collect::<Vec<_>>())
    }

    fn ours() -> Value {
        json!({ "hooks": hooks(false) })
    }

    #[test]
    fn what_install_writes_is_all_that_is_needed() {
        let wiring = judged(&[ours()]);
        assert!(wiring.is_there && wiring.troubles.is_empty(), "{wiring:?}");
        assert_eq!(wiring.before_edit.unwrap().shown(), Handler::written(false));
        let wanted = Wanted { fail_closed: true, allow: true };
        let closed = Settings::empty().with_ours(wanted).unwrap().written();
        let closed: Value = serde_json::from_slice(&closed).unwrap();
        assert_eq!(judged(&[closed]).troubles, [""; 0]);
    }

    /// 8/NO-HARM: other agents would run it without its arguments.
    #[test]
    fn the_form_of_earlier_versions_is_named() {
        let mut settings = ours();
        settings["hooks"]["Stop"][0]["hooks"][0] =
            json!({"type": "command", "command": "git-coord", "args": ["hook", "claude"]});
        let wiring = judged(&[settings]);
        assert_eq!(wiring.troubles.len(), 1, "{wiring:?}");
        assert!(wiring.troubles[0].contains("'settings' calls git coord in an old form"));
    }

    #[test]
    fn each_event_that_is_missing_is_named() {
        let mut settings = ours();
        settings["hooks"].as_object_mut().unwrap().remove("PreToolUse");
        settings["hooks"]["PostToolUse"][0]["matcher"] = json!("Bash|Edit");
        let wiring = judged(&[settings]);
        let expected = "Claude Code does not call git coord at PreToolUse; PostToolUse of Write, \
                        NotebookEdit, Read";
        assert_eq!(wiring.troubles, [expected]);
        assert!(wiring.is_there && wiring.before_edit.is_none());
    }

    #[test]
    fn the_strongest_switch_counts() {
        let on = json!({ "disableAllHooks": false });
        let off = json!({ "disableAllHooks": true });
        assert!(judged(&[on.clone(), ours(), off.clone()]).troubles.is_empty());
        let wiring = judged(&[off, ours(), on]);
        assert!(wiring.troubles[0].contains("disableAllHooks"), "{wiring:?}");
        assert!(wiring.is_there && wiring.before_edit.is_none());
    }

    /// Nothing that merely has our name in it is taken for what `install` has written.
    #[test]
    fn other_words_are_kept_apart() {
        let handler = json!({ "type": "command", "command": "id # git coord hook claude" });
        let group = json!({ "matcher": "Edit", "hooks": [handler] });
        let foreign = json!({ "hooks": { "PreToolUse": [group] } });
        let alone = judged(std::slice::from_ref(&foreign));
        assert!(alone.is_there && alone.before_edit.is_none(), "{alone:?}");
        assert_eq!(alone.in_other_words.len(), 1);
        let both = judged(&[foreign, ours()]);
        assert!(both.before_edit.unwrap().as_installed().is_some());
        assert_eq!(both.in_other_words.len(), 1);
    }

    /// Older versions read the settings of a linked work tree only, newer ones those of the main
    /// one, too.
    #[test]
    fn the_main_work_tree_counts_for_the_versions_that_read_it() {
        let (with, without) = (|| judged(&[ours()]), || judged(&[json!({})]));
        let chosen = |client| by_version("main", client, without(), with());
        assert_eq!(chosen(Some(READS_MAIN_SETTINGS)), (with(), None));
        let (wiring, note) = chosen(Some(Version(2, 1, 210)));
        assert_eq!(
            (wiring, note.unwrap()),
            (without(), {
                "Claude Code 2.1.210 does not read 'main' in a linked work tree; 2.1.211 does"
                    .to_owned()
            })
        );
        let (wiring, note) = chosen(None);
        assert_eq!(wiring, with());
        assert!(note.unwrap().ends_with("and does not call git coord here"));
        assert_eq!(by_version("main", None, with(), with()), (with(), None));
        let partly = judged(&[json!({ "hooks": { "Stop": ours()["hooks"]["Stop"] } })]);
        let (_, note) = by_version("main", None, partly, with());
        assert!(
            note.unwrap().contains("trouble: Claude Code does not call git coord at PreToolUse")
        );
        let off = judged(&[json!({ "disableAllHooks": true }), ours()]);
        let (_, note) = by_version("main", None, with(), off);
        assert!(note.unwrap().ends_with("and runs what the settings here say"));
    }

    #[test]
    fn where_nothing_is_ours_nothing_is_wrong() {
        let wiring = judged(&[json!({ "hooks": { "Stop": [] } })]);
        assert!(!wiring.is_there && wiring.troubles.is_empty());
    }
}
