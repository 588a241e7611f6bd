//! Files that are generated from the definitions: manual, reference, table of configuration keys
//! and completions. Pure functions make them; a test compares their results with the committed
//! files.

pub(super) mod completions;
mod facts;
mod man;
mod outline;
mod reference;

use super::commands::completions::Shell;
use crate::app::install::documents::Document;
use crate::app::install::published;
use crate::app::schema;

/// Returns the path in the repository and the content of every generated file.
pub fn generated() -> Vec<(&'static str, String)> {
    let mut files = vec![
        ("docs/man/git-coord.1", man::page()),
        ("docs/reference.md", reference::commands()),
        ("docs/configuration.md", reference::configuration()),
    ];
    files.extend(published::files());
    files.extend(schema::ALL.iter().map(|command| {
        let text = serde_json::to_string_pretty(&command.schema());
        (command.file, text.expect("a schema is plain data") + "\n")
    }));
    files
}

/// Generates the files that belong beside the installed program, where manuals and shells are
/// looked for.
pub(super) fn documents() -> Vec<Document> {
    vec![
        Document { path: "share/man/man1/git-coord.1", content: man::page() },
        Document {
            path: "share/bash-completion/completions/git-coord",
            content: completions::script(Shell::Bash),
        },
        Document {
            path: "share/zsh/site-functions/_git-coord",
            content: completions::script(Shell::Zsh),
        },
        Document {
            path: "share/fish/vendor_completions.d/git-coord.fish",
            content: completions::script(Shell::Fish),
        },
    ]
}

/// A note for readers who would edit a generated file.
const ORIGIN: &str = "Generated from the definitions in src/cli and src/app/config.rs.";

#[cfg(test)]
mod tests;
