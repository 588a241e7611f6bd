//! Patterns as the command line takes them: one matcher for `reserve`, `check` and `list`.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use git_coord::core::documents::{Child, Documents, Key, ReadError};
use git_coord::core::pattern::{Case, Pattern};
use git_coord::core::reservation::{Hold, index};
use serde_json::json;

use crate::support::contract::{exit, limit};
use crate::support::{Repo, texts};

/// The maximum time for comparing the worst accepted pair, including the start of the process, in a
/// debug build.
const WORST_PAIR_MAX: Duration = Duration::from_secs(2);
/// The maximum time for a reserve among 1,000 active ones, including the start of the process, in a
/// debug build.
const LOADED_RESERVE_MAX: Duration = Duration::from_millis(250);

/// Tells whether another agent that asks for `asked` is refused while `held` is held.
fn conflicts(held: &str, asked: &str) -> bool {
    let repo = Repo::new();
    repo.json("alice", ["reserve", held]);
    let code = repo.coord("bob", ["check", asked]).code;
    assert!([exit::DONE, exit::NO].contains(&code), "{held} {asked}: {code}");
    code == exit::NO
}

#[test]
fn what_overlaps() {
    for (held, asked) in [
        ("src/**/*.go", "src/main.go"),
        ("src", "src/x/y"),
        ("src/", "src/x"),
        ("src/x", "src"),
        ("**/*.md", "docs/a/b.md"),
        ("src/*.rs", "src/m*"),
        ("{a,b}/x", "b/x"),
        ("[a-c]x", "bx"),
        ("app/[id]/**", "app/[id]/page.tsx"),
        ("a?c", "abc"),
        (r"a\*b", r"a\*b"),
        (".git", ".git"),
        ("\u{fffd}", "\u{fffd}"),
    ] {
        assert!(conflicts(held, asked), "'{held}' and '{asked}' overlap");
    }
}

#[test]
fn what_does_not_overlap() {
    for (held, asked) in [
        ("src/*.rs", "src/api/users.rs"),
        ("src", "srcs"),
        ("src/a**", "src/a/b/c"),
        ("[!a-c]x", "bx"),
        (r"a\*b", "axb"),
        ("*.rs", "*.md"),
        ("a?c", "a/c"),
    ] {
        assert!(!conflicts(held, asked), "'{held}' and '{asked}' do not overlap");
    }
}

#[test]
fn literal_switches_globbing_off() {
    let repo = Repo::new();
    repo.reserve_with("alice", &["--literal", "a*b"]);
    repo.coord("bob", ["check", "axb"]).done();
    repo.coord("bob", ["check", "--literal", "a*b"]).exits(exit::NO);
    repo.coord("bob", ["check", ":(literal)a*b"]).exits(exit::NO);
}

#[test]
fn braces_are_several_patterns() {
    let repo = Repo::new();
    let answer = repo.json("alice", ["reserve", "{src,docs}/**"]);
    assert_eq!(texts(&answer["granted"], "pattern"), ["src/**", "docs/**"]);
}

/// A literal path may be long; wildcards and segments count (2c of REQUIREMENTS.md).
#[test]
fn a_long_literal_path_is_fine() {
    let repo = Repo::new();
    let segment = "a-rather-long-directory-name".repeat(4);
    let path = [segment.as_str(); 20].join("/");
    assert!(path.len() < limit::PATTERN_BYTES);
    repo.reserve("alice", &path);
}

/// 1/SAFETY-3: refused by name before anything is touched, by every command that takes one.
#[test]
fn malformed_and_over_complex_patterns_are_refused() {
    let repo = Repo::new();
    let deep = vec!["*"; limit::SEGMENTS + 1].join("/");
    let long = "a".repeat(limit::PATTERN_BYTES + 1);
    let many = "*a".repeat(200);
    let letters: Vec<String> = (0..=limit::BRACE_ALTERNATIVES).map(|n| format!("x{n}")).collect();
    let braces = format!("{{{}}}", letters.join(","));
    for bad in ["", "[a", "a\\", "{a,b", &deep, &long, &many, &braces] {
        for args in [["reserve", bad], ["check", bad]] {
            repo.coord("alice", args).exits(exit::USAGE);
        }
        for command in ["release", "list"] {
            repo.coord("alice", [command, "--path", bad]).exits(exit::USAGE);
        }
        repo.coord("alice", ["transfer", "--to", "bob", "--path", bad]).exits(exit::USAGE);
    }
    assert_eq!(repo.tip(), "");
}

/// 1/SAFETY-3: the worst pair that is accepted is compared in bounded time.
#[test]
fn the_worst_accepted_pair_is_compared_in_time() {
    let repo = Repo::new();
    let worst = |letter: &str, size: usize| vec![format!("**/*{letter}*"); size].join("/");
    let is_accepted =
        |size: &usize| repo.coord("alice", ["check", &worst("a", *size)]).code == exit::DONE;
    let size = (1..=limit::SEGMENTS).rev().find(is_accepted).expect("a small one is accepted");
    repo.reserve("alice", &worst("a", size));
    let start = Instant::now();
    repo.coord("bob", ["check", &worst("b", size)]).exits(exit::NO);
    assert!(start.elapsed() < WORST_PAIR_MAX, "{:?} at {size}", start.elapsed());
}

/// 1/SAFETY-3-load: among 1,000 active reservations a reserve stays quick.
#[test]
fn a_reserve_among_a_thousand_is_quick() {
    let repo = Repo::new();
    for agent in ["alice", "bob"] {
        let kinds = ["", "/*.rs", "/**", "/m[a-z]?", "/**/*_test.go"];
        let pattern = |number: usize| format!("{agent}/{number}{}", kinds[number % kinds.len()]);
        let patterns: Vec<String> = (0..limit::PATTERNS_PER_COMMAND).map(pattern).collect();
        repo.json(agent, ["reserve".to_owned()].iter().chain(&patterns));
    }
    let timed = |number: usize| {
        let path = format!("carol/{number}/*.rs");
        let call = repo.call("carol").args(["reserve", &path]);
        let start = Instant::now();
        call.run_unproven().done();
        start.elapsed()
    };
    let best = (0..5).map(timed).min().expect("five were timed");
    assert!(best < LOADED_RESERVE_MAX, "{best:?}");
}

/// Documents in memory that count their reads and listings.
struct Counting {
    documents: BTreeMap<Key, Vec<u8>>,
    reads: Cell<usize>,
    names: Cell<usize>,
}

impl Documents for Counting {
    fn get(&self, key: &Key) -> Result<Option<Vec<u8>>, ReadError> {
        self.reads.set(self.reads.get() + 1);
        Documents::get(&self.documents, key)
    }

    fn list_starting(&self, dir: &Key, start: &str) -> Result<Vec<Child>, ReadError> {
        let found = self.documents.list_starting(dir, start)?;
        self.names.set(self.names.get() + found.len());
        Ok(found)
    }
}

/// 1/SAFETY-3-load: what a check reads depends on the path, not on the number of reservations.
#[test]
fn a_check_among_a_thousand_reads_only_what_is_on_its_way() {
    let mut documents = BTreeMap::new();
    for number in 0..1_000 {
        let hold: Hold = serde_json::from_value(json!({
            "id": format!("id{number:06}"),
            "holder": "alice",
            "pattern": format!("src/{number}/*.rs"),
            "mode": "exclusive",
            "via": "command",
            "granted_at": "2026-01-05T10:00:00Z",
            "expires_at": "2026-01-05T10:15:00Z",
            "fence": number,
        }))
        .unwrap();
        let bytes = serde_json::to_vec(&hold).unwrap();
        let keys = index::keys(&hold, Case::Sensitive);
        documents.extend(keys.map(|key| (key, bytes.clone())));
    }
    let counting = Counting { documents, reads: Cell::new(0), names: Cell::new(0) };
    let asked = Pattern::canonical(b"src/7/main.rs").unwrap();
    let met = index::meeting(&counting, &asked.into(), Case::Sensitive).unwrap();
    assert_eq!(met.len(), 1);
    assert!(counting.reads.get() < 10, "{} documents were read", counting.reads.get());
    assert!(counting.names.get() < 10, "{} names were told", counting.names.get());
}
