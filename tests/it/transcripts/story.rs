//! The lines of a transcript that somebody wrote: comments, commands, the passing of time.

/// A line that is not part of an answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'t> {
    Comment(&'t str),
    /// The time that passes.
    After(&'t str),
    /// The directory of the following calls, relative to the top of the work tree.
    In(&'t str),
    Call(Call<'t>),
}

/// A command and its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Call<'t> {
    pub(super) line: &'t str,
    /// The caller; a person if empty.
    pub(super) agent: &'t str,
    /// Set if it is called in both forms, as text and with `--json`.
    pub(super) in_both_forms: bool,
    pub(super) command: &'t str,
}

/// Lists the lines of a transcript that somebody wrote, in order. Fails at a line that is neither
/// that nor part of an answer.
#[track_caller]
pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
    let is_answer = |line: &str| {
        line.is_empty() || ["|", "!", "exit ", "json exit "].iter().any(|at| line.starts_with(at))
    };
    let written = text.lines().filter(|line| !is_answer(line));
    written
        .map(|line| read(line).unwrap_or_else(|| panic!("no line of a story: '{line}'")))
        .collect()
}

fn read(line: &str) -> Option<Line<'_>> {
    if line.starts_with('#') {
        return Some(Line::Comment(line));
    }
    if let Some(span) = line.strip_prefix("after ") {
        return Some(Line::After(span));
    }
    if let Some(directory) = line.strip_prefix("in ") {
        return Some(Line::In(directory));
    }
    let (prompt, command) = line.split_once(' ')?;
    let both = prompt.strip_suffix('$');
    let agent = both.or_else(|| prompt.strip_suffix('%'))?;
    Some(Line::Call(Call { line, agent, in_both_forms: both.is_some(), command }))
}

#[test]
fn a_story_is_what_is_no_answer() {
    let text = "# why\nalice$ git coord list\nexit 0\n| a$ b\n\n! c\n\
                after 5m\nin src\n% git log\njson exit 1\n";
    let call = |line, agent, in_both_forms, command| {
        Line::Call(Call { line, agent, in_both_forms, command })
    };
    let story = [
        Line::Comment("# why"),
        call("alice$ git coord list", "alice", true, "git coord list"),
        Line::After("5m"),
        Line::In("src"),
        call("% git log", "", false, "git log"),
    ];
    assert_eq!(lines(text), story);
}
