//! `git coord reserve`

use std::ffi::OsString;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::app::presence::Sightings;
use crate::app::runs::named;
use crate::app::wording::{conflict_text, obstacles_text, target_text};
use crate::app::{Ctx, specs, waiting};
use crate::cli::color::Slot;
use crate::cli::dispatch::Context;
use crate::cli::error::{Advice, CliError, advise};
use crate::cli::exit::ExitCode;
use crate::cli::holds::{conflicts_json, fields};
use crate::cli::layout::{Cell, aligned};
use crate::cli::open::{open, told};
use crate::cli::refusals::held_json;
use crate::cli::term::Ui;
use crate::cli::values::parse_ttl;
use crate::core::ids::{LockName, RequestId};
use crate::core::pattern::{Case, Pattern, Reading};
use crate::core::reservation::reserve::{Grant, Reserve, Reserved, Scope};
use crate::core::reservation::{About, Mode, Target, Via};
use crate::core::text::{Line, shown};
use crate::core::time::{Timestamp, Ttl, relative};
use crate::store::ledger::transact::Committed;

const EXAMPLES: &str = "\
Examples:
  git coord reserve src/api --wait 5m
  git coord reserve --lock staging-db --reason 'migration'
  git coord reserve src/api 'tests/api/*.rs' --reason 'new endpoints'
  git coord reserve --shared docs --ttl 2h
  git coord reserve --literal 'app/[id]/page.tsx'";

/// Reserve paths, so that others do not change them meanwhile
///
/// A named lock is a hold on a name instead of a path: --lock staging-db holds whatever you and
/// the others agree that this name stands for.
///
/// Takes all patterns or none; with --each every one that is free. A pattern that you hold
/// already is renewed and never shortened. A pattern without wildcards covers its path and
/// everything below it; '*' and '?' stay inside one path segment, '**' spans any number of them.
///
/// Exits with 1 when another agent holds any of it, and says who, why and until when. With --wait
/// that is so only after that time: until then it stands in line with the others who wait, and
/// takes it when its turn comes.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Paths or patterns, relative to the current directory; ':/' is the top of the repository
    #[arg(
        value_name = "PATTERN",
        required_unless_present = "locks",
        value_hint = clap::ValueHint::AnyPath
    )]
    pub(crate) patterns: Vec<OsString>,

    /// A named lock; may be given more than once
    #[arg(long = "lock", value_name = "NAME")]
    pub(crate) locks: Vec<LockName>,

    /// Allow other shared reservations of the same paths
    #[arg(long)]
    pub(crate) shared: bool,

    /// How long it lives unless renewed, from 1s to 24h [default: coord.ttl, 15m]
    #[arg(long, value_name = "DURATION", value_parser = parse_ttl, allow_hyphen_values = true)]
    pub(crate) ttl: Option<Ttl>,

    /// Why, for those who meet it
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<Line>,

    /// The task this is for, as your tracker names it
    #[arg(long, value_name = "ID")]
    pub(crate) task: Option<Line>,

    /// The run this is for, or the beginning of its id
    #[arg(long, value_name = "RUN")]
    pub(crate) run: Option<Line>,

    /// Wait that long for what others hold, from 1s to 24h
    #[arg(
        long,
        value_name = "DURATION",
        value_parser = parse_ttl,
        allow_hyphen_values = true,
        conflicts_with = "each"
    )]
    pub(crate) wait: Option<Ttl>,

    /// Take what is free, one pattern at a time, instead of all or nothing
    #[arg(long)]
    pub(crate) each: bool,

    /// Take the patterns as plain paths: no wildcards
    #[arg(long)]
    pub(crate) literal: bool,

    /// Your own id for this request: a repetition gives the first answer again
    #[arg(long, value_name = "ID")]
    pub(crate) request_id: Option<RequestId>,
}

impl Args {
    /// Asks for the patterns.
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, CliError> {
        let mut ctx = open(context)?;
        let reading = if self.literal { Reading::Literal } else { Reading::Glob };
        let patterns = to_hold(ui, &ctx, &self.patterns, reading)?;
        let command = Reserve {
            mode: if self.shared { Mode::Shared } else { Mode::Exclusive },
            ttl: self.ttl.unwrap_or(ctx.settings().ttl),
            about: About {
                reason: self.reason.clone(),
                task: self.task.clone(),
                run: self.run.as_ref().map(|run| named::elsewhere(&ctx, run)).transpose()?,
                via: Via::Command,
                worktree: ctx.worktree(),
            },
            files: patterns.iter().filter(|pattern| names_file(&ctx, pattern)).cloned().collect(),
            scope: if self.each { Scope::Each } else { Scope::All },
            process: None,
            wait: None,
            request_id: self.request_id.clone(),
            with_edit: false,
            patterns,
            locks: self.locks.clone(),
        };
        let committed = reserve_patiently(ui, &mut ctx, &command, self.wait)?;
        let now = committed.at;
        let answer = told(ui, committed)?;
        let is_whole = answer.conflicts.is_empty() && answer.over_limit.is_empty();
        if ui.is_json() {
            let sightings = Sightings::of(&ctx, &answer.conflicts);
            ui.answer(is_whole, answer_json(&answer, now, &sightings))?;
        } else {
            print_answer(ui, &answer, now)?;
            hint_unmatched(ui, &ctx, &command.patterns)?;
        }
        Ok(if is_whole { ExitCode::Done } else { ExitCode::No })
    }
}

/// What is to be held, once the user is told what it may not have known.
pub(crate) fn to_hold(
    ui: &mut Ui,
    ctx: &Ctx,
    specs: &[OsString],
    reading: Reading,
) -> Result<Vec<Pattern>, CliError> {
    let repository = ctx.repository();
    let specs::Meant { patterns, hints } = specs::meant(repository, specs, reading, "reserve")?;
    ui.notes(&hints)?;
    ui.notes(&specs::reaching_elsewhere(repository, &patterns))?;
    Ok(patterns)
}

/// Reserves at once or, if there is time for it, after a wait that is told about.
pub(crate) fn reserve_patiently(
    ui: &mut Ui,
    ctx: &mut Ctx,
    command: &Reserve,
    wait: Option<Ttl>,
) -> Result<Committed<Reserved>, CliError> {
    let Some(wait) = wait else { return Ok(waiting::reserve_now(ctx, command)?) };
    let limit = Duration::from_secs(wait.as_seconds());
    let mut said = Ok(());
    let committed = waiting::reserve_within(ctx, command, limit, &mut |obstacles, orphans, now| {
        let text = format!("waiting: {}", obstacles_text(obstacles, orphans, now));
        said = ui.note(&text);
    });
    said?;
    Ok(committed?)
}

fn answer_json(answer: &Reserved, now: Timestamp, sightings: &Sightings) -> Map<String, Value> {
    let granted = answer.granted.iter().map(|grant| {
        let mut hold = json!(grant.hold);
        hold["renewed"] = json!(grant.renewed);
        hold
    });
    let mut answered = fields([
        ("granted", granted.collect()),
        ("conflicts", conflicts_json(&answer.conflicts, now, Some(sightings))),
    ]);
    if answer.replayed {
        answered.insert("replayed".to_owned(), json!(true));
    }
    if !answer.over_limit.is_empty() {
        answered.insert("over_limit".to_owned(), over_limit_json(&answer.over_limit));
        let message = "you hold as many reservations as one agent may";
        let next = [["git", "coord", "list", "--mine"]];
        let refusal = json!({ "code": "too_many", "message": message, "next": next });
        answered.insert("refusal".to_owned(), refusal);
    }
    if !answer.conflicts.is_empty() {
        answered.insert("refusal".to_owned(), held_json(&answer.conflicts, now, sightings));
    }
    answered
}

/// Patterns as they are, locks as `{"lock": name}`.
fn over_limit_json(targets: &[Target]) -> Value {
    let one = |target: &Target| target.pattern().map_or_else(|| json!(target), |it| json!(it));
    targets.iter().map(one).collect()
}

fn print_answer(ui: &mut Ui, answer: &Reserved, now: Timestamp) -> std::io::Result<()> {
    let rows: Vec<Vec<Cell>> = answer
        .granted
        .iter()
        .map(|Grant { hold, renewed }| {
            let target = shown(&hold.target.shown()).into_owned();
            vec![
                Cell::plain(if *renewed { "renewed" } else { "reserved" }),
                Cell::painted(hold.id.as_str(), ui.paint(Slot::Id, hold.id.as_str())),
                Cell::painted(&target, ui.paint(Slot::Path, &target)),
                Cell::plain(hold.mode.name()),
                Cell::plain(&format!(
                    "until {} ({})",
                    hold.expires_at,
                    relative(hold.expires_at.as_seconds(), now.as_seconds())
                )),
            ]
        })
        .collect();
    for line in aligned(&rows) {
        ui.line(&line)?;
    }
    if answer.replayed {
        ui.note("this request was answered before; nothing was done again")?;
    }
    for target in &answer.over_limit {
        let named = target_text(target);
        ui.talk(&format!("not reserved: {named}: you hold as many as one agent may"))?;
    }
    for conflict in &answer.conflicts {
        ui.talk(&format!("not reserved: {}", conflict_text(conflict, now)))?;
    }
    Ok(())
}

/// A pattern that matches nothing is often a slip, and sometimes a file that is yet to be made.
fn hint_unmatched(ui: &mut Ui, ctx: &Ctx, patterns: &[Pattern]) -> Result<(), CliError> {
    if !ui.wants_advice(Advice::NoMatch) || ctx.repository().work_tree().is_none() {
        return Ok(());
    }
    let unmatched = patterns.iter().find(|pattern| !reservable(ctx, pattern));
    if let Some(pattern) = unmatched {
        let shown = shown(&pattern.shown()).into_owned();
        let text = format!("'{shown}' matches no tracked file; it holds for files yet to be made");
        advise(ui, Advice::NoMatch, &text)?;
    }
    Ok(())
}

pub(crate) fn names_file(ctx: &Ctx, pattern: &Pattern) -> bool {
    pattern.literal_path().is_some_and(|path| ctx.repository().has_regular_file(&path))
}

fn reservable(ctx: &Ctx, pattern: &Pattern) -> bool {
    let there = pattern.literal_path().is_some_and(|path| ctx.repository().has_file(&path));
    let matcher = pattern.matcher(Case::Sensitive);
    there || ctx.repository().any_tracked(|path| matcher.matches(path)).unwrap_or(true)
}
