//! Tests of who acts.

use super::*;

const CLAUDE_SESSION: &str = "7f3a91c2-8480-4d24-b52d-4b107c2a7701";
const CODEX_THREAD: &str = "019d1afb-b2c7-72d3-b240-f3ee9d31b2c9";

fn login(user: &str) -> Login {
    Login { user: user.to_owned(), host: "laptop".to_owned() }
}

fn identified(variables: &[(&str, &str)], configured: Option<&str>) -> Identity {
    let environment = variables.iter().copied().collect();
    let configured: Option<AgentName> = configured.map(|name| name.parse().expect("good"));
    let inputs = IdentityInputs {
        option: None,
        environment: &environment,
        configured: configured.as_ref(),
        login: &login("mia"),
    };
    identify(&inputs).expect("good names")
}

#[test]
fn the_first_source_that_names_someone_wins() {
    use ActorKind::{Agent, Person};
    let all = [
        ("GIT_COORD_AGENT", "ci/1"),
        ("CLAUDE_CODE_SESSION_ID", CLAUDE_SESSION),
        ("CODEX_THREAD_ID", CODEX_THREAD),
    ];
    let table = [
        (&all[..], "ci/1", Agent, "GIT_COORD_AGENT"),
        (&all[1..], "claude:7f3a91c2", Agent, "CLAUDE_CODE_SESSION_ID"),
        (&all[2..], "codex:9d31b2c9", Agent, "CODEX_THREAD_ID"),
        (&all[3..], "configured", Agent, "coord.agent"),
    ];
    for (variables, name, kind, why) in table {
        let who = identified(variables, Some("configured"));
        assert_eq!((who.name.as_str(), who.kind), (name, kind));
        assert_eq!(who.source.description(), why);
    }
    let person = identified(&all[3..], None);
    assert_eq!((person.name.as_str(), person.kind), ("mia@laptop", Person));
    assert_eq!(person.source, IdentitySource::Login);
}

#[test]
fn the_option_wins_over_everything() {
    let environment = [("GIT_COORD_AGENT", "not a name")].into_iter().collect();
    let option = "alice".parse().expect("good");
    let mut inputs = IdentityInputs {
        option: Some(&option),
        environment: &environment,
        configured: None,
        login: &login("mia"),
    };
    assert_eq!(identify(&inputs).map(|who| who.source), Ok(IdentitySource::Option));
    inputs.option = None;
    let error = identify(&inputs).expect_err("a bad variable is not passed over");
    assert_eq!(error.to_string(), "bad agent name 'not a name' in GIT_COORD_AGENT");
}

#[test]
fn empty_variables_say_nothing() {
    let who = identified(&[("GIT_COORD_AGENT", ""), ("CLAUDE_CODE_SESSION_ID", "")], None);
    assert_eq!(who.name.as_str(), "mia@laptop");
}

#[test]
fn logins_are_cleaned_and_never_without_user() {
    let environment = Environment::default();
    let inputs =
        |login| IdentityInputs { option: None, environment: &environment, configured: None, login };
    let who = identify(&inputs(&login("Mia Müller"))).expect("a person");
    assert_eq!(who.name.as_str(), "Mia-M-ller@laptop");
    assert!(Login::of_process(&environment).user.starts_with("uid"));
    let named = [("USER", "mia")].into_iter().collect();
    assert_eq!(Login::of_process(&named).user, "mia");
}

#[test]
fn sessions_started_together_get_different_names() {
    let sibling = "019d1afb-b2c7-72d3-b240-f3ee9d31ffff";
    assert_ne!(session_name("codex", CODEX_THREAD), session_name("codex", sibling));
    assert_eq!(session_name("x", "ses_1").as_str(), "x:ses1");
}

#[test]
fn long_ids_of_subagents_stay_apart() {
    let session = session_name("claude", CLAUDE_SESSION);
    let fits = "a".repeat(48);
    assert_eq!(subagent_name(&session, &fits).as_str(), format!("{session}/{fits}"));
    let long = |end: &str| subagent_name(&session, &format!("{}{end}", "\u{e9}".repeat(60)));
    let (one, other) = (long("1"), long("2"));
    assert_ne!(one, other);
    for name in [&one, &other] {
        assert_eq!(name.as_str().len(), AGENT_CHARS_MAX);
        assert!(session.covers(name) && name.as_str().parse::<AgentName>().is_ok());
    }
}
