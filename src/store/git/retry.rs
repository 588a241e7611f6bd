//! Retries reads that find nothing, for a while and in another way, before an object counts as
//! missing or damaged.
//!
//! While git repacks, an object leaves one pack and appears in another, and a reader that listed
//! the packs just before finds it in neither. A damaged ledger leads to a repair, so one failed
//! read is not enough proof.

use std::cell::Cell;
use std::thread;
use std::time::Duration;

use crate::store::error::StoreError;
use crate::store::git::backend::ReadObjects;
use crate::store::git::object::{Object, ObjectId};

/// The total time that a process retries, unless it is given more: a hook has two seconds.
const RETRY_TIME: Duration = Duration::from_millis(1_200);
/// The time that a repair retries, for each of its checks.
pub const RETRY_TIME_OF_REPAIRS: Duration = Duration::from_secs(2);
/// The first pause and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(250));

/// The outcome of one read.
type Outcome = Result<Option<Object>, StoreError>;

/// The time that a process has left for retries.
#[derive(Debug)]
pub struct RetryBudget {
    left: Cell<Duration>,
}

impl Default for RetryBudget {
    fn default() -> RetryBudget {
        RetryBudget { left: Cell::new(RETRY_TIME) }
    }
}

impl RetryBudget {
    /// Sets the time that is left.
    pub fn set(&self, time: Duration) {
        self.left.set(time);
    }

    /// Reads an object in the first way until the time is up, and then once in the second. If
    /// neither finds it, returns the last outcome of the first.
    pub fn read(
        &self,
        id: &ObjectId,
        first: impl Fn() -> Outcome,
        second: &dyn ReadObjects,
        sleep: impl Fn(Duration),
    ) -> Outcome {
        for tries in 0.. {
            let outcome = first();
            if !is_in_doubt(&outcome) {
                return outcome;
            }
            let Some(pause) = pause(tries, self.left.get(), random_share()) else {
                // If git does not find it either, the first outcome stands.
                return match second.read(id) {
                    Ok(Some(object)) => Ok(Some(object)),
                    _ => outcome,
                };
            };
            self.left.set(self.left.get().saturating_sub(pause));
            sleep(pause);
        }
        unreachable!("the time comes to an end")
    }
}

/// Sleeps. Tests pass another function instead.
pub fn sleep(pause: Duration) {
    thread::sleep(pause);
}

/// Tells whether another read can have another outcome. An object that is too large stays so.
fn is_in_doubt(outcome: &Outcome) -> bool {
    match outcome {
        Ok(None) => true,
        Ok(Some(_)) | Err(StoreError::TooLarge { .. }) => false,
        Err(error) => error.is_damage(),
    }
}

/// Computes the pause before the next read; `None` if no time is left. Pauses grow, and have a
/// random length so that they do not keep step with the process that moves the objects.
fn pause(tries: u32, left: Duration, share: f64) -> Option<Duration> {
    let (shortest, longest) = PAUSES;
    let most = shortest.saturating_mul(1 << tries.min(10)).min(longest);
    (!left.is_zero()).then(|| most.mul_f64(0.5 + share / 2.0).min(left))
}

/// Returns a random number from 0 to 1. Without a random source all pauses are long.
fn random_share() -> f64 {
    getrandom::u32().map_or(1.0, |random| f64::from(random) / f64::from(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::git::object::{HashKind, ObjectKind};

    /// An object that is found from the n-th read on.
    struct Moved {
        looks: Cell<u32>,
        found_from: u32,
    }

    impl Moved {
        fn found_from(found_from: u32) -> Moved {
            Moved { looks: Cell::new(0), found_from }
        }

        fn look(&self) -> Option<Object> {
            self.looks.set(self.looks.get() + 1);
            (self.looks.get() >= self.found_from).then(object)
        }
    }

    impl ReadObjects for Moved {
        fn size(&self, id: &ObjectId) -> Result<Option<u64>, StoreError> {
            Ok(self.read(id)?.map(|object| object.bytes.len() as u64))
        }

        fn read(&self, _: &ObjectId) -> Outcome {
            Ok(self.look())
        }
    }

    fn object() -> Object {
        Object { kind: ObjectKind::Blob, bytes: b"moved".to_vec() }
    }

    /// Reads, and returns the outcome and the time slept.
    fn read(first: &Moved, second: &Moved, budget: &RetryBudget) -> (Outcome, Duration) {
        let slept = Cell::new(Duration::ZERO);
        let id = object().id(HashKind::Sha1);
        let sleep = |pause| slept.set(slept.get() + pause);
        (budget.read(&id, || Ok(first.look()), second, sleep), slept.get())
    }

    #[test]
    fn what_is_found_at_once_costs_nothing() {
        let (first, second) = (Moved::found_from(1), Moved::found_from(1));
        let (found, slept) = read(&first, &second, &RetryBudget::default());
        assert!(found.unwrap().is_some() && slept.is_zero());
        assert_eq!((first.looks.get(), second.looks.get()), (1, 0));
    }

    #[test]
    fn what_is_on_the_move_is_found_when_it_has_arrived() {
        let (first, second) = (Moved::found_from(5), Moved::found_from(u32::MAX));
        let (found, slept) = read(&first, &second, &RetryBudget::default());
        assert!(found.unwrap().is_some() && !slept.is_zero() && slept < RETRY_TIME);
        assert_eq!(second.looks.get(), 0, "git is not started for it");
    }

    #[test]
    fn the_second_way_is_asked_before_anything_is_missing() {
        let (first, second) = (Moved::found_from(u32::MAX), Moved::found_from(1));
        let budget = RetryBudget::default();
        let (found, slept) = read(&first, &second, &budget);
        assert!(found.unwrap().is_some());
        assert_eq!((slept, second.looks.get()), (RETRY_TIME, 1));
        assert!(first.looks.get() > 5, "over the whole time");
    }

    /// A ledger that is damaged in many places does not cost the time for each of them.
    #[test]
    fn patience_is_spent_once_and_can_be_renewed() {
        let (first, second) = (Moved::found_from(u32::MAX), Moved::found_from(u32::MAX));
        let budget = RetryBudget::default();
        assert!(read(&first, &second, &budget).0.unwrap().is_none());
        let (missing, slept) = read(&first, &second, &budget);
        assert!(missing.unwrap().is_none() && slept.is_zero());
        assert_eq!(second.looks.get(), 2, "the second way is asked all the same");
        budget.set(RETRY_TIME_OF_REPAIRS);
        assert_eq!(read(&first, &second, &budget).1, RETRY_TIME_OF_REPAIRS);
    }

    #[test]
    fn what_no_second_look_can_change_is_not_looked_at_again() {
        let id = object().id(HashKind::Sha1);
        let large = || Err(StoreError::TooLarge { id, size: 1 });
        let never = |_| panic!("nothing to wait for");
        let second = Moved::found_from(1);
        let read = RetryBudget::default().read(&id, large, &second, never);
        assert!(matches!(read, Err(StoreError::TooLarge { .. })));
        assert_eq!(second.looks.get(), 0);
    }

    #[test]
    fn pauses_grow_and_end_with_the_time() {
        let left = Duration::from_secs(1);
        for share in [0.0, 0.5, 1.0] {
            let pauses: Vec<_> = (0..20).filter_map(|tries| pause(tries, left, share)).collect();
            assert!(pauses.is_sorted() && pauses.iter().all(|pause| !pause.is_zero()));
            assert!(pauses[19] <= PAUSES.1 && pauses[0] <= PAUSES.0, "{pauses:?}");
            let last = Duration::from_millis(1);
            assert_eq!(pause(9, last, share), Some(last));
            assert_eq!(pause(9, Duration::ZERO, share), None);
        }
    }
}
