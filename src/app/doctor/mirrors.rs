//! Remotes that push or fetch the ledgers without being asked to. Pure: configuration in, checks
//! out.

use super::{Check, State};
use crate::app::install::plan::Setting;
use crate::store::layout::{EVERY_REF, NAMESPACE};

const NAME: &str = "mirrors";

/// Checks what the configured remotes do to the ledgers.
pub(super) fn mirrors(local: &[Setting]) -> Vec<Check> {
    let mut checks = Vec::new();
    for remote in remotes(local) {
        let values = |name: &str| -> Vec<&str> {
            let key = format!("remote.{remote}.{name}");
            let is_it = |setting: &&Setting| setting.key.eq_ignore_ascii_case(&key);
            local.iter().filter(is_it).map(|setting| setting.value.as_str()).collect()
        };
        let fetched = values("fetch");
        if let Some(taken) = fetched.iter().find(|refspec| replaces_ledgers(refspec))
            && !fetched.iter().any(|refspec| leaves_ledgers_out(refspec))
        {
            let text = format!(
                "'git fetch {remote}' replaces the ledgers here by those there, by '{taken}'; \
                 leave them out"
            );
            let key = format!("remote.{remote}.fetch");
            let leave_out = format!("^{EVERY_REF}");
            let next = ["git", "config", "--add", &key, &leave_out];
            checks.push(Check::new(NAME, State::Warning, text).with_next(&next));
        }
        if values("mirror").iter().any(|value| *value != "false") {
            let text = format!(
                "'git push {remote}' publishes the ledgers, with the reasons in them, since \
                 remote.{remote}.mirror is set"
            );
            checks.push(Check::new(NAME, State::Note, text));
        }
    }
    checks
}

/// Lists the names of the remotes, each once.
fn remotes(local: &[Setting]) -> Vec<&str> {
    let name = |setting: &'_ Setting| -> Option<usize> {
        setting.key.get(.."remote.".len()).filter(|start| start.eq_ignore_ascii_case("remote."))?;
        setting.key.rfind('.').filter(|end| *end > "remote.".len())
    };
    let names = local.iter().filter_map(|s| name(s).map(|end| &s.key["remote.".len()..end]));
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Tells whether a fetch by the refspec writes below our namespace.
fn replaces_ledgers(refspec: &str) -> bool {
    let Some((_, to)) = refspec.trim_start_matches('+').split_once(':') else { return false };
    match to.split_once('*') {
        Some((start, _)) => NAMESPACE.starts_with(start) || start.starts_with(NAMESPACE),
        None => to.starts_with(NAMESPACE),
    }
}

/// Tells whether the refspec excludes all our refs from a fetch.
fn leaves_ledgers_out(refspec: &str) -> bool {
    let start = refspec.strip_prefix('^').and_then(|pattern| pattern.strip_suffix('*'));
    start.is_some_and(|start| NAMESPACE.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states(pairs: &[(&str, &str)]) -> Vec<State> {
        let settings: Vec<Setting> =
            pairs.iter().map(|(key, value)| Setting::new(*key, *value)).collect();
        mirrors(&settings).iter().map(|check| check.state).collect()
    }

    #[test]
    fn what_takes_the_ledgers_along_is_named() {
        let all = ("remote.up.fetch", "+refs/*:refs/*");
        assert_eq!(states(&[all]), [State::Warning]);
        assert_eq!(states(&[all, ("remote.up.mirror", "true")]), [State::Warning, State::Note]);
        assert_eq!(states(&[all, ("remote.up.fetch", "^refs/coord/*")]), []);
        // That is of another remote.
        assert_eq!(states(&[all, ("remote.b.c.fetch", "^refs/coord/*")]), [State::Warning]);
        for fetch in ["+refs/heads/*:refs/remotes/up/*", "refs/coord/*:refs/theirs/coord/*", "main"]
        {
            assert_eq!(states(&[("remote.up.fetch", fetch)]), [], "{fetch}");
        }
        for fetch in ["refs/coord/*:refs/coord/*", "+refs/x:refs/coord/runs", "+refs/c*:refs/c*"] {
            assert_eq!(states(&[("remote.up.fetch", fetch)]), [State::Warning], "{fetch}");
        }
        assert_eq!(states(&[("remote.up.mirror", "false"), ("core.bare", "true")]), []);
    }
}
