//! The `git-coord` program, which git runs as `git coord`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().collect();
    let environment = std::env::vars_os().collect();
    git_coord::cli::run(&words, &environment).into()
}
