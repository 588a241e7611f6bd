//! Polls until there is an answer or the time is up.
//!
//! The passing of time is a value: the real one sleeps, and a test scripts it. The last look begins
//! after the deadline, so that an answer that came in the last pause is returned.

use std::panic::{self, AssertUnwindSafe};
use std::time::Duration;

use crate::app::error::AppError;
use crate::store::os::alarm::{Alarm, Woken};

/// The pause between two looks, unless the waiter is woken.
const PAUSE: Duration = Duration::from_millis(250);
/// The longest pause after failures in a row.
const PAUSE_MAX: Duration = Duration::from_secs(30);

/// The passing of time for a waiter.
pub trait Passing {
    /// Returns how long the wait has lasted.
    fn elapsed(&self) -> Duration;

    /// Sleeps that long, or less if there is a reason to wake.
    fn sleep(&mut self, at_most: Duration) -> Woken;
}

impl Passing for Alarm {
    fn elapsed(&self) -> Duration {
        Alarm::elapsed(self)
    }

    fn sleep(&mut self, at_most: Duration) -> Woken {
        Alarm::sleep(self, at_most)
    }
}

/// The result of a look.
#[derive(Debug)]
pub enum Look<T> {
    /// The answer, or a reason not to wait any longer.
    Found(T),
    NotYet,
    /// The look failed. Failures in a row make the pauses longer, and a look that works makes them
    /// short again.
    Failed(AppError),
}

/// Takes a look, and turns a panic in it into a failure. The next look, at another state, may work.
pub fn survived<T>(look: impl FnOnce() -> T) -> Result<T, AppError> {
    let why = "looking stopped in the middle, which is a fault of git-coord";
    panic::catch_unwind(AssertUnwindSafe(look)).map_err(|_| AppError::Failed(why.into()))
}

/// The end of a wait.
#[derive(Debug, PartialEq, Eq)]
pub enum Waited<T> {
    Found(T),
    TimeUp,
    /// By the signal of this number.
    Interrupted(i32),
}

/// A wait with a deadline.
pub struct Waiter<P> {
    passing: P,
    limit: Duration,
    failures: u32,
}

impl<P: Passing> Waiter<P> {
    /// Begins a wait of at most `limit` now.
    pub fn new(passing: P, limit: Duration) -> Waiter<P> {
        Waiter { passing, limit, failures: 0 }
    }

    /// Looks until there is an answer, the time is up, or a signal ends the wait. A look gets the
    /// time that the wait has lasted.
    pub fn until<T>(
        &mut self,
        mut look: impl FnMut(Duration) -> Look<T>,
    ) -> Result<Waited<T>, AppError> {
        loop {
            let elapsed = self.passing.elapsed();
            let is_last = elapsed >= self.limit;
            match survived(|| look(elapsed)).unwrap_or_else(Look::Failed) {
                Look::Found(answer) => return Ok(Waited::Found(answer)),
                Look::NotYet if is_last => return Ok(Waited::TimeUp),
                Look::NotYet => self.failures = 0,
                Look::Failed(error) if is_last => return Err(error),
                Look::Failed(_) => self.failures += 1,
            }
            let left = self.limit.saturating_sub(self.passing.elapsed());
            if let Woken::Signal(number) = self.passing.sleep(self.pause().min(left)) {
                return Ok(Waited::Interrupted(number));
            }
        }
    }

    fn pause(&self) -> Duration {
        PAUSE.saturating_mul(2_u32.saturating_pow(self.failures)).min(PAUSE_MAX)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use super::*;

    /// A clock that only sleep moves, with a note of every sleep.
    #[derive(Default)]
    struct Script {
        elapsed: Cell<Duration>,
        slept: RefCell<Vec<u64>>,
        poke_at: Option<Duration>,
        signal_at: Option<Duration>,
    }

    impl Passing for &Script {
        fn elapsed(&self) -> Duration {
            self.elapsed.get()
        }

        fn sleep(&mut self, at_most: Duration) -> Woken {
            let (begin, end) = (self.elapsed.get(), self.elapsed.get() + at_most);
            let within = |at: Option<Duration>| at.filter(|at| (begin..end).contains(at));
            let woken_at = within(self.poke_at).or(within(self.signal_at));
            self.elapsed.set(woken_at.unwrap_or(end));
            self.slept.borrow_mut().push(u64::try_from(at_most.as_millis()).unwrap());
            match woken_at {
                Some(at) if Some(at) == self.signal_at => Woken::Signal(15),
                Some(_) => Woken::Message,
                None => Woken::Timeout,
            }
        }
    }

    const LIMIT: Duration = Duration::from_millis(1_100);

    /// Waits for an answer that is there from `at` on, and returns when it was seen.
    fn waited_for(script: &Script, at: Duration) -> Waited<Duration> {
        let look = |elapsed| if elapsed >= at { Look::Found(elapsed) } else { Look::NotYet };
        Waiter::new(script, LIMIT).until(look).unwrap()
    }

    /// 3/WAKEUP: an answer that comes in the last pause is returned, and the deadline is not slept
    /// over.
    #[test]
    fn an_answer_in_the_last_pause_is_returned() {
        let script = Script::default();
        let answer_at = Duration::from_millis(1_099);
        assert_eq!(waited_for(&script, answer_at), Waited::Found(LIMIT));
        assert_eq!(*script.slept.borrow(), [250, 250, 250, 250, 100]);
    }

    #[test]
    fn time_is_up_at_the_deadline_and_not_later() {
        let script = Script::default();
        assert_eq!(waited_for(&script, LIMIT + Duration::from_millis(1)), Waited::TimeUp);
        assert_eq!(script.elapsed.get(), LIMIT);
    }

    #[test]
    fn a_poke_makes_it_look_at_once() {
        let at = Duration::from_millis(301);
        let script = Script { poke_at: Some(at), ..Script::default() };
        assert_eq!(waited_for(&script, at), Waited::Found(at));
    }

    /// 3/GOROUTINE-stop: a signal ends the wait at once.
    #[test]
    fn a_signal_ends_it() {
        let at = Duration::from_millis(301);
        let script = Script { signal_at: Some(at), ..Script::default() };
        assert_eq!(waited_for(&script, LIMIT), Waited::Interrupted(15));
        assert_eq!(script.elapsed.get(), at);
    }

    /// 3/GOROUTINE: failures in a row slow the looking down, and it recovers.
    #[test]
    fn failures_slow_it_down_and_a_look_that_works_recovers() {
        let script = Script::default();
        let mut looks = 0;
        let look = |_| {
            looks += 1;
            match looks {
                3..=12 => Look::Failed(AppError::Busy("others".to_owned())),
                15 => Look::Found(()),
                _ => Look::NotYet,
            }
        };
        let hour = Duration::from_secs(3_600);
        assert_eq!(Waiter::new(&script, hour).until(look).unwrap(), Waited::Found(()));
        let slept = script.slept.borrow();
        assert_eq!(slept[..6], [250, 250, 500, 1_000, 2_000, 4_000]);
        assert_eq!(slept[9..], [30_000, 30_000, 30_000, 250, 250]);
    }

    /// 3/GOROUTINE, 3/SIG-3: a panic in one look ends neither the wait nor the looks after it.
    #[test]
    fn a_panic_in_one_look_is_a_failure() {
        let script = Script::default();
        let mut looks = 0;
        let look = |_| {
            looks += 1;
            assert_ne!(looks, 2, "this look is at fault");
            if looks == 4 { Look::Found(()) } else { Look::NotYet }
        };
        assert_eq!(Waiter::new(&script, LIMIT).until(look).unwrap(), Waited::Found(()));
        assert_eq!(*script.slept.borrow(), [250, 500, 250]);
    }

    /// The failure of the last look is reported.
    #[test]
    fn the_last_failure_is_told() {
        let script = Script::default();
        let look = |_| Look::<()>::Failed(AppError::Busy("others".to_owned()));
        let error = Waiter::new(&script, LIMIT).until(look).unwrap_err();
        assert_eq!(error.to_string(), "others");
        assert_eq!(script.elapsed.get(), LIMIT);
    }
}
