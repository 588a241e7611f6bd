//! Patterns as people write them, and their meaning.

use super::super::bounds::{LENGTH_MAX, SEGMENTS_MAX};
use super::super::{Case, Pattern, Reading, for_path, node_name, node_segment, parse};
use super::{cover, matcher, overlap};

/// The canonical texts of `spec`, written in `prefix`.
fn read(spec: &str, prefix: &str) -> Vec<String> {
    let patterns = parse(spec.as_bytes(), prefix.as_bytes(), Reading::Glob).unwrap();
    patterns.iter().map(|p| String::from_utf8(p.as_bytes().to_vec()).unwrap()).collect()
}

fn literal(path: &[u8]) -> Pattern {
    parse(path, b"", Reading::Literal).unwrap().remove(0)
}

/// A path is itself, and one that is too deep is the lowest directory above it that fits.
#[test]
fn a_path_too_deep_for_a_pattern_is_met_with_its_directory() {
    assert_eq!(for_path(b"src/[id]").unwrap().literal_path().unwrap(), b"src/[id]");
    let deep = ["d"; 60].join("/");
    let nearest = for_path(deep.as_bytes()).unwrap();
    assert_eq!(nearest.literal_segments().len(), SEGMENTS_MAX);
    let long = format!("a/{}/f", "x".repeat(LENGTH_MAX));
    assert_eq!(for_path(long.as_bytes()).unwrap().shown(), "a");
    assert_eq!(for_path(b""), None);
}

#[test]
fn text_is_read_relative_to_where_it_is_written() {
    assert_eq!(read("*.rs", "src/api"), ["src/api/*.rs"]);
    assert_eq!(read("../x/./y//z", "src/api"), ["src/x/y/z"]);
    assert_eq!(read("*.tsx", "app/[id]"), ["app/\\[id\\]/*.tsx"]);
    assert_eq!(read(".", "src"), ["src"]);
    assert_eq!(read("..", "src"), ["**"]);
    assert_eq!(read(".", ""), ["**"]);
    assert_eq!(read("src/", ""), ["src"]);
    assert_eq!(read("src/*/", ""), ["src/*/**"]);
    assert_eq!(read("a/**/**/b", ""), ["a/**/b"]);
}

#[test]
fn pathspec_prefixes_are_those_of_git() {
    assert_eq!(read(":/", "src"), ["**"]);
    assert_eq!(read(":/a*", "src"), ["a*"]);
    assert_eq!(read(":(top)a", "src"), ["a"]);
    assert_eq!(read(":(literal)[a]*", "src"), ["src/\\[a\\]\\*"]);
    assert_eq!(read(":(top,literal){a,b}", "src"), ["\\{a,b\\}"]);
    assert_eq!(read(":(glob)**/a", "src"), ["src/**/a"]);
    assert_eq!(read(":name", ""), [":name"]);
    let all = parse(b":(top)x", b"", Reading::Literal).unwrap();
    assert_eq!(all[0].as_bytes(), b":(top)x", "a literal path has no prefixes");
}

#[test]
fn braces_expand_as_in_shells() {
    assert_eq!(read("src/{a,b}.rs", ""), ["src/a.rs", "src/b.rs"]);
    assert_eq!(read("{a,{b,c}d}", ""), ["a", "bd", "cd"]);
    assert_eq!(read("{a,a}", ""), ["a"]);
    assert_eq!(read("{{a,b}}", ""), ["\\{a\\}", "\\{b\\}"]);
    assert_eq!(read("{a}{}", ""), ["\\{a\\}\\{\\}"]);
    assert_eq!(read("\\{a,b\\}", ""), ["\\{a,b\\}"]);
    assert_eq!(read("b{/}*", ""), ["b\\{/\\}*"], "a literal pair may lie in two segments");
    assert_eq!(read("{src/*.rs,docs/}x", ""), ["src/*.rsx", "docs/x"]);
    assert_eq!(read("{a,b}{1,2}{x,y}{p,q}", "").len(), 16);
}

/// 1/SAFETY-3: the origin compared segment by segment, so that `**` never met a shorter path.
#[test]
fn any_depth_includes_none() {
    assert!(overlap("src/**/*.go", "src/main.go"));
    assert!(matcher("src/**").matches(b"src"));
    assert!(matcher("**/a").matches(b"a"));
    assert!(cover("src/**", "src/a/*.rs"));
    assert!(cover("src/**", "src") && cover("src", "src/**"));
}

/// 1/SAFETY-3: the origin counted literal bytes as complexity and refused long paths.
#[test]
fn long_literals_are_accepted() {
    let path = "a-rather-long-directory-name/".repeat(40) + &"x".repeat(255);
    assert!(overlap(&path, "**/x*"));
    assert!(literal(path.as_bytes()).is_literal());
}

#[test]
fn a_path_covers_what_is_below_it() {
    assert!(matcher("src").matches(b"src/x/y"));
    assert!(!matcher("src").matches(b"src2"));
    assert!(overlap("src", "src/x/*.rs") && overlap("src", "*/x"));
    assert!(!overlap("src", "src2") && !overlap("src/a", "src/*.rs"));
    assert!(!matcher("src/*").matches(b"src/x/y"));
}

#[test]
fn names_spelled_with_brackets_hold_what_they_say() {
    for path in ["app/[id]/page.tsx", "app/i/page.tsx"] {
        assert!(matcher("app/[id]/**").matches(path.as_bytes()), "{path}");
    }
    assert!(matcher("app/[id]").matches(b"app/[id]/page.tsx"));
    assert!(!matcher("app/[id]").matches(b"app/i/page.tsx"));
    assert!(overlap("app/[id]", "app/\\[id\\]/page.tsx"));
    assert!(matcher("app/[[...slug]]").matches(b"app/[[...slug]]/x"));
    // The range from 'r' to 'i' is empty, the directory is not.
    assert!(overlap("app/[user-id]/*", "app/\\[user-id\\]/page.tsx"));
    assert!(cover("app/[id]", "app/\\[id\\]"));
}

/// Nobody has a directory `*`; if it counted, these would exclude each other.
#[test]
fn stars_do_not_cover_what_is_below_them() {
    assert!(!overlap("src/*", "src/*/mod.rs"));
    assert!(!overlap("*.md", "*/x"));
}

#[test]
fn classes_and_escapes_follow_git() {
    assert!(matcher("[]a]").matches(b"]"));
    assert!(matcher("[a-]").matches(b"-"));
    assert!(matcher("[\\]]").matches(b"]"));
    assert!(matcher("x[!a-c]").matches(b"xd") && !matcher("x[!a-c]").matches(b"xb"));
    assert!(matcher("\\*").matches(b"*") && !matcher("\\*").matches(b"a"));
    assert!(matcher("*").matches(b".hidden"));
    assert!(matcher("a**b").matches(b"axb") && !matcher("a**b").matches(b"a/b"));
}

/// 3/BASH: names that a shell would act on are bytes like any other.
#[test]
fn hostile_names_pass_through_unchanged() {
    for name in
        [&b"$(whoami).go"[..], b"a\nb.go", b"`x`;rm -rf *.go", b"\xff\xfe\x1b[31m.go", b"-n.go"]
    {
        let pattern = literal(name);
        assert_eq!(pattern.literal_path().unwrap(), name);
        assert!(pattern.matcher(Case::Sensitive).matches(name));
        assert!(matcher("*.go").matches(name));
        assert!(matcher("*.go").covers(&matcher("*.go")));
        assert!(!pattern.shown().contains(['\n', '\x1b']));
    }
}

#[test]
fn patterns_are_shown_as_git_shows_paths() {
    assert_eq!(literal(b"app/[id]").to_string(), "app/[id]");
    assert_eq!(Pattern::canonical(b"app/[id]/*").unwrap().to_string(), "app/[id]/*");
    assert_eq!(literal(b"a\xc3\n").shown(), "\"a\\303\\n\"");
    assert_eq!(literal("\u{e9}".as_bytes()).shown(), "\u{e9}");
}

#[test]
fn leading_names_are_those_without_wildcards() {
    let names = |text: &str| Pattern::canonical(text.as_bytes()).unwrap().literal_segments();
    assert_eq!(names("src/api/*.rs"), [b"src".to_vec(), b"api".to_vec()]);
    assert_eq!(names("app/\\[id\\]"), [b"app".to_vec(), b"[id]".to_vec()]);
    assert!(names("**/*.md").is_empty());
    assert!(Pattern::canonical(b"**/*.md").unwrap().begins_with_wildcard());
}

#[test]
fn folded_patterns_ignore_case() {
    let folded = |text: &str| Pattern::canonical(text.as_bytes()).unwrap().matcher(Case::Folded);
    assert!(folded("SRC/*.RS").matches(b"src/Main.rs"));
    assert!(folded("\u{c9}t\u{e9}").matches("\u{e9}T\u{c9}/x".as_bytes()));
    assert!(folded("[A-C]x").matches(b"bX") && folded("[a-c]x").matches(b"BX"));
    assert!(!folded("[^a]").matches(b"A"));
    assert!(folded("README").overlaps(&folded("readme")));
    assert!(folded("App/[ID]").covers(&folded("app/\\[id\\]/X")));
}

#[test]
fn documents_hold_text_where_it_is_utf_8() {
    let json = |path: &[u8]| serde_json::to_string(&literal(path)).unwrap();
    assert_eq!(json(b"app/[id]"), r#""app/\\[id\\]""#);
    assert_eq!(json(b"\xff"), r#"{"bytes":"/w=="}"#);
    assert!(serde_json::from_str::<Pattern>(r#""a[""#).is_err());
    assert!(serde_json::from_str::<Pattern>(r#"{"bytes":"AA=="}"#).is_err());
}

#[test]
fn node_names_are_safe_in_trees() {
    assert_eq!(node_name(b".git", Case::Sensitive), "+.git");
    assert_eq!(node_name(b"100%\\\n\xff", Case::Sensitive), "+100%25%5C%0A%FF");
    assert_eq!(node_name("\u{c9}A".as_bytes(), Case::Folded), "+\u{e9}a");
    let long = node_name(&[b'x'; 200], Case::Sensitive);
    assert!(long.starts_with('~') && long.len() == 65);
    assert_eq!(node_segment(&long), None);
    assert_eq!(node_segment("+a%5c"), None, "one segment has one name");
    assert_eq!(node_segment("+a%5C"), Some(b"a\\".to_vec()));
}
