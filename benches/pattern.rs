//! The cost of comparing two patterns: ordinary pairs, and the worst that the limits permit.
//!
//! `cargo bench --bench pattern`

#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use git_coord::core::pattern::{Case, Matcher, Pattern};

/// The minimum time for which each number is measured.
const MEASURED: Duration = Duration::from_millis(50);

/// The minimum number of batches for each number.
const BATCHES_MIN: u32 = 5;

/// The minimum duration of a batch of calls between two readings of the clock.
const CLOCK_IS_NEGLIGIBLE: Duration = Duration::from_micros(100);

fn main() {
    println!("{:<34}{:>12}{:>12}{:>12}", "nanoseconds", "overlaps", "covers", "compile");
    let ordinary = [
        ("literal, literal", "src/core/pattern/mod.rs", "src/core/pattern/name.rs"),
        ("literal, tree", "src/core/pattern/mod.rs", "src/core/**"),
        ("literal, glob", "src/core/pattern/mod.rs", "src/**/*.rs"),
        ("glob, glob", "src/*/test_*.rs", "src/core/*_test.*"),
        ("deep globs", "**/src/**/*.rs", "crates/*/src/**"),
    ];
    let mut reference = Row::default();
    for (label, left, right) in ordinary {
        let row = measure(&compiled(left), &compiled(right), left);
        row.print(label);
        reference = reference.worst(row);
    }
    let mut worst = Row::default();
    for (left, right) in adversarial() {
        let row = measure(&compiled(&left), &compiled(&right), &left);
        worst = worst.worst(row);
    }
    reference.print("worst ordinary pair");
    worst.print("worst accepted pair found");
    println!(
        "{:<34}{:>11.0}x{:>11.0}x{:>11.0}x",
        "ratio",
        worst.overlaps / reference.overlaps,
        worst.covers / reference.covers,
        worst.compile / reference.compile,
    );
}

#[derive(Clone, Copy, Default)]
struct Row {
    overlaps: f64,
    covers: f64,
    compile: f64,
}

impl Row {
    fn worst(self, other: Row) -> Row {
        Row {
            overlaps: self.overlaps.max(other.overlaps),
            covers: self.covers.max(other.covers),
            compile: self.compile.max(other.compile),
        }
    }

    fn print(self, label: &str) {
        println!("{label:<34}{:>12.0}{:>12.0}{:>12.0}", self.overlaps, self.covers, self.compile);
    }
}

fn compiled(text: &str) -> Matcher {
    Pattern::canonical(text.as_bytes())
        .expect("because it is within bounds")
        .matcher(Case::Sensitive)
}

fn measure(left: &Matcher, right: &Matcher, text: &str) -> Row {
    Row {
        overlaps: nanoseconds(|| left.overlaps(right)),
        covers: nanoseconds(|| left.covers(right)),
        compile: nanoseconds(|| compiled(text)),
    }
}

/// Measures one call: the best of several, because others use the machine too.
fn nanoseconds<Answer>(mut ask: impl FnMut() -> Answer) -> f64 {
    let start = Instant::now();
    let mut best = f64::INFINITY;
    let (mut batch, mut batches) = (1u32, 0);
    while batches < BATCHES_MIN || start.elapsed() < MEASURED {
        batches += 1;
        let batch_start = Instant::now();
        for _ in 0..batch {
            black_box(ask());
        }
        let elapsed = batch_start.elapsed();
        best = best.min(elapsed.as_secs_f64() * 1e9 / f64::from(batch));
        // Reading the clock takes longer than comparing two paths.
        if elapsed < CLOCK_IS_NEGLIGIBLE {
            batch *= 2;
        }
    }
    best
}

/// Lists pairs of shapes that keep all positions alive for long, of all sizes within the limits.
fn adversarial() -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    // Runs of one byte between stars keep every position of a name alive.
    for stars in [1, 2, 8, 31] {
        let run = "a".repeat(4000 / stars - 2);
        let name = format!("*{run}").repeat(stars);
        pairs.push((format!("{name}b"), format!("{name}c")));
        pairs.push((format!("{name}?*"), format!("*?{name}")));
        pairs.push((format!("{name}b*"), "a".repeat(4090)));
    }
    // Many names, each of which may match each name of the other side.
    for length in [1, 8, 32, 60, 80] {
        let run = "a".repeat(length);
        let starred = format!("**/*{run}/").repeat(15);
        let plain = format!("{run}/").repeat(47);
        let globs = format!("*{run}/").repeat(31);
        let classes = format!("[^b]{run}/").repeat(31);
        pairs.push((format!("{starred}b"), format!("{starred}c")));
        pairs.push((format!("{starred}b"), format!("{plain}c")));
        pairs.push((format!("**/{globs}b"), format!("{globs}c")));
        pairs.push((format!("**/{globs}b"), format!("**/{}c", format!("{run}b/").repeat(44))));
        pairs.push((format!("**/{classes}"), format!("{classes}b/**")));
    }
    // Subsets that grow exponentially, for names and for paths.
    for depth in [4, 10, 20, 28] {
        let any = "?".repeat(depth);
        pairs.push((format!("*a{any}"), format!("*b*a{}", &any[2..])));
        let any = "*/".repeat(depth);
        pairs.push((format!("**/a/{any}x"), format!("**/[ab]/{any}**/x")));
        pairs.push((format!("**/*a/**/a?/{any}"), format!("**/?a/{any}**")));
    }
    let reversed: Vec<_> =
        pairs.iter().map(|(left, right)| (right.clone(), left.clone())).collect();
    pairs.extend(reversed);
    pairs.retain(|(left, right)| {
        [left, right].iter().all(|text| Pattern::canonical(text.as_bytes()).is_ok())
    });
    pairs
}
