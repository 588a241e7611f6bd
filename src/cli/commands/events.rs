//! `git coord events`

use std::collections::BTreeMap;
use std::time::Duration;

use clap::Subcommand;
use serde_json::{Value, json};

use crate::app::error::AppError;
use crate::app::events::{self, Batch, Since, Wanted};
use crate::app::problem::Problem;
use crate::app::{Ctx, runs};
use crate::cli::color::Slot;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::holds::{event_target, fields};
use crate::cli::open::open;
use crate::cli::patience::Patience;
use crate::cli::term::Ui;
use crate::cli::values::{EventPlace, parse_event_place};
use crate::core::event::Event;
use crate::core::ids::AgentName;
use crate::core::ledger::LedgerName;
use crate::core::text::{Line, shown};
use crate::store::machine::cursors::Position;

const EXAMPLES: &str = "\
Examples:
  git coord events --limit 20
  git coord events --since reservations:42 --json
  git coord events --consumer dashboard --follow --json";

/// Show what happened, event by event
///
/// With --json one event a line. A consumer has a cursor that moves after delivery, so that it
/// gets each event at least once. A limit never splits an entry.
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

    /// Only events after this place, as 'reservations:42'
    #[arg(long, value_name = "LEDGER:SEQ", value_parser = parse_event_place)]
    pub(crate) since: Option<EventPlace>,

    /// Go on where this consumer stopped, and remember how far it came
    #[arg(long, value_name = "NAME", conflicts_with = "since")]
    pub(crate) consumer: Option<AgentName>,

    /// At most this many events [default: 100]
    #[arg(
        long,
        value_name = "NUMBER",
        value_parser = clap::value_parser!(u32).range(1..),
        allow_hyphen_values = true
    )]
    pub(crate) limit: Option<u32>,

    /// Go on as events happen, until interrupted
    #[arg(long)]
    pub(crate) follow: bool,
}

impl Args {
    /// How many events are shown where `--limit` is not given.
    pub(crate) const LIMIT_DEFAULT: u32 = 100;

    pub(crate) fn check(&self) -> Result<(), &'static str> {
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
            return Err("'events cursors' takes no options of 'events'");
        }
        Ok(())
    }
}

/// What can be done beside showing events.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Cursors(CursorsArgs),
}

/// Show the consumers and how far they came
///
/// A cursor is local to this clone; losing it loses no event.
#[derive(Debug, clap::Args)]
pub(crate) struct CursorsArgs {
    /// Let this consumer begin again with the first event
    #[arg(long, value_name = "NAME", conflicts_with = "delete")]
    pub(crate) reset: Option<AgentName>,

    /// Forget this consumer
    #[arg(long, value_name = "NAME")]
    pub(crate) delete: Option<AgentName>,
}

/// How often a follower looks for news.
const FOLLOW_INTERVAL: Duration = Duration::from_millis(500);

impl Args {
    /// Shows events, once or as they happen.
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        if let Some(Command::Cursors(cursors)) = &self.command {
            return cursors.run(ui, context);
        }
        let mut reader = Reader::begin(self, context)?;
        reader.deliver(ui, context)?;
        if self.follow {
            let mut patience = Patience::new(FOLLOW_INTERVAL);
            let mut wait = FOLLOW_INTERVAL;
            while !ui.is_closed() {
                std::thread::sleep(wait);
                wait = patience.look(ui, |ui| reader.deliver(ui, context))?;
            }
        }
        Ok(ExitCode::Done)
    }
}

/// Somebody who reads the events of the ledgers, and how far they came.
struct Reader {
    ledgers: Vec<LedgerName>,
    wanted: Wanted,
    limit: usize,
    consumer: Option<AgentName>,
    positions: BTreeMap<LedgerName, Since>,
}

impl Reader {
    fn begin(args: &Args, context: &Context<'_>) -> Result<Reader, Problem> {
        let one = args.ledger.or(args.since.map(|place| place.ledger));
        let ledgers = one.map_or_else(|| LedgerName::ALL.to_vec(), |ledger| vec![ledger]);
        let mut positions = BTreeMap::new();
        if let Some(place) = args.since {
            positions.insert(place.ledger, Since::Seq(place.sequence));
        }
        let ctx = open(context)?;
        if let Some(consumer) = &args.consumer {
            for (name, position) in
                ctx.cursors().load(consumer).map_err(AppError::from)?.unwrap_or_default()
            {
                let (Ok(ledger), Ok(id)) = (name.parse(), position.entry.parse()) else { continue };
                positions.insert(ledger, Since::Entry { id, seq: position.seq });
            }
            for ledger in &ledgers {
                positions.entry(*ledger).or_insert(Since::Seq(0));
            }
        }
        Ok(Reader {
            ledgers,
            wanted: Wanted {
                kind: args.event_type.clone(),
                run: match &args.run {
                    Some(run) => Some(runs::named::elsewhere(&ctx, run)?.to_string()),
                    None => None,
                },
            },
            limit: args.limit.unwrap_or(Args::LIMIT_DEFAULT) as usize,
            consumer: args.consumer.clone(),
            positions,
        })
    }

    /// Prints what is new. A cursor moves only once everything has reached its reader.
    fn deliver(&mut self, ui: &mut Ui, context: &Context<'_>) -> Result<(), Problem> {
        let ctx = open(context)?;
        let mut moved = false;
        for ledger in self.ledgers.clone() {
            let since = self.positions.get(&ledger).copied().unwrap_or(Since::Last);
            let page = events::page(&ctx, ledger, since, &self.wanted, self.limit)?;
            if let Some(since) = page.rewound {
                say_rewound(ui, ledger, since)?;
                self.positions.insert(ledger, since);
                moved = true;
            }
            for entry in page.entries {
                print_batch(ui, &events::batch(&ctx, ledger, entry, &self.wanted)?)?;
                if ui.is_closed() {
                    break;
                }
            }
            if let Some((id, seq)) = page.reached {
                self.positions.insert(ledger, Since::Entry { id, seq });
                moved = true;
            }
        }
        ui.flush()?;
        match &self.consumer {
            Some(consumer) if moved && !ui.is_closed() => self.save(&ctx, consumer),
            _ => Ok(()),
        }
    }

    fn save(&self, ctx: &Ctx, consumer: &AgentName) -> Result<(), Problem> {
        let known = self.positions.iter().filter_map(|(ledger, since)| match since {
            Since::Entry { id, seq } => {
                let position = Position { entry: id.to_string(), seq: *seq };
                Some((ledger.to_string(), position))
            }
            Since::Last | Since::Seq(_) => None,
        });
        let cursor = known.collect();
        Ok(ctx.cursors().save(consumer, &cursor).map_err(AppError::from)?)
    }
}

/// The reader has seen events that are undone now; it is told once where it stands.
fn say_rewound(ui: &mut Ui, ledger: LedgerName, since: Since) -> Result<(), Problem> {
    let seq = match since {
        Since::Entry { seq, .. } | Since::Seq(seq) => seq,
        Since::Last => 0,
    };
    if ui.is_json() {
        ui.json_line(&json!({ "type": "rewound", "ledger": ledger.as_str(), "seq": seq }))?;
    }
    Ok(ui.warn(&format!("rewound: the ledger '{ledger}' was reset; going on after {seq}"))?)
}

fn print_batch(ui: &mut Ui, batch: &Batch) -> Result<(), Problem> {
    for (seq, event) in &batch.events {
        if ui.is_json() {
            ui.json_line(&event_json(batch, *seq, event))?;
            continue;
        }
        let seq = ui.paint(Slot::Dim, &format!("{}:{seq}", batch.ledger));
        let actor = ui.paint(Slot::Holder, event.actor.as_str());
        let target = event_target(event).map(|text| shown(&text).into_owned());
        let target = ui.paint(Slot::Path, &target.unwrap_or_default());
        let subject = event.subject.as_deref().unwrap_or_default();
        let subject = ui.paint(Slot::Id, &shown(subject));
        let kind = shown(&event.kind).into_owned();
        let told = format!("{target}{}", moved(event));
        let line = format!("{seq}  {}  {actor}  {kind}  {subject}  {told}", batch.at);
        ui.line(line.trim_end())?;
    }
    Ok(())
}

/// Where a run went, or the phase that an event of it is about.
fn moved(event: &Event) -> String {
    let phase = |name: &str| event.text(name).map(|text| shown(text).into_owned());
    match (phase("from"), phase("to"), phase("phase")) {
        (Some(from), Some(to), _) => format!("{from} to {to}"),
        (_, _, Some(phase)) => phase,
        _ => String::new(),
    }
}

fn event_json(batch: &Batch, seq: u64, event: &Event) -> Value {
    let mut value = json!({
        "seq": seq,
        "ledger": batch.ledger.as_str(),
        "entry": batch.entry.to_string(),
        "type": event.kind,
        "at": batch.at,
        "actor": event.actor,
    });
    if let Some(subject) = &event.subject {
        value["subject"] = json!(subject);
    }
    value["data"] = json!(event.data);
    value
}

impl CursorsArgs {
    fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx = open(context)?;
        let cursors = ctx.cursors();
        if let Some(consumer) = self.reset.as_ref().or(self.delete.as_ref()) {
            let known = cursors.delete(consumer).map_err(AppError::from)?;
            if !known {
                return Err(
                    AppError::nothing("no_consumer", format!("no consumer '{consumer}'")).into()
                );
            }
            if self.reset.is_some() {
                cursors.save(consumer, &BTreeMap::new()).map_err(AppError::from)?;
            }
        }
        let mut rows = Vec::new();
        for consumer in cursors.list().map_err(AppError::from)? {
            let cursor = cursors.load(&consumer).map_err(AppError::from)?.unwrap_or_default();
            rows.push((consumer, cursor));
        }
        if ui.is_json() {
            let rows: Vec<Value> = rows
                .iter()
                .map(|(consumer, cursor)| json!({ "consumer": consumer, "positions": cursor }))
                .collect();
            ui.answer(true, fields([("cursors", json!(rows))]))?;
        } else if rows.is_empty() {
            ui.note("no consumers")?;
        } else {
            for (consumer, cursor) in rows {
                let places: Vec<String> =
                    cursor.iter().map(|(ledger, at)| format!("{ledger}:{}", at.seq)).collect();
                let place = if places.is_empty() {
                    "at the beginning".to_owned()
                } else {
                    places.join(" ")
                };
                ui.line(&format!("{consumer}  {place}"))?;
            }
        }
        Ok(ExitCode::Done)
    }
}
