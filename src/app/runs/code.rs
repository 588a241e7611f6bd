//! The code side of a rollback: what phases have left in the repository, and the git commands that
//! a person could run about it. Nothing here runs them.

use crate::app::Ctx;
use crate::app::error::AppError;
use crate::app::runs::{self, Wanted};
use crate::core::ids::EntryName;
use crate::core::refusal::Refusal;
use crate::core::run::Run;
use crate::core::run::artifact::Artifact;
use crate::core::run::dispatch::Dispatch;
use crate::core::run::names::{IdPrefix, PhaseName};
use crate::core::run::refusal::Refusal as OfRun;

/// What phases have left behind.
#[derive(Clone, Debug)]
pub struct CodeReport {
    /// The run, which stays as it is.
    pub run: Run,
    /// The phases that a rollback would give up.
    pub phases: Vec<PhaseName>,
    /// What they have brought forth.
    pub artifacts: Vec<Artifact>,
    /// The commits of their dispatches, the newest first.
    pub commits: Vec<EntryName>,
    /// What a person could run.
    pub commands: Vec<Vec<String>>,
}

/// How many paths one command names.
const PATHS_MAX: usize = 50;

/// Reports on the phases after `to`, up to the present one.
pub fn report(ctx: &Ctx, prefix: &IdPrefix, to: &PhaseName) -> Result<CodeReport, AppError> {
    let reading = runs::read(ctx)?;
    let run = runs::find(&reading, prefix)?;
    let documents = &reading.base.snapshot;
    let (from, place) = (run.place(), run.place_of(to).map_err(Refusal::from)?);
    if place > from {
        let (id, at) = (run.id, run.phase);
        return Err(Refusal::from(OfRun::NotBehind { run: id, at, to: to.clone() }).into());
    }
    let phases = run.phases.names()[place + 1..=from].to_vec();
    let everything = Wanted { phase: None, all: true };
    let is_given_up = |phase: &PhaseName| phases.contains(phase);
    let mut artifacts = runs::artifacts(documents, &run, &everything)?.found;
    artifacts.retain(|artifact| is_given_up(&artifact.phase));
    let mut dispatches = runs::dispatches(documents, &run, &everything)?.found;
    dispatches.retain(|dispatch| is_given_up(&dispatch.phase));
    let commits = newest_first(&dispatches);
    let commands = commands(&artifacts, &commits);
    Ok(CodeReport { run, phases, artifacts, commits, commands })
}

fn newest_first(dispatches: &[Dispatch]) -> Vec<EntryName> {
    let mut commits: Vec<EntryName> = Vec::new();
    for commit in dispatches.iter().flat_map(|dispatch| &dispatch.commits) {
        commits.retain(|known| known != commit);
        commits.push(commit.clone());
    }
    commits.reverse();
    commits
}

/// Paths come from others, so `--` stands before them.
fn commands(artifacts: &[Artifact], commits: &[EntryName]) -> Vec<Vec<String>> {
    let git = |words: &[&str]| -> Vec<String> {
        std::iter::once(&"git").chain(words).map(|word| (*word).to_owned()).collect()
    };
    let mut commands: Vec<Vec<String>> =
        commits.iter().map(|commit| git(&["revert", "--no-edit", commit.as_str()])).collect();
    let mut paths: Vec<String> = artifacts
        .iter()
        .filter_map(|artifact| String::from_utf8(artifact.path.literal_path()?).ok())
        .collect();
    paths.sort();
    paths.dedup();
    paths.truncate(PATHS_MAX);
    if !paths.is_empty() {
        let top: Vec<String> = paths.iter().map(|path| format!(":(top,literal){path}")).collect();
        let words: Vec<&str> =
            ["log", "--oneline", "--"].into_iter().chain(top.iter().map(String::as_str)).collect();
        commands.push(git(&words));
    }
    commands
}
