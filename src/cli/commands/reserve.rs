//! `git coord reserve`

use std::ffi::OsString;

use crate::app::problem::{Advice, Problem};
use crate::app::reservations::reserve::{Body, Request, reserve};
use crate::app::view::GrantView;
use crate::app::waiting::Tell;
use crate::app::wording::{conflict_text, obstacles_text, target_text};
use crate::cli::color::Slot;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::layout::Cell;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::cli::values::parse_ttl;
use crate::core::ids::{LockName, RequestId};
use crate::core::pattern::Reading;
use crate::core::reservation::Mode;
use crate::core::reservation::reserve::Scope;
use crate::core::text::{Line, shown};
use crate::core::time::{Timestamp, Ttl, relative};

const EXAMPLES: &str = "\
Examples:
  git coord reserve src/api --wait 5m
  git coord reserve --lock staging-db --reason 'migration'
  git coord reserve src/api 'tests/api/*.rs' --reason 'new endpoints'
  git coord reserve --shared docs --ttl 2h
  git coord reserve --literal 'app/[id]/page.tsx'";

/// Reserve paths, so that others do not change them meanwhile
///
/// With --lock, reserves a name instead of a path. You and the other agents decide what a name such
/// as staging-db stands for.
///
/// Reserves all patterns or none; with --each, every pattern that is free. Renews a pattern that
/// you already hold, and never shortens it. A pattern without wildcards covers its path and
/// everything below it. '*' and '?' match within one path segment, and '**' matches any number of
/// segments.
///
/// Exits with 1 if another agent holds one of the targets, and names the holder, its reason and the
/// end of its reservation. With --wait, first waits up to that long, in line with other agents, and
/// reserves the targets when its turn comes.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) targets: Targets,

    #[command(flatten)]
    pub(crate) terms: Terms,

    /// Run that the reservation is for: its id, or the beginning of its id
    #[arg(long, value_name = "RUN")]
    pub(crate) run: Option<Line>,

    /// Reserve every pattern that is free, instead of all or none
    #[arg(long, conflicts_with = "wait")]
    pub(crate) each: bool,

    /// Your own id for this request; the same id again returns the first answer
    #[arg(long, value_name = "ID")]
    pub(crate) request_id: Option<RequestId>,
}

// Arguments that several commands share have no doc comment: that of the command is its help.
#[derive(Debug, clap::Args)]
pub(crate) struct Terms {
    /// Share the targets: others may also reserve them with --shared
    #[arg(long)]
    pub(crate) shared: bool,

    /// Time until the reservation ends unless renewed, from 1s to 24h [default: coord.ttl, 15m]
    #[arg(long, value_name = "DURATION", value_parser = parse_ttl, allow_hyphen_values = true)]
    pub(crate) ttl: Option<Ttl>,

    /// Wait up to this long for targets that others hold, from 1s to 24h
    #[arg(long, value_name = "DURATION", value_parser = parse_ttl, allow_hyphen_values = true)]
    pub(crate) wait: Option<Ttl>,

    /// Reason, shown to agents that want the same targets
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<Line>,

    /// Task that the reservation is for, as your tracker names it
    #[arg(long, value_name = "ID")]
    pub(crate) task: Option<Line>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Targets {
    /// Paths or patterns, relative to the current directory; ':/' is the top of the repository
    #[arg(
        value_name = "PATTERN",
        required_unless_present = "locks",
        value_hint = clap::ValueHint::AnyPath
    )]
    pub(crate) patterns: Vec<OsString>,

    /// Named lock; may be given more than once
    #[arg(long = "lock", value_name = "NAME")]
    pub(crate) locks: Vec<LockName>,

    /// Read the patterns as plain paths, without wildcards
    #[arg(long)]
    pub(crate) literal: bool,
}

impl Args {
    /// Reserves the targets.
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let mut ctx = context.open()?;
        let (Targets { patterns, locks, .. }, reading) = (&self.targets, self.targets.reading());
        let request = Request {
            run: self.run.clone(),
            scope: if self.each { Scope::Each } else { Scope::All },
            request_id: self.request_id.clone(),
            advise: ui.wants_advice(Advice::NoMatch),
            ..self.terms.added_to(Request::new(patterns.clone(), locks.clone(), reading))
        };
        let answer = telling_waiters(ui, |tell| reserve(&mut ctx, &request, tell))?;
        show(ui, &answer, |ui| print(ui, &answer.body, answer.at))
    }
}

impl Terms {
    /// Adds these terms to a request.
    pub(crate) fn added_to(&self, request: Request) -> Request {
        Request {
            mode: if self.shared { Mode::Shared } else { Mode::Exclusive },
            ttl: self.ttl,
            wait: self.wait,
            reason: self.reason.clone(),
            task: self.task.clone(),
            ..request
        }
    }
}

impl Targets {
    pub(crate) fn reading(&self) -> Reading {
        if self.literal { Reading::Literal } else { Reading::Glob }
    }
}

/// Makes a request that may wait, and prints the obstacles that it waits for.
pub(crate) fn telling_waiters<T>(
    ui: &mut Ui,
    ask: impl FnOnce(&mut Tell<'_>) -> Result<T, Problem>,
) -> Result<T, Problem> {
    let mut printed = Ok(());
    let outcome = ask(&mut |obstacles, orphans, now| {
        printed = ui.note(&format!("waiting: {}", obstacles_text(obstacles, orphans, now)));
    });
    printed?;
    outcome
}

fn print(ui: &mut Ui, body: &Body, now: Timestamp) -> std::io::Result<()> {
    ui.table(body.granted.iter().map(|grant| row(grant, now)))?;
    if body.replayed {
        ui.note("this request was answered before; nothing was done again")?;
    }
    for target in &body.over_limit {
        let named = target_text(&target.target());
        ui.talk(&format!("not reserved: {named}: you hold as many as one agent may"))?;
    }
    for conflict in &body.all_conflicts {
        ui.talk(&format!("not reserved: {}", conflict_text(&conflict.conflict(), now)))?;
    }
    Ok(())
}

fn row(grant: &GrantView, now: Timestamp) -> Vec<Cell> {
    let hold = &grant.hold.hold;
    let left = relative(hold.expires_at.as_seconds(), now.as_seconds());
    vec![
        Cell::plain(if grant.renewed { "renewed" } else { "reserved" }),
        Cell::painted(Slot::Id, hold.id.as_str()),
        Cell::painted(Slot::Path, shown(&hold.target.shown())),
        Cell::plain(hold.mode.name()),
        Cell::plain(format!("until {} ({left})", hold.expires_at)),
    ]
}
