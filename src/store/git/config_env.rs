//! Configuration from the environment.
//!
//! `git -c key=value coord ...` arrives as `GIT_CONFIG_PARAMETERS`, and scripts use
//! `GIT_CONFIG_COUNT` with `GIT_CONFIG_KEY_<n>` and `GIT_CONFIG_VALUE_<n>`. libgit2 reads neither.
//! This module only parses; `config` combines the result with the files.

use std::collections::BTreeMap;

use crate::core::environment::Environment;

/// The maximum of `GIT_CONFIG_COUNT`. A higher one is a mistake.
const COUNT_MAX: usize = 10_000;

/// The reason that the configuration in the environment cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigEnvError {
    /// `GIT_CONFIG_PARAMETERS` is not a list of quoted words.
    #[error("bogus format in GIT_CONFIG_PARAMETERS")]
    Parameters,
    /// `GIT_CONFIG_COUNT` is not a number, or too high.
    #[error("bogus count in GIT_CONFIG_COUNT: '{0}'")]
    Count(String),
    /// A variable that `GIT_CONFIG_COUNT` announces is not set.
    #[error("missing environment variable '{0}'")]
    Missing(String),
    /// A key has no section or no name.
    #[error("'{0}' is not a config key: it has no section and name")]
    Key(String),
}

/// Reads the settings: keys in git's normal spelling with their effective values. A key without a
/// value is `true`.
pub fn from_environment(env: &Environment) -> Result<BTreeMap<String, String>, ConfigEnvError> {
    let mut values = BTreeMap::new();
    // In git's order, so that `-c` overrides the counted pairs.
    for (key, value) in counted_pairs(env)? {
        values.insert(normal_key(&key)?, value);
    }
    for (key, value) in parameters(env.text("GIT_CONFIG_PARAMETERS").unwrap_or_default())? {
        values.insert(normal_key(&key)?, value);
    }
    Ok(values)
}

/// Normalises a key: the section and the name become lower case, the subsection between them stays.
pub fn normal_key(key: &str) -> Result<String, ConfigEnvError> {
    let (Some(section_end), Some(last_dot)) = (key.find('.'), key.rfind('.')) else {
        return Err(ConfigEnvError::Key(key.to_owned()));
    };
    if section_end == 0 || last_dot + 1 == key.len() {
        return Err(ConfigEnvError::Key(key.to_owned()));
    }
    let mut normal = key.to_owned();
    normal[..section_end].make_ascii_lowercase();
    normal[last_dot..].make_ascii_lowercase();
    Ok(normal)
}

fn counted_pairs(env: &Environment) -> Result<Vec<(String, String)>, ConfigEnvError> {
    let Some(text) = env.non_empty("GIT_CONFIG_COUNT") else {
        return Ok(Vec::new());
    };
    let count: usize = text
        .parse()
        .ok()
        .filter(|count| *count <= COUNT_MAX)
        .ok_or_else(|| ConfigEnvError::Count(text.to_owned()))?;
    let variable = |name: String| match env.text(&name) {
        Some(value) => Ok(value.to_owned()),
        None => Err(ConfigEnvError::Missing(name)),
    };
    (0..count)
        .map(|n| {
            Ok((
                variable(format!("GIT_CONFIG_KEY_{n}"))?,
                variable(format!("GIT_CONFIG_VALUE_{n}"))?,
            ))
        })
        .collect()
}

/// Parses both forms that git writes: `'key=value'`, and since 2.31 `'key'='value'`. In the second
/// form a key without a quoted value has none.
fn parameters(text: &str) -> Result<Vec<(String, String)>, ConfigEnvError> {
    let mut pairs = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (word, after) = unquote(rest).ok_or(ConfigEnvError::Parameters)?;
        let pair = if let Some(after_equals) = after.strip_prefix('=') {
            if after_equals.starts_with('\'') {
                let (value, after) = unquote(after_equals).ok_or(ConfigEnvError::Parameters)?;
                rest = after;
                (word, value)
            } else {
                rest = after_equals;
                (word, "true".to_owned())
            }
        } else {
            rest = after;
            match word.split_once('=') {
                Some((key, value)) => (key.to_owned(), value.to_owned()),
                None => (word, "true".to_owned()),
            }
        };
        pairs.push(pair);
        if !rest.is_empty() && !rest.starts_with(char::is_whitespace) {
            return Err(ConfigEnvError::Parameters);
        }
        rest = rest.trim_start();
    }
    Ok(pairs)
}

/// Parses one word that git has quoted for the shell, and returns the rest. Between single quotes
/// every character is literal; outside, only `\'` and `\!` appear.
fn unquote(text: &str) -> Option<(String, &str)> {
    let mut word = String::new();
    let mut rest = text.strip_prefix('\'')?;
    loop {
        let (inside, after) = rest.split_once('\'')?;
        word.push_str(inside);
        let reopened = ["\\''", "\\!'"].into_iter().find(|escape| after.starts_with(escape));
        let Some(escape) = reopened else {
            return Some((word, after));
        };
        word.push_str(&escape[1..2]);
        rest = &after[escape.len()..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str) -> Vec<(String, String)> {
        parameters(text).expect("well formed")
    }

    fn pair(key: &str, value: &str) -> (String, String) {
        (key.to_owned(), value.to_owned())
    }

    #[test]
    fn both_spellings_of_a_parameter_are_read() {
        assert_eq!(pairs(""), []);
        assert_eq!(pairs("'a.b=c'"), [pair("a.b", "c")]);
        assert_eq!(pairs("'a.b'='c'"), [pair("a.b", "c")]);
        assert_eq!(pairs("'a.b=c' 'd.e'='f=g'"), [pair("a.b", "c"), pair("d.e", "f=g")]);
        assert_eq!(pairs("'a.b=c=d'"), [pair("a.b", "c=d")]);
        assert_eq!(pairs("'a.b'='' 'c.d='"), [pair("a.b", ""), pair("c.d", "")]);
    }

    #[test]
    fn a_key_without_value_is_true() {
        assert_eq!(pairs("'a.b'"), [pair("a.b", "true")]);
        assert_eq!(pairs("'a.b'= 'c.d=e'"), [pair("a.b", "true"), pair("c.d", "e")]);
    }

    #[test]
    fn quotes_and_exclamation_marks_are_unquoted() {
        assert_eq!(pairs(r"'a.b=it'\''s'"), [pair("a.b", "it's")]);
        assert_eq!(pairs(r"'a.b'='hey'\!' you'"), [pair("a.b", "hey! you")]);
        assert_eq!(pairs(r"'a.b=x'\'''\''y z'"), [pair("a.b", "x''y z")]);
    }

    #[test]
    fn what_git_would_not_write_is_refused() {
        for text in ["a.b=c", "'a.b=c", "'a.b=c'x", r"'a.b=c'\x", "'a.b'='c", "'a.b'='c'd"] {
            assert_eq!(parameters(text), Err(ConfigEnvError::Parameters), "{text}");
        }
    }

    #[test]
    fn keys_ignore_case_except_in_the_subsection() {
        assert_eq!(normal_key("Coord.clockSkew").as_deref(), Ok("coord.clockskew"));
        assert_eq!(
            normal_key("URL.Https://X.y.insteadOf").as_deref(),
            Ok("url.Https://X.y.insteadof")
        );
        for bad in ["coord", ".x", "coord.", ""] {
            assert!(normal_key(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn parameters_win_over_the_count_and_the_last_value_wins() {
        let env: Environment = [
            ("GIT_CONFIG_COUNT", "2"),
            ("GIT_CONFIG_KEY_0", "coord.ttl"),
            ("GIT_CONFIG_VALUE_0", "1m"),
            ("GIT_CONFIG_KEY_1", "coord.Wait"),
            ("GIT_CONFIG_VALUE_1", "2s"),
            ("GIT_CONFIG_PARAMETERS", "'coord.ttl'='2m' 'coord.TTL'='3m'"),
        ]
        .into_iter()
        .collect();
        let values = from_environment(&env).expect("well formed");
        assert_eq!(values["coord.ttl"], "3m");
        assert_eq!(values["coord.wait"], "2s");
    }

    #[test]
    fn a_bad_count_is_named() {
        let count =
            |value: &str| -> Environment { [("GIT_CONFIG_COUNT", value)].into_iter().collect() };
        for value in ["x", "-1", "10001", "1e9"] {
            assert_eq!(from_environment(&count(value)), Err(ConfigEnvError::Count(value.into())));
        }
        let missing = ConfigEnvError::Missing("GIT_CONFIG_KEY_0".into());
        assert_eq!(from_environment(&count("1")), Err(missing));
        assert_eq!(from_environment(&count("")), Ok(BTreeMap::new()));
    }
}
