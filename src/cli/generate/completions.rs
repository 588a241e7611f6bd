//! Completion scripts, under the names that git's own completion looks for.

use clap::CommandFactory as _;
use clap_complete::generate;

use crate::cli::args::Cli;
use crate::cli::commands::completions::Shell;

const PROGRAM: &str = "git-coord";

/// For bash the script is generated without a dash in the name: `clap_complete` spells a dash in
/// two ways there, and then completes nothing below the first level.
const BASH_NAME: &str = "gitcoord";

/// Git's completion calls `_git_coord` with the whole line in `words`; the generated function
/// expects a line that begins with the program, so it is given one.
const BASH_BRIDGE: &str = r#"
_git_coord() {
    local at="${__git_cmd_idx:-1}"
    local COMP_WORDS=(git-coord "${words[@]:at+1}")
    local COMP_CWORD=$((cword - at))
    _gitcoord git-coord "$cur" "$prev"
}
"#;

/// Generates the script for one shell.
pub(in crate::cli) fn script(shell: Shell) -> String {
    match shell {
        Shell::Bash => {
            let script = generated(clap_complete::Shell::Bash, BASH_NAME);
            // The name stands alone only where the function is bound to the program.
            script.replace(&format!(" {BASH_NAME}\n"), &format!(" {PROGRAM}\n")) + BASH_BRIDGE
        }
        Shell::Zsh => described(&generated(clap_complete::Shell::Zsh, PROGRAM)),
        Shell::Fish => generated(clap_complete::Shell::Fish, PROGRAM),
    }
}

fn generated(shell: clap_complete::Shell, name: &str) -> String {
    let mut script = Vec::new();
    generate(shell, &mut Cli::command(), name, &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// Adds a second line, which zsh shows beside the command in `git <TAB>`.
fn described(script: &str) -> String {
    let about = Cli::command().get_about().map(ToString::to_string).unwrap_or_default();
    let (first, rest) = script.split_once('\n').unwrap_or((script, ""));
    format!("{first}\n#description {}\n{rest}", about.to_lowercase())
}
