//! `git coord status`

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::app::Ctx;
use crate::app::negotiation::view::RequestView;
use crate::app::problem::Problem;
use crate::app::routing::view::TrialView;
use crate::app::status::{self, Domains, Notice, Status};
use crate::app::wording::ticket_text;
use crate::cli::color::Slot;
use crate::cli::commands::inbox::print_requests;
use crate::cli::commands::overrides::trial_text;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::holds::{event_target, fields, holds_json, print_table};
use crate::cli::layout::{Cell, aligned};
use crate::cli::open::open;
use crate::cli::patience::Patience;
use crate::cli::requests::{insert_damaged, request_text, warn_of_damage};
use crate::cli::runs::{self, documents};
use crate::cli::term::Ui;
use crate::core::domain::name::Name;
use crate::core::reservation::Hold;
use crate::core::text::shown;
use crate::core::time::{Timestamp, relative};
use crate::store::ledger::clock_notice;

/// Show who holds what, on one screen
///
/// What is yours and how long it lives, and what others hold.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Draw it again whenever it changes, until interrupted
    #[arg(long, conflicts_with = "json")]
    pub(crate) watch: bool,
}

/// Rows of other agents' holds that one screen shows.
const OTHERS_SHOWN_MAX: usize = 20;
/// Rows of runs likewise.
const RUNS_SHOWN_MAX: usize = 10;
/// Requests of each kind that one screen shows.
const REQUESTS_SHOWN_MAX: usize = 10;
/// How often a watched status looks for news.
const WATCH_INTERVAL: Duration = Duration::from_secs(1);

impl Args {
    /// Shows the screen, once or whenever it changes.
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        if self.watch {
            return watch(ui, context);
        }
        let ctx = open(context)?;
        let status = status::status(&ctx)?;
        if ui.is_json() {
            ui.answer(true, status_json(&ctx, &status))?;
        } else {
            print(ui, &ctx, &status)?;
        }
        Ok(ExitCode::Done)
    }
}

fn watch(ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
    const CLEAR: &str = "\u{1b}[2J\u{1b}[H";
    let mut patience = Patience::new(WATCH_INTERVAL);
    while !ui.is_closed() {
        let wait = patience.look(ui, |ui| {
            let ctx = open(context)?;
            let status = status::status(&ctx)?;
            ui.text(if ui.is_terminal() { CLEAR } else { "\n" })?;
            print(ui, &ctx, &status)?;
            Ok(ui.flush()?)
        })?;
        std::thread::sleep(wait);
    }
    Ok(ExitCode::Done)
}

fn status_json(ctx: &Ctx, status: &Status) -> Map<String, Value> {
    let positions: Vec<Value> = status
        .positions
        .iter()
        .map(|position| {
            json!({
                "ledger": position.ledger.as_str(),
                "entry": position.entry.to_string(),
                "seq": position.seq,
                "at": position.at,
            })
        })
        .collect();
    let notices: Vec<Value> = status
        .notices
        .iter()
        .map(|notice| json!({ "at": notice.at, "event": notice.event }))
        .collect();
    let (to_answer, asks) = (&status.requests.to_answer, &status.requests.made);
    let mut answer = fields([
        ("agent", json!(ctx.actor())),
        ("mine", holds_json(&status.mine, status.now)),
        ("others", holds_json(&status.others, status.now)),
        ("waiting", json!(status.waiting)),
        ("expired", json!(status.expired)),
        ("to_answer", json!(RequestView::bounded(to_answer))),
        ("to_answer_count", json!(to_answer.len())),
        ("asks", json!(RequestView::bounded(asks))),
        ("asks_count", json!(asks.len())),
        ("overdue", json!(RequestView::bounded(&status.overdue))),
        ("overdue_count", json!(status.overdue.len())),
        ("unread", json!(status.unread)),
        ("notices", json!(notices)),
        ("runs", documents(&status.runs)),
        ("trials", status.trials.iter().map(trial_json).collect()),
        ("ledgers", json!(positions)),
    ]);
    insert_damaged(&mut answer, &status.damaged);
    if let Some(domains) = &status.domains {
        let mut value = json!({ "names": domains.names, "stale": domains.is_stale });
        if let Some(why) = &domains.trouble {
            value["trouble"] = json!(why);
        }
        answer.insert("domains".to_owned(), value);
    }
    if let Some(seconds) = status.clock_behind_seconds {
        answer.insert("clock_behind_seconds".to_owned(), json!(seconds));
    }
    answer
}

fn print(ui: &mut Ui, ctx: &Ctx, status: &Status) -> Result<(), Problem> {
    let identity = ctx.identity();
    let name = ui.paint(Slot::Holder, identity.name.as_str());
    ui.line(&format!("You are {name} ({})", identity.source.description()))?;
    if let Some(seconds) = status.clock_behind_seconds {
        ui.warn(&clock_notice(seconds))?;
    }
    if status.unread > 0 {
        ui.line(&format!("Unread messages: {} (git coord inbox --unread)", status.unread))?;
    }
    for notice in &status.notices {
        ui.line(&notice_text(notice, status.now))?;
    }
    ui.line("")?;
    print_requests(ui, &status.requests, REQUESTS_SHOWN_MAX, status.now)?;
    print_overdue(ui, &status.overdue, status.now)?;
    section(ui, "Yours", &status.mine, status.now)?;
    let shown_count = status.others.len().min(OTHERS_SHOWN_MAX);
    section(ui, "Held by others", &status.others[..shown_count], status.now)?;
    let hidden = status.others.len() - shown_count;
    if hidden > 0 {
        ui.line(&format!("  and {hidden} more: git coord list"))?;
    }
    if !status.waiting.is_empty() {
        ui.line("Waiting:")?;
    }
    for ticket in status.waiting.iter().take(OTHERS_SHOWN_MAX) {
        ui.line(&ticket_text(ticket, status.now))?;
    }
    if status.expired > 0 {
        ui.line(&format!("Ended and not yet swept: {} (git coord sweep)", status.expired))?;
    }
    warn_of_damage(ui, &status.damaged)?;
    print_runs(ui, status)?;
    if status.mine.is_empty() && status.others.is_empty() {
        ui.line("Nobody holds anything. To begin: git coord reserve <path>")?;
    }
    trials(ui, status)?;
    status.domains.as_ref().map_or(Ok(()), |domains| print_domains(ui, domains))
}

/// What waits between others, and nobody may be there to see it.
fn print_overdue(ui: &mut Ui, overdue: &[RequestView], now: Timestamp) -> Result<(), Problem> {
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

/// What needs somebody's attention; a project that is as it was known to be does not.
fn print_domains(ui: &mut Ui, domains: &Domains) -> Result<(), Problem> {
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

fn print_runs(ui: &mut Ui, status: &Status) -> Result<(), Problem> {
    let shown_count = status.runs.len().min(RUNS_SHOWN_MAX);
    if shown_count > 0 {
        ui.line("Runs:")?;
        runs::print_table(ui, &status.runs[..shown_count], status.now)?;
    }
    let hidden = status.runs.len() - shown_count;
    if hidden > 0 {
        ui.line(&format!("  and {hidden} more: git coord run list"))?;
    }
    Ok(())
}

fn trial_json(trial: &TrialView) -> Value {
    let mut value = json!({
        "agent": trial.canary.agent,
        "status": trial.canary.status,
        "samples": trial.samples.len(),
        "window_uses": trial.canary.window_uses,
        "expires_at": trial.canary.expires_at,
    });
    if let Some((status, _)) = &trial.due {
        value["due"] = json!(status);
    }
    value
}

/// Overrides on trial, one a row.
fn trials(ui: &mut Ui, status: &Status) -> Result<(), Problem> {
    if status.trials.is_empty() {
        return Ok(());
    }
    ui.line("On trial (git coord override status):")?;
    let row = |trial: &TrialView| {
        let agent = trial.canary.agent.as_str();
        let name = Cell::painted(agent, ui.paint(Slot::Holder, agent));
        vec![name, Cell::plain(&trial_text(trial, status.now))]
    };
    let rows: Vec<Vec<Cell>> = status.trials.iter().map(row).collect();
    for line in aligned(&rows) {
        ui.line(&line)?;
    }
    Ok(())
}

fn section(ui: &mut Ui, title: &str, holds: &[Hold], now: Timestamp) -> Result<(), Problem> {
    if !holds.is_empty() {
        ui.line(&format!("{title}:"))?;
        print_table(ui, holds, now)?;
    }
    Ok(())
}

fn notice_text(notice: &Notice, now: Timestamp) -> String {
    let Notice { at, event } = notice;
    let target = event_target(&event.data).unwrap_or_else(|| "?".to_owned());
    let did = match event.kind.as_str() {
        "transferred" => "handed on your",
        "revoked" => "rolled back your",
        "granted" => "gave you",
        _ => "released your",
    };
    let when = relative(at.as_seconds(), now.as_seconds());
    let mut text = format!("! {} {did} '{}' {when}", event.actor, shown(&target));
    if let Some(reason) = event.text("because") {
        text.push_str(&format!(": {}", shown(reason)));
    }
    text
}
