//! Two patterns and a path, split at NUL bytes: the laws of patterns, and a plain definition of
//! their meaning.

use git_coord::core::pattern::{Case, Matcher, Pattern, Reading, parse};

// A second reading of patterns, which shares no code with the first.
#[path = "../../../src/core/pattern/tests/naive.rs"]
mod naive;

use naive::{Segment, Token};

/// The maximum length for the plain definition, which tries every way to match and would take too
/// long.
const NAIVE_BYTES_MAX: usize = 48;
const NAIVE_RUNS_MAX: usize = 5;

/// Parses the input as patterns and a path.
pub(super) fn check(input: &[u8]) {
    let mut texts = input.splitn(3, |&byte| byte == 0);
    let left = read(texts.next().unwrap_or_default());
    let right = read(texts.next().unwrap_or_default());
    let path = texts.next().unwrap_or_default();
    for left in &left {
        for right in &right {
            for case in [Case::Sensitive, Case::Folded] {
                check_pair(left, right, case);
            }
            check_meaning(left, right, path);
        }
    }
}

/// Parses the patterns in `text`, in both readings.
fn read(text: &[u8]) -> Vec<Pattern> {
    let mut patterns = Vec::new();
    for reading in [Reading::Glob, Reading::Literal] {
        patterns.extend(parse(text, b"sub[dir]", reading).unwrap_or_default());
    }
    for pattern in &patterns {
        assert_eq!(Pattern::canonical(pattern.as_bytes()).as_ref(), Ok(pattern));
    }
    patterns
}

/// Checks the laws that need no other definition.
fn check_pair(left: &Pattern, right: &Pattern, case: Case) {
    let (l, r) = (left.matcher(case), right.matcher(case));
    assert!(l.overlaps(&l));
    assert_eq!(l.overlaps(&r), r.overlaps(&l));
    assert!(!l.covers(&r) || l.overlaps(&r));
    if let Some(path) = right.literal_path() {
        assert!(r.matches(&path));
        assert!(!l.matches(&path) || l.overlaps(&r));
        assert_eq!(l.may_match_below(&right.literal_segments()), l.overlaps(&r));
    }
}

/// Checks both patterns against the plain definition.
fn check_meaning(left: &Pattern, right: &Pattern, path: &[u8]) {
    if !is_small(left) || !is_small(right) {
        return;
    }
    let (l, r) = (left.matcher(Case::Sensitive), right.matcher(Case::Sensitive));
    let (plain_l, plain_r) = (naive::segments(left.as_bytes()), naive::segments(right.as_bytes()));
    let told = format!("{} and {}", left.shown(), right.shown());
    assert_eq!(l.overlaps(&r), overlap(&plain_l, &plain_r), "{told}");
    for path in paths(path, left, right) {
        let both = check_path(&l, &plain_l, &path) & check_path(&r, &plain_r, &path);
        assert!(!both || l.overlaps(&r), "{told}");
        assert!(!l.covers(&r) || !r.matches(&path) || l.matches(&path));
    }
}

fn is_small(pattern: &Pattern) -> bool {
    let text = pattern.as_bytes();
    let parts = text.split(|&byte| byte == b'*').count();
    text.len() <= NAIVE_BYTES_MAX && parts <= NAIVE_RUNS_MAX + 1
}

/// Compares the matcher with the definition on a path, and returns the result.
fn check_path(matcher: &Matcher, plain: &[Segment], path: &[u8]) -> bool {
    let found = matcher.matches(path);
    assert_eq!(found, naive::matches(plain, path), "{}", path.escape_ascii());
    found
}

/// Lists paths that may tell the two apart: the given one, those spelled like the patterns, and
/// their neighbours.
fn paths(given: &[u8], left: &Pattern, right: &Pattern) -> Vec<Vec<u8>> {
    let mut paths = Vec::new();
    for base in [given, left.as_bytes(), right.as_bytes()] {
        let names = base.split(|&byte| byte == b'/').filter(|name| !name.is_empty());
        let names: Vec<&[u8]> = names.collect();
        let base: Vec<u8> = names.join(&b'/');
        if base.is_empty() || base.contains(&0) || base.len() > NAIVE_BYTES_MAX {
            continue;
        }
        paths.push([&base, &b"/x"[..]].concat());
        paths.push([&b"sub[dir]/"[..], &base].concat());
        paths.push(base);
    }
    paths
}

/// Tells whether any path matches both patterns, by trying every way to combine them.
fn overlap(left: &[Segment], right: &[Segment]) -> bool {
    let forms = |segments| -> Vec<Vec<Part<'_>>> {
        let mut forms = vec![as_written(segments)];
        if naive::covers_below(segments) {
            forms.push(and_below(segments));
        }
        forms
    };
    let right = forms(right);
    forms(left).iter().any(|left| right.iter().any(|right| sequences_meet(left, right)))
}

/// A part of a path: any number of names, one that a segment accepts, or one by its letters.
#[derive(Clone, Copy)]
enum Part<'s> {
    AnyDepth,
    Accepted(&'s Segment),
    Spelled(&'s [u8]),
}

fn as_written(segments: &[Segment]) -> Vec<Part<'_>> {
    let part = |segment| match segment {
        &Segment { is_any_depth: true, .. } => Part::AnyDepth,
        segment => Part::Accepted(segment),
    };
    segments.iter().map(part).collect()
}

fn and_below(segments: &[Segment]) -> Vec<Part<'_>> {
    let spelled = segments.iter().map(|segment| Part::Spelled(&segment.spelled));
    spelled.chain([Part::AnyDepth]).collect()
}

fn sequences_meet(left: &[Part<'_>], right: &[Part<'_>]) -> bool {
    match (left, right) {
        ([], []) => true,
        ([Part::AnyDepth, after @ ..], _) if sequences_meet(after, right) => true,
        (_, [Part::AnyDepth, after @ ..]) if sequences_meet(left, after) => true,
        ([], _) | (_, []) | ([Part::AnyDepth, ..], [Part::AnyDepth, ..]) => false,
        ([Part::AnyDepth, ..], [_, right @ ..]) => sequences_meet(left, right),
        ([_, left @ ..], [Part::AnyDepth, ..]) => sequences_meet(left, right),
        ([one, left @ ..], [other, right @ ..]) => {
            names_meet(*one, *other) && sequences_meet(left, right)
        }
    }
}

fn names_meet(one: Part<'_>, other: Part<'_>) -> bool {
    let ways = |part| -> Vec<Vec<Token>> {
        let spell = |name: &[u8]| name.iter().map(|&byte| Token::Set(vec![byte])).collect();
        match part {
            Part::AnyDepth => Vec::new(),
            Part::Spelled(name) => vec![spell(name)],
            Part::Accepted(segment) => vec![copy(&segment.tokens), spell(&segment.spelled)],
        }
    };
    let others = ways(other);
    ways(one).iter().any(|one| others.iter().any(|other| tokens_meet(one, other)))
}

fn copy(tokens: &[Token]) -> Vec<Token> {
    let copy = |token: &Token| match token {
        Token::Set(set) => Token::Set(set.clone()),
        Token::Run => Token::Run,
    };
    tokens.iter().map(copy).collect()
}

fn tokens_meet(left: &[Token], right: &[Token]) -> bool {
    match (left, right) {
        ([], []) => true,
        ([Token::Run, after @ ..], _) if tokens_meet(after, right) => true,
        (_, [Token::Run, after @ ..]) if tokens_meet(left, after) => true,
        ([], _) | (_, []) | ([Token::Run, ..], [Token::Run, ..]) => false,
        ([Token::Run, ..], [Token::Set(set), right @ ..]) => {
            !set.is_empty() && tokens_meet(left, right)
        }
        ([Token::Set(set), left @ ..], [Token::Run, ..]) => {
            !set.is_empty() && tokens_meet(left, right)
        }
        ([Token::Set(one), left @ ..], [Token::Set(other), right @ ..]) => {
            one.iter().any(|byte| other.contains(byte)) && tokens_meet(left, right)
        }
    }
}
