//! Two texts, split at the first NUL byte, read as patterns: nothing panics, the cheap laws hold.
//!
//! Run with `cargo +nightly fuzz run pattern`.

#![no_main]

use git_coord::core::pattern::{Case, Pattern, Reading, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let mut texts = input.splitn(2, |&byte| byte == 0);
    let left = read(texts.next().unwrap_or_default());
    let right = read(texts.next().unwrap_or_default());
    for case in [Case::Sensitive, Case::Folded] {
        for left in &left {
            for right in &right {
                check_pair(left, right, case);
            }
        }
    }
});

/// The patterns that `text` stands for, in both readings.
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
