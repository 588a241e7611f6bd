//! The laws checked against regular expressions, by an automaton library that others wrote.

use std::collections::HashSet;
use std::fmt::Write as _;

use proptest::prelude::*;
use regex_automata::dfa::{Automaton as _, dense};
use regex_automata::nfa::thompson;
use regex_automata::util::{primitives::StateID, syntax};
use regex_automata::{Anchored, Input, MatchKind};

use super::super::Pattern;
use super::generate::{long_glob_and_name, path, pattern_text};
use super::naive::{Segment, Token, covers_below, segments};
use super::{matcher, naive};

/// Names are written with a separator behind each, so that none is a special case.
fn regex(text: &[u8]) -> String {
    let segments = segments(text);
    let globs: String = segments.iter().map(segment_regex).collect();
    let spelled: String = segments.iter().map(|s| bytes_regex(&s.spelled) + "/").collect();
    let below =
        if covers_below(&segments) { format!("|{spelled}(?:[^/]+/)*") } else { String::new() };
    if text == b"**" { r"\A(?:[^/]+/)+\z".to_owned() } else { format!(r"\A(?:{globs}{below})\z") }
}

fn segment_regex(segment: &Segment) -> String {
    if segment.is_any_depth {
        return "(?:[^/]+/)*".to_owned();
    }
    let tokens: String = segment.tokens.iter().map(token_regex).collect();
    let glob =
        if segment.tokens.iter().all(|t| matches!(t, Token::Run)) { "[^/]+" } else { &tokens };
    format!("(?:{glob}|{})/", bytes_regex(&segment.spelled))
}

fn token_regex(token: &Token) -> String {
    match token {
        Token::Run => "[^/]*".to_owned(),
        Token::Set(set) if set.is_empty() => r"[a&&b]".to_owned(),
        Token::Set(set) => format!("[{}]", bytes_regex(set)),
    }
}

fn bytes_regex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, r"\x{byte:02x}").unwrap();
        text
    })
}

type Dfa = dense::DFA<Vec<u32>>;

fn dfa(text: &[u8]) -> Dfa {
    dense::Builder::new()
        .configure(
            dense::Config::new()
                .start_kind(regex_automata::dfa::StartKind::Anchored)
                .match_kind(MatchKind::All),
        )
        .syntax(syntax::Config::new().unicode(false).utf8(false))
        .thompson(thompson::Config::new().utf8(false))
        .build(&regex(text))
        .unwrap()
}

/// Whether some text ends in a pair of states that `wanted` accepts.
fn some_text(left: &Dfa, right: &Dfa, wanted: impl Fn(bool, bool) -> bool) -> bool {
    let start =
        |dfa: &Dfa| dfa.start_state_forward(&Input::new(b"").anchored(Anchored::Yes)).unwrap();
    let accepts = |dfa: &Dfa, state: StateID| dfa.is_match_state(dfa.next_eoi_state(state));
    let mut pending = vec![(start(left), start(right))];
    let mut seen: HashSet<_> = pending.iter().copied().collect();
    while let Some((l, r)) = pending.pop() {
        if wanted(accepts(left, l), accepts(right, r)) {
            return true;
        }
        // Every byte that the generated patterns name, and one that they do not.
        for &byte in "abc-[]*?\\.!^/x\u{e9}".as_bytes() {
            let next = (left.next_state(l, byte), right.next_state(r, byte));
            if seen.insert(next) {
                pending.push(next);
            }
        }
    }
    false
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn overlap_and_cover_agree_with_dense_automata(
        left in pattern_text(),
        right in pattern_text(),
    ) {
        let left = Pattern::canonical(left.as_bytes()).unwrap();
        let right = Pattern::canonical(right.as_bytes()).unwrap();
        let (l, r) = (matcher(left.as_bytes()), matcher(right.as_bytes()));
        let (l_dfa, r_dfa) = (dfa(left.as_bytes()), dfa(right.as_bytes()));
        prop_assert_eq!(l.overlaps(&r), some_text(&l_dfa, &r_dfa, |l, r| l && r));
        prop_assert_eq!(l.covers(&r), !some_text(&l_dfa, &r_dfa, |l, r| !l && r));
        prop_assert_eq!(r.covers(&l), !some_text(&l_dfa, &r_dfa, |l, r| l && !r));
    }

    #[test]
    fn matches_agrees_with_the_naive_definition(text in pattern_text(), path in path()) {
        let pattern = Pattern::canonical(text.as_bytes()).unwrap();
        let expected = naive::matches(&segments(pattern.as_bytes()), path.as_bytes());
        prop_assert_eq!(matcher(pattern.as_bytes()).matches(path.as_bytes()), expected);
    }
}

proptest! {
    // Automata for long names are slow to build.
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn long_names_agree_with_dense_automata(
        (left, name) in long_glob_and_name(), (right, _) in long_glob_and_name(),
    ) {
        let (l, r) = (matcher(&left), matcher(&right));
        let expected = naive::matches(&segments(left.as_bytes()), name.as_bytes());
        prop_assert_eq!(l.matches(name.as_bytes()), expected);
        let (l_dfa, r_dfa) = (dfa(left.as_bytes()), dfa(right.as_bytes()));
        prop_assert_eq!(l.overlaps(&r), some_text(&l_dfa, &r_dfa, |l, r| l && r));
        prop_assert_eq!(l.covers(&r), !some_text(&l_dfa, &r_dfa, |l, r| !l && r));
    }
}
