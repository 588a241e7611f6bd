//! Tests of output, and captured output for the tests of others.

use super::*;
use serde_json::{Map, json};
use std::cell::RefCell;
use std::rc::Rc;

/// What a test wrote.
#[derive(Clone, Default)]
pub(crate) struct Written(Rc<RefCell<Vec<u8>>>);

impl Written {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.borrow().clone()).expect("output is UTF-8")
    }
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An `Ui` without colour, and what goes to its stdout and stderr.
pub(crate) fn captured(manner: Manner, silenced: Vec<Advice>) -> (Ui, Written, Written) {
    let (out, err) = (Written::default(), Written::default());
    let ui = Ui {
        out: Stream::new(Box::new(out.clone()), false),
        err: Stream::new(Box::new(err.clone()), false),
        manner,
        silenced,
        is_terminal: false,
        wrote: false,
        muted: false,
    };
    (ui, out, err)
}

struct Failing(io::ErrorKind);

impl Write for Failing {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Err(self.0.into())
    }
}

#[test]
fn a_reader_that_went_away_is_no_error_and_a_full_disk_is() {
    let mut gone = Stream::new(Box::new(Failing(io::ErrorKind::BrokenPipe)), false);
    assert!(gone.write("x").is_ok() && gone.closed && gone.flush().is_ok());
    let mut full = Stream::new(Box::new(Failing(io::ErrorKind::StorageFull)), false);
    assert!(full.write("x").is_err() && !full.closed);
}

#[test]
fn quiet_silences_notes_and_not_errors_or_data() {
    let manner = Manner { quiet: true, ..Manner::default() };
    let (mut ui, out, err) = captured(manner, Vec::new());
    ui.note("a note").expect("written");
    ui.warn("a warning").expect("written");
    ui.talk("error: x").expect("written");
    ui.line("data").expect("written");
    ui.mute_if_quiet();
    ui.line("what was done").expect("written");
    assert_eq!((out.text().as_str(), err.text().as_str()), ("data\n", "error: x\n"));
}

#[test]
fn advice_is_silenced_by_key_or_altogether() {
    let off = |key: &str| (key == "advice.coordHeld").then(|| "false".to_owned());
    let none = |_: &str| None;
    assert_eq!(silenced_advice(&Environment::default(), &off), [Advice::Held]);
    assert_eq!(silenced_advice(&Environment::default(), &none), []);
    let env: Environment = [("GIT_ADVICE", "0")].into_iter().collect();
    assert_eq!(silenced_advice(&env, &none), Advice::ALL);
}

/// Printed row by row, and the same to the byte as in one piece.
#[test]
fn an_answer_with_rows_is_one_object() {
    for count in [0, 1, 3] {
        let rows: Vec<Value> = (0..count).map(|number| json!({ "row": number })).collect();
        let fields = Map::from_iter([("ledger".to_owned(), json!("\"}"))]);
        let (mut ui, streamed, _) = captured(Manner::default(), Vec::new());
        let as_they_come = rows.iter().cloned().map(Ok);
        ui.json_with_rows(&fields, "entries", as_they_come).expect("written");
        let mut whole = fields;
        whole.insert("entries".to_owned(), json!(rows));
        let (mut ui, at_once, _) = captured(Manner::default(), Vec::new());
        ui.json(&whole).expect("written");
        assert_eq!(streamed.text(), at_once.text());
    }
}
