//! Holding something while a command runs.
//!
//! The hold goes with this process, is renewed in good time, and ends with the command. If it is
//! lost on the way, somebody else may have it: the command is told to end, and then made to.

use std::ffi::OsString;
use std::time::Duration;

use crate::app::Ctx;
use crate::app::error::AppError;
use crate::core::ids::{HoldId, HoldIdPrefix};
use crate::core::refusal::Refusal;
use crate::core::reservation::Hold;
use crate::core::reservation::release::Release;
use crate::core::reservation::renew::{Lost, Renew};
use crate::core::reservation::reserve::Reserved;
use crate::core::reservation::select::Selection;
use crate::core::time::{Timestamp, Ttl};
use crate::store::alarm::{Alarm, ENDING, Woken, not_ignored};
use crate::store::child::{Running, State};
use crate::store::layout::LedgerName;

/// How long a command that is told to end may take before it is made to.
const GRACE: Duration = Duration::from_secs(5);
/// How soon a renewal that failed is tried again, at most.
const RETRY_MAX: Duration = Duration::from_secs(5);
/// How often a group that is told to end is looked at.
const ENDING_PAUSE: Duration = Duration::from_millis(50);

/// What the user is told while the command runs.
#[derive(Debug)]
pub enum News<'n> {
    /// It is held no longer; whether the command is ended for that.
    Lost {
        /// What became of it.
        lost: &'n [Lost],
        /// Whether the command is told to end.
        ends_command: bool,
    },
    /// It could not be renewed in time; likewise.
    RanOut {
        /// Whether the command is told to end.
        ends_command: bool,
    },
    /// It could not be renewed (yet), or not be let go of.
    Failed(&'n AppError),
}

/// Tells the user.
pub type Tell<'t> = dyn FnMut(&News<'_>) + 't;

/// What is to be run.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// The program and its arguments.
    pub words: &'a [OsString],
    /// For how long what is held lives unless it is renewed.
    pub ttl: Ttl,
    /// Whether it runs on when what it needs is lost.
    pub keep_going: bool,
}

/// Runs a command while something is held, and gives back what it ended with. An error means that
/// the command was not started.
pub fn run(
    ctx: &mut Ctx,
    reserved: &Reserved,
    run: Run<'_>,
    tell: &mut Tell<'_>,
) -> Result<u8, std::io::Error> {
    let mut keeper = Keeper::new(ctx, reserved, run);
    let signals: Vec<i32> = not_ignored(&ENDING).chain([signal_hook::consts::SIGCHLD]).collect();
    let started =
        Alarm::new(&signals, None).and_then(|alarm| Ok((alarm, Running::start(run.words)?)));
    let (mut alarm, mut running) = match started {
        Ok(started) => started,
        Err(error) => {
            keeper.release(Duration::ZERO, tell);
            return Err(error);
        }
    };
    let code = keeper.watch(&mut alarm, &mut running, tell);
    keeper.release(alarm.elapsed(), tell);
    code
}

/// One who keeps what is held.
struct Keeper<'c> {
    ctx: &'c mut Ctx,
    begun: Timestamp,
    /// What is held, as long as it is.
    held: Vec<HoldId>,
    /// What the agent held before, which stays its own.
    had_before: Vec<HoldId>,
    expires_at: Timestamp,
    ttl: Ttl,
    keep_going: bool,
}

impl<'c> Keeper<'c> {
    fn new(ctx: &'c mut Ctx, reserved: &Reserved, run: Run<'_>) -> Keeper<'c> {
        let id = |hold: &Hold| hold.id.clone();
        let before = reserved.granted.iter().filter(|grant| grant.renewed);
        let ends = reserved.granted.iter().map(|grant| grant.hold.expires_at);
        Keeper {
            begun: ctx.clock(),
            expires_at: ends.min().unwrap_or(ctx.clock()),
            held: reserved.granted.iter().map(|grant| id(&grant.hold)).collect(),
            had_before: before.map(|grant| id(&grant.hold)).collect(),
            ctx,
            ttl: run.ttl,
            keep_going: run.keep_going,
        }
    }

    fn interval(&self) -> Duration {
        Duration::from_secs(self.ttl.as_seconds()) / 3
    }

    /// Renews, and passes signals on, until the command has ended.
    fn watch(
        &mut self,
        alarm: &mut Alarm,
        running: &mut Running,
        tell: &mut Tell<'_>,
    ) -> Result<u8, std::io::Error> {
        let mut renewal_at = self.interval();
        loop {
            if let State::Ended(code) = running.state()? {
                return Ok(code);
            }
            let pause = renewal_at.saturating_sub(alarm.elapsed());
            if let Woken::BySignal(signal) = alarm.sleep(pause)
                && ENDING.contains(&signal)
            {
                running.signal(signal);
            }
            if alarm.elapsed() < renewal_at {
                continue;
            }
            match self.renew(alarm.elapsed(), tell) {
                Kept::Yes => renewal_at = alarm.elapsed() + self.interval(),
                Kept::NotYet => renewal_at = alarm.elapsed() + self.interval().min(RETRY_MAX),
                Kept::No if self.keep_going => renewal_at = Duration::MAX,
                Kept::No => return end(alarm, running),
            }
        }
    }

    fn renew(&mut self, elapsed: Duration, tell: &mut Tell<'_>) -> Kept {
        self.ctx.set_clock(self.begun.plus_millis(elapsed.as_millis()));
        let ends_command = !self.keep_going;
        let command = Renew { which: by_id(&self.held), ttl: self.ttl };
        match self.ctx.transact(LedgerName::Reservations, command, None) {
            Ok(committed) if committed.answer.lost.is_empty() => {
                let ends = committed.answer.renewed.iter().map(|hold| hold.expires_at);
                self.expires_at = ends.min().unwrap_or(self.expires_at);
                Kept::Yes
            }
            Ok(committed) => {
                let kept = committed.answer.renewed;
                self.held.retain(|id| kept.iter().any(|hold| hold.id == *id));
                tell(&News::Lost { lost: &committed.answer.lost, ends_command });
                Kept::No
            }
            Err(error) => {
                tell(&News::Failed(&error));
                if self.ctx.clock() < self.expires_at {
                    return Kept::NotYet;
                }
                tell(&News::RanOut { ends_command });
                Kept::No
            }
        }
    }

    /// Lets go of what was not held before.
    fn release(&mut self, elapsed: Duration, tell: &mut Tell<'_>) {
        self.ctx.set_clock(self.begun.plus_millis(elapsed.as_millis()));
        self.held.retain(|id| !self.had_before.contains(id));
        if self.held.is_empty() {
            return;
        }
        let command = Release { which: by_id(&self.held), force: None };
        match self.ctx.transact(LedgerName::Reservations, command, None) {
            // Somebody else has it: it is not ours to let go of.
            Ok(_) | Err(AppError::Refused(Refusal::NotYours { .. })) => {}
            Err(error) => tell(&News::Failed(&error)),
        }
    }
}

enum Kept {
    Yes,
    NotYet,
    No,
}

fn by_id(ids: &[HoldId]) -> Selection {
    let prefix = |id: &HoldId| -> HoldIdPrefix { id.as_str().parse().expect("an id begins so") };
    Selection { ids: ids.iter().map(prefix).collect(), ..Selection::default() }
}

/// Ends a command with all of its group, in good time or by force.
fn end(alarm: &mut Alarm, running: &mut Running) -> Result<u8, std::io::Error> {
    running.signal(signal_hook::consts::SIGTERM);
    let by_force_at = alarm.elapsed() + GRACE;
    let mut ended = None;
    loop {
        if ended.is_none()
            && let State::Ended(code) = running.state()?
        {
            ended = Some(code);
        }
        match ended {
            Some(code) if !running.has_group() => return Ok(code),
            _ if alarm.elapsed() >= by_force_at => running.signal(signal_hook::consts::SIGKILL),
            _ => {}
        }
        alarm.sleep(ENDING_PAUSE);
    }
}
