//! Values on the command line. They are parsed by clap, so that a wrong one is a usage error that
//! names it.

use std::str::FromStr as _;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::core::duration;
use crate::core::ids::EntryName;
use crate::core::ledger::LedgerName;
use crate::core::time::Ttl;

/// A ledger, or one of its entries: `reservations`, `reservations@3f9c2ab1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LedgerAt {
    pub(crate) ledger: LedgerName,
    /// The newest entry if it is not given.
    pub(crate) entry: Option<EntryName>,
}

/// A place in a ledger's sequence of events: `reservations:42`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EventPlace {
    pub(crate) ledger: LedgerName,
    /// The events after this number are meant.
    pub(crate) sequence: u64,
}

/// The place that events are wanted from: `reservations:42`, or `5m`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventsFrom {
    Place(EventPlace),
    Ago(Duration),
}

/// A word on the command line: its value, and its help.
pub(crate) type Word<T> = (&'static str, T, &'static str);

/// Returns the word of a value.
pub(crate) fn word_of<T: Copy + PartialEq>(words: &'static [Word<T>], value: T) -> &'static str {
    let found = words.iter().find(|(_, one, _)| *one == value);
    found.expect("each value has a word").0
}

/// Parses one of these words. Help and errors list them.
pub(crate) fn one_of<T: Copy + Send + Sync + 'static>(
    words: &'static [Word<T>],
) -> impl TypedValueParser<Value = T> {
    let listed = words.iter().map(|(word, _, help)| PossibleValue::new(*word).help(*help));
    PossibleValuesParser::new(listed).map(|given| {
        let found = words.iter().find(|(word, ..)| *word == given);
        found.expect("the parser lets only these through").1
    })
}

/// Parses a duration, such as `90s`, `15m`, `2h` or `7d`.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    duration::parse_duration(text).map_err(|error| error.to_string())
}

/// Parses a duration from one second to one day.
pub(crate) fn parse_ttl(text: &str) -> Result<Ttl, String> {
    duration::parse_ttl(text).map_err(|error| error.to_string())
}

/// Parses `<ledger>` or `<ledger>@<entry>`.
pub(crate) fn parse_ledger_at(text: &str) -> Result<LedgerAt, String> {
    let (ledger, entry) = match text.split_once('@') {
        Some((ledger, entry)) => (ledger, Some(parse_entry(entry)?)),
        None => (text, None),
    };
    Ok(LedgerAt { ledger: parse_ledger(ledger)?, entry })
}

/// Parses a commit id, a prefix of one, or a sequence number.
pub(crate) fn parse_entry(text: &str) -> Result<EntryName, String> {
    text.to_ascii_lowercase()
        .parse()
        .map_err(|_| "an entry is named by its commit id or its sequence number".to_owned())
}

/// Parses `<ledger>:<sequence number>`.
fn parse_event_place(text: &str) -> Result<EventPlace, String> {
    let (ledger, sequence) =
        text.split_once(':').ok_or("expected <ledger>:<sequence number>, as 'reservations:42'")?;
    let sequence =
        sequence.parse().map_err(|_| format!("'{sequence}' is not a sequence number"))?;
    Ok(EventPlace { ledger: parse_ledger(ledger)?, sequence })
}

/// Parses `<ledger>:<sequence number>`, or a duration.
pub(crate) fn parse_events_from(text: &str) -> Result<EventsFrom, String> {
    if text.contains(':') {
        return parse_event_place(text).map(EventsFrom::Place);
    }
    let expected = "expected a duration, as '5m', or <ledger>:<sequence number>, as \
                    'reservations:42'";
    let is_duration = text.starts_with(|first: char| first.is_ascii_digit());
    match parse_duration(text) {
        Ok(ago) => Ok(EventsFrom::Ago(ago)),
        Err(why) if is_duration => Err(why),
        Err(_) => Err(expected.to_owned()),
    }
}

fn parse_ledger(text: &str) -> Result<LedgerName, String> {
    LedgerName::from_str(text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ledgers_and_entries() {
        let newest = LedgerAt { ledger: LedgerName::Reservations, entry: None };
        assert_eq!(parse_ledger_at("reservations"), Ok(newest));
        let at = parse_ledger_at("reservations@3F9c").expect("good");
        assert_eq!(at.entry, Some("3f9c".parse().unwrap()));
        for bad in ["", "reservation", "reservations@", "reservations@x y", "@3f9c"] {
            assert!(parse_ledger_at(bad).is_err(), "{bad}");
        }
    }

    /// 1/EVENTS-TIME
    #[test]
    fn events_are_wanted_from_a_place_or_a_time() {
        let ago = EventsFrom::Ago(Duration::from_secs(300));
        assert_eq!(parse_events_from("5m"), Ok(ago));
        let place = parse_event_place("runs:3").expect("good");
        assert_eq!(parse_events_from("runs:3"), Ok(EventsFrom::Place(place)));
        for bad in ["", "runs", "runs:", "5", "-5m", "5m:1"] {
            assert!(parse_events_from(bad).is_err(), "{bad}");
        }
    }

    /// 7/NUMBERS
    #[test]
    fn places_need_a_ledger_and_a_number() {
        assert_eq!(parse_event_place("reservations:0").map(|place| place.sequence), Ok(0));
        for bad in ["42", "reservations:", "reservations:-1", "reservations:1e99", "x:1"] {
            assert!(parse_event_place(bad).is_err(), "{bad}");
        }
    }
}
