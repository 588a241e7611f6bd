//! Random patterns and paths, small enough to meet often.

use proptest::collection::vec;
use proptest::prelude::*;

fn token() -> impl Strategy<Value = &'static str> {
    let plain =
        prop::sample::select(vec!["a", "b", "c", "-", "]", "\\[", "\\]", "\\*", "\\\\", "\u{e9}"]);
    let wild = prop::sample::select(vec![
        "*", "?", "[ab]", "[^a]", "[!b-c]", "[a-c]", "[c-a]", "[]a]", "[a-]", "[\\]b]", "[[...a]",
    ]);
    prop_oneof![2 => plain, 1 => wild]
}

fn segment() -> impl Strategy<Value = String> {
    prop_oneof![
        1 => Just("**".to_owned()),
        1 => Just("[ab]".to_owned()),
        5 => vec(token(), 1..5).prop_map(|tokens| tokens.concat()),
    ]
}

/// Text that parses.
pub(super) fn pattern_text() -> impl Strategy<Value = String> {
    vec(segment(), 1..5).prop_map(|segments| segments.join("/"))
}

/// A path over the bytes that those patterns use.
pub(super) fn path() -> impl Strategy<Value = String> {
    let byte = prop::sample::select(vec!["a", "b", "c", "[", "]", "*", "\\", "-", "x", "\u{e9}"]);
    let name = prop_oneof![
        Just("[ab]".to_owned()),
        Just("[c-a]".to_owned()),
        vec(byte, 1..4).prop_map(|bytes| bytes.concat()),
    ];
    vec(name, 1..5).prop_map(|names| names.join("/"))
}

/// A glob for one name and a name, both longer than a machine word has bits.
pub(super) fn long_glob_and_name() -> impl Strategy<Value = (String, String)> {
    let run = || (0usize..90).prop_map(|length| "a".repeat(length));
    let joint = || prop::sample::select(vec!["*", "?", "b", "[ab]", "*b"]);
    let glob = (run(), joint(), run(), joint(), run());
    let glob = glob.prop_map(|(a, x, b, y, c)| [&a, x, &b, y, &c, "a"].concat());
    let name = (run(), run(), run()).prop_map(|(a, b, c)| [&a, "b", &b, "b", &c, "a"].concat());
    (glob, name)
}
