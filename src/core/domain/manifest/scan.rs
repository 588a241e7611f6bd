//! Functions that the scanners of build scripts share: texts in quotes, comments, calls and
//! statements. No relevant text of these languages goes over the end of its line.

/// The comment syntax of a language.
#[derive(Clone, Copy)]
pub(super) struct Comments {
    /// Begins a comment that goes to the end of the line.
    pub(super) line: &'static str,
    /// Begin and end a comment of many lines.
    pub(super) block: Option<(&'static str, &'static str)>,
}

/// The syntax of Gradle's two languages, and of Swift.
pub(super) const C_STYLE: Comments = Comments { line: "//", block: Some(("/*", "*/")) };
/// The syntax of Elixir.
pub(super) const HASH_STYLE: Comments = Comments { line: "#", block: None };

/// Returns the texts between quotes of either kind.
pub(super) fn quoted(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find(['"', '\'']) {
        let quote = &rest[at..=at];
        let after = &rest[at + 1..];
        let Some(end) = after.find(quote) else { break };
        found.push(&after[..end]);
        rest = &after[end + 1..];
    }
    found
}

/// Follows a text letter by letter and tells whether it is inside quotes.
#[derive(Default)]
struct Quotes(Option<char>);

impl Quotes {
    /// Tells whether this letter is code: neither in quotes nor a quote.
    fn is_code(&mut self, letter: char) -> bool {
        match (self.0, letter) {
            (_, '\n') => self.0 = None,
            (Some(open), letter) if open == letter => {
                self.0 = None;
                return false;
            }
            (None, '"' | '\'') => self.0 = Some(letter),
            _ => {}
        }
        self.0.is_none()
    }
}

/// Strips the comments from a text. An address in quotes has no comment in it.
pub(super) fn without_comments(text: &str, marks: Comments) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut quotes = Quotes::default();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let is_code = quotes.is_code(letter);
        if is_code && rest.starts_with(marks.line) {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
            continue;
        }
        let block = marks.block.filter(|_| is_code);
        let opened = block.and_then(|(start, end)| Some((rest.strip_prefix(start)?, end)));
        if let Some((inside, end)) = opened {
            rest = inside.split_once(end).map_or("", |(_, after)| after);
            kept.push(' ');
            continue;
        }
        kept.push(letter);
        rest = &rest[letter.len_utf8()..];
    }
    kept
}

/// Splits a script into statements, at line ends, semicolons and braces.
pub(super) fn statements(text: &str) -> Vec<&str> {
    let mut quotes = Quotes::default();
    let ends =
        move |letter: char| quotes.is_code(letter) && matches!(letter, '\n' | ';' | '{' | '}');
    text.split(ends).map(str::trim).filter(|statement| !statement.is_empty()).collect()
}

/// Returns the text between the parentheses of each call, such as `.package(...)`.
pub(super) fn calls<'t>(text: &'t str, start: &str) -> Vec<&'t str> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices(start) {
        let inside = &text[at + start.len()..];
        let (mut quotes, mut depth) = (Quotes::default(), 1);
        let end = inside.char_indices().find(|(_, letter)| {
            if quotes.is_code(*letter) {
                depth += match letter {
                    '(' => 1,
                    ')' => -1,
                    _ => 0,
                };
            }
            depth == 0
        });
        found.push(end.map_or(inside, |(end, _)| &inside[..end]));
    }
    found
}
