//! The `git-coord` program, which git runs as `git coord`.

use std::process::ExitCode;

use git_coord::core::environment::Environment;

fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().collect();
    let variables: Environment = std::env::vars_os().collect();
    let environment = match std::env::current_dir() {
        Ok(directory) => variables.at(directory),
        Err(_) => variables,
    };
    git_coord::cli::run(&words, &environment).into()
}
