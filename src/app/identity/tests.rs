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
        look: &Vec::new,
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
        look: &Vec::new,
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
    let inputs = |login| IdentityInputs {
        option: None,
        environment: &environment,
        configured: None,
        login,
        look: &Vec::new,
    };
    let who = identify(&inputs(&login("Mia Müller"))).expect("a person");
    assert_eq!(who.name.as_str(), "Mia-M-ller@laptop");
    assert!(Login::of_process(&environment).user.starts_with("uid"));
    let named = [("USER", "mia")].into_iter().collect();
    assert_eq!(Login::of_process(&named).user, "mia");
}

fn session(kind: &str, id: &str) -> AgentName {
    Session::new(kind, id, None).name()
}

/// Ids that begin alike, with a word or with the clock, still give different names.
#[test]
fn sessions_started_together_get_different_names() {
    let sibling = "019d1afb-b2c7-72d3-b240-f3ee9d31ffff";
    assert_ne!(session("codex", CODEX_THREAD), session("codex", sibling));
    for (id, name) in [
        (CLAUDE_SESSION, "x:7f3a91c2"),
        (CODEX_THREAD, "x:9d31b2c9"),
        ("ses_1", "x:ses1"),
        ("session_01AbCdEfGhIjKlMnOpQrStUv", "x:01AbCdEf"),
        ("01ARZ3NDEKTSV4RRFFQ69G5FAV", "x:Q69G5FAV"),
        ("ses_4a1b2c3d4effeAbCdEfGhIjKlM", "x:fGhIjKlM"),
    ] {
        assert_eq!(session("x", id).as_str(), name, "{id}");
    }
}

/// The newcomer has the longer name, and keeps it when the other is gone.
#[test]
fn a_name_that_another_session_has_is_lengthened() {
    let ids = ["01AbCdEfGhIjKlMn1", "01AbCdEfGhIjXxXx1", "01AbCdEfGhIjKlMn2"];
    let of = |id: &str, subagent| Session::new("x", id, subagent);
    let mut known: Vec<(AgentName, String)> = Vec::new();
    let mut names = Vec::new();
    for id in ids {
        let session = of(id, None);
        let under = |name: &AgentName| -> Vec<String> {
            known.iter().filter(|it| it.0 == *name).map(|it| it.1.clone()).collect()
        };
        let name = session.name_beside(under);
        known.push((name.clone(), id.to_owned()));
        names.push(name);
    }
    assert_eq!(names[0].as_str(), "x:01AbCdEf");
    assert_eq!(names[1].as_str(), "x:01AbCdEfGhIjXxXx");
    assert_eq!(names[2].as_str(), "x:01AbCdEfGhIjKlMn");
    known.remove(0);
    let under = |name: &AgentName| -> Vec<String> {
        known.iter().filter(|it| it.0 == *name).map(|it| it.1.clone()).collect()
    };
    assert_eq!(of(ids[1], None).name_beside(under), names[1]);
    let subagent = of(ids[1], Some("a1")).name_beside(under);
    assert_eq!(subagent.as_str(), "x:01AbCdEfGhIjXxXx/a1");
    let fourth = of("01AbCdEfGhIjKlMn3", None).name_beside(|_| vec!["other".to_owned()]);
    assert_eq!(fourth.as_str(), "x:01AbCdEf", "where nothing is free, doctor tells");
}

#[test]
fn long_ids_of_subagents_stay_apart() {
    let session = session("claude", CLAUDE_SESSION);
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

/// 8/SIBLING: variables name a session, and its open commands which of its subagents acts; a name
/// that somebody has chosen stays.
#[test]
fn a_subagent_in_a_shell_is_itself() {
    let running = |agent: &str| {
        let agent: AgentName = agent.parse().unwrap();
        move |_: &AgentName| vec![Running { agent: agent.clone(), runs_git: true }]
    };
    let name = "claude:7f3a91c2";
    for variables in [("CLAUDE_CODE_SESSION_ID", CLAUDE_SESSION), ("GIT_COORD_AGENT", name)] {
        let who = || identified(&[variables], None);
        assert_eq!(
            who().in_shell(running("claude:7f3a91c2/a1")).name.as_str(),
            "claude:7f3a91c2/a1"
        );
        assert_eq!(who().in_shell(running("claude:0b9d44e1/a1")).name.as_str(), name);
        assert_eq!(who().in_shell(|_| Vec::new()).name.as_str(), name);
    }
    let subagent = identified(&[("GIT_COORD_AGENT", "claude:7f3a91c2/b2")], None);
    assert_eq!(subagent.clone().in_shell(running("claude:7f3a91c2/a1")), subagent);
    let configured = identified(&[], Some(name));
    assert_eq!(configured.clone().in_shell(running("claude:7f3a91c2/a1")), configured);
    let hook = Identity::of_hook(Session::new("claude", CLAUDE_SESSION, None));
    assert_eq!(hook.clone().in_shell(running("claude:7f3a91c2/a1")), hook);
}
