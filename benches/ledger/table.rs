//! The printed table, in Markdown, so that a document can contain it as it is.

use std::time::Duration;

/// The number of repeats of both sides of a ratio.
const REPEATS: usize = 40;

/// Prints the head of the table.
pub(crate) fn head() {
    println!("| what | ours | against | ratio | bar |");
    println!("| --- | --- | --- | --- | --- |");
}

/// Prints a row with a single number.
pub(crate) fn stated(what: &str, ours: &str, bar: &str) {
    println!("| {what} | {ours} | | | {bar} |");
}

/// Prints a row that could not be measured.
pub(crate) fn skipped(what: &str, reason: &str, bar: &str) {
    println!("| {what} | skipped: {reason} | | | {bar} |");
}

/// Prints a row of two numbers and their ratio.
pub(crate) fn ratio(what: &str, ours: (f64, &str), against: (f64, &str), bar: &str) {
    let ((ours, our_unit), (against, unit)) = (ours, against);
    println!(
        "| {what} | {ours:.2} {our_unit} | {against:.2} {unit} | {:.2}x | {bar} |",
        ours / against
    );
}

/// Runs both sides in turn, so that a disturbance hits both, and prints the ratio of their medians.
pub(crate) fn compared(
    what: &str,
    bar: &str,
    mut ours: impl FnMut() -> Duration,
    mut against: impl FnMut() -> Duration,
) {
    let (mut our_times, mut other_times) = (Vec::new(), Vec::new());
    for _ in 0..REPEATS {
        our_times.push(ours().as_secs_f64() * 1e3);
        other_times.push(against().as_secs_f64() * 1e3);
    }
    ratio(what, (median(our_times), "ms"), (median(other_times), "ms"), bar);
}

/// Does the same with a third thing in turn, whose time is a part of ours that does not count.
pub(crate) fn compared_without(
    (what, bar): (&str, &str),
    mut ours: impl FnMut() -> Duration,
    mut part: impl FnMut() -> Duration,
    mut against: impl FnMut() -> Duration,
) {
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..REPEATS {
        for (times, time) in times.iter_mut().zip([ours(), part(), against()]) {
            times.push(time.as_secs_f64() * 1e3);
        }
    }
    let [ours, part, against] = times.map(median);
    ratio(&format!("{what} ({part:.2} ms)"), (ours - part, "ms"), (against, "ms"), bar);
}

pub(crate) fn median(numbers: Vec<f64>) -> f64 {
    percentile(numbers, 50)
}

/// Returns the number that this percentage of the numbers does not exceed. There must be at least
/// one.
pub(crate) fn percentile(mut numbers: Vec<f64>, percent: usize) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[(numbers.len() * percent / 100).min(numbers.len() - 1)]
}
