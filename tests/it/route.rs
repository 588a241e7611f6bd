//! `route`: the remaining agents, and why the others are left out.

use serde_json::{Value, json};

use crate::doctor::{object_file, unpack};
use crate::support::Repo;
use crate::support::contract::exit;

fn route(repo: &Repo, args: &[&str]) -> Value {
    repo.json("router", std::iter::once(&"route").chain(args))
}

fn apply(repo: &Repo, args: &[&str]) {
    repo.coord("ann", [&["override", "apply"], args, &["--reason", "wrong here"]].concat()).done();
}

#[test]
fn it_prints_who_is_left_and_why_not_the_others() {
    let repo = Repo::new();
    apply(&repo, &["fd-style"]);
    let applied_at = repo.now();
    repo.coord("ann", ["override", "propose", "fd-perf", "--reason", "slow"]).done();
    repo.pass("1h");
    let routed = route(&repo, &["fd-safety", "fd-style", "fd-perf"]);
    assert_eq!(routed["agents"], json!(["fd-safety", "fd-perf"]));
    let gone = &routed["excluded"][0];
    assert_eq!(gone["agent"], "fd-style");
    assert_eq!(gone["reason"], "wrong here");
    assert_eq!(gone["since"], applied_at.as_str());
    let entry = gone["entry"].as_str().unwrap();
    repo.git(["cat-file", "-e", &format!("{entry}:overrides/fd-style.json")]);
    assert_eq!(routed["proposed"], json!([{ "agent": "fd-perf", "reason": "slow" }]));
    assert_eq!(routed["warnings"], json!([]));
    let text = repo.coord("router", ["route", "fd-safety", "fd-style"]).done();
    assert_eq!(text.stdout, "fd-safety\n", "stdout is who is left, one a line");
    text.says("1 agent excluded").says("wrong here").says("60m ago").says(&entry[..7]);
    repo.coord("router", ["route"]).exits(exit::USAGE);
    let bad = repo.coord("router", ["route", "fd-safety", "Bad_Name"]).exits(exit::USAGE);
    bad.says("'Bad_Name' is not the name of a routed agent");
}

/// Scope is both: a domain of it, and all paths within it.
#[test]
fn a_scope_is_kept() {
    let repo = Repo::new();
    apply(&repo, &["fd-style", "--scope-domain", "web", "--scope-path", "gen/**"]);
    let is_left = |more: &[&str]| {
        let routed = route(&repo, &[&["fd-style"], more].concat());
        routed["agents"].as_array().unwrap().len() == 1
    };
    assert!(is_left(&[]));
    assert!(is_left(&["--domain", "web"]));
    assert!(is_left(&["--path", "gen/a.rs"]));
    assert!(!is_left(&["--domain", "web", "--path", "gen/a.rs"]));
    assert!(is_left(&["--domain", "db", "--path", "gen/a.rs"]));
    assert!(is_left(&["--domain", "web", "--path", "gen/a.rs", "--path", "src/b.rs"]));
    assert!(!is_left(&["--domain", "db", "--domain", "web", "--path", "gen/a.rs"]));
}

/// Paths are from where the caller stands, and from the top behind ':/'.
#[test]
fn a_path_may_be_of_the_top() {
    let repo = Repo::new();
    apply(&repo, &["fd-gen", "--scope-path", "gen/**"]);
    std::fs::create_dir_all(repo.work().join("sub")).unwrap();
    let excludes = |path: &str| {
        let call = repo.call("router").dir(repo.work().join("sub"));
        let routed = call.args(["--json", "route", "fd-gen", "--path", path]).run().done().json();
        routed["excluded"].as_array().unwrap().len() == 1
    };
    for path in [":/gen/a", ":(top)gen/a", ":(top,literal)gen/[a]", "../gen/a", ":/gen/{a,b}"] {
        assert!(excludes(path), "{path}");
    }
    assert!(!excludes("gen/a") && !excludes(":/sub/gen/a"));
    for pattern in [":(glob)gen/*", ":(top)gen/*", ":!gen/a"] {
        let call = repo.call("router").args(["route", "fd-gen", "--path", pattern]);
        call.run().exits(exit::USAGE);
    }
}

/// A reader fails open: what is missing of the past changes nothing about who is left. 0/RACE-02:
/// it asks one state, and only tells less about how that came to be.
#[test]
fn a_gap_in_the_past_excludes_nobody_less() {
    let repo = Repo::new();
    apply(&repo, &["fd-style"]);
    let old = repo.git(["rev-parse", "refs/coord/overrides"]);
    apply(&repo, &["fd-perf"]);
    let act = route(&repo, &["fd-style"])["excluded"][0]["op"].as_str().unwrap().to_owned();
    unpack(&repo);
    std::fs::remove_file(object_file(&repo, &old)).unwrap();
    let routed = route(&repo, &["fd-style", "fd-perf", "fd-safety"]);
    assert_eq!(routed["agents"], json!(["fd-safety"]));
    let gone = &routed["excluded"][0];
    assert_eq!((&gone["op"], &gone["entry"]), (&json!(act), &Value::Null), "{routed:#}");
    assert!(routed["excluded"][1]["entry"].is_string(), "{routed:#}");
    let text = repo.coord("router", ["route", "fd-style"]).done();
    text.says(&format!("act {}", &act[..7]));
    repo.coord("ann", ["override", "list"]).done().says(&act[..7]);
    repo.coord("ann", ["override", "status"]).done();
    // The record names enough to revert it.
    let back = ["override", "revert", &act[..8], "--dry-run"];
    assert_eq!(repo.json("ann", back)["reverted"], json!(["fd-style"]));
}

/// A reader fails open: on an unknown format one line of warning and exit code 0. A writer does
/// not.
#[test]
fn an_unknown_format_excludes_nobody() {
    let repo = Repo::new();
    apply(&repo, &["fd-style"]);
    let format = repo.git(["cat-file", "blob", "refs/coord/overrides:format"]);
    let raised = format.replace("\"version\": 2", "\"version\": 9");
    assert_ne!(format, raised);
    crate::overrides::overwrite(&repo, "format", &raised);
    let output = repo.coord_json("router", ["route", "fd-style"]).done();
    assert_eq!(output.json()["agents"], json!(["fd-style"]));
    assert_eq!(output.stderr.lines().count(), 1, "{output:#?}");
    output.says("format 9");
    let writer = ["override", "apply", "fd-perf", "--reason", "x"];
    repo.coord("ann", writer).exits(exit::FAILURE);
}

/// With a path in the variable, the overrides are those of the document there.
#[test]
fn a_document_can_be_asked_instead() {
    let repo = Repo::new();
    apply(&repo, &["fd-perf"]);
    let ask = |text: &str| {
        repo.write("routing.json", text);
        let call = repo.call("router").env("FLUX_ROUTING_OVERRIDES_PATH", "routing.json");
        call.args(["--json", "route", "fd-style", "fd-perf"]).run().done()
    };
    let known = "{\"version\":1,\"overrides\":[{\"agent\":\"fd-style\",\"action\":\"exclude\"}]}";
    assert_eq!(ask(known).json()["agents"], json!(["fd-perf"]));
    for unknown in ["{\"version\":7,\"overrides\":[]}", "{}", "no json"] {
        let output = ask(unknown);
        assert_eq!(output.json()["agents"], json!(["fd-style", "fd-perf"]), "{unknown}");
        assert_eq!(output.stderr.lines().count(), 1, "one line: {output:#?}");
    }
    std::fs::remove_file(repo.work().join("routing.json")).unwrap();
    let call = repo.call("router").env("FLUX_ROUTING_OVERRIDES_PATH", "routing.json");
    let none = call.args(["--json", "route", "fd-style"]).run().done().json();
    assert_eq!(none["agents"], json!(["fd-style"]), "no document, no overrides");
}

/// 0/DATA-04-race: an override of an agent that is not there is warned about and ignored; a name
/// that is none is left to the router.
#[test]
fn strangers_are_warned_about_and_ignored() {
    let repo = Repo::new();
    apply(&repo, &["fd-ghost"]);
    let agents = repo.world().join("elsewhere");
    std::fs::write(agents.join("fd-style.md"), "").unwrap();
    let call = repo.call("router").config("coord.roster", &agents.display().to_string());
    let call = call.config("coord.routePrefixes", "interflux:");
    let names = ["interflux:fd-style", "fd-ghost"];
    let output = call.args(["--json", "route"]).args(names).run().done();
    assert_eq!(output.json()["agents"], json!(names));
    output.says("'fd-ghost' names an agent that is not there");
    let notes = &output.json()["notes"];
    assert_eq!(notes[0]["level"], "warning", "{notes:#}");
}

/// Reading takes no lock and writes nothing, also where nobody ever wrote.
#[test]
fn it_only_reads() {
    let repo = Repo::new();
    let routed = route(&repo, &["a", "b"]);
    assert_eq!(routed["agents"], json!(["a", "b"]));
    assert!(!repo.git_dir().join("refs/coord/overrides").exists());
    // A sign of life is all that is left of it.
    let helpers = std::fs::read_dir(repo.git_dir().join("coord")).unwrap();
    let names: Vec<_> = helpers.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["presence"]);
}

/// 0/SCOPE-everywhere: a scope that has every path in it is no scope, and that is said.
#[test]
fn a_scope_of_every_path_warns() {
    let repo = Repo::new();
    let words = |verb: &'static str, agent: &'static str, path: &'static str| {
        ["override", verb, agent, "--reason", "x", "--scope-path", path]
    };
    let notes = |verb, agent, path| repo.json("ann", words(verb, agent, path))["notes"].clone();
    for (verb, agent) in [("apply", "fd-style"), ("propose", "fd-perf")] {
        let told = notes(verb, agent, "**");
        assert_eq!(told[0]["level"], "warning", "{told:#}");
        let text = told[0]["text"].as_str().unwrap();
        assert!(text.contains("'**'") && text.contains("left out everywhere"), "{text}");
    }
    for (verb, agent, path) in [("apply", "fd-a", "docs/**"), ("propose", "fd-b", "**/*.md")] {
        let told = notes(verb, agent, path).to_string();
        assert!(!told.contains("everywhere"), "{path}: {told}");
    }
    let shown = repo.coord("ann", words("apply", "fd-c", ":/**")).done();
    shown.says("left out everywhere");
    let of_domain = [&words("apply", "fd-d", "**")[..], &["--scope-domain", "docs"]].concat();
    let told = repo.json("ann", of_domain)["notes"].to_string();
    assert!(!told.contains("everywhere"), "a domain is a limit: {told}");
}
