//! Work that has to be done in time, or is left alone.

use std::sync::mpsc;
use std::time::Duration;

/// What the work comes to; none if that takes too long. The process is expected to end then, and
/// the work with it.
pub fn within<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (done, result) = mpsc::channel();
    std::thread::spawn(move || done.send(work()).ok());
    result.recv_timeout(limit).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_end_is_not_waited_for() {
        assert_eq!(within(Duration::from_secs(60), || 7), Some(7));
        let (_open, never) = mpsc::channel::<u8>();
        let waits = move || never.recv().is_ok();
        assert_eq!(within(Duration::from_millis(10), waits), None);
    }
}
