//! Sets of paths, compared with a model that knows every path of a small world.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

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

/// Lists every path of up to four names. Some names are in no pattern, one is longer than any that
/// a pattern without `*` matches, and some are spelled like a class. So a set which has a path has
/// one of these.
fn world() -> &'static [String] {
    static WORLD: LazyLock<Vec<String>> = LazyLock::new(|| {
        let names = ["a", "b", "m", "z", "zz", "[ab]", "[bm]"];
        let mut paths: Vec<String> = Vec::new();
        let mut longest: Vec<String> = names.map(str::to_owned).to_vec();
        for _ in 0..4 {
            paths.extend(longest.iter().cloned());
            let below = |path: &String| names.map(|name| format!("{path}/{name}"));
            longest = longest.iter().flat_map(below).collect();
        }
        paths
    });
    &WORLD
}

/// Lists the paths of up to three names that are spelled like no class.
fn plain() -> Vec<String> {
    let is_plain = |path: &&String| !path.contains('[') && path.matches('/').count() < 3;
    world().iter().filter(is_plain).cloned().collect()
}

/// Tells of each path of the world whether it belongs to a pattern.
fn matched(by: &Pattern) -> Vec<bool> {
    static KNOWN: LazyLock<BTreeMap<String, Vec<bool>>> = LazyLock::new(|| {
        PATTERNS.iter().map(|text| ((*text).to_owned(), compare(&pattern(text)))).collect()
    });
    fn compare(by: &Pattern) -> Vec<bool> {
        let matcher = by.matcher(Case::Sensitive);
        world().iter().map(|path| matcher.matches(path.as_bytes())).collect()
    }
    KNOWN.get(&by.shown()).cloned().unwrap_or_else(|| compare(by))
}

/// Returns the paths of a set, by its definition.
fn members(paths: &Paths) -> BTreeSet<&'static str> {
    let meant = matched(&paths.pattern);
    let except: Vec<Vec<bool>> = paths.except.iter().map(matched).collect();
    let belongs = |(index, path): &(usize, &'static str)| {
        let is_meant = match paths.kind {
            Some(PathKind::File) => *path == paths.pattern.shown(),
            Some(PathKind::New) | None => meant[*index],
        };
        is_meant && !except.iter().any(|except| except[*index])
    };
    let world = world().iter().map(String::as_str).enumerate();
    world.filter(belongs).map(|(_, path)| path).collect()
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
        file in prop::sample::select(plain()),
        other in paths(),
    ) {
        let file = Paths::new(pattern(&file), Some(PathKind::File));
        let belongs = match other.kind {
            Some(PathKind::File) => members(&other) == members(&file),
            _ => members(&other).contains(file.pattern.shown().as_str()),
        };
        prop_assert_eq!(meets(&file, &other), belongs);
    }

    /// 8/FILE-IS-FILE, 8/REST-STAYS: sets meet if they have a path in common, whichever is asked
    /// first, and no others do. A new path is no set: it does not meet what is only below it.
    #[test]
    fn sets_with_a_common_path_meet(one in paths(), other in paths()) {
        prop_assert_eq!(meets(&one, &other), meets(&other, &one));
        if !is_new(&one) && !is_new(&other) {
            let have_common = !members(&one).is_disjoint(&members(&other));
            prop_assert_eq!(have_common, meets(&one, &other));
        }
    }

    /// 8/FILE-IS-FILE, 8/REST-STAYS: a set covers another only if it has all of its paths; one
    /// without facts also always does then.
    #[test]
    fn what_covers_has_every_path(one in paths(), other in paths()) {
        let has_all = members(&other).is_subset(&members(&one));
        prop_assert!(has_all || !covers(&one, &other));
        if one.kind.is_none() && other.kind.is_none() {
            prop_assert_eq!(has_all, covers(&one, &other));
        }
    }

    /// 8/REST-STAYS: a new path meets what is left of a pattern, if that is the path itself, or
    /// something of a pattern that begins below it.
    #[test]
    fn a_new_path_meets_what_is_left(
        new in prop::sample::select(plain()),
        other in paths(),
    ) {
        prop_assume!(other.kind.is_none());
        let path = Paths::new(pattern(&new), Some(PathKind::New));
        let whole = Paths { except: Vec::new(), ..other.clone() };
        let left = members(&other);
        let below = format!("{new}/");
        let is_below = |it: &&str| *it == new || it.starts_with(&below);
        prop_assert!(!left.contains(new.as_str()) || meets(&path, &other));
        prop_assert!(left.iter().any(is_below) || !meets(&path, &other));
        prop_assert!(meets(&path, &whole) || !meets(&path, &other));
    }

    /// 8/FILE-IS-FILE: a new path meets a pattern that matches it or begins below it, and no other.
    #[test]
    fn a_new_path_meets_what_matches_it_or_begins_below(
        new in prop::sample::select(plain()),
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

    /// 8/REST-STAYS: what is left of a hold is everything that was not given away, and a hold of
    /// which nothing is left ends.
    #[test]
    fn the_rest_of_a_hold_is_what_was_not_given(held in paths(), given in paths()) {
        prop_assume!(!is_new(&held) && (given.except.is_empty() || given.kind.is_none()));
        let leaves_out = !given.except.is_empty();
        let (before, kind, hold) = (members(&held), held.kind, hold(held));
        let given_paths = match given.kind {
            None => members(&given),
            Some(_) => members(&Paths::from(given.pattern.clone())),
        };
        let count = before.len();
        let left: BTreeSet<&str> = before.difference(&given_paths).copied().collect();
        match without(&hold, &[Target::Paths(given)], Case::Sensitive) {
            Rest::Nothing => prop_assert!(left.is_empty(), "{:?}", left),
            Rest::Kept(rest) => {
                let kept = members(rest.target.paths().unwrap());
                prop_assert!(left.is_subset(&kept));
                prop_assert!(!kept.is_empty() || kind.is_some());
            }
            Rest::Lost => prop_assert!(leaves_out && left.len() < count, "one exception is enough"),
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

/// 8/REST-STAYS: patterns that have nothing in common but what was given away do not meet.
#[test]
fn patterns_that_share_only_exceptions_do_not_meet() {
    let held = |text, except: &[&str]| Paths {
        except: except.iter().map(|text| pattern(text)).collect(),
        ..Paths::from(pattern(text))
    };
    let main = held("src/*.rs", &["src/main.rs"]);
    assert!(!meets(&main, &held("**/main.rs", &[])));
    assert!(meets(&main, &held("**/m*.rs", &[])) && !meets(&main, &held("**/main.rs", &["docs"])));
    assert!(!meets(
        &held("src/**", &["src/a", "src/b/**"]),
        &held("src/[ab]/*.rs", &["src/\\[ab\\]"])
    ));
    assert!(covers(&main, &held("src/[a-l]*.rs", &[])) && !covers(&main, &held("src/m*.rs", &[])));
    assert!(covers(&main, &held("src/m*.rs", &["*/main.rs"])));
}
