//! `git coord status`

use std::io;
use std::time::Duration;

use serde_json::Value;

use crate::app::Ctx;
use crate::app::negotiation::view::RequestView;
use crate::app::problem::Problem;
use crate::app::routing::view::TrialView;
use crate::app::status::{Body, Domains, Notice, status};
use crate::app::view::HoldView;
use crate::app::wording::ticket_text;
use crate::cli::color::Slot;
use crate::cli::commands::inbox::print_requests;
use crate::cli::commands::overrides::trial_text;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::holds::{event_target, print_table};
use crate::cli::layout::Cell;
use crate::cli::patience::Patience;
use crate::cli::requests::request_text;
use crate::cli::runs;
use crate::cli::show::{say, show};
use crate::cli::term::Ui;
use crate::core::domain::name::Name;
use crate::core::event::Event;
use crate::core::run::Run;
use crate::core::text::shown;
use crate::core::time::{Timestamp, relative};

/// Show reservations, requests and runs on one screen
///
/// Shows your reservations with the time that they have left, the reservations of others, open
/// requests, active runs and overrides on trial.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Redraw the screen whenever it changes, until interrupted
    #[arg(long, conflicts_with = "json")]
    pub(crate) watch: bool,
}

/// The number of runs that one screen shows.
const RUNS_SHOWN_MAX: usize = 10;
/// The number of requests of each kind that one screen shows.
const REQUESTS_SHOWN_MAX: usize = 10;
/// The number of paths that were taken out of one reservation, as the line about it shows them.
const TAKEN_SHOWN_MAX: usize = 2;
/// The time between two looks of a watched status.
const WATCH_INTERVAL: Duration = Duration::from_secs(1);

impl Args {
    /// Shows the screen, once or whenever it changes.
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        if self.watch {
            return watch(ui, context);
        }
        let ctx = context.open()?;
        let answer = status(&ctx)?;
        show(ui, &answer, |ui| print(ui, &ctx, &answer.body, answer.at))
    }
}

fn watch(ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
    const CLEAR: &str = "\u{1b}[2J\u{1b}[H";
    let mut patience = Patience::new(WATCH_INTERVAL);
    while !ui.is_closed() {
        let wait = patience.look(ui, |ui| {
            let ctx = context.open()?;
            let answer = status(&ctx)?;
            ui.text(if ui.is_terminal() { CLEAR } else { "\n" })?;
            print(ui, &ctx, &answer.body, answer.at)?;
            answer.notes.iter().try_for_each(|note| say(ui, note))?;
            Ok(ui.flush()?)
        })?;
        std::thread::sleep(wait);
    }
    Ok(ExitCode::Done)
}

fn print(ui: &mut Ui, ctx: &Ctx, body: &Body, now: Timestamp) -> io::Result<()> {
    let identity = ctx.identity();
    let name = ui.paint(Slot::Holder, identity.name.as_str());
    ui.line(&format!("You are {name} ({})", identity.source.description()))?;
    if body.unread > 0 {
        ui.line(&format!("Unread messages: {} (git coord inbox --unread)", body.unread))?;
    }
    for notice in &body.notices {
        ui.line(&notice_text(notice, now))?;
    }
    ui.line("")?;
    print_requests(ui, &body.requests.own, REQUESTS_SHOWN_MAX, now)?;
    print_overdue(ui, &body.requests.overdue, now)?;
    section(ui, "Yours", &body.mine, now)?;
    hidden(ui, body.mine_count - body.mine.len(), "git coord list --mine")?;
    section(ui, "Held by others", &body.others, now)?;
    hidden(ui, body.others_count - body.others.len(), "git coord list")?;
    if !body.waiting.is_empty() {
        ui.line("Waiting:")?;
    }
    for ticket in &body.waiting {
        ui.line(&ticket_text(ticket, now))?;
    }
    hidden(ui, body.waiting_count - body.waiting.len(), "git coord list")?;
    if body.expired > 0 {
        ui.line(&format!("Ended and not yet swept: {} (git coord sweep)", body.expired))?;
    }
    print_runs(ui, &body.runs, now)?;
    if body.mine.is_empty() && body.others.is_empty() {
        ui.line("Nobody holds anything. To begin: git coord reserve <path>")?;
    }
    print_trials(ui, &body.trials, now)?;
    body.domains.as_ref().map_or(Ok(()), |domains| print_domains(ui, domains))
}

/// Prints overdue requests between other agents, because nobody else may be there to see them.
fn print_overdue(ui: &mut Ui, overdue: &[RequestView], now: Timestamp) -> io::Result<()> {
    if !overdue.is_empty() {
        ui.line("Overdue between others:")?;
    }
    for request in overdue.iter().take(REQUESTS_SHOWN_MAX) {
        ui.line(&format!("  {}", request_text(ui, request, now)))?;
    }
    let hidden = overdue.len().saturating_sub(REQUESTS_SHOWN_MAX);
    if hidden > 0 {
        ui.line(&format!("  and {hidden} more: git coord agents"))?;
    }
    Ok(())
}

/// Prints the domains of the project if they need attention: if they are stale or cannot be read.
fn print_domains(ui: &mut Ui, domains: &Domains) -> io::Result<()> {
    let detect = "git coord domain detect";
    if let Some(why) = &domains.trouble {
        ui.line(&format!("What is known of this project cannot be told: {}", shown(why)))?;
        ui.line(&format!("  to look again: {detect}"))?;
    } else if domains.is_stale {
        let names: Vec<&str> = domains.names.iter().map(Name::as_str).collect();
        let names = if names.is_empty() { "no domain".to_owned() } else { names.join(", ") };
        ui.line(&format!("What is known of this project ({names}) is stale: {detect}"))?;
    }
    Ok(())
}

fn print_runs(ui: &mut Ui, all: &[Run], now: Timestamp) -> io::Result<()> {
    let shown_count = all.len().min(RUNS_SHOWN_MAX);
    if shown_count > 0 {
        ui.line("Runs:")?;
        runs::print_table(ui, &all[..shown_count], now)?;
    }
    let hidden = all.len() - shown_count;
    if hidden > 0 {
        ui.line(&format!("  and {hidden} more: git coord run list"))?;
    }
    Ok(())
}

/// Prints the overrides on trial, one a row.
fn print_trials(ui: &mut Ui, trials: &[TrialView], now: Timestamp) -> io::Result<()> {
    if trials.is_empty() {
        return Ok(());
    }
    ui.line("On trial (git coord override status):")?;
    let row = |trial: &TrialView| {
        let agent = Cell::painted(Slot::Holder, trial.canary.agent.as_str());
        [agent, Cell::plain(trial_text(trial, now))]
    };
    ui.table(trials.iter().map(row))
}

/// Says how many rows were left out, and which command shows them.
fn hidden(ui: &mut Ui, count: usize, command: &str) -> io::Result<()> {
    if count == 0 { Ok(()) } else { ui.line(&format!("  and {count} more: {command}")) }
}

fn section(ui: &mut Ui, title: &str, holds: &[HoldView], now: Timestamp) -> io::Result<()> {
    if !holds.is_empty() {
        ui.line(&format!("{title}:"))?;
        print_table(ui, holds.iter().map(|view| &view.hold), now)?;
    }
    Ok(())
}

fn notice_text(notice: &Notice, now: Timestamp) -> String {
    let Notice { at, event } = notice;
    let target = event_target(&event.data).unwrap_or_else(|| "?".to_owned());
    let did = match event.kind.as_str() {
        "transferred" => "handed on your".to_owned(),
        "revoked" => "rolled back your".to_owned(),
        "granted" => "gave you".to_owned(),
        "narrowed" => format!("took {} out of your", taken_out(event)),
        _ => "released your".to_owned(),
    };
    let when = relative(at.as_seconds(), now.as_seconds());
    let mut text = format!("! {} {did} '{}' {when}", event.actor, shown(&target));
    if let Some(reason) = event.text("because") {
        text.push_str(&format!(": {}", shown(reason)));
    }
    text
}

/// Names what was taken out of a reservation: of all that was freed, the paths that it leaves out.
fn taken_out(event: &Event) -> String {
    let listed = |name: &str| -> Vec<&str> {
        let list = event.data.get(name).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str).collect()
    };
    let (freed, except) = (listed("freed"), listed("except"));
    let is_of_it = |path: &&str| except.contains(path);
    let paths: Vec<&str> = freed.iter().copied().filter(is_of_it).collect();
    let paths = if paths.is_empty() { freed } else { paths };
    let (named, rest) = paths.split_at(paths.len().min(TAKEN_SHOWN_MAX));
    let named: Vec<String> = named.iter().map(|path| format!("'{}'", shown(path))).collect();
    let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
    format!("{}{more}", named.join(", "))
}
