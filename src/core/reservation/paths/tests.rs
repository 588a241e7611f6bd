//! Sets of paths, compared with a model that knows every path of a small world.

use proptest::prelude::*;

use super::*;
use crate::core::reservation::narrow::{Rest, without};
use crate::core::reservation::{About, Hold, Mode, Target, Via};
use crate::core::time::Timestamp;

const PATTERNS: [&str; 20] = [
    "a", "b", "a/a", "a/b", "a/b/m", "b/m", "m", "*", "**", "**/m", "a/*", "a/**", "*/b", "**/b",
    "[ab]", "a/[bm]", "[ab]/*", "**/a/**", "a/**/m", "?/?",
];

fn pattern(text: &str) -> Pattern {
    Pattern::canonical(text.as_bytes()).unwrap()
}

/// Lists every path of up to three names.
fn world() -> Vec<String> {
    let names = ["a", "b", "m"];
    let mut paths: Vec<String> = names.map(str::to_owned).to_vec();
    for _ in 0..2 {
        let below: Vec<String> = paths
            .iter()
            .flat_map(|path| names.map(|name| format!("{path}/{name}")))
            .chain(names.map(str::to_owned))
            .collect();
        paths = below;
    }
    paths.sort();
    paths.dedup();
    paths
}

/// Returns the paths of a set, by its definition.
fn members(paths: &Paths) -> Vec<String> {
    let matcher = paths.pattern.matcher(Case::Sensitive);
    let belongs = |path: &String| {
        let is_excepted = paths
            .except
            .iter()
            .any(|except| except.matcher(Case::Sensitive).matches(path.as_bytes()));
        let is_meant = match paths.kind {
            Some(PathKind::File) => *path == paths.pattern.shown(),
            Some(PathKind::New) | None => matcher.matches(path.as_bytes()),
        };
        is_meant && !is_excepted
    };
    world().into_iter().filter(belongs).collect()
}

fn kind() -> impl Strategy<Value = Option<PathKind>> {
    prop::sample::select(vec![None, Some(PathKind::File), Some(PathKind::New)])
}

fn paths() -> impl Strategy<Value = Paths> {
    let text = || prop::sample::select(PATTERNS.to_vec());
    (text(), kind(), prop::collection::vec(text(), 0..3)).prop_map(|(text, kind, except)| Paths {
        except: except.into_iter().map(pattern).collect(),
        ..Paths::new(pattern(text), kind)
    })
}

fn meets(one: &Paths, other: &Paths) -> bool {
    one.region(Case::Sensitive).meets(&other.region(Case::Sensitive))
}

fn covers(one: &Paths, other: &Paths) -> bool {
    one.region(Case::Sensitive).covers(&other.region(Case::Sensitive))
}

fn is_new(paths: &Paths) -> bool {
    paths.kind == Some(PathKind::New)
}

fn hold(paths: Paths) -> Hold {
    let at = Timestamp::from_millis(0);
    Hold {
        id: "abcdefgh".parse().unwrap(),
        holder: "ann".parse().unwrap(),
        target: Target::Paths(paths),
        mode: Mode::Exclusive,
        about: About {
            reason: None,
            task: None,
            run: None,
            via: Via::Command,
            worktree: None,
            place: None,
        },
        process: None,
        shell: None,
        granted_at: at,
        expires_at: at,
        fence: 1,
        unknown: serde_json::Map::new(),
    }
}

proptest! {
    /// 8/FILE-IS-FILE: a file meets exactly the sets that it belongs to.
    #[test]
    fn a_file_meets_what_it_belongs_to(
        file in prop::sample::select(world()),
        other in paths(),
    ) {
        let file = Paths::new(pattern(&file), Some(PathKind::File));
        let belongs = match other.kind {
            Some(PathKind::File) => members(&other) == members(&file),
            _ => members(&other).contains(&file.pattern.shown()),
        };
        prop_assert_eq!(meets(&file, &other), belongs);
    }

    /// 8/FILE-IS-FILE: sets that have a path in common meet, whichever is asked first. A new path
    /// is no set: it does not meet what is only below it.
    #[test]
    fn sets_with_a_common_path_meet(one in paths(), other in paths()) {
        prop_assert_eq!(meets(&one, &other), meets(&other, &one));
        let (mine, theirs) = (members(&one), members(&other));
        let have_common = mine.iter().any(|path| theirs.contains(path));
        if !is_new(&one) && !is_new(&other) {
            prop_assert!(!have_common || meets(&one, &other));
        }
    }

    /// 8/FILE-IS-FILE: a set covers another only if it has all of its paths.
    #[test]
    fn what_covers_has_every_path(one in paths(), other in paths()) {
        if covers(&one, &other) {
            let mine = members(&one);
            prop_assert!(members(&other).iter().all(|path| mine.contains(path)));
        }
    }

    /// 8/FILE-IS-FILE: a new path meets a pattern that matches it or begins below it, and no other.
    #[test]
    fn a_new_path_meets_what_matches_it_or_begins_below(
        new in prop::sample::select(world()),
        text in prop::sample::select(PATTERNS.to_vec()),
    ) {
        let path = Paths::new(pattern(&new), Some(PathKind::New));
        let other = Paths::from(pattern(text));
        let is_literal = |name: &&str| !name.contains(['*', '?', '[']);
        let leading = text.split('/').take_while(is_literal).collect::<Vec<_>>().join("/");
        let begins_below = leading == new || leading.starts_with(&format!("{new}/"));
        let matches = other.pattern.matcher(Case::Sensitive).matches(new.as_bytes());
        prop_assert_eq!(meets(&path, &other), matches || begins_below);
    }

    /// 8/REST-STAYS: what is left of a hold is everything that was not given away.
    #[test]
    fn the_rest_of_a_hold_is_what_was_not_given(held in paths(), given in paths()) {
        prop_assume!(given.except.is_empty() && !is_new(&held));
        let (before, hold) = (members(&held), hold(held));
        let given_paths = members(&Paths::from(given.pattern.clone()));
        let left: Vec<String> =
            before.into_iter().filter(|path| !given_paths.contains(path)).collect();
        match without(&hold, &[Target::Paths(given)], Case::Sensitive) {
            Rest::Nothing => prop_assert!(left.is_empty(), "{:?}", left),
            Rest::Kept(rest) => {
                let kept = members(rest.target.paths().unwrap());
                prop_assert!(left.iter().all(|path| kept.contains(path)));
            }
            Rest::Lost => prop_assert!(false, "one exception is never too many"),
        }
    }
}

/// 8/FILE-IS-FILE: the cases that people met.
#[test]
fn a_pattern_for_a_kind_of_file_leaves_others_alone() {
    let all = Paths::from(pattern("**/*.md"));
    let file = |text| Paths::new(pattern(text), Some(PathKind::File));
    let new = |text| Paths::new(pattern(text), Some(PathKind::New));
    assert!(!meets(&all, &file("main.rs")));
    assert!(meets(&all, &file("docs/a.md")));
    assert!(!meets(&all, &new("main.rs")), "nothing is below it");
    assert!(meets(&all, &Paths::from(pattern("docs"))), "a directory may have such files");
    assert!(meets(&new("new"), &new("new/x.rs")));
    assert!(meets(&new("new"), &Paths::from(pattern("new/*.rs"))));
    assert!(meets(&new("new"), &file("new/x.rs")));
}

/// 8/REST-STAYS: the holder of a directory that gave one file away keeps the others.
#[test]
fn an_exception_is_left_out() {
    let held = Paths { except: vec![pattern("src/a.rs")], ..Paths::from(pattern("src")) };
    let file = |text| Paths::new(pattern(text), Some(PathKind::File));
    assert!(!meets(&held, &file("src/a.rs")) && meets(&held, &file("src/b.rs")));
    assert!(meets(&held, &Paths::from(pattern("src/*.rs"))), "others are meant too");
    assert!(!covers(&held, &Paths::from(pattern("src"))));
    assert!(covers(&held, &file("src/b.rs")) && !covers(&held, &file("src/a.rs")));
    assert_eq!(held.shown(), "src except src/a.rs");
}
