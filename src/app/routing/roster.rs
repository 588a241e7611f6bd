//! Which agents there are: the names of files in directories, or what a command lists.
//!
//! Nothing is decided by it. An agent that is not in the roster is warned about when it is named,
//! and shown as orphaned when it has an override; where no roster is configured, nobody is.

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
/// A command that has not answered by then is not waited for.
const PATIENCE: Duration = Duration::from_secs(5);
/// What is read of its answer.
const ANSWER_BYTES_MAX: u64 = 1024 * 1024;

/// Which agents there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roster {
    /// Their names; none where no roster is configured or it cannot be read.
    names: Option<BTreeSet<RoutedName>>,
    /// What went wrong.
    pub warnings: Vec<String>,
}

impl Roster {
    /// The configured roster, as it is now.
    pub fn read(ctx: &Ctx, environment: &Environment) -> Roster {
        let Some(setting) = &ctx.settings().routing.roster else { return Roster::default() };
        let top = ctx.repository().work_tree().map(|tree| tree.top.clone());
        let top = top.unwrap_or_else(|| ctx.repository().common_dir().to_owned());
        match setting.strip_prefix('!') {
            Some(_) if !is_of_user(ctx, environment) => Roster::refused(),
            Some(command) => Roster::of_command(ctx, command, &top),
            None => Roster::of_directories(ctx, setting, &top, environment),
        }
    }

    /// Whether the agent is known not to be there.
    pub fn lacks(&self, agent: &RoutedName) -> bool {
        self.names.as_ref().is_some_and(|names| !names.contains(agent))
    }

    /// The roster where the repository names a command: nothing of it is run.
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
        // Whoever is in none of the others may be in the one that cannot be read.
        if !roster.warnings.is_empty() {
            roster.names = None;
        }
        roster
    }

    fn of_command(ctx: &Ctx, command: &str, top: &Path) -> Roster {
        match answer(command, top) {
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
        // What is no name is no agent: a README lies in many directories.
        if let (Ok(name), Some(names)) =
            (RoutedName::without_prefixes(&ctx.settings().routing.prefixes, text), &mut self.names)
        {
            names.insert(name);
        }
    }
}

/// Whether the user has set the key, and not the repository that one happens to stand in.
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

/// What a command prints. Its words are split at blanks and no shell reads them.
fn answer(command: &str, top: &Path) -> Result<String, String> {
    let mut words = command.split_whitespace();
    let program = words.next().ok_or("it names no command")?;
    let mut child = executable::command(program)
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
        // Nobody listens any more if it took too long.
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
