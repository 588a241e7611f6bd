//! Reports on the code side of a rollback: the artifacts and commits of phases, and the git
//! commands that a person could run to undo them. Nothing here runs them.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::Ctx;
use crate::app::error::AppError;
use crate::app::runs::parts::all_parts;
use crate::app::runs::{find, read};
use crate::core::documents::Documents;
use crate::core::refusal::Refusal;
use crate::core::run::artifact::Artifact;
use crate::core::run::dispatch::{Dispatch, Linked};
use crate::core::run::names::{IdPrefix, PhaseName};
use crate::core::run::refusal::Refusal as OfRun;
use crate::core::run::rollback_record::RollbackRecord;
use crate::core::run::{Run, Standing};

/// The artifacts and commits of the phases that a rollback gives up.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CodeReport {
    /// The run, which stays as it is.
    pub run: Run,
    /// The phase that the run would leave, or has left.
    pub from_phase: PhaseName,
    pub to_phase: PhaseName,
    /// The phases that a rollback would give up, or has given up.
    pub rolled_back_phases: Vec<PhaseName>,
    /// The rollback, if it has happened already.
    pub rollback: Option<RollbackRecord>,
    /// The artifacts of these phases.
    pub artifacts: Vec<Artifact>,
    /// The commits of their dispatches by full id, each before its ancestors. Those that are not in
    /// this repository come last, the last linked first.
    pub commits: Vec<String>,
    /// The commits that are not in this repository.
    pub missing_commits: Vec<String>,
    /// Commands that a person could run; each is a list of words.
    pub commands: Vec<Vec<String>>,
}

/// The largest number of paths that one command names.
const PATHS_PER_COMMAND: usize = 50;

/// Reports on the phases after `to`, up to the present one. If the run is at `to`, it reports on
/// the last rollback to that phase. It never reports on earlier rollbacks.
pub fn report(
    ctx: &Ctx,
    prefix: &IdPrefix,
    to: &PhaseName,
    only: Option<&PhaseName>,
) -> Result<CodeReport, AppError> {
    let reading = read(ctx)?;
    let run = find(&reading, prefix)?;
    let documents = &reading.base.snapshot;
    let (from, place) = (run.place(), run.place_of(to).map_err(Refusal::from)?);
    if let Some(phase) = only {
        run.place_of(phase).map_err(Refusal::from)?;
    }
    if place > from {
        let (id, at) = (run.id, run.phase);
        return Err(Refusal::from(OfRun::NotBehind { run: id, at, to: to.clone() }).into());
    }
    let round = Round::of(documents, &run, place, to)?;
    let is_wanted = |phase: &PhaseName| only.is_none_or(|only| only == phase);
    let mut artifacts: Vec<Artifact> = all_parts(documents, &run)?;
    artifacts.retain(|one| is_wanted(&one.phase) && round.has_artifact(one));
    let mut dispatches: Vec<Dispatch> = all_parts(documents, &run)?;
    dispatches.retain(|one| is_wanted(&one.phase) && round.has(&one.phase, one.step));
    let Reverts { commits, missing, mut commands } = reverts(ctx, &dispatches)?;
    commands.extend(logs(&artifacts));
    let Round { phases, rollback, .. } = round;
    Ok(CodeReport {
        from_phase: rollback.as_ref().map_or(&run.phase, |rollback| &rollback.from).clone(),
        to_phase: to.clone(),
        run,
        rolled_back_phases: phases,
        rollback,
        artifacts,
        commits,
        missing_commits: missing,
        commands,
    })
}

/// One pass of the run through phases, until a rollback or until now.
struct Round {
    phases: Vec<PhaseName>,
    /// The rollback that ended it; none if it goes on.
    rollback: Option<RollbackRecord>,
    /// Every rollback, the oldest first.
    all: Vec<RollbackRecord>,
}

impl Round {
    fn of(
        documents: &dyn Documents,
        run: &Run,
        place: usize,
        to: &PhaseName,
    ) -> Result<Round, AppError> {
        let all = RollbackRecord::of_run(documents, run)?;
        let phases = run.phases.names()[place + 1..=run.place()].to_vec();
        if !phases.is_empty() {
            return Ok(Round { phases, rollback: None, all });
        }
        let rollback = all.iter().rfind(|rollback| rollback.to == *to).cloned();
        let phases = rollback.as_ref().map(|rollback| rollback.phases.clone()).unwrap_or_default();
        Ok(Round { phases, rollback, all })
    }

    /// Tells whether a part that was added to a phase at a step belongs to this pass.
    fn has(&self, phase: &PhaseName, step: u32) -> bool {
        let taken_by = self.all.iter().find(|rollback| rollback.took(phase, step));
        self.phases.contains(phase) && taken_by == self.rollback.as_ref()
    }

    /// Tells whether an artifact belongs to this pass. The status decides too, because an artifact
    /// can be added while its phase lies ahead, and a rollback may mark it then.
    fn has_artifact(&self, artifact: &Artifact) -> bool {
        let counts = artifact.status == Standing::Active;
        self.has(&artifact.phase, artifact.step) && counts == self.rollback.is_none()
    }
}

struct Reverts {
    commits: Vec<String>,
    missing: Vec<String>,
    commands: Vec<Vec<String>>,
}

fn git(words: &[&str]) -> Vec<String> {
    std::iter::once(&"git").chain(words).map(|word| (*word).to_owned()).collect()
}

fn reverts(ctx: &Ctx, dispatches: &[Dispatch]) -> Result<Reverts, AppError> {
    let mut linked: Vec<&Linked> =
        dispatches.iter().flat_map(|dispatch| &dispatch.commits).collect();
    linked.sort_by_key(|linked| linked.at);
    let names: Vec<&str> = linked.iter().rev().map(|linked| linked.commit.as_str()).collect();
    let known = if names.is_empty() {
        Vec::new()
    } else {
        ctx.repository().changes().newest_first(&names)?
    };
    let found: BTreeSet<&str> =
        known.iter().flat_map(|commit| &commit.names).map(String::as_str).collect();
    let missing = distinct(names.into_iter().filter(|name| !found.contains(name)).collect());
    let mut told = Reverts { commits: Vec::new(), missing, commands: Vec::new() };
    for commit in &known {
        let id = commit.id.to_string();
        // For a merge git has to know which parent to keep.
        let mainline: &[&str] = if commit.is_merge { &["--mainline", "1"] } else { &[] };
        told.commands.push(git(&[&["revert", "--no-edit"], mainline, &[id.as_str()]].concat()));
        told.commits.push(id);
    }
    for name in &told.missing {
        told.commands.push(git(&["revert", "--no-edit", name]));
        told.commits.push(name.clone());
    }
    Ok(told)
}

/// Removes names that are the beginning of another, and keeps the order.
fn distinct(names: Vec<&str>) -> Vec<String> {
    let mut kept: Vec<&str> = Vec::new();
    for name in names {
        match kept.iter_mut().find(|known| known.starts_with(name) || name.starts_with(**known)) {
            Some(known) if known.len() < name.len() => *known = name,
            Some(_) => {}
            None => kept.push(name),
        }
    }
    kept.into_iter().map(str::to_owned).collect()
}

/// Builds the commands that show the commits of artifacts. Paths come from others, so `--` stands
/// before them.
fn logs(artifacts: &[Artifact]) -> Vec<Vec<String>> {
    let paths = artifacts.iter().filter_map(|artifact| artifact.path.literal_path());
    let paths: Vec<String> =
        paths.collect::<BTreeSet<_>>().iter().map(|path| pathspec(path)).collect();
    let command = |paths: &[String]| {
        let paths = paths.iter().map(String::as_str);
        git(&["log", "--oneline", "--"].into_iter().chain(paths).collect::<Vec<_>>())
    };
    paths.chunks(PATHS_PER_COMMAND).map(command).collect()
}

/// Writes a path as a pathspec for any directory. The words of a command are UTF-8, so a byte of
/// the path that is not becomes `?`, which matches any one.
fn pathspec(path: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(path) {
        return format!(":(top,literal){text}");
    }
    let mut pattern = String::from(":(top,glob)");
    for chunk in path.utf8_chunks() {
        for character in chunk.valid().chars() {
            if matches!(character, '*' | '?' | '[' | '\\') {
                pattern.push('\\');
            }
            pattern.push(character);
        }
        pattern.extend(chunk.invalid().iter().map(|_| '?'));
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_one_commit_are_one() {
        assert_eq!(
            distinct(vec!["abc1234", "ffffff1", "abc12345678", "abc1234"]),
            ["abc12345678", "ffffff1"]
        );
    }

    #[test]
    fn what_is_no_text_is_named_by_a_pattern() {
        assert_eq!(pathspec(b"src/*.rs"), ":(top,literal)src/*.rs");
        assert_eq!(pathspec(b"caf\xe9/*"), ":(top,glob)caf?/\\*");
    }
}
