//! `git coord events`

use std::time::Duration;

use clap::Subcommand;

use crate::app::error::AppError;
use crate::app::events::cursors::{Change, CursorView, cursors};
use crate::app::events::reader::{Delivered, EventView, Reached, Reader, Request, Rewound, Start};
use crate::app::problem::Problem;
use crate::cli::color::Slot;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::holds::event_target;
use crate::cli::patience::Patience;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::cli::values::{EventsFrom, parse_events_from};
use crate::core::bounded::Limit;
use crate::core::ids::AgentName;
use crate::core::ledger::LedgerName;
use crate::core::text::{Line, shown};

const EXAMPLES: &str = "\
Examples:
  git coord events -n 20
  git coord events --since 5m
  git coord events --since reservations:42 --json
  git coord events --consumer dashboard --follow --json";

/// Show events of all ledgers, oldest first
///
/// With --json, prints one event per line. A consumer has a cursor that moves after delivery, so
/// that the consumer gets each event at least once. A limit never splits an entry.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    /// Only events of this ledger
    #[arg(long, value_name = "LEDGER")]
    pub(crate) ledger: Option<LedgerName>,

    /// Only events of this run
    #[arg(long, value_name = "RUN")]
    pub(crate) run: Option<Line>,

    /// Only events of this type
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) event_type: Option<String>,

    /// Only events after this one, such as 'reservations:42', or no older than a duration
    #[arg(
        long,
        value_name = "LEDGER:SEQ|DURATION",
        value_parser = parse_events_from,
        allow_hyphen_values = true
    )]
    pub(crate) since: Option<EventsFrom>,

    /// Continue where this consumer stopped, and move its cursor
    #[arg(long, value_name = "NAME", conflicts_with = "since")]
    pub(crate) consumer: Option<AgentName>,

    /// At most this many events of all ledgers together [default: 100]
    #[arg(short = 'n', long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub(crate) limit: Option<Limit>,

    /// Keep printing events as they happen, until interrupted
    #[arg(long)]
    pub(crate) follow: bool,
}

impl Args {
    pub(crate) fn check(&self) -> Result<(), AppError> {
        let filters = [
            self.ledger.is_some(),
            self.run.is_some(),
            self.event_type.is_some(),
            self.since.is_some(),
            self.consumer.is_some(),
            self.limit.is_some(),
            self.follow,
        ];
        // The parser's own rule for this would also forbid the global options here.
        if self.command.is_some() && filters.contains(&true) {
            return Err(AppError::usage("'events cursors' takes no options of 'events'"));
        }
        self.request().check()
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Cursors(CursorsArgs),
}

/// Show the consumers and their cursors
///
/// A cursor is local to this clone; losing it loses no event.
#[derive(Debug, clap::Args)]
pub(crate) struct CursorsArgs {
    /// Move the cursor of this consumer back to the first event
    #[arg(long, value_name = "NAME", conflicts_with = "delete")]
    pub(crate) reset: Option<AgentName>,

    /// Forget this consumer
    #[arg(long, value_name = "NAME")]
    pub(crate) delete: Option<AgentName>,
}

/// The time between two looks of a follower.
const FOLLOW_INTERVAL: Duration = Duration::from_millis(500);

impl Args {
    /// Shows events, once or as they happen.
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        if let Some(Command::Cursors(cursors)) = &self.command {
            return cursors.run(ui, context);
        }
        let mut reader = Reader::begin(&context.open()?, &self.request())?;
        let mut deliver = |ui: &mut Ui| reader.deliver(&context.open()?, &mut |it| print(ui, it));
        deliver(ui)?;
        if self.follow {
            let mut patience = Patience::new(FOLLOW_INTERVAL);
            let mut wait = FOLLOW_INTERVAL;
            while !ui.is_closed() {
                std::thread::sleep(wait);
                wait = patience.look(ui, &mut deliver)?;
            }
        }
        Ok(ExitCode::Done)
    }

    fn request(&self) -> Request<'_> {
        Request {
            ledger: self.ledger,
            run: self.run.as_ref(),
            event_type: self.event_type.as_ref(),
            since: self.since.map(|from| match from {
                EventsFrom::Place(place) => Start::Place(place.ledger, place.sequence),
                EventsFrom::Ago(ago) => Start::Ago(ago),
            }),
            consumer: self.consumer.as_ref(),
            limit: self.limit,
        }
    }
}

/// Prints one delivery, and flushes at the end of a batch. Returns whether the reader of stdout is
/// still there.
fn print(ui: &mut Ui, delivered: Option<Delivered>) -> Result<Reached, Problem> {
    match delivered {
        None => ui.flush()?,
        Some(delivered) => {
            if ui.is_json() {
                ui.json(&delivered)?;
            }
            match delivered {
                Delivered::Rewound(Rewound { ledger, seq, .. }) => ui.warn(&format!(
                    "rewound: the ledger '{ledger}' was reset; going on after {seq}"
                ))?,
                Delivered::Event(event) if !ui.is_json() => ui.line(&event_line(ui, &event))?,
                Delivered::Event(_) => {}
            }
        }
    }
    Ok(if ui.is_closed() { Reached::Nobody } else { Reached::Reader })
}

fn event_line(ui: &Ui, event: &EventView) -> String {
    let seq = ui.paint(Slot::Dim, &format!("{}:{}", event.ledger, event.seq));
    let actor = ui.paint(Slot::Holder, event.actor.as_str());
    let target = event_target(&event.data).map(|text| shown(&text).into_owned());
    let target = ui.paint(Slot::Path, &target.unwrap_or_default());
    let subject = ui.paint(Slot::Id, &shown(event.subject.as_deref().unwrap_or_default()));
    let kind = shown(&event.kind);
    let moved = moved(event);
    let line = format!("{seq}  {}  {actor}  {kind}  {subject}  {target}{moved}", event.at);
    line.trim_end().to_owned()
}

/// Describes where a run went, or names the phase of its event.
fn moved(event: &EventView) -> String {
    let phase = |name: &str| event.data.get(name)?.as_str().map(|text| shown(text).into_owned());
    match (phase("from"), phase("to"), phase("phase")) {
        (Some(from), Some(to), _) => format!("{from} to {to}"),
        (_, _, Some(phase)) => phase,
        _ => String::new(),
    }
}

impl CursorsArgs {
    fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx = context.open()?;
        let change = match (&self.reset, &self.delete) {
            (Some(consumer), _) => Change::Reset(consumer),
            (None, Some(consumer)) => Change::Delete(consumer),
            (None, None) => Change::None,
        };
        let answer = cursors(&ctx, &change)?;
        let all = &answer.body.cursors;
        show(ui, &answer, |ui| {
            if all.is_empty() {
                ui.note("no consumers")?;
            }
            all.iter().try_for_each(|cursor| ui.line(&cursor_line(cursor)))
        })
    }
}

fn cursor_line(CursorView { consumer, positions }: &CursorView) -> String {
    let places: Vec<String> =
        positions.iter().map(|(ledger, at)| format!("{ledger}:{}", at.seq)).collect();
    let place = if places.is_empty() { "at the beginning".to_owned() } else { places.join(" ") };
    format!("{consumer}  {place}")
}
