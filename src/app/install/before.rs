//! The state of the repository before the installation: the values of keys, and whether there was a
//! directory of hooks. Pure.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::app::install::plan::{
    Act, DECORATION, ENABLED, Item, MONITOR, MONITOR_CALL, Need, Setting,
};
use crate::store::layout::EVERY_REF;
use crate::store::os::files::Rights;

/// The note on that state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Before {
    /// The values that were replaced, by the key that was set.
    #[serde(default)]
    settings: BTreeMap<String, Vec<String>>,
    /// Set if `install` made the directory of hooks.
    #[serde(default)]
    made_hooks: bool,
}

impl Before {
    fn write(&self, path: &Path) -> Act {
        let content = serde_json::to_vec(self).expect("keys and values are plain data");
        Act::Write { path: path.to_owned(), content, rights: Rights::AsBefore }
    }
}

/// The file that keeps the note, and its content.
pub struct Noted<'a> {
    pub path: &'a Path,
    /// None where there is no note yet.
    pub before: Option<Before>,
}

/// Plans the repository's settings. A value that is set already is the user's own, and stays.
pub fn configuration(local: &[Setting], noted: &mut Noted<'_>) -> Vec<Item> {
    let mut item = |setting: Setting, set: fn(Setting) -> Act, replaced: Vec<String>| {
        if setting.is_in(local) {
            return Item::already_so(setting.shown());
        }
        let before = noted.before.get_or_insert_default();
        // These values replace those of an earlier note: the user has changed the key since.
        before.settings.insert(setting.key.clone(), replaced);
        let what = setting.shown();
        Item::change(what, [before.write(noted.path), set(setting)])
    };
    let is_switch = |set: &&Setting| set.key.eq_ignore_ascii_case(ENABLED);
    let switches = local.iter().filter(is_switch).map(|set| set.value.clone()).collect();
    vec![
        item(Setting::new(DECORATION, EVERY_REF), Act::Add, Vec::new()),
        item(Setting::new(ENABLED, "true"), Act::Set, switches),
    ]
}

/// Plans that git calls us when it reads the index. `present` is the value that counts now,
/// wherever it is set: another one is the user's own, and stays.
pub fn monitor(present: Option<&str>, local: &[Setting], noted: &mut Noted<'_>) -> Item {
    let setting = Setting::new(MONITOR, MONITOR_CALL);
    match present {
        Some(_) if setting.is_in(local) => Item::already_so(setting.shown()),
        Some(other) => Item::note(format!(
            "not saved before your own commands: {MONITOR} is '{other}' already, and stays"
        )),
        None => {
            let before = noted.before.get_or_insert_default();
            before.settings.insert(MONITOR.to_owned(), Vec::new());
            Item::change(setting.shown(), [before.write(noted.path), Act::Set(setting)])
        }
    }
}

/// Notes that the directory of hooks is ours, if the plan is to make it.
pub fn remember_directory(items: &mut [Item], directory: &Path, noted: &mut Noted<'_>) {
    let is_in_it = |act: &Act| match act {
        Act::Write { path, .. } => path.parent() == Some(directory),
        _ => false,
    };
    let makes_it = items.iter_mut().find_map(|item| match &mut item.need {
        Need::Change(acts) if acts.iter().any(is_in_it) => Some(acts),
        _ => None,
    });
    if let Some(acts) = makes_it.filter(|_| !directory.exists()) {
        let before = noted.before.get_or_insert_default();
        before.made_hooks = true;
        acts.insert(0, before.write(noted.path));
    }
}

/// Plans the way back for the settings that still have the value that `install` set.
pub fn without_configuration(local: &[Setting], noted: &Noted<'_>) -> Vec<Item> {
    let Some(before) = &noted.before else { return Vec::new() };
    let ours = [
        Setting::new(ENABLED, "true"),
        Setting::new(MONITOR, MONITOR_CALL),
        Setting::new(DECORATION, EVERY_REF),
    ];
    let mut items = Vec::new();
    for setting in ours.into_iter().filter(|setting| setting.is_in(local)) {
        let Some(values) = before.settings.get(&setting.key) else { continue };
        let with = |value: &String| Setting::new(setting.key.clone(), value.clone());
        items.push(match values.as_slice() {
            [] => Item::change(format!("no {}", setting.shown()), [Act::Unset(setting)]),
            [first, rest @ ..] => {
                let mut acts = vec![Act::Set(with(first))];
                acts.extend(rest.iter().map(|value| Act::Add(with(value))));
                Item::change(with(first).shown(), acts)
            }
        });
    }
    items
}

/// Plans the last steps, once the hooks are gone: an empty directory of hooks that we made goes,
/// and so does the note.
pub fn forget(directory: &Path, noted: &Noted<'_>) -> Option<Item> {
    let before = noted.before.as_ref()?;
    let directory = before.made_hooks.then(|| Act::RemoveIfEmpty(directory.to_owned()));
    let acts: Vec<Act> =
        directory.into_iter().chain([Act::Remove(noted.path.to_owned())]).collect();
    Some(Item::change("no note on what was here before", acts))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noted(before: Option<Before>) -> Noted<'static> {
        Noted { path: Path::new("note"), before }
    }

    /// Applies the acts to a list of settings.
    fn after(mut local: Vec<Setting>, items: &[Item]) -> Vec<Setting> {
        for item in items {
            let Need::Change(acts) = &item.need else { continue };
            for act in acts {
                match act {
                    Act::Set(set) => {
                        local.retain(|known| known.key != set.key);
                        local.push(set.clone());
                    }
                    Act::Add(set) => local.push(set.clone()),
                    Act::Unset(set) => local.retain(|known| known != set),
                    Act::Write { .. } => {}
                    other => panic!("{other:?}"),
                }
            }
        }
        local
    }

    /// 7/CALLER-ENV: what was set before is set again, and what was not is not.
    #[test]
    fn the_way_back_ends_at_the_same_values() {
        let notes = Setting::new(DECORATION, "refs/notes/*");
        let own = Setting::new(DECORATION, EVERY_REF);
        let switch = |value: &str| Setting::new(ENABLED, value);
        for before in [
            vec![],
            vec![notes.clone()],
            vec![own, notes],
            vec![switch("false")],
            vec![switch("false"), switch("no")],
            vec![switch("true")],
        ] {
            let mut note = noted(None);
            let there = after(before.clone(), &configuration(&before, &mut note));
            assert!(configuration(&there, &mut note).iter().all(|item| !item.is_change()));
            let back = after(there.clone(), &without_configuration(&there, &note));
            assert_eq!(back, before);
        }
    }

    /// 8/TERMINAL: what another program or the user has set stays, and the way back takes away what
    /// was set.
    #[test]
    fn a_monitor_of_the_users_stays() {
        let ours = Setting::new(MONITOR, MONITOR_CALL);
        let mut note = noted(None);
        let items = [monitor(None, &[], &mut note)];
        let there = after(Vec::new(), &items);
        assert_eq!(there, std::slice::from_ref(&ours));
        let again = monitor(Some(MONITOR_CALL), &there, &mut note);
        assert_eq!(again.need, Need::AlreadySo);
        assert_eq!(after(there.clone(), &without_configuration(&there, &note)), []);
        for other in ["true", "false", "watchman", ""] {
            let local = [Setting::new(MONITOR, other)];
            let item = monitor(Some(other), &local, &mut noted(None));
            assert_eq!(item.need, Need::Note, "{other}");
            assert_eq!(without_configuration(&local, &note), [], "{other}");
        }
    }

    #[test]
    fn what_somebody_set_since_stays() {
        let mut note = noted(None);
        let there = after(Vec::new(), &configuration(&[], &mut note));
        let mut changed = there.clone();
        changed[1].value = "false".to_owned();
        let back = after(changed.clone(), &without_configuration(&changed, &note));
        assert_eq!(back, changed[1..]);
        assert_eq!(without_configuration(&there, &noted(None)), [], "nobody knows whose it is");
    }
}
