//! 1/SAFETY-3: malformed and over-complex patterns are refused before anything is compared, and
//! the worst that is accepted is compared in bounded time.

use std::time::{Duration, Instant};

use super::super::bounds::{LENGTH_MAX, SEGMENTS_MAX, WILDCARDS_MAX};
use super::super::{Fault, Pattern, Reading, parse};
use super::matcher;

fn fault(spec: impl AsRef<[u8]>) -> Fault {
    parse(spec.as_ref(), b"", Reading::Glob).unwrap_err().fault
}

#[test]
fn malformed_patterns_are_refused_by_name() {
    assert_eq!(fault(""), Fault::Empty);
    assert_eq!(fault("a[b"), Fault::UnclosedClass);
    assert_eq!(fault("a[/]b"), Fault::UnclosedClass);
    assert_eq!(fault("[]"), Fault::UnclosedClass);
    assert_eq!(fault("[[:alpha:]]"), Fault::NamedClass);
    assert_eq!(fault("a\\"), Fault::DanglingBackslash);
    assert_eq!(fault("a\\/b"), Fault::DanglingBackslash);
    assert_eq!(fault("{a,b"), Fault::UnbalancedBrace);
    assert_eq!(fault("a}"), Fault::UnbalancedBrace);
    assert_eq!(fault("a\0"), Fault::NulByte);
    assert_eq!(fault("a\n*"), Fault::ControlByte { byte: b'\n' });
    assert_eq!(fault("../x"), Fault::OutsideRepository);
    assert_eq!(fault("a/*/../b"), Fault::ParentOfWildcard);
    assert_eq!(fault("/etc"), Fault::Absolute);
    assert_eq!(fault("{a,}/b"), Fault::Absolute);
    for magic in [":!a", ":^a", ":(exclude)a", ":(icase)a", ":(top", ":(literal,glob)a", ":()a"] {
        assert!(matches!(fault(magic), Fault::UnknownMagic { .. }), "{magic}");
    }
    assert_eq!(parse(b"a\0", b"", Reading::Literal).unwrap_err().fault, Fault::NulByte);
    assert_eq!(Pattern::canonical(b"{a,b}").unwrap_err().fault, Fault::SeveralPatterns);
}

#[test]
fn a_refusal_says_what_to_write_instead() {
    let error = parse(b"app/[id", b"", Reading::Glob).unwrap_err();
    let expected = "bad pattern 'app/[id': '[' is never closed; \
                    write '\\[' or use --literal for a name that has one";
    assert_eq!(error.to_string(), expected);
    let long = parse(&[b'x'; LENGTH_MAX + 1], b"", Reading::Glob).unwrap_err();
    assert!(long.to_string().len() < 200, "{long}");
}

#[test]
fn bounds_are_exact() {
    assert!(parse(&[b'x'; LENGTH_MAX], b"", Reading::Glob).is_ok());
    assert_eq!(fault([b'x'; LENGTH_MAX + 1]), Fault::TooLong { length: LENGTH_MAX + 1 });
    // Escapes count: what is stored has to be read back.
    let starred = parse(&[b'*'; LENGTH_MAX], b"", Reading::Literal).unwrap_err();
    assert_eq!(starred.fault, Fault::TooLong { length: 2 * LENGTH_MAX });
    assert!(parse("a/".repeat(SEGMENTS_MAX).as_bytes(), b"", Reading::Glob).is_ok());
    assert_eq!(fault("a/".repeat(SEGMENTS_MAX + 1)), Fault::TooManySegments { count: 49 });
    assert!(parse("?".repeat(WILDCARDS_MAX).as_bytes(), b"", Reading::Glob).is_ok());
    assert_eq!(fault("?".repeat(WILDCARDS_MAX + 1)), Fault::TooManyWildcards { count: 33 });
    assert_eq!(fault("?".repeat(WILDCARDS_MAX) + "/"), Fault::TooManyWildcards { count: 33 });
    assert_eq!(fault("{,x}"), Fault::Empty);
    assert_eq!(fault("{a,b}{a,b}{a,b}{a,b}{a,b}"), Fault::TooManyAlternatives);
    assert_eq!(fault("{,".repeat(1000) + &"}".repeat(1000)), Fault::TooManyAlternatives);
}

/// Long runs of one byte between stars, many names that all meet each other, and subsets that grow
/// exponentially. The time is generous, for slow machines and builds without optimisation;
/// `benches/pattern.rs` measures.
#[test]
fn the_worst_accepted_pairs_are_compared_in_bounded_time() {
    let star_runs = |last: &str| ("*".to_owned() + &"a".repeat(120)).repeat(32) + last;
    let deep = |last: &str| "**/*a/".repeat(15) + last;
    let pairs = [
        (star_runs("b"), star_runs("c")),
        (deep("b"), deep("c")),
        ("*".to_owned() + &"a".repeat(2000) + "b", "a".repeat(4000)),
        ("**/a/".to_owned() + &"*/".repeat(30) + "b", "**/a/".to_owned() + &"*/".repeat(29) + "c"),
        ("*a".to_owned() + &"?".repeat(30), "*b*a".to_owned() + &"?".repeat(28)),
    ];
    for (left, right) in pairs {
        let (left, right) = (matcher(left), matcher(right));
        let start = Instant::now();
        assert!(!left.covers(&right) && !right.covers(&left));
        assert_eq!(left.overlaps(&right), right.overlaps(&left));
        assert!(start.elapsed() < Duration::from_secs(10));
    }
}
