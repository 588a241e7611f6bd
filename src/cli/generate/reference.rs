//! The command reference and the table of configuration keys, in Markdown.

use super::outline::{Argument, Outline};
use super::{ORIGIN, facts, outline};
use crate::app::config::KEYS;
use crate::cli::exit::ExitCode;

/// Renders `docs/reference.md`.
pub(super) fn commands() -> String {
    let program = outline::program();
    let mut page = Page::titled("Command reference");
    for text in &program.description {
        page.paragraph(text);
    }
    page.heading(2, "Global options");
    page.paragraph("Global options can stand before or after the command.");
    page.arguments(&program.arguments);
    for command in outline::commands() {
        page.command(&command);
    }
    page.heading(2, "Exit codes");
    let rows = ExitCode::ALL.map(|code| vec![code.number().to_string(), escaped(code.meaning())]);
    page.table(&["code", "meaning"], &rows);
    page.heading(2, "Environment");
    let rows: Vec<_> = facts::variables()
        .into_iter()
        .map(|(name, meaning)| vec![format!("`{}`", name.replace(", ", "`, `")), escaped(meaning)])
        .collect();
    page.table(&["variable", "meaning"], &rows);
    page.text
}

/// Renders `docs/configuration.md`.
pub(super) fn configuration() -> String {
    let mut page = Page::titled("Configuration");
    page.paragraph(
        "Keys are set with 'git config', and read as git reads them: from the system, the user, \
         the repository and the worktree, with includes, 'git -c' and GIT_CONFIG_COUNT.",
    );
    let row = |key: &crate::app::config::Key| {
        let default = key.default.map_or_else(String::new, |value| format!("`{value}`"));
        let kind = key.kind.description().to_owned();
        vec![format!("`{}`", key.name), kind, default, escaped(key.meaning)]
    };
    page.table(&["key", "type", "default", "meaning"], &KEYS.iter().map(row).collect::<Vec<_>>());
    page.paragraph(
        "Durations are a whole number and a unit: 90s, 15m, 2h, 7d. Booleans are git's: true, yes, \
         on, 1 or no value at all; false, no, off, 0. A value that fits neither is an error that \
         names the key, never a default.",
    );
    page.text
}

struct Page {
    text: String,
}

impl Page {
    fn titled(title: &str) -> Page {
        Page { text: format!("# {title}\n\n<!-- {ORIGIN} -->\n") }
    }

    fn add(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn heading(&mut self, level: usize, title: &str) {
        self.add(&format!("\n{} {title}\n", "#".repeat(level)));
    }

    fn paragraph(&mut self, text: &str) {
        self.add(&format!("\n{}\n", escaped(text)));
    }

    fn command(&mut self, command: &Outline) {
        // Subcommands stand below the command that they belong to.
        let level = command.invocation.split(' ').count() - 1;
        self.heading(level, &command.invocation);
        self.paragraph(&format!("{}.", command.about));
        self.block("text", std::slice::from_ref(&command.usage));
        for text in &command.description {
            self.paragraph(text);
        }
        self.arguments(&command.arguments);
        if !command.examples.is_empty() {
            self.add("\n<!-- not run: illustrations with made-up ids; a test parses them -->");
            self.block("sh", &command.examples);
        }
    }

    fn arguments(&mut self, arguments: &[Argument]) {
        if arguments.is_empty() {
            return;
        }
        self.add("\n");
        for Argument { spelling, help } in arguments {
            let help: Vec<&str> = help.iter().map(|text| text.trim_end_matches('.')).collect();
            self.add(&format!("- `{spelling}`: {}\n", escaped(&help.join(". "))));
        }
    }

    fn block(&mut self, language: &str, lines: &[String]) {
        self.add(&format!("\n```{language}\n{}\n```\n", lines.join("\n")));
    }

    fn table(&mut self, head: &[&str], rows: &[Vec<String>]) {
        let rule = "| --- ".repeat(head.len());
        self.add(&format!("\n| {} |\n{rule}|\n", head.join(" | ")));
        for row in rows {
            self.add(&format!("| {} |\n", row.join(" | ")));
        }
    }
}

/// Escapes every character that means something in Markdown or HTML.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        if "\\`*_<>[]|".contains(character) {
            safe.push('\\');
        }
        safe.push(character);
    }
    safe
}
