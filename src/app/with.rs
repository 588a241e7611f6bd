//! Holds reservations while a command runs.
//!
//! A reservation belongs to this process, is renewed in time, and ends with the command. If it is
//! lost on the way, somebody else may have it: the command is asked to end, and then killed.
//!
//! If this process is killed or stopped, its command goes on, and so must the reservation. A file
//! tells others which process the command is, and a second process, idle until then, renews in
//! place of the first, and releases if the first is dead. Two that renew at once do no harm: each
//! renewal is an entry of its own, and the later end counts. If the command is stopped as well,
//! nobody renews for a stopped process: every lock has an end.

mod hold;
mod left;

use std::ffi::OsString;
use std::time::Duration;

use crate::app::error::AppError;
use crate::app::open::WITHIN_VARIABLE;
use crate::app::presence::Pulse;
use crate::app::problem::Problem;
use crate::app::waiting::Stand;
use crate::app::{Ctx, WriteMode, dead_holders};
use crate::core::ids::{HoldId, HoldIdPrefix};
use crate::core::ledger::LedgerName;
use crate::core::refusal::Refusal;
use crate::core::reservation::release::Release;
use crate::core::reservation::renew::{Asked, Lost, Renew, Why, lost};
use crate::core::reservation::select::Selection;
use crate::core::time::{Timestamp, Ttl};
use crate::store::machine::waiters::RegisteredWaiter;
use crate::store::os::alarm::{Alarm, FORWARDED, Woken, not_ignored};
use crate::store::os::child::{Adopted, Running, State, Watched};
use crate::store::os::process::ProcessIdentity;
use crate::store::os::stand_in::StandIn;

use self::hold::cannot_run;
pub use self::hold::{Held, hold, not_started};
pub use self::left::{Absence, Left, Vigil, WithProcess};

/// The time that a command has to end after it was asked to, before it is killed.
const GRACE: Duration = Duration::from_secs(5);
/// The longest pause before a failed renewal is tried again.
const RETRY_MAX: Duration = Duration::from_secs(5);
/// The pause between two looks at a process group that was asked to end.
const ENDING_PAUSE: Duration = Duration::from_millis(50);
/// The pause between two looks at the reservations, where no write rings.
const LOOK_PAUSE: Duration = Duration::from_secs(5);
/// The pause between two looks where writes ring: every write on this machine does.
const RUNG_PAUSE: Duration = Duration::from_millis(250);
/// The number of tries to release while others transfer the reservations.
const RELEASE_TRIES: usize = 3;

/// News for the user while the command runs.
#[derive(Debug)]
pub enum News<'n> {
    /// Reservations are lost.
    Lost { lost: &'n [Lost], command: Fate },
    /// The reservations expired before they could be renewed.
    RanOut { command: Fate },
    /// A renewal or the release failed; a renewal is tried again.
    Failed(&'n AppError),
    /// There is no second process, so nothing would renew if this one were killed.
    Alone(&'n std::io::Error),
}

/// The fate of a command that has lost its reservations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is asked to end.
    Ends,
    GoesOn,
    /// It had ended before the loss was known.
    HadEnded,
}

pub type Tell<'t> = dyn FnMut(&News<'_>) + 't;

/// The command to run.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// The program and its arguments.
    pub words: &'a [OsString],
    /// Set if it goes on when its reservations are lost.
    pub keep_going: bool,
}

/// Runs a command under reservations, and returns its exit code. A problem means that the command
/// was not started.
pub fn run(ctx: &mut Ctx, held: &Held, run: Run<'_>, tell: &mut Tell<'_>) -> Result<u8, Problem> {
    let mut keeper = Keeper::new(ctx, held, run);
    let (standing, alarm) = keeper.hearing();
    let started = alarm.and_then(|alarm| Ok((alarm, keeper.start(run.words)?)));
    let mut stand_in = None;
    let code = match started {
        Ok((mut alarm, mut running)) => {
            stand_in = keeper.stand_in(&running, tell);
            let code = keeper.watch(&mut alarm, &mut running, keeper.interval(), tell);
            keeper.read_clock(&alarm);
            code
        }
        Err(error) => Err(error),
    };
    keeper.release(tell);
    keeper.leave(ProcessIdentity::current(), standing);
    if let Some(stand_in) = stand_in {
        stand_in.dismiss();
    }
    code.map_err(|error| cannot_run(run.words, &error))
}

/// Continues in place of a `with` that was killed, until its command has ended, or in place of one
/// that is stopped, until it is continued. There is no user to tell anything.
pub fn stand_in(ctx: &mut Ctx, left: Left, absence: Absence) -> Result<(), std::io::Error> {
    let mut nobody = |_: &News<'_>| {};
    let running = dead_holders::command_of(ctx, &left.with.0).and_then(Adopted::new);
    let Some(mut running) = running else { return Ok(()) };
    if absence == Absence::Stopped {
        running = running.while_stopped(&left.with.0);
    }
    let Left { with, held, ttl, keep_going } = left;
    let mut keeper = Keeper {
        begun: ctx.clock(),
        expires_at: ctx.clock().plus(ttl),
        held,
        ctx,
        ttl,
        keep_going,
        pulse: Pulse::default(),
    };
    let (standing, alarm) = keeper.hearing();
    let mut alarm = alarm?;
    // The time of the last renewal is not known, so it renews at once.
    keeper.watch(&mut alarm, &mut running, Duration::ZERO, &mut nobody)?;
    match absence {
        Absence::Killed => {
            keeper.read_clock(&alarm);
            keeper.release(&mut nobody);
            keeper.leave(&with.0, standing);
        }
        Absence::Stopped => standing.into_iter().for_each(RegisteredWaiter::leave),
    }
    Ok(())
}

/// The keeper of the reservations.
struct Keeper<'c> {
    ctx: &'c mut Ctx,
    begun: Timestamp,
    /// The reservations that are not lost.
    held: Vec<HoldId>,
    expires_at: Timestamp,
    ttl: Ttl,
    keep_going: bool,
    pulse: Pulse,
}

impl<'c> Keeper<'c> {
    fn new(ctx: &'c mut Ctx, held: &Held, run: Run<'_>) -> Keeper<'c> {
        let Held { reserved, ttl } = held;
        let ends = reserved.granted.iter().map(|grant| grant.hold.expires_at);
        Keeper {
            begun: ctx.clock(),
            expires_at: ends.min().unwrap_or(ctx.clock()),
            held: reserved.granted.iter().map(|grant| grant.hold.id.clone()).collect(),
            ctx,
            ttl: *ttl,
            keep_going: run.keep_going,
            pulse: Pulse::default(),
        }
    }

    /// Listens to signals and to writers. Without a place among the waiters it is not woken by
    /// writers, and polls.
    fn hearing(&self) -> (Option<RegisteredWaiter>, Result<Alarm, std::io::Error>) {
        let signals: Vec<i32> =
            not_ignored(&FORWARDED).chain([signal_hook::consts::SIGCHLD]).collect();
        match Stand::hearing(self.ctx, &signals) {
            Ok(Stand { standing, alarm, .. }) => (Some(standing), Ok(alarm)),
            Err(_) => (None, Alarm::new(&signals, None)),
        }
    }

    /// Starts the command. It tells others before that a command may run.
    fn start(&self, words: &[OsString]) -> Result<Running, std::io::Error> {
        let commands = self.ctx.commands();
        commands.begin(ProcessIdentity::current()).map_err(std::io::Error::other)?;
        Running::start(words, self.ctx.directory(), (WITHIN_VARIABLE, &self.within()))
    }

    /// Tells others which process the command is, and starts the process that continues if this one
    /// is killed or stopped. If that fails, the user is told, and the command runs all the same.
    fn stand_in(&self, running: &Running, tell: &mut Tell<'_>) -> Option<StandIn> {
        let with = ProcessIdentity::current();
        if let Err(error) = self.ctx.commands().started(with, &running.process()) {
            tell(&News::Failed(&error.into()));
            return None;
        }
        let (held, ttl, keep_going) = (self.held.clone(), self.ttl, self.keep_going);
        let left = Left { with: WithProcess(with.clone()), held, ttl, keep_going };
        let started = StandIn::start(&left.words(self.ctx.actor().as_str()), self.ctx.directory());
        started.map_err(|error| tell(&News::Alone(&error))).ok()
    }

    /// Removes the files of this `with`.
    fn leave(&self, with: &ProcessIdentity, standing: Option<RegisteredWaiter>) {
        // The next `with` clears up a file that stays.
        self.ctx.commands().forget(with).ok();
        if let Some(standing) = standing {
            standing.leave();
        }
    }

    fn interval(&self) -> Duration {
        Duration::from_secs(self.ttl.as_seconds()) / 3
    }

    /// Lists the reservations that the command runs under: these, and those of an outer `with`.
    fn within(&self) -> String {
        let all = self.ctx.within().iter().chain(&self.held);
        all.map(HoldId::as_str).collect::<Vec<_>>().join(",")
    }

    fn fate(&self) -> Fate {
        if self.keep_going { Fate::GoesOn } else { Fate::Ends }
    }

    fn read_clock(&mut self, alarm: &Alarm) {
        self.ctx.set_clock(self.begun.plus_millis(alarm.elapsed().as_millis()));
    }

    /// Renews from `renewal_at` on, checks that everything is still held, and passes signals on,
    /// until the command has ended.
    fn watch(
        &mut self,
        alarm: &mut Alarm,
        running: &mut impl Watched,
        mut renewal_at: Duration,
        tell: &mut Tell<'_>,
    ) -> Result<u8, std::io::Error> {
        let mut looked_at = Duration::ZERO;
        let mut look_at = LOOK_PAUSE;
        loop {
            if let State::Ended(code) = running.state()? {
                return Ok(code);
            }
            let pause = renewal_at.min(look_at).saturating_sub(alarm.elapsed());
            match alarm.sleep(running.look_pause().map_or(pause, |look| pause.min(look))) {
                Woken::Signal(signal) if FORWARDED.contains(&signal) => running.signal(signal),
                Woken::Message => look_at = look_at.min(looked_at + RUNG_PAUSE),
                Woken::Signal(_) | Woken::Timeout => {}
            }
            let now = alarm.elapsed();
            self.read_clock(alarm);
            self.pulse.beat(self.ctx, now);
            let kept = if now >= renewal_at {
                let kept = self.renew(tell);
                let is_late = matches!(kept, Kept::NotYet);
                let pause = self.interval();
                renewal_at = now + if is_late { pause.min(RETRY_MAX) } else { pause };
                kept
            } else if now >= look_at {
                self.look(self.fate(), tell)
            } else {
                continue;
            };
            (looked_at, look_at) = (now, now + LOOK_PAUSE);
            if matches!(kept, Kept::No) && !self.keep_going {
                return end(alarm, running);
            }
        }
    }

    /// Checks that everything is still held. If the ledger cannot be read, the next look will tell.
    fn look(&mut self, command: Fate, tell: &mut Tell<'_>) -> Kept {
        let Ok(reading) = self.ctx.read() else { return Kept::NotYet };
        let actor = self.ctx.actor();
        let Ok(found) = lost(&reading.base.snapshot, &self.held, actor, reading.now) else {
            return Kept::NotYet;
        };
        let (ids, lost): (Vec<HoldId>, Vec<Lost>) = found.into_iter().unzip();
        self.held.retain(|id| !ids.contains(id));
        report_lost(&lost, command, tell)
    }

    fn renew(&mut self, tell: &mut Tell<'_>) -> Kept {
        if self.held.is_empty() {
            return Kept::Yes;
        }
        let command = Renew { which: by_id(&self.held), ttl: self.ttl };
        match self.ctx.transact(LedgerName::Reservations, command, WriteMode::Plain) {
            Ok(committed) => {
                let kept = committed.answer.renewed;
                let ends = kept.iter().map(|hold| hold.expires_at);
                self.expires_at = ends.min().unwrap_or(self.expires_at);
                self.held.retain(|id| kept.iter().any(|hold| hold.id == *id));
                report_lost(&committed.answer.lost, self.fate(), tell)
            }
            Err(error) => {
                tell(&News::Failed(&error));
                if self.ctx.clock() < self.expires_at {
                    return Kept::NotYet;
                }
                tell(&News::RanOut { command: self.fate() });
                self.held.clear();
                Kept::No
            }
        }
    }

    /// Releases the reservations, and tells which were lost before.
    fn release(&mut self, tell: &mut Tell<'_>) {
        for _ in 0..RELEASE_TRIES {
            self.look(Fate::HadEnded, tell);
            if self.held.is_empty() {
                return;
            }
            let command = Release { which: by_id(&self.held), force: None };
            match self.ctx.transact(LedgerName::Reservations, command, WriteMode::Plain) {
                Ok(committed) => {
                    let gone = |id: &HoldIdPrefix| Lost {
                        named: Asked::Id(id.to_string()),
                        why: Why::Gone,
                    };
                    let lost: Vec<Lost> = committed.answer.missing.iter().map(gone).collect();
                    report_lost(&lost, Fate::HadEnded, tell);
                    return;
                }
                // Transferred since the look: the next try releases the rest.
                Err(AppError::Refused(Refusal::NotYours { .. })) => {}
                Err(error) => return tell(&News::Failed(&error)),
            }
        }
    }
}

enum Kept {
    Yes,
    NotYet,
    No,
}

/// Tells the user what was lost, if anything was.
fn report_lost(lost: &[Lost], command: Fate, tell: &mut Tell<'_>) -> Kept {
    if lost.is_empty() {
        return Kept::Yes;
    }
    tell(&News::Lost { lost, command });
    Kept::No
}

fn by_id(ids: &[HoldId]) -> Selection {
    let prefix = |id: &HoldId| -> HoldIdPrefix { id.as_str().parse().expect("an id begins so") };
    Selection { ids: ids.iter().map(prefix).collect(), ..Selection::default() }
}

/// Ends a command with all of its process group, by SIGTERM and then by SIGKILL. It does not wait
/// for a killed group to vanish: the rest are zombies, which their parents may reap late.
fn end(alarm: &mut Alarm, running: &mut impl Watched) -> Result<u8, std::io::Error> {
    running.signal(signal_hook::consts::SIGTERM);
    let by_force_at = alarm.elapsed() + GRACE;
    let (mut ended, mut is_killed) = (None, false);
    loop {
        if ended.is_none()
            && let State::Ended(code) = running.state()?
        {
            ended = Some(code);
        }
        match ended {
            Some(code) if is_killed || !running.has_group() => return Ok(code),
            _ if alarm.elapsed() >= by_force_at => {
                running.signal(signal_hook::consts::SIGKILL);
                is_killed = true;
            }
            _ => {}
        }
        alarm.sleep(ENDING_PAUSE);
    }
}
