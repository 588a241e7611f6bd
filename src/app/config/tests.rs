//! Tests of the settings.

use super::*;

fn read(name: &str, text: &str) -> Result<Settings, SettingError> {
    Settings::read(&|asked| (asked == name).then(|| text.to_owned()))
}

#[test]
fn defaults_come_from_the_table() {
    let settings = Settings::default();
    assert_eq!(settings.wait, Duration::from_secs(30));
    assert_eq!(settings.ttl.as_seconds(), 900);
    assert!(settings.fsync && settings.queue && settings.agent.is_none());
    let hook = settings.hook;
    let HookSettings { enabled, fail_closed, people, shell, release, trailers, .. } = hook;
    assert_eq!((hook.changes, hook.leftovers), (Severity::Refuse, Severity::Warn));
    assert!(!enabled && !fail_closed && !trailers && shell);
    assert_eq!((people, release), (Severity::Warn, ReleaseWith::Turn));
}

#[test]
fn configured_values_win() {
    assert_eq!(read("coord.wait", "2m").map(|s| s.wait), Ok(Duration::from_secs(120)));
    assert_eq!(read("coord.fsync", "off").map(|s| s.fsync), Ok(false));
    let people = read("coord.hook.people", "refuse").map(|s| s.hook.people);
    assert_eq!(people, Ok(Severity::Refuse));
    let release = read("coord.hook.release", "ttl").map(|s| s.hook.release.is_at_commit());
    assert_eq!(release, Ok(false));
    let agent = read("coord.agent", "ci").map(|s| s.agent.map(|name| name.to_string()));
    assert_eq!(agent, Ok(Some("ci".to_owned())));
}

#[test]
fn a_bad_value_is_named_with_its_key() {
    for (key, text) in [
        ("coord.wait", "30"),
        ("coord.ttl", "25h"),
        ("coord.fsync", "maybe"),
        ("coord.agent", "no spaces"),
        ("coord.enabled", "perhaps"),
        ("coord.hook.people", "bite"),
        ("coord.hook.changes", "keep"),
        ("coord.hook.release", "never"),
    ] {
        let error = read(key, text).expect_err(text);
        assert_eq!((error.key, error.value.as_str()), (key, text));
        assert_eq!(error.to_string(), format!("bad value '{text}' for config key '{key}'"));
    }
}

#[test]
fn booleans_are_git_booleans() {
    for text in ["true", "Yes", "ON", "1", "-1", "42"] {
        assert_eq!(parse_boolean(text), Some(true), "{text}");
    }
    for text in ["false", "no", "Off", "0", ""] {
        assert_eq!(parse_boolean(text), Some(false), "{text}");
    }
    assert_eq!(parse_boolean("maybe"), None);
}

#[test]
fn every_default_fits_its_key() {
    for key in KEYS {
        assert_eq!(check(&default_of, &key), Ok(()), "{}", key.name);
    }
}

#[test]
fn misspelt_keys_are_found() {
    let configured = ["coord.ttl", "coord.tll", "coord.clockskew", "Coord.Wait", "user.name"];
    assert_eq!(unknown_keys(configured), ["coord.tll"]);
}

#[test]
fn a_switch_is_on_where_it_is_set_and_not_off() {
    let is_on = |text: Option<&str>| is_set_on(&|_| text.map(str::to_owned), "coord.enabled");
    assert!(is_on(Some("true")) && is_on(Some("perhaps")));
    assert!(!is_on(Some("no")) && !is_on(None));
}
