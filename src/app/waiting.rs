//! Reserves at once or after a wait.
//!
//! A waiter has a ticket in the ledger, and a file on its machine that it keeps locked. Nobody
//! grants it anything: it polls until its turn has come, and reserves with its ticket.

use std::time::Duration;

use crate::app::dead_holders::Orphans;
use crate::app::error::AppError;
use crate::app::presence::Pulse;
use crate::app::waiter::{Look, Waited, Waiter};
use crate::app::{Ctx, Reading, WriteMode, dead_holders, refused};
use crate::core::decision::RULES;
use crate::core::ids::TicketId;
use crate::core::ledger::LedgerName;
use crate::core::reservation::check::Asker;
use crate::core::reservation::process::Gone;
use crate::core::reservation::reserve::{Reserve, Reserved, Scope};
use crate::core::reservation::tickets::{self, Ticket};
use crate::core::reservation::wait::{Leave, Line, Obstacles, Wait};
use crate::core::time::Timestamp;
use crate::store::error::StoreError;
use crate::store::ledger::transact::Committed;
use crate::store::machine::waiters::{Heartbeats, RegisteredWaiter};
use crate::store::os::alarm::{Alarm, ENDING, Stopwatch};

/// The time that a waiter that stops has to return its ticket.
const LEAVING_MAX: Duration = Duration::from_secs(1);

/// The number of tries for a reservation that expires before it can be answered.
const IN_TIME_TRIES: usize = 3;

/// Tells a waiter what stands in its way, which commands of killed `with`s are among that, and at
/// which time.
pub type Tell<'t> = dyn FnMut(&Obstacles, &Orphans, Timestamp) + 't;

type Outcome = Result<Committed<Reserved>, AppError>;

/// Reserves until the reservation is still live when it can be answered. A time to live counts from
/// the request on, and other writers can take longer than that.
fn in_time(
    ctx: &mut Ctx,
    mut ask: impl FnMut(&mut Ctx) -> Outcome,
) -> Result<Committed<Reserved>, AppError> {
    let begun = Begun { clock: ctx.clock(), at: Stopwatch::start(), limit: Duration::ZERO };
    for _ in 0..IN_TIME_TRIES {
        let committed = ask(ctx)?;
        let now = begun.now().max(committed.at);
        if committed.answer.granted.iter().all(|grant| grant.hold.is_live(now)) {
            return Ok(committed);
        }
        ctx.set_clock(now);
    }
    let why = "what was granted was over each time before that could be told; ask for longer";
    Err(AppError::Busy(why.to_owned()))
}

/// Reserves at once or is refused.
pub fn reserve_now(ctx: &mut Ctx, command: &Reserve) -> Result<Committed<Reserved>, AppError> {
    let outcome = in_time(ctx, |ctx| reserve(ctx, command.clone()));
    refused::record(ctx, command, &outcome);
    outcome
}

/// Reserves, and waits at most that long for what others hold.
pub fn reserve_within(
    ctx: &mut Ctx,
    command: &Reserve,
    limit: Duration,
    tell: &mut Tell<'_>,
) -> Result<Committed<Reserved>, AppError> {
    let begun = Stopwatch::start();
    let outcome = in_time(ctx, |ctx| {
        let left = limit.saturating_sub(begun.elapsed());
        wait_for(ctx, command.clone(), left, tell)
    });
    refused::record(ctx, command, &outcome);
    outcome
}

/// Reserves. A reservation of a process of this host that has ended is not in the way.
fn reserve(ctx: &Ctx, command: Reserve) -> Result<Committed<Reserved>, AppError> {
    let reservations = LedgerName::Reservations;
    if command.scope == Scope::Each {
        // Partial refusals are part of an answer and no error, so dead holders are looked for
        // before.
        let dead = dead_holders::in_the_way(ctx, &command.targets(RULES))?;
        return ctx.transact(reservations, command, WriteMode::without(dead));
    }
    let first_try = ctx.transact(reservations, command.clone(), WriteMode::Plain);
    past_the_dead(ctx, command, first_try)
}

/// Reserves for an edit, whose file is often reserved already. `reading` saves reading the ledger
/// again if nobody has written since.
pub fn reserve_for_edit<'c>(
    ctx: &'c Ctx,
    reading: Reading<'c>,
    command: &Reserve,
) -> Result<Committed<Reserved>, AppError> {
    let first_try = ctx.transact(
        LedgerName::Reservations,
        command.clone(),
        WriteMode::IfNeeded(Box::new(reading)),
    );
    let outcome = past_the_dead(ctx, command.clone(), first_try);
    refused::record(ctx, command, &outcome);
    outcome
}

/// Reserves each target that nothing stands in the way of, for files that are written already.
pub fn reserve_each(ctx: &Ctx, command: Reserve) -> Result<Committed<Reserved>, AppError> {
    let command = Reserve { scope: Scope::Each, ..command };
    reserve(ctx, command)
}

/// Tries once more if the reservations in the way belong to processes that have ended.
fn past_the_dead(ctx: &Ctx, command: Reserve, first_try: Outcome) -> Outcome {
    match first_try {
        Err(AppError::Held { conflicts, before, at, .. }) => {
            let dead = dead_holders::among(ctx, conflicts.iter().map(|conflict| &conflict.held));
            if dead.is_empty() {
                return Err(ctx.held(conflicts, before, at));
            }
            ctx.transact(LedgerName::Reservations, command, WriteMode::without(dead))
        }
        other => other,
    }
}

fn wait_for(
    ctx: &mut Ctx,
    mut command: Reserve,
    limit: Duration,
    tell: &mut Tell<'_>,
) -> Result<Committed<Reserved>, AppError> {
    let begun = Begun { clock: ctx.clock(), at: Stopwatch::start(), limit };
    command.wait =
        Some(Wait { ticket: None, seconds: begun.seconds_left(), within: ctx.within().to_vec() });
    match reserve(ctx, command.clone()) {
        Err(AppError::Held { .. }) => {}
        other => return other,
    }
    let Stand { ticket, standing, alarm } = Stand::take(ctx)?;
    let mut waiter = Waiter::new(alarm, begun.left());
    let (pulse, obstacles) = (Pulse::default(), Obstacles::default());
    let heartbeats = Heartbeats::default();
    let mut place = Place { ctx, begun, command, ticket, standing, obstacles, pulse, heartbeats };
    let ending = waiter.until(|elapsed| place.look(elapsed, tell));
    place.ended(ending)
}

/// A place among the waiters of this machine.
pub struct Stand {
    /// The new name of the place.
    pub ticket: TicketId,
    /// The locked file that shows that the waiter lives.
    pub standing: RegisteredWaiter,
    /// Rings on every write on this machine, and on signals.
    pub alarm: Alarm,
}

impl Stand {
    /// Takes a new place, and listens to the signals that end a process.
    pub fn take(ctx: &Ctx) -> Result<Stand, AppError> {
        Stand::hearing(ctx, &ENDING)
    }

    /// Takes a new place, and listens to these signals.
    pub fn hearing(ctx: &Ctx, signals: &[i32]) -> Result<Stand, AppError> {
        let random = getrandom::u64().map_err(|error| StoreError::Random(error.to_string()))?;
        let ticket = TicketId::from_bits(random);
        let (standing, bell) = ctx.waiters().register(ticket.clone())?;
        let alarm = Alarm::new(signals, bell).map_err(|error| AppError::Failed(Box::new(error)))?;
        Ok(Stand { ticket, standing, alarm })
    }
}

/// The start of a wait, by the clock of the request and by a stopwatch.
#[derive(Clone, Copy)]
struct Begun {
    clock: Timestamp,
    at: Stopwatch,
    limit: Duration,
}

impl Begun {
    fn now(&self) -> Timestamp {
        self.clock.plus_millis(self.at.elapsed().as_millis())
    }

    fn left(&self) -> Duration {
        self.limit.saturating_sub(self.at.elapsed())
    }

    /// Returns the seconds left, rounded up: a ticket must outlive the last look of its waiter.
    fn seconds_left(&self) -> u64 {
        self.left().as_secs() + 1
    }
}

/// A waiter with its ticket.
struct Place<'c> {
    ctx: &'c mut Ctx,
    begun: Begun,
    command: Reserve,
    ticket: TicketId,
    standing: RegisteredWaiter,
    /// The obstacles at the last look.
    obstacles: Obstacles,
    pulse: Pulse,
    /// The heartbeats of the waiters before it.
    heartbeats: Heartbeats,
}

impl Place<'_> {
    /// Reserves if nothing is in the way, or asks for a new ticket or a longer one.
    fn look(&mut self, elapsed: Duration, tell: &mut Tell<'_>) -> Look<Outcome> {
        self.ctx.set_clock(self.begun.now());
        self.pulse.beat(self.ctx, elapsed);
        self.standing.heartbeat();
        match self.turn(elapsed, tell) {
            Ok(Turn::NotYet) => Look::NotYet,
            Ok(Turn::Come(gone)) => match self.ask(gone) {
                Ok(committed) if committed.answer.waiting.is_none() => Look::Found(Ok(committed)),
                Ok(_) | Err(AppError::Held { .. }) => Look::NotYet,
                Err(error) if error.is_undecided() => Look::Failed(error),
                Err(error) => Look::Found(Err(error)),
            },
            Err(error) => Look::Failed(error),
        }
    }

    fn turn(&mut self, elapsed: Duration, tell: &mut Tell<'_>) -> Result<Turn, AppError> {
        let reading = self.ctx.read()?;
        let documents = &reading.base.snapshot;
        let own = tickets::readable(documents, &self.ticket)?;
        let place = own.as_ref().map(|ticket| ticket.place);
        let wanted = self.command.targets(RULES);
        let mut gone = Gone { tickets: self.ctx.waiters().dead(), ..Gone::default() };
        let here = self.ctx.known_place();
        let asker = Asker {
            mode: self.command.mode,
            process: self.command.process.as_ref(),
            skew: self.ctx.skew(here.as_ref()),
            ..Asker::exclusive(self.ctx.actor(), reading.now)
        };
        let line = Line { documents, now: reading.now, by: reading.case.into(), gone: &gone };
        let mut found = line.obstacles(asker, &wanted, place)?;
        let held = found.conflicts.iter().map(|conflict| &conflict.held);
        gone.holds = dead_holders::among(self.ctx, held);
        found.conflicts.retain(|conflict| !gone.has_hold(&conflict.held));
        // A waiter that does not move keeps nobody from a free target; it takes a new place once it
        // moves.
        if found.conflicts.is_empty() {
            let before = found.before.iter().map(|ticket| &ticket.id);
            let still = self.ctx.waiters().stopped(before, &mut self.heartbeats, elapsed);
            if still.len() == found.before.len() {
                found.before.clear();
                gone.tickets = still;
            }
        }
        let is_due = |ticket: &Ticket| ticket.is_due(reading.now, self.begun.seconds_left());
        let has_come = own.as_ref().is_none_or(is_due) || found.is_empty();
        if !found.is_empty() && found != self.obstacles {
            tell(&found, &dead_holders::orphans(self.ctx, &found.conflicts), reading.now);
            self.obstacles = found;
        }
        Ok(if has_come { Turn::Come(gone) } else { Turn::NotYet })
    }

    fn ask(&self, gone: Gone) -> Outcome {
        let wait = Wait {
            ticket: Some(self.ticket.clone()),
            seconds: self.begun.seconds_left(),
            within: self.ctx.within().to_vec(),
        };
        let command = Reserve { wait: Some(wait), ..self.command.clone() };
        self.ctx.transact(LedgerName::Reservations, command, WriteMode::Knowing(gone))
    }

    /// Returns the ticket, and tells how the wait ended.
    fn ended(
        self,
        ending: Result<Waited<Outcome>, AppError>,
    ) -> Result<Committed<Reserved>, AppError> {
        if let Ok(Waited::Found(Ok(committed))) = ending {
            self.standing.leave();
            return Ok(committed);
        }
        self.ctx.hurry(LEAVING_MAX);
        let leave = Leave { ticket: self.ticket };
        // If that fails, the files stay, and tell the next writer that the waiter is gone.
        if self.ctx.transact(LedgerName::Reservations, leave, WriteMode::Plain).is_ok() {
            self.standing.leave();
        }
        match ending? {
            Waited::Found(outcome) => outcome,
            Waited::Interrupted(signal) => Err(AppError::Interrupted(signal)),
            Waited::TimeUp => {
                let Obstacles { conflicts, before } = self.obstacles;
                Err(self.ctx.held(conflicts, before, self.ctx.clock()))
            }
        }
    }
}

/// The turn of a waiter.
enum Turn {
    NotYet,
    /// It has come, or the ticket is missing or to be renewed; with the reservations and tickets
    /// that are known to be dead.
    Come(Gone),
}
