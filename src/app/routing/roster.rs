//! Lists the agents that exist: the names of files in directories, or the output of a command.
//!
//! No decision depends on it. A request that names an agent outside of the roster gets a warning,
//! and an override of such an agent is shown as orphaned. Without a configured roster, neither
//! happens.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;

use crate::app::Ctx;
use crate::core::environment::Environment;
use crate::core::routing::names::RoutedName;
use crate::store::git::config::Config;
use crate::store::os::executable;

const KEY: &str = "coord.roster";
/// The time limit of the command.
const PATIENCE: Duration = Duration::from_secs(5);
/// The limit for the output of the command.
const ANSWER_BYTES_MAX: u64 = 1024 * 1024;

/// The agents that exist.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roster {
    /// Their names; none if no roster is configured or it cannot be read.
    names: Option<BTreeSet<RoutedName>>,
    pub warnings: Vec<String>,
}

impl Roster {
    /// Reads the configured roster.
    pub fn read(ctx: &Ctx, environment: &Environment) -> Roster {
        let Some(setting) = &ctx.settings().routing.roster else { return Roster::default() };
        let top = ctx.repository().work_tree().map(|tree| tree.top.clone());
        let top = top.unwrap_or_else(|| ctx.repository().common_dir().to_owned());
        match setting.strip_prefix('!') {
            Some(_) if !is_of_user(ctx, environment) => Roster::refused(),
            Some(command) => Roster::of_command(ctx, command, &top, environment),
            None => Roster::of_directories(ctx, setting, &top, environment),
        }
    }

    /// Tells whether the agent is known not to exist.
    pub fn lacks(&self, agent: &RoutedName) -> bool {
        self.names.as_ref().is_some_and(|names| !names.contains(agent))
    }

    /// Makes the roster of a repository that names a command. A command that comes from the
    /// repository is not run.
    fn refused() -> Roster {
        let why = format!(
            "{KEY}: the repository's own configuration names a command, and nothing that a \
             repository names is run; git config --global {KEY} '!<command>' names it as yours"
        );
        Roster { names: None, warnings: vec![why] }
    }

    fn of_directories(ctx: &Ctx, setting: &str, top: &Path, environment: &Environment) -> Roster {
        let texts: Vec<&str> = setting.split(':').filter(|text| !text.is_empty()).collect();
        if texts.is_empty() {
            return Roster::default();
        }
        let mut roster = Roster { names: Some(BTreeSet::new()), warnings: Vec::new() };
        for text in texts {
            let directory = match (text.strip_prefix("~/"), environment.non_empty("HOME")) {
                (Some(rest), Some(home)) => PathBuf::from(home).join(rest),
                _ => top.join(text),
            };
            match file_names(&directory) {
                Ok(files) => {
                    for file in files {
                        roster.add(ctx, file.strip_suffix(".md").unwrap_or_default());
                    }
                }
                Err(error) => roster.warnings.push(format!("{KEY}: '{text}': {error}")),
            }
        }
        // An agent that is in no other directory may be in the one that cannot be read.
        if !roster.warnings.is_empty() {
            roster.names = None;
        }
        roster
    }

    fn of_command(ctx: &Ctx, command: &str, top: &Path, environment: &Environment) -> Roster {
        match answer(command, top, environment) {
            Ok(text) => {
                let mut roster = Roster { names: Some(BTreeSet::new()), warnings: Vec::new() };
                for line in text.lines() {
                    roster.add(ctx, line.trim());
                }
                roster
            }
            Err(why) => {
                Roster { names: None, warnings: vec![format!("{KEY}: '{command}': {why}")] }
            }
        }
    }

    fn add(&mut self, ctx: &Ctx, text: &str) {
        // Files whose name is no agent's, such as a README, are left out.
        if let (Ok(name), Some(names)) =
            (RoutedName::without_prefixes(&ctx.settings().routing.prefixes, text), &mut self.names)
        {
            names.insert(name);
        }
    }
}

/// Tells whether the user's own configuration sets the key, and not the repository's.
fn is_of_user(ctx: &Ctx, environment: &Environment) -> bool {
    let config = Config::of_repository(ctx.repository(), environment);
    config.is_ok_and(|config| !config.is_of_repository(KEY))
}

fn file_names(directory: &Path) -> std::io::Result<Vec<String>> {
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        entry.map(|entry| entry.file_name().to_string_lossy().into_owned())
    };
    std::fs::read_dir(directory)?.map(name).collect()
}

/// Runs a command, and returns its output. The words are split at blanks; no shell is involved.
fn answer(command: &str, top: &Path, environment: &Environment) -> Result<String, String> {
    let mut words = command.split_whitespace();
    let program = words.next().ok_or("it names no command")?;
    let mut child = executable::command_in(program, environment)
        .args(words)
        .current_dir(top)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| error.to_string())?;
    let stdout = child.stdout.take().ok_or("it has no output")?;
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut text = String::new();
        let read = stdout.take(ANSWER_BYTES_MAX).read_to_string(&mut text);
        // The receiver is gone if the command took too long.
        sender.send(read.map(|_| text)).ok();
    });
    let Ok(read) = receiver.recv_timeout(PATIENCE) else {
        child.kill().ok();
        child.wait().ok();
        return Err(format!("it took longer than {}s", PATIENCE.as_secs()));
    };
    let status = child.wait().map_err(|error| error.to_string())?;
    if !status.success() {
        return Err(status.to_string());
    }
    read.map_err(|error| error.to_string())
}
