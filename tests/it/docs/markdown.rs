//! Parses the blocks of a page that are to be run.

/// A fenced block.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// The info string of the fence: `console`, `sh`, `console,norun`.
    pub(super) info: String,
    /// The line number of the fence, from one.
    pub(super) line: usize,
    pub(super) text: Vec<String>,
    /// Set if the line before explains why the block is not run.
    pub(super) is_excused: bool,
    /// The time that the line before sets the clock to, which readers do not see.
    pub(super) clock: Option<String>,
    /// Set if the line before says that the script before prints this block.
    pub(super) is_printed: bool,
}

/// A command of a session with its expected answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) line: usize,
    pub(super) command: String,
    pub(super) output: Vec<String>,
    pub(super) code: i32,
}

/// Lists the fenced blocks of a page, in order.
pub(super) fn blocks(page: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut open = false;
    let mut before = "";
    for (index, line) in page.lines().enumerate() {
        match line.trim_start().strip_prefix("```") {
            Some(_) if open => open = false,
            Some(info) => {
                open = true;
                found.push(Block {
                    info: info.trim().to_owned(),
                    line: index + 1,
                    text: Vec::new(),
                    is_excused: comment(before, "not run:").is_some(),
                    clock: comment(before, "clock:").map(str::to_owned),
                    is_printed: comment(before, "printed:").is_some(),
                });
            }
            None if open => {
                let block = found.last_mut().expect("an open block was pushed");
                block.text.push(line.to_owned());
            }
            None => {}
        }
        before = line;
    }
    found
}

/// Returns the text of a one-line comment after its first word.
fn comment<'l>(line: &'l str, word: &str) -> Option<&'l str> {
    let inner = line.trim().strip_prefix("<!-- ")?.strip_prefix(word)?.strip_suffix("-->")?;
    Some(inner.trim()).filter(|text| !text.is_empty())
}

/// Parses the commands of a session.
pub(super) fn steps(block: &Block) -> Result<Vec<Step>, String> {
    let mut steps: Vec<Step> = Vec::new();
    for (index, line) in block.text.iter().enumerate() {
        let line_number = block.line + 1 + index;
        if let Some(command) = line.strip_prefix("$ ") {
            let command = command.to_owned();
            steps.push(Step { line: line_number, command, output: Vec::new(), code: 0 });
            continue;
        }
        let Some(step) = steps.last_mut() else {
            return Err(format!("line {line_number}: output before the first '$ ' command"));
        };
        match (line.strip_prefix("> "), line.strip_prefix("? ")) {
            (Some(more), _) if step.output.is_empty() => {
                step.command.push('\n');
                step.command.push_str(more);
            }
            (_, Some(code)) => {
                step.code = code
                    .parse()
                    .map_err(|_| format!("line {line_number}: no exit code: '{code}'"))?;
            }
            _ => step.output.push(line.clone()),
        }
    }
    for step in &mut steps {
        while step.output.last().is_some_and(String::is_empty) {
            step.output.pop();
        }
    }
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_commands_and_output() {
        let page = "text\n```console\n$ echo a \\\n> b\na b\n? 1\n\n$ true\n```\n";
        let steps = steps(&blocks(page)[0]).unwrap();
        assert_eq!(steps[0].command, "echo a \\\nb");
        assert_eq!(steps[0].output, ["a b"]);
        assert_eq!((steps[0].code, steps[0].line), (1, 3));
        assert_eq!(steps[1].command, "true");
    }

    #[test]
    fn an_excuse_needs_a_reason() {
        let excused = |before: &str| blocks(&format!("{before}\n```sh\n```\n"))[0].is_excused;
        assert!(excused("<!-- not run: needs a network -->"));
        assert!(!excused("<!-- not run: -->"));
        assert!(!excused(""));
    }

    #[test]
    fn a_comment_sets_the_clock() {
        let clock = |before: &str| blocks(&format!("{before}\n```sh\n```\n"))[0].clock.clone();
        assert_eq!(clock("<!-- clock: 2026-01-05T10:00:00Z -->").unwrap(), "2026-01-05T10:00:00Z");
        assert_eq!(clock("<!-- not run: clock: -->"), None);
    }
}
