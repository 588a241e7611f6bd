//! Laws that hold for every pattern.

use proptest::collection::vec;
use proptest::prelude::*;

use super::super::{Case, Matcher, Pattern, Reading, node_name, node_segment, parse};
use super::generate::{path, pattern_text};

fn case() -> impl Strategy<Value = Case> {
    prop_oneof![Just(Case::Sensitive), Just(Case::Folded)]
}

fn pattern() -> impl Strategy<Value = Pattern> {
    let literal = vec(any::<u8>().prop_filter("a path has no NUL", |&b| b != 0), 1..12);
    let literal = literal.prop_filter_map("outside", |path| {
        let parsed = parse(&path, b"dir[1]", Reading::Literal);
        parsed.ok().and_then(|patterns| patterns.into_iter().next())
    });
    let glob = pattern_text().prop_map(|text| Pattern::canonical(text.as_bytes()).unwrap());
    prop_oneof![3 => glob, 1 => literal]
}

fn compiled(patterns: [&Pattern; 2], case: Case) -> [Matcher; 2] {
    patterns.map(|pattern| pattern.matcher(case))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn stored_text_reads_back_as_the_same_pattern(pattern in pattern()) {
        prop_assert_eq!(&Pattern::canonical(pattern.as_bytes()).unwrap(), &pattern);
        let from_top = [b":/", pattern.as_bytes()].concat();
        let parsed = parse(&from_top, b"some/dir", Reading::Glob).unwrap();
        prop_assert_eq!(parsed, vec![pattern.clone()]);
        let json = serde_json::to_string(&pattern).unwrap();
        prop_assert_eq!(serde_json::from_str::<Pattern>(&json).unwrap(), pattern);
    }

    #[test]
    fn parsing_never_panics_and_is_idempotent(
        spec in vec(prop::sample::select(b"ab/*?[]{},\\.:!^-()\n\xff".to_vec()), 0..16),
    ) {
        for pattern in parse(&spec, b"d/e", Reading::Glob).unwrap_or_default() {
            prop_assert_eq!(Pattern::canonical(pattern.as_bytes()).unwrap(), pattern);
        }
    }

    #[test]
    fn overlap_is_symmetric_and_follows_from_cover(
        left in pattern(), right in pattern(), case in case(),
    ) {
        let [l, r] = compiled([&left, &right], case);
        prop_assert!(l.overlaps(&l) && l.covers(&l));
        prop_assert_eq!(l.overlaps(&r), r.overlaps(&l));
        prop_assert!(!l.covers(&r) || l.overlaps(&r));
    }

    #[test]
    fn cover_is_transitive(a in pattern(), b in pattern(), c in pattern(), case in case()) {
        let [a, b] = compiled([&a, &b], case);
        let c = c.matcher(case);
        prop_assert!(!(a.covers(&b) && b.covers(&c)) || a.covers(&c));
        // A pattern that overlaps the part overlaps the whole.
        prop_assert!(!(a.covers(&b) && b.overlaps(&c)) || a.overlaps(&c));
    }

    #[test]
    fn a_match_shows_in_every_other_answer(
        left in pattern_text(), right in pattern_text(), path in path(), case in case(),
    ) {
        let left = Pattern::canonical(left.as_bytes()).unwrap();
        let right = Pattern::canonical(right.as_bytes()).unwrap();
        let [l, r] = compiled([&left, &right], case);
        let literal = &parse(path.as_bytes(), b"", Reading::Literal).unwrap()[0];
        let here = literal.matcher(case);
        prop_assert!(here.matches(path.as_bytes()));
        if l.matches(path.as_bytes()) {
            prop_assert!(l.overlaps(&here));
            prop_assert!(!r.matches(path.as_bytes()) || l.overlaps(&r));
            prop_assert!(!r.covers(&l) || r.matches(path.as_bytes()));
        }
    }

    #[test]
    fn may_match_below_is_overlap_with_the_directory(
        text in pattern_text(), path in path(), case in case(),
    ) {
        let matcher = Pattern::canonical(text.as_bytes()).unwrap().matcher(case);
        let literal = &parse(path.as_bytes(), b"", Reading::Literal).unwrap()[0];
        let names = literal.literal_segments();
        prop_assert_eq!(matcher.may_match_below(&names), matcher.overlaps(&literal.matcher(case)));
        prop_assert!(matcher.may_match_below::<Vec<u8>>(&[]));
    }

    #[test]
    fn leading_names_begin_every_matching_path(text in pattern_text(), path in path()) {
        let pattern = Pattern::canonical(text.as_bytes()).unwrap();
        if pattern.matcher(Case::Sensitive).matches(path.as_bytes()) {
            let names = path.as_bytes().split(|&b| b == b'/').map(<[u8]>::to_vec);
            let names: Vec<Vec<u8>> = names.collect();
            prop_assert!(names.starts_with(&pattern.literal_segments()));
        }
    }

    #[test]
    fn folding_forgets_case_and_nothing_else(text in pattern_text(), path in path()) {
        let folded = Pattern::canonical(text.as_bytes()).unwrap().matcher(Case::Folded);
        let upper = path.to_uppercase();
        prop_assert_eq!(folded.matches(path.as_bytes()), folded.matches(upper.as_bytes()));
    }

    #[test]
    fn node_names_are_one_to_one(
        left in vec(any::<u8>(), 0..260), right in vec(any::<u8>(), 0..4), case in case(),
    ) {
        let name = node_name(&left, case);
        prop_assert!(name.len() <= 200 && !name.contains(['/', '\\', '\0', '\n']));
        let folded = node_segment(&name);
        prop_assert!(folded.is_some() || name.starts_with('~'));
        if case == Case::Sensitive && let Some(segment) = folded {
            prop_assert_eq!(&segment, &left);
        }
        let name = |segment: &[u8]| node_name(segment, Case::Sensitive);
        prop_assert_eq!(name(&right) == name(&left), left == right);
    }
}
