//! Amounts of disk space, for people.

/// Writes a number of bytes in words, with at most three digits before the unit.
pub fn in_words(bytes: u64) -> String {
    let units = ["bytes", "KB", "MB", "GB", "TB"];
    let mut amount = bytes;
    for unit in units {
        if amount < 1000 {
            return format!("{amount} {unit}");
        }
        amount = amount.div_ceil(1000);
    }
    format!("{amount} PB")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_short() {
        for (bytes, words) in [
            (0, "0 bytes"),
            (999, "999 bytes"),
            (1000, "1 KB"),
            (4_200, "5 KB"),
            (488_000_000, "488 MB"),
            (u64::MAX, "18447 PB"),
        ] {
            assert_eq!(in_words(bytes), words);
        }
    }
}
