//! What a reservation covers: a file is a file, sharing is sharing, and the rest stays.

use serde_json::{Value, json};

use crate::negotiation::{ask, holders, thread_of, verified};
use crate::support::contract::exit;
use crate::support::repo::id_of;
use crate::support::{Call, Repo, race, rounds, texts};

/// 8/FILE-IS-FILE: what is a file has nothing below it. Patterns for names in any directory leave
/// all files alone that they do not match.
#[test]
fn a_file_means_itself() {
    let repo = Repo::new();
    repo.reserve("alice", "**/*.md");
    for (path, code) in [
        ("src/main.rs", exit::DONE),
        ("docs/guide.md", exit::NO),
        ("docs", exit::NO),
        ("src", exit::NO),
    ] {
        repo.coord_json("bob", ["check", path]).exits(code);
    }
    repo.reserve("bob", "src/main.rs");
    repo.reserve("carol", "**/Cargo.toml");
    repo.coord_json("dave", ["reserve", "src"]).refused("held");
    verified(&repo);
}

/// 8/FILE-IS-FILE: a path that does not exist yet may become a file or a directory. It meets what
/// matches it, or begins below it, and no pattern that could match anywhere.
#[test]
fn a_new_path_meets_what_begins_below_it() {
    let repo = Repo::new();
    repo.reserve("alice", "**/*.md");
    repo.reserve("alice", "new/part/**");
    repo.coord_json("bob", ["check", "src/new.rs"]).exits(exit::DONE);
    repo.coord_json("bob", ["check", "src/new.md"]).exits(exit::NO);
    repo.coord_json("bob", ["check", "new"]).exits(exit::NO);
    repo.coord_json("bob", ["check", "new/part/x.rs"]).exits(exit::NO);
}

/// 8/FILE-IS-FILE: a directory is itself and everything below it, also when it is deleted later or
/// was none when it was reserved.
#[test]
fn a_directory_is_everything_below_it() {
    let repo = Repo::new();
    repo.reserve("alice", "src");
    repo.coord_json("bob", ["check", "src/deep/new.rs"]).exits(exit::NO);
    repo.coord_json("bob", ["check", "**/*.rs"]).exits(exit::NO);
    repo.reserve("alice", "later");
    repo.write("later/x.rs", "");
    repo.coord_json("bob", ["check", "later/x.rs"]).exits(exit::NO);
}

/// 8/REST-STAYS: who releases one path of a wider reservation keeps the rest.
#[test]
fn releasing_a_path_keeps_the_rest() {
    let repo = Repo::new();
    let id = repo.reserve_id("alice", "src");
    let answer = repo.json("alice", ["release", "--path", "src/api/users.rs"]);
    assert_eq!((&answer["released"], &answer["narrowed"][0]), (&json!(0), &json!(id)));
    assert_eq!(repo.holds()[0]["except"], json!(["src/api/users.rs"]));
    repo.reserve("bob", "src/api/users.rs");
    repo.coord_json("bob", ["reserve", "src/api/teams.rs"]).refused("held");
    repo.coord_json("bob", ["reserve", "src/api"]).refused("held");
    let [granted, ..] = &repo.events("narrowed")[..] else { panic!("no event") };
    assert_eq!(granted["data"]["except"], json!(["src/api/users.rs"]));
    verified(&repo);
}

/// 8/REST-STAYS: who is taken from keeps the rest, and both are told what changed hands.
#[test]
fn taking_a_path_leaves_the_rest() {
    let repo = Repo::new();
    repo.reserve_with("alice", &["--ttl", "2h", "src/**"]);
    let thread = thread_of(&ask(&repo, "bob", &["src/main.rs"]));
    repo.pass("11m");
    let taken = repo.json("bob", ["take", &thread, "--reason", "no answer"]);
    assert_eq!(taken["granted"][0]["pattern"], "src/main.rs");
    let both = [("alice", "src/**"), ("bob", "src/main.rs")];
    assert_eq!(holders(&repo), both.map(|(holder, path)| (holder.to_owned(), path.to_owned())));
    let subjects = |agent: &str| texts(&repo.json(agent, ["inbox"])["messages"], "subject");
    let told = subjects("alice").join("\n");
    assert!(told.contains("src/main.rs") && told.contains("the rest of src/**"), "{told}");
    repo.coord_json("carol", ["check", "src/api/users.rs"]).exits(exit::NO);
    verified(&repo);
}

/// 8/REST-STAYS: a reservation with as many exceptions as it may have ends as a whole. The request
/// says so before that happens, to the asker and to the holder.
#[test]
fn what_cannot_be_kept_is_said_before() {
    let repo = Repo::new();
    let id = repo.reserve_id("alice", "src/**");
    for number in 0..64 {
        repo.json("alice", ["release", "--path", &format!("src/x{number}.rs")]);
    }
    assert_eq!(repo.holds()[0]["id"], json!(id));
    let no = repo.coord_json("alice", ["release", "--path", "src/x64.rs"]).refused("too_many");
    assert_eq!((&no["refusal"]["count"], &no["refusal"]["max"]), (&json!(65), &json!(64)));
    assert_eq!(repo.holds()[0]["id"], json!(id), "who names a path loses nothing else");
    let asked = ask(&repo, "bob", &["src/main.rs"]);
    let notices = asked["notes"].to_string();
    assert!(notices.contains("a release frees all of src/**"), "{notices}");
    let messages = repo.json("alice", ["inbox"])["messages"].clone();
    let told = texts(&messages, "subject").join("\n");
    assert!(told.contains("a release frees all of src/**"), "{told}");
    let answer = repo.json("alice", ["answer", &thread_of(&asked), "--release"]);
    assert_eq!(answer["ids"], json!([id]));
    let told = texts(&repo.json("bob", ["inbox"])["messages"], "subject").join("\n");
    assert!(told.contains("all of src/** except 64 patterns is free"), "{told}");
}

/// Gives `count` paths of `src/**` away, which Alice holds.
fn nearly_given_away(repo: &Repo, count: usize) -> String {
    let id = id_of(&repo.reserve_with("alice", &["--ttl", "4h", "src/**"]));
    let gone = (0..count).map(|number| format!("--path=src/x{number}.rs"));
    repo.json("alice", ["release".to_owned()].into_iter().chain(gone));
    id
}

/// 8/REST-STAYS: a reservation that gets as many exceptions as it may have between a request and
/// its answer does not end unsaid. The answer is refused, and names the one that frees all of it.
#[test]
fn what_fills_up_after_the_request_is_said_before() {
    let repo = Repo::new();
    let id = nearly_given_away(&repo, 63);
    let bob = ask(&repo, "bob", &["src/main.rs"]);
    let carol = ask(&repo, "carol", &["src/lib.rs"]);
    assert_eq!((&bob["notes"], &carol["notes"]), (&Value::Null, &Value::Null));
    let answer = repo.json("alice", ["answer", &thread_of(&bob), "--release"]);
    assert_eq!(answer["narrowed"], json!([id]));
    let thread = thread_of(&carol);
    let no = repo.coord_json("alice", ["answer", &thread, "--release"]).refused("ends_whole");
    assert_eq!(no["refusal"]["ends_whole"], json!([id]));
    let whole = json!(["git", "coord", "answer", thread, "--release", "--whole"]);
    assert_eq!(no["refusal"]["next"][0], whole);
    let message = no["refusal"]["message"].as_str().unwrap();
    assert!(message.contains("all of 'src/** except 64 patterns' would be free"), "{message}");
    repo.coord_json("dave", ["check", "src/rest.rs"]).exits(exit::NO);
    let answer = repo.json("alice", ["answer", &thread, "--release", "--whole"]);
    assert_eq!(
        (&answer["ids"], &answer["granted"][0]["pattern"]),
        (&json!([id]), &json!("src/lib.rs"))
    );
    let told = texts(&repo.json("carol", ["inbox"])["messages"], "subject").join("\n");
    assert!(told.contains("all of src/** except 64 patterns is free"), "{told}");
    verified(&repo);
}

/// 8/REST-STAYS: neither does a takeover. To ask again says it to the holder, who gets its time
/// anew.
#[test]
fn a_takeover_of_the_whole_is_said_before() {
    let repo = Repo::new();
    let id = nearly_given_away(&repo, 63);
    let thread = thread_of(&ask(&repo, "bob", &["src/main.rs"]));
    repo.json("alice", ["release", "--path=src/x63.rs"]);
    repo.pass("11m");
    let take = || repo.coord_json("bob", ["take", &thread, "--reason", "no answer"]);
    let no = take().refused("ends_whole");
    let again: Vec<String> = serde_json::from_value(no["refusal"]["next"][0].clone()).unwrap();
    let again: Vec<String> = again.iter().map(|word| word.replace("<why>", "a fix")).collect();
    assert_eq!(again[2..4], ["ask", "--holder=alice"]);
    assert_eq!(repo.holds()[0]["id"], json!(id));
    let asked = repo.coord_json("bob", &again[2..]).done().json();
    assert_eq!((&asked["thread"], &asked["joined"]), (&json!(thread), &json!(true)));
    assert!(asked["notes"].to_string().contains("a release frees all of src/**"), "{asked}");
    let told = texts(&repo.json("alice", ["inbox"])["messages"], "subject").join("\n");
    assert!(told.contains("a release frees all of src/**"), "{told}");
    take().refused("too_early");
    repo.pass("11m");
    assert_eq!(take().done().json()["taken"], json!([id]));
    verified(&repo);
}

/// 8/REST-STAYS: of many answers at once, each of which could be the last exception, as many
/// succeed as there is room, and the holder keeps the rest.
#[test]
fn answers_race_for_the_last_exception() {
    const ASKERS: usize = 4;
    for _ in 0..rounds().div_ceil(10) {
        let repo = Repo::new();
        nearly_given_away(&repo, 62);
        let asker = |number: usize| format!("agent-{number}");
        let threads: Vec<String> = (0..ASKERS)
            .map(|number| {
                thread_of(&ask(&repo, &asker(number), &[&format!("src/part{number}.rs")]))
            })
            .collect();
        let answer = |thread: &String| {
            let words = ["--json", "answer", thread, "--release"];
            repo.call("alice").config("coord.wait", "1m").args(words)
        };
        let outputs = race(&repo, &threads.iter().map(answer).collect::<Vec<Call>>());
        let done = outputs.iter().filter(|output| output.code == exit::DONE).count();
        assert_eq!(done, 2, "{outputs:#?}");
        for output in outputs.into_iter().filter(|output| output.code != exit::DONE) {
            output.refused("ends_whole");
        }
        assert_eq!(holders(&repo).len(), 3);
        repo.coord_json("zoe", ["check", "src/rest.rs"]).exits(exit::NO);
        verified(&repo);
    }
}

/// 8/REST-STAYS: many ask for a path each while its holder answers and works on. Everybody has what
/// was granted, and the holder has the rest.
#[test]
fn answers_and_renewals_race() {
    const ASKERS: usize = 6;
    for _ in 0..rounds().div_ceil(10) {
        let repo = Repo::new();
        repo.reserve("alice", "src/**");
        let path = |number: usize| format!("src/part{number}.rs");
        let asker = |number: usize| format!("agent-{number}");
        let threads: Vec<String> = (0..ASKERS)
            .map(|number| thread_of(&ask(&repo, &asker(number), &[&path(number)])))
            .collect();
        let call = |agent: &str, args: &[&str]| {
            repo.call(agent).config("coord.wait", "1m").args(args.iter().copied())
        };
        let mut calls: Vec<Call> =
            threads.iter().map(|thread| call("alice", &["answer", thread, "--release"])).collect();
        calls.push(call("alice", &["renew", "--mine"]));
        calls.push(call("alice", &["release", "--path", "src/part9.rs"]));
        for output in race(&repo, &calls) {
            output.exits(exit::DONE);
        }
        let held: Vec<(String, String)> = holders(&repo);
        assert_eq!(held.len(), ASKERS + 1, "{held:?}");
        for number in 0..ASKERS {
            assert!(held.contains(&(asker(number), path(number))), "{held:?}");
        }
        repo.coord_json("carol", ["check", "src/main.rs"]).exits(exit::NO);
        repo.coord_json("carol", ["check", "src/part9.rs"]).exits(exit::DONE);
        verified(&repo);
    }
}

/// 8/REST-STAYS: many take one path at the same moment, while its holder works on. One of them has
/// it, and the holder has the rest.
#[test]
fn takeovers_race() {
    const ASKERS: usize = 5;
    for _ in 0..rounds().div_ceil(10) {
        let repo = Repo::new();
        repo.reserve_with("alice", &["--ttl", "2h", "src/**"]);
        let asker = |number: usize| format!("agent-{number}");
        let threads: Vec<String> = (0..ASKERS)
            .map(|number| thread_of(&ask(&repo, &asker(number), &["src/main.rs"])))
            .collect();
        repo.pass("11m");
        let call = |agent: &str, args: &[&str]| {
            repo.call(agent).config("coord.wait", "1m").args(args.iter().copied())
        };
        let take = |(number, thread): (usize, &String)| {
            call(&asker(number), &["take", thread, "--reason", "no answer"])
        };
        let mut calls: Vec<Call> = threads.iter().enumerate().map(take).collect();
        calls.push(call("alice", &["renew", "--mine"]));
        calls.push(call("alice", &["release", "--path", "src/part9.rs"]));
        let outputs = race(&repo, &calls);
        let winners: Vec<usize> =
            (0..ASKERS).filter(|it| outputs[*it].code == exit::DONE).collect();
        let [winner] = winners[..] else { panic!("{winners:?} took it: {outputs:#?}") };
        let expected = [(asker(winner), "src/main.rs"), ("alice".to_owned(), "src/**")];
        let expected = expected.map(|(holder, path)| (holder, path.to_owned()));
        assert_eq!(holders(&repo), expected);
        repo.coord_json("carol", ["check", "src/api/users.rs"]).exits(exit::NO);
        repo.coord_json("carol", ["check", "src/part9.rs"]).exits(exit::DONE);
        verified(&repo);
    }
}

/// 8/REST-STAYS: to ask by the id of a reservation asks for what it covers, and leaves out what its
/// holder gave away.
#[test]
fn to_ask_for_a_reservation_leaves_its_exceptions_out() {
    let repo = Repo::new();
    let id = repo.reserve_id("alice", "src/**");
    repo.json("alice", ["release", "--path", "src/main.rs"]);
    repo.reserve("carol", "src/main.rs");
    let asked = ask(&repo, "bob", &[&id]);
    assert_eq!((&asked["holder"], &asked["except"]), (&json!("alice"), &json!(["src/main.rs"])));
    let told = texts(&repo.json("alice", ["inbox"])["messages"], "subject").join("\n");
    assert!(told.contains("bob asks for src/** except src/main.rs"), "{told}");
    assert_eq!(ask(&repo, "bob", &[&id])["joined"], json!(true));
    let answer = repo.json("alice", ["answer", &thread_of(&asked), "--release"]);
    assert_eq!(answer["ids"], json!([id]), "nothing is left of it");
    let granted = &answer["granted"][0];
    assert_eq!(
        (&granted["pattern"], &granted["except"]),
        (&json!("src/**"), &json!(["src/main.rs"]))
    );
    repo.coord_json("dave", ["check", "src/api/users.rs"]).exits(exit::NO);
    repo.json("carol", ["renew", "--mine"]);
    verified(&repo);
}

/// 8/REST-STAYS: a pattern that shares only exceptions with a reservation is free.
#[test]
fn what_was_given_away_stands_in_nobodys_way() {
    let repo = Repo::new();
    repo.reserve("alice", "src/*.rs");
    repo.json("alice", ["release", "--path", "src/main.rs"]);
    repo.coord_json("bob", ["reserve", "**/lib.rs"]).refused("held");
    repo.reserve("bob", "**/main.rs");
    repo.coord_json("carol", ["check", "src/main.rs"]).exits(exit::NO);
    verified(&repo);
}

/// 8/RELEASED-IS-NOT-GRANTED: a target that became free without being granted is no success, and
/// the answer says how to reserve it.
#[test]
fn free_is_not_granted() {
    let repo = Repo::new();
    repo.reserve("alice", "src/main.rs");
    let ask = |options: &[&str]| {
        let call = repo.call("bob").args(["ask", "src/main.rs", "--reason", "r", "--json"]);
        let waiting = call.args(["--wait", "1m"]).args(options.iter().copied());
        let child = waiting.command().spawn().unwrap();
        crate::waiting::until(|| !inbox_of(&repo, "alice").is_empty());
        repo.json("alice", ["release", "--mine"]);
        waiting.finish(child)
    };
    let no = ask(&[]).refused("free");
    assert_eq!(no["status"], "free");
    assert_eq!(no["granted"], Value::Null);
    assert_eq!(no["refusal"]["next"][0], json!(["git", "coord", "reserve", "--", ":/src/main.rs"]));
    assert_eq!(holders(&repo), []);
}

/// 8/RELEASED-IS-NOT-GRANTED: people read the difference too.
#[test]
fn free_is_said_in_words() {
    let repo = Repo::new();
    repo.reserve("alice", "src/main.rs");
    let waiting = repo.call("bob").args(["ask", "src/main.rs", "--reason", "r", "--wait", "1m"]);
    let child = waiting.command().spawn().unwrap();
    crate::waiting::until(|| !inbox_of(&repo, "alice").is_empty());
    repo.json("alice", ["release", "--mine"]);
    let output = waiting.finish(child).exits(exit::NO);
    assert!(output.stdout.contains("it is not reserved for you"), "{}", output.stdout);
    assert!(output.stderr.contains("git coord reserve -- :/src/main.rs"), "{}", output.stderr);
}

/// 8/RELEASED-IS-NOT-GRANTED: with `--reserve` the asker has it then.
#[test]
fn free_is_reserved_if_the_asker_wants_to() {
    let repo = Repo::new();
    repo.reserve("alice", "src/main.rs");
    let call = repo.call("bob").args(["ask", "src/main.rs", "--reason", "r", "--json"]);
    let waiting = call.args(["--wait", "1m", "--reserve"]);
    let child = waiting.command().spawn().unwrap();
    crate::waiting::until(|| !inbox_of(&repo, "alice").is_empty());
    repo.json("alice", ["release", "--mine"]);
    let answer = waiting.finish(child).done().json();
    assert_eq!(answer["status"], "released");
    assert_eq!(answer["granted"][0]["holder"], "bob");
    assert_eq!(holders(&repo), [("bob".to_owned(), "src/main.rs".to_owned())]);
}

fn inbox_of(repo: &Repo, agent: &str) -> Vec<String> {
    crate::negotiation::inbox(repo, agent)
}
