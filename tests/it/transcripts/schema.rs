//! Validates every JSON answer against the schema of its command.
//!
//! This is a validator of our own: it knows the keywords that our schemas use, and fails on every
//! other. A member that the schema does not name is a fault as well, where a general validator
//! would let it pass: readers of a schema should find everything that is printed.

use std::collections::{BTreeSet, HashMap};
use std::sync::OnceLock;

use git_coord::app::schema::{ALL, CommandSchema};
use regex_automata::Input;
use regex_automata::dfa::Automaton as _;
use regex_automata::dfa::dense::DFA;
use serde_json::{Map, Value};

/// The members of an object that a schema describes.
type Known = BTreeSet<String>;

/// Keywords without any effect on validity.
const REMARKS: [&str; 6] = ["$schema", "$defs", "title", "description", "format", "default"];

/// Fails if an answer of a command does not match its schema. `words` begin with the command.
#[track_caller]
pub(super) fn check(words: &str, answer: &Value) {
    let Some(command) = of(words) else { return };
    let schema = made(command);
    if let Err(why) = valid(schema, schema, answer) {
        panic!("'git coord {words}' is not as {} says: {why}\n{answer:#}", command.file);
    }
}

/// Finds the schema of the command that the words begin with.
pub(super) fn of(words: &str) -> Option<&'static CommandSchema> {
    let begins = |one: &&CommandSchema| {
        let rest = words.strip_prefix(one.command);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    ALL.iter().filter(begins).max_by_key(|one| one.command.len())
}

/// Builds each schema once.
fn made(command: &CommandSchema) -> &'static Value {
    static MADE: OnceLock<HashMap<&str, Value>> = OnceLock::new();
    let all = || ALL.iter().map(|one| (one.command, one.schema().to_value())).collect();
    &MADE.get_or_init(all)[command.command]
}

/// Explains why a value is not valid, or has a member that its schema does not name.
fn valid(root: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    let known = evaluated(root, schema, value)?;
    let unknown = |name: &&String| !known.contains(*name);
    match value.as_object().and_then(|members| members.keys().find(unknown)) {
        Some(name) => Err(format!("'{name}' is in no schema")),
        None => Ok(()),
    }
}

fn evaluated(root: &Value, schema: &Value, value: &Value) -> Result<Known, String> {
    let keywords = match schema {
        Value::Bool(true) => return Ok(names(value)),
        Value::Object(keywords) => keywords,
        other => return Err(format!("{other} is no schema")),
    };
    if keywords.keys().all(|keyword| REMARKS.contains(&keyword.as_str())) {
        // Anything is valid.
        return Ok(names(value));
    }
    let mut known = Known::new();
    for (keyword, rule) in keywords {
        known.extend(by_keyword(root, keywords, (keyword, rule), value)?);
    }
    Ok(known)
}

fn by_keyword(
    root: &Value,
    keywords: &Map<String, Value>,
    (keyword, rule): (&str, &Value),
    value: &Value,
) -> Result<Known, String> {
    let unfit = || format!("{value} does not fit \"{keyword}\": {rule}");
    let none = |holds: bool| holds.then(Known::new).ok_or_else(unfit);
    match keyword {
        "$ref" => {
            let place = rule.as_str().and_then(|rule| rule.strip_prefix('#'));
            let target = place.and_then(|place| root.pointer(place));
            evaluated(root, target.ok_or(format!("no {rule}"))?, value)
        }
        "anyOf" | "oneOf" => {
            let branches = listed(rule).iter().map(|branch| evaluated(root, branch, value));
            let (good, bad): (Vec<_>, Vec<_>) = branches.partition(Result::is_ok);
            if good.is_empty() || (keyword == "oneOf" && good.len() > 1) {
                let why: Vec<String> = bad.into_iter().filter_map(Result::err).collect();
                return Err(format!("{} of {keyword} fit: {}", good.len(), why.join("; or ")));
            }
            Ok(good.into_iter().flatten().flatten().collect())
        }
        "allOf" => {
            let all: Result<Vec<Known>, String> =
                listed(rule).iter().map(|part| evaluated(root, part, value)).collect();
            Ok(all?.into_iter().flatten().collect())
        }
        "type" => none(match rule {
            Value::Array(kinds) => kinds.iter().any(|kind| is_a(value, kind)),
            kind => is_a(value, kind),
        }),
        "const" => none(value == rule),
        "enum" => none(listed(rule).contains(value)),
        "minimum" => none(value.as_f64() >= rule.as_f64()),
        "maximum" => none(value.as_f64() <= rule.as_f64()),
        "pattern" => none(value.as_str().is_some_and(|text| matches(rule, text))),
        "required" => none(listed(rule).iter().all(|name| names(value).contains(text(name)))),
        "items" => {
            for item in value.as_array().into_iter().flatten() {
                valid(root, rule, item)?;
            }
            Ok(Known::new())
        }
        "properties" => {
            let rules = rule.as_object().expect("properties are an object");
            let members = value.as_object().into_iter().flatten();
            let mut known = Known::new();
            for (name, member) in members {
                let Some(rule) = rules.get(name) else { continue };
                valid(root, rule, member).map_err(|why| format!("{name}: {why}"))?;
                known.insert(name.clone());
            }
            Ok(known)
        }
        "additionalProperties" => {
            let named = keywords.get("properties").map(names).unwrap_or_default();
            let members = value.as_object().into_iter().flatten();
            let mut known = Known::new();
            for (name, member) in members.filter(|(name, _)| !named.contains(*name)) {
                valid(root, rule, member).map_err(|why| format!("{name}: {why}"))?;
                known.insert(name.clone());
            }
            Ok(known)
        }
        remark if REMARKS.contains(&remark) => Ok(Known::new()),
        other => Err(format!("the keyword '{other}' is unknown to this test")),
    }
}

fn names(value: &Value) -> Known {
    value.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect()
}

fn listed(rule: &Value) -> &[Value] {
    rule.as_array().expect("the rule is a list")
}

fn text(rule: &Value) -> &str {
    rule.as_str().expect("the rule is a text")
}

fn is_a(value: &Value, kind: &Value) -> bool {
    match text(kind) {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        other => panic!("'{other}' is no type"),
    }
}

fn matches(pattern: &Value, value: &str) -> bool {
    let automaton = DFA::new(text(pattern)).expect("a pattern of ours is small");
    automaton.try_search_fwd(&Input::new(value)).expect("plain text").is_some()
}

/// Commands without a schema, each with the reason.
pub(super) const WITHOUT: [(&str, &str); 2] =
    [("completions", "it prints a script for a shell"), ("help", "it prints text for people")];

#[test]
fn every_command_has_a_schema() {
    let has_one = |command: &str| {
        let begins = |one: &CommandSchema| {
            let rest = one.command.strip_prefix(command);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        ALL.iter().any(begins) != WITHOUT.iter().any(|(name, _)| *name == command)
    };
    let commands = super::commands();
    let wrong: Vec<&String> = commands.iter().filter(|command| !has_one(command)).collect();
    assert!(wrong.is_empty(), "with neither schema nor reason, or with both: {wrong:?}");
}

/// A validator that finds nothing would be worth nothing.
#[test]
fn an_answer_that_differs_from_its_schema_is_found() {
    let free = serde_json::json!({ "schema": 1, "ok": true, "free": true, "conflicts": [] });
    check("check src", &free);
    let faults = [
        ("free", serde_json::json!("yes")),
        ("conflicts", serde_json::json!([{ "pattern": "src" }])),
        ("surprise", serde_json::json!(1)),
        ("entry", serde_json::json!("xyz")),
    ];
    let command = of("check --lock x").expect("there is one");
    for (name, value) in faults {
        let mut answer = free.clone();
        answer[name] = value;
        let found = valid(made(command), made(command), &answer);
        assert!(found.is_err(), "{name}");
    }
}
