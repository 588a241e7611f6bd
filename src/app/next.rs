//! Commands to run next, as words for programs and as text for a shell.

use crate::core::pattern::Pattern;
use crate::core::refusal::Conflict;
use crate::core::reservation::Target;
use crate::core::text::{WHY, is_disguise};

/// Longer patterns are not suggested: nobody types them.
const TYPED_CHARS_MAX: usize = 120;
/// The wait for the answer in a suggested request.
const WAIT: &str = "5m";

/// Suggests commands after a conflict. If `can_ask`, the first asks the holder and waits; it can be
/// run once the caller has put a reason into it, the others as they are. Patterns come from others,
/// so `--` stands before them.
pub fn after_conflict(conflicts: &[Conflict], can_ask: bool) -> Vec<Vec<String>> {
    let Some(first) = conflicts.first() else { return Vec::new() };
    let mut commands = Vec::new();
    let (typed, check) = match &first.target {
        Target::Paths(paths) => {
            let typed = from_top(&paths.pattern);
            let check = typed.as_ref().map(|pattern| command(&["check", "--", pattern]));
            (typed, check)
        }
        Target::Lock(name) => (None, Some(command(&["check", &format!("--lock={name}")]))),
    };
    if can_ask {
        // A lock, and a pattern that cannot be typed, is named by the id of the reservation.
        let what = typed.filter(|text| can_be_typed(text));
        let what = what.unwrap_or_else(|| first.held.id.to_string());
        let holder = format!("--holder={}", first.held.holder);
        commands.push(command(&["ask", &holder, "--reason", WHY, "--wait", WAIT, "--", &what]));
    }
    commands.extend(check);
    commands.push(command(&["list", &format!("--holder={}", first.held.holder)]));
    commands
}

/// Suggests to reserve what is free; none if it cannot be typed.
pub fn reserving(targets: &[Target]) -> Option<Vec<String>> {
    with_target(&["reserve"], targets)
}

/// Suggests to ask for what was not asked for; none if it cannot be typed.
pub fn asking(targets: &[Target]) -> Option<Vec<String>> {
    with_target(&["ask", "--reason", WHY], targets)
}

/// Builds a command about the only target.
fn with_target(words: &[&str], targets: &[Target]) -> Option<Vec<String>> {
    let [only] = targets else { return None };
    match only {
        Target::Paths(paths) => {
            let typed = from_top(&paths.pattern).filter(|text| can_be_typed(text))?;
            Some(command(&[words, &["--", &typed]].concat()))
        }
        Target::Lock(name) => Some(command(&[words, &[&format!("--lock={name}")]].concat())),
    }
}

/// Tells whether a person can type the text: it has no misleading characters and is not too long.
pub fn can_be_typed(text: &str) -> bool {
    !text.contains(is_disguise) && text.chars().count() <= TYPED_CHARS_MAX
}

/// Builds a command of this program.
pub fn command(words: &[&str]) -> Vec<String> {
    ["git", "coord"].iter().chain(words).map(|word| (*word).to_owned()).collect()
}

/// Writes a pattern as it can be typed in any directory; none if it is not UTF-8.
pub fn from_top(pattern: &Pattern) -> Option<String> {
    let text = std::str::from_utf8(pattern.as_bytes()).ok()?;
    Some(format!(":/{text}"))
}

/// Quotes a command for a shell.
pub fn in_shell(words: &[impl AsRef<str>]) -> String {
    let quoted = words.iter().map(AsRef::as_ref).map(|word: &str| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@,+".contains(c);
        if !word.is_empty() && word.chars().all(is_plain) {
            word.to_owned()
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}
