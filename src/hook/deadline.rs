//! Work that has to be done in time: the one clock of all hooks.
//!
//! The work is done where it was asked for, and another thread looks at the clock. If the time is
//! over before the work is, that thread answers in its place and ends the process, which is no harm
//! to a ledger. So the usual call, which is in time, waits for nobody.

use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::app::open::end_children;

/// The time that a hook has for its answer.
pub const LIMIT: Duration = Duration::from_secs(2);

/// A clock, one line of text, and a look at the configuration that decides about it.
const STACK_BYTES: usize = 1024 * 1024;

/// Answers in the place of work that is late: what the process ends with.
type Late = Box<dyn FnOnce() -> u8 + Send>;

/// A clock that runs.
pub struct Deadline {
    shared: Arc<Shared>,
}

struct Shared {
    begun: Instant,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    limit: Duration,
    /// None once the work is done.
    late: Option<Late>,
}

/// Does `work`, and returns its reply. If the time is over before, `late` answers in its place. A
/// panic is a fault of ours, and `broken` answers as it would any other fault.
pub fn in_time<R>(
    late: impl FnOnce() -> u8 + Send + 'static,
    work: impl FnOnce(&Deadline) -> R,
    broken: impl FnOnce(&str) -> R,
) -> R {
    let deadline = Deadline::start(LIMIT, late);
    let reply = panic::catch_unwind(AssertUnwindSafe(|| work(&deadline)));
    let reply = reply.unwrap_or_else(|_| broken("stopped in the middle"));
    deadline.over();
    reply
}

impl Deadline {
    /// Starts the clock. A machine that has no room for one more thread has no clock either, and
    /// the work is done all the same.
    fn start(limit: Duration, late: impl FnOnce() -> u8 + Send + 'static) -> Deadline {
        let state = Mutex::new(State { limit, late: Some(Box::new(late)) });
        let shared = Arc::new(Shared { begun: Instant::now(), state, changed: Condvar::new() });
        let watching = Arc::clone(&shared);
        let watch = move || watching.watch();
        thread::Builder::new().name("clock".to_owned()).stack_size(STACK_BYTES).spawn(watch).ok();
        Deadline { shared }
    }

    /// Sets another limit, which counts from the same start, and another late answer.
    pub fn change(&self, limit: Duration, late: impl FnOnce() -> u8 + Send + 'static) {
        let mut state = self.shared.lock();
        let is_sooner = limit < state.limit;
        *state = State { limit, late: Some(Box::new(late)) };
        if is_sooner {
            self.shared.changed.notify_one();
        }
    }

    /// Stops the clock. A caller that comes too late never returns: the late answer is being given.
    fn over(self) {
        self.shared.lock().late = None;
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn watch(&self) {
        let mut state = self.lock();
        while state.late.is_some() {
            let left = state.limit.saturating_sub(self.begun.elapsed());
            if left.is_zero() {
                // With the lock, so that nobody else answers as well.
                if let Some(late) = state.late.take() {
                    let code = late();
                    // A git that keeps us waiting would outlive us.
                    end_children();
                    std::process::exit(code.into());
                }
            }
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}
