//! Everything that is written from the definitions: manual, reference, table of configuration keys
//! and completions. Pure functions; a test compares what they return with the committed files.

pub(super) mod completions;
mod facts;
mod man;
mod outline;
mod reference;

/// Path in the repository and contents of every generated file.
pub fn generated() -> Vec<(&'static str, String)> {
    vec![
        ("docs/man/git-coord.1", man::page()),
        ("docs/reference.md", reference::commands()),
        ("docs/configuration.md", reference::configuration()),
    ]
}

/// A note for readers who would edit a generated file.
const ORIGIN: &str = "Generated from the definitions in src/cli and src/app/config.rs.";

#[cfg(test)]
mod tests;
