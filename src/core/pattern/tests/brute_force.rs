//! Every small pattern against every small path.

use super::super::Matcher;
use super::{matcher, naive};

const SEGMENTS: [&str; 12] =
    ["a", "b", "ab", "*", "?", "a*", "*b", "?b", "[ab]", "[^a]", "\\[ab\\]", "**"];

/// Names of one and two bytes and those spelled like a segment above. Two patterns of these
/// segments that overlap have such a path in common, and if one does not cover the other, such a
/// path tells.
fn names() -> Vec<String> {
    let mut names: Vec<String> = ["[ab]", "[^a]", "*", "**"].map(String::from).to_vec();
    for first in ["a", "b", "c"] {
        names.push(first.to_owned());
        names.extend(["a", "b", "c"].map(|second| format!("{first}{second}")));
    }
    names
}

fn paths() -> Vec<String> {
    let names = names();
    let mut paths = names.clone();
    let mut longer = names.clone();
    for _ in 0..2 {
        longer =
            longer.iter().flat_map(|p| names.iter().map(move |n| format!("{p}/{n}"))).collect();
        paths.extend_from_slice(&longer);
    }
    paths
}

fn patterns() -> Vec<String> {
    let mut patterns = SEGMENTS.map(String::from).to_vec();
    for first in SEGMENTS {
        patterns.extend(SEGMENTS.map(|second| format!("{first}/{second}")));
    }
    patterns.retain(|pattern| pattern != "**/**");
    patterns
}

/// The paths that a pattern matches, one bit each.
fn matched(text: &str, matcher: &Matcher, paths: &[String]) -> Vec<u64> {
    let segments = naive::segments(text.as_bytes());
    let mut set = vec![0; paths.len().div_ceil(64)];
    for (index, path) in paths.iter().enumerate() {
        let found = matcher.matches(path.as_bytes());
        let expected = naive::matches(&segments, path.as_bytes());
        assert_eq!(found, expected, "{text} matches {path}");
        set[index / 64] |= u64::from(found) << (index % 64);
    }
    set
}

#[test]
fn small_patterns_mean_what_the_naive_definition_says() {
    let paths = paths();
    let mut patterns_with_paths = Vec::new();
    for text in patterns() {
        let matcher = matcher(&text);
        let set = matched(&text, &matcher, &paths);
        patterns_with_paths.push((text, matcher, set));
    }
    for (left_text, left, left_set) in &patterns_with_paths {
        for (right_text, right, right_set) in &patterns_with_paths {
            let mut both = left_set.iter().zip(right_set);
            let shared = both.clone().any(|(l, r)| l & r != 0);
            assert_eq!(left.overlaps(right), shared, "{left_text} overlaps {right_text}");
            let contained = both.all(|(l, r)| r & !l == 0);
            assert_eq!(left.covers(right), contained, "{left_text} covers {right_text}");
        }
    }
}
