//! A small plot of a metric against its baseline, in plain characters.

use crate::core::routing::ratio::Ratio;

/// The number of rows of a plot.
const HEIGHT: u64 = 5;
/// The number of samples that fit; older ones are left out.
const WIDTH: usize = 40;

/// Draws the samples as `o`, one per column, over the baseline as a line of `-`.
pub(super) fn plot(samples: &[Ratio], baseline: Option<Ratio>) -> Vec<String> {
    let samples = &samples[samples.len().saturating_sub(WIDTH)..];
    let highest = samples.iter().copied().chain(baseline).max().unwrap_or_default();
    let top = highest.parts().max(1);
    let level = |number: Ratio| (number.parts() * (HEIGHT - 1) * 2 + top) / (top * 2);
    let line = baseline.map(level);
    let mut rows = Vec::new();
    for row in (0..HEIGHT).rev() {
        let mark = Ratio::of(top * row, (HEIGHT - 1) * 10_000);
        let mut text = format!("{mark:.2} |");
        for sample in samples {
            text.push(match (level(*sample) == row, line == Some(row)) {
                (true, _) => 'o',
                (false, true) => '-',
                (false, false) => ' ',
            });
        }
        if line == Some(row) {
            text.push_str("- before");
        }
        rows.push(text.trim_end().to_owned());
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(text: &str) -> Ratio {
        text.parse().unwrap()
    }

    #[test]
    fn samples_stand_over_the_baseline() {
        let samples = ["0.1", "0.4", "0.2"].map(ratio);
        let expected = ["0.40 | o", "0.30 |", "0.20 |--o- before", "0.10 |o", "0.00 |"];
        assert_eq!(plot(&samples, Some(ratio("0.2"))), expected);
    }

    #[test]
    fn nothing_is_a_plot_of_nothing() {
        assert_eq!(plot(&[], None).len(), 5);
        assert_eq!(plot(&[Ratio::ZERO], Some(Ratio::ZERO))[4], "0.00 |o- before");
    }

    #[test]
    fn only_the_last_samples_fit() {
        let many = vec![Ratio::ONE; 100];
        assert_eq!(plot(&many, None)[0].len(), "1.00 |".len() + WIDTH);
    }
}
