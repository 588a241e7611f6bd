//! Numbers that a request gives within bounds, whatever its door. Documents and recorded commands
//! have plain numbers: what an earlier version let in stays readable.

use std::num::ParseIntError;

/// The error that a text is no number within bounds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotWithin {
    #[error("{given} is not in {least}..={most}")]
    Bounds { given: i128, least: i128, most: i128 },
    #[error(transparent)]
    NoNumber(#[from] ParseIntError),
}

/// Declares a number from a least value up to a largest one.
macro_rules! bounded {
    ($(#[$about:meta])* $name:ident: $int:ty, $least:expr, $most:expr) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub struct $name($int);

        impl $name {
            /// The least number.
            pub const LEAST: $int = $least;
            /// The largest number.
            pub const MOST: $int = $most;

            pub const fn get(self) -> $int {
                self.0
            }

            fn of(given: i128) -> Result<$name, $crate::core::bounded::NotWithin> {
                let (least, most) = (i128::from($name::LEAST), i128::from($name::MOST));
                let number = <$int>::try_from(given).ok();
                match number.filter(|_| least <= given && given <= most) {
                    Some(number) => Ok($name(number)),
                    None => Err($crate::core::bounded::NotWithin::Bounds { given, least, most }),
                }
            }
        }

        impl TryFrom<$int> for $name {
            type Error = $crate::core::bounded::NotWithin;

            fn try_from(given: $int) -> Result<$name, Self::Error> {
                $name::of(given.into())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::core::bounded::NotWithin;

            fn from_str(text: &str) -> Result<$name, Self::Err> {
                $name::of(text.parse()?)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}", self.0)
            }
        }
    };
}
pub(crate) use bounded;

bounded! {
    /// The largest number of rows that an answer is to have.
    Limit: u32, 1, u32::MAX
}

impl Limit {
    /// The usual number of events, entries or rows.
    pub const HUNDRED: Limit = Limit(100);
    /// The usual number of larger things, such as snapshots.
    pub const FIFTY: Limit = Limit(50);

    /// Returns the number of rows to take.
    pub fn rows(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

#[cfg(test)]
mod tests {
    use crate::core::run::bounds::Complexity;

    /// 7/NUMBERS
    #[test]
    fn what_is_outside_is_refused_with_the_bounds() {
        for number in 0..=u8::MAX {
            let given = Complexity::try_from(number);
            assert_eq!(given.is_ok(), (1..=5).contains(&number), "{number}");
            assert_eq!(number.to_string().parse::<Complexity>(), given);
            assert_eq!(given.map_or(number, Complexity::get), number);
        }
        for wrong in ["9", "0", "-1", "300", "99999999999999999999"] {
            let error = wrong.parse::<Complexity>().unwrap_err();
            assert_eq!(error.to_string(), format!("{wrong} is not in 1..=5"));
        }
        for no_number in ["", "few", "1.5", "1e3"] {
            assert!(no_number.parse::<Complexity>().is_err(), "{no_number}");
        }
    }
}
