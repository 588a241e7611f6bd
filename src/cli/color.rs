//! When to use colour, and which.

use anstyle::{AnsiColor, Style};

use crate::core::boolean::parse_boolean;
use crate::core::environment::Environment;

/// `--color`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal only.
    #[default]
    Auto,
    /// Also in files and pipes.
    Always,
    /// Not at all.
    Never,
}

/// The facts that decide about colour.
pub(crate) struct ColorInputs<'a> {
    /// `--color`, if it was given.
    pub(crate) option: Option<ColorChoice>,
    /// `NO_COLOR`, `CLICOLOR_FORCE`, `TERM`, `GIT_PAGER_IN_USE`.
    pub(crate) environment: &'a Environment,
    /// `color.coord` and `color.ui`.
    pub(crate) config: &'a dyn Fn(&str) -> Option<String>,
    pub(crate) is_terminal: bool,
}

/// Decides whether a stream gets colour. The option goes before the environment, and that before
/// the configuration.
pub(crate) fn wants_color(inputs: &ColorInputs<'_>) -> bool {
    let env = inputs.environment;
    match inputs.option {
        Some(ColorChoice::Always) => return true,
        Some(ColorChoice::Never) => return false,
        Some(ColorChoice::Auto) | None => {}
    }
    if env.non_empty("NO_COLOR").is_some() {
        return false;
    }
    if env.non_empty("CLICOLOR_FORCE").is_some_and(|value| value != "0") {
        return true;
    }
    let configured = match inputs.option {
        Some(choice) => choice,
        None => configured_choice(inputs.config),
    };
    match configured {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => {
            // Git's pager is no terminal, but it shows its input on one.
            let paged = env.text("GIT_PAGER_IN_USE").and_then(parse_boolean).unwrap_or(false);
            let capable = env.non_empty("TERM").is_some_and(|terminal| terminal != "dumb");
            (inputs.is_terminal || paged) && capable
        }
    }
}

/// Reads `color.*` as git does: a plain "true" means "on a terminal". Git itself complains about an
/// unknown word.
fn configured_choice(config: &dyn Fn(&str) -> Option<String>) -> ColorChoice {
    let Some(text) = config("color.coord").or_else(|| config("color.ui")) else {
        return ColorChoice::Auto;
    };
    match text.to_ascii_lowercase().as_str() {
        "always" => ColorChoice::Always,
        "never" => ColorChoice::Never,
        other if parse_boolean(other) == Some(false) => ColorChoice::Never,
        _ => ColorChoice::Auto,
    }
}

/// The role of a piece of output, which decides its colour. The text must make sense without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// The word `error:`.
    Error,
    /// The word `warning:`.
    Warning,
    /// A `hint:` line.
    Hint,
    /// The id of a thing, to copy.
    Id,
    /// The name of an agent or person.
    Holder,
    /// A path or pattern.
    Path,
    /// Less important text, such as times and reasons.
    Dim,
}

impl Slot {
    pub(crate) fn style(self) -> Style {
        match self {
            Slot::Error => AnsiColor::Red.on_default().bold(),
            Slot::Warning => AnsiColor::Yellow.on_default().bold(),
            Slot::Hint | Slot::Id => AnsiColor::Yellow.on_default(),
            Slot::Holder => AnsiColor::Green.on_default(),
            Slot::Path => AnsiColor::Cyan.on_default(),
            Slot::Dim => Style::new().dimmed(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ColorChoice::{Always, Auto, Never};
    use super::*;

    /// Decides about a stream; variables and configuration are written as `NAME=value`.
    fn colored(option: Option<ColorChoice>, env: &str, config: &str, is_terminal: bool) -> bool {
        let environment = env.split(' ').filter_map(|pair| pair.split_once('=')).collect();
        let lookup = |asked: &str| {
            let mut pairs = config.split(' ').filter_map(|pair| pair.split_once('='));
            pairs.find(|(key, _)| *key == asked).map(|(_, value)| value.to_owned())
        };
        let config = &lookup;
        wants_color(&ColorInputs { option, environment: &environment, config, is_terminal })
    }

    #[test]
    fn without_wishes_terminals_get_colour() {
        assert!(colored(None, "TERM=xterm", "", true));
        assert!(!colored(None, "TERM=xterm", "", false));
        assert!(!colored(None, "", "", true));
        assert!(!colored(None, "TERM=dumb", "", true));
        assert!(colored(None, "TERM=xterm GIT_PAGER_IN_USE=true", "", false));
    }

    #[test]
    fn the_environment_wins_over_the_configuration() {
        assert!(!colored(None, "TERM=xterm NO_COLOR=1", "", true));
        assert!(colored(None, "TERM=xterm NO_COLOR=", "", true));
        assert!(colored(None, "CLICOLOR_FORCE=1", "", false));
        assert!(!colored(None, "CLICOLOR_FORCE=0", "", false));
        assert!(!colored(None, "CLICOLOR_FORCE=1 NO_COLOR=1", "", false));
        assert!(!colored(None, "NO_COLOR=1", "color.ui=always", true));
        assert!(colored(None, "CLICOLOR_FORCE=1", "color.coord=never", false));
    }

    #[test]
    fn the_configuration_is_read_as_git_reads_it() {
        assert!(colored(None, "", "color.coord=always", false));
        assert!(!colored(None, "TERM=xterm", "color.coord=false", true));
        assert!(!colored(None, "TERM=xterm", "color.coord=true", false));
        assert!(!colored(None, "TERM=xterm", "color.ui=never", true));
        assert!(colored(None, "TERM=xterm", "color.ui=never color.coord=auto", true));
    }

    #[test]
    fn the_option_wins_over_everything() {
        assert!(colored(Some(Always), "NO_COLOR=1 TERM=dumb", "color.ui=never", false));
        assert!(!colored(Some(Never), "TERM=xterm CLICOLOR_FORCE=1", "color.ui=always", true));
        assert!(!colored(Some(Auto), "TERM=xterm", "color.ui=always", false));
    }
}
