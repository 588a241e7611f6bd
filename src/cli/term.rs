//! The only place that writes to the terminal: data goes to stdout, talk to stderr.
//!
//! A reader that goes away (`git coord list | head -1`) is a quiet success; every other failure
//! to write is an error.

use std::io::{self, IsTerminal as _, Write};

use serde::Serialize;
use serde_json::Value;

use super::color::{ColorChoice, ColorInputs, Slot, wants_color};
use super::layout::{Cell, aligned};
use crate::app::problem::{Advice, Problem};
use crate::core::boolean::parse_boolean;
use crate::core::environment::Environment;
use crate::core::text::shown;

/// The options that shape the output.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Manner {
    /// One JSON object on stdout instead of text.
    pub(crate) json: bool,
    /// No talk on stderr except errors.
    pub(crate) quiet: bool,
    pub(crate) color: Option<ColorChoice>,
}

/// The streams of a command, and the look of its output.
pub(crate) struct Ui {
    out: Stream,
    err: Stream,
    manner: Manner,
    silenced: Vec<Advice>,
    is_terminal: bool,
    /// Set when the command has written to a ledger, whatever becomes of its answer.
    wrote: bool,
    /// Set to print no text on stdout: the exit code is the answer.
    muted: bool,
}

/// The fate of the data for stdout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    /// All of it was written, if there was any.
    Written,
    /// It could not be written.
    Lost,
    /// It could not be written, and the command has written to a ledger before.
    LostAfterWrite,
}

struct Stream {
    to: Box<dyn Write>,
    colored: bool,
    closed: bool,
    failed: bool,
}

impl Ui {
    /// Opens the streams of the process.
    pub(crate) fn of_process(
        manner: Manner,
        environment: &Environment,
        config: &dyn Fn(&str) -> Option<String>,
    ) -> Ui {
        let colored = |is_terminal| {
            wants_color(&ColorInputs { option: manner.color, environment, config, is_terminal })
        };
        let (stdout, stderr) = (io::stdout(), io::stderr());
        let is_terminal = stdout.is_terminal();
        let out_colored = colored(is_terminal);
        let err_colored = colored(stderr.is_terminal());
        Ui {
            // Buffered: a list of thousands of lines is not written line by line.
            out: Stream::new(Box::new(io::BufWriter::new(stdout)), out_colored),
            err: Stream::new(Box::new(stderr), err_colored),
            manner,
            silenced: silenced_advice(environment, config),
            is_terminal,
            wrote: false,
            muted: false,
        }
    }

    /// Leaves the answer to the exit code if the caller asks for quiet. JSON is data that it asks
    /// for.
    pub(crate) fn mute_if_quiet(&mut self) {
        self.muted = self.manner.quiet && !self.manner.json;
    }

    /// Remembers that the command has written to a ledger.
    pub(crate) fn has_written(&mut self) {
        self.wrote = true;
    }

    /// Tells what became of the data for stdout.
    pub(crate) fn output(&self) -> Output {
        match (self.out.failed, self.wrote) {
            (false, _) => Output::Written,
            (true, false) => Output::Lost,
            (true, true) => Output::LostAfterWrite,
        }
    }

    pub(crate) fn is_json(&self) -> bool {
        self.manner.json
    }

    /// Tells whether the reader of stdout has gone away, so that nothing more needs to be printed.
    pub(crate) fn is_closed(&self) -> bool {
        self.out.closed
    }

    /// Prints one line of data.
    pub(crate) fn line(&mut self, text: &str) -> io::Result<()> {
        if self.muted {
            return Ok(());
        }
        self.out.write(text)?;
        self.out.write("\n")
    }

    /// Prints rows of cells with their columns aligned.
    pub(crate) fn table<R: AsRef<[Cell]>>(
        &mut self,
        rows: impl IntoIterator<Item = R>,
    ) -> io::Result<()> {
        self.aligned(rows).iter().try_for_each(|line| self.line(line))
    }

    /// Lays out rows of cells as lines, for tables that have more to say below a row.
    pub(crate) fn aligned<R: AsRef<[Cell]>>(
        &self,
        rows: impl IntoIterator<Item = R>,
    ) -> Vec<String> {
        let rows: Vec<R> = rows.into_iter().collect();
        aligned(&rows, |slot, text| self.paint(slot, text))
    }

    /// Prints data that may be no text, such as a patch.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write(bytes)
    }

    /// Prints data that has its own line ends, such as a script.
    pub(crate) fn text(&mut self, text: &str) -> io::Result<()> {
        self.out.write(text)
    }

    /// Prints an answer in its form for programs, on one line.
    pub(crate) fn json(&mut self, form: &impl Serialize) -> io::Result<()> {
        let text = serde_json::to_string(form).expect("an answer is plain data");
        self.line(&text)
    }

    /// Prints an answer whose last member is a list, row by row.
    pub(crate) fn json_with_rows<R: Serialize>(
        &mut self,
        form: &impl Serialize,
        name: &str,
        rows: impl Iterator<Item = Result<R, Problem>>,
    ) -> Result<(), Problem> {
        let text = serde_json::to_string(form).expect("an answer is plain data");
        let open = text.strip_suffix('}').expect("an object ends so");
        let name = serde_json::to_string(name).expect("a name is plain text");
        self.out.write(format!("{open},{name}:["))?;
        for (number, row) in rows.enumerate() {
            let comma = if number == 0 { "" } else { "," };
            let row = serde_json::to_string(&row?).expect("a row is plain data");
            self.out.write(format!("{comma}{row}"))?;
            if self.is_closed() {
                break;
            }
        }
        Ok(self.line("]}")?)
    }

    /// Prints one JSON value on its own line, for streams of events.
    pub(crate) fn json_line(&mut self, value: &Value) -> io::Result<()> {
        self.line(&value.to_string())
    }

    /// Prints talk that `--quiet` silences.
    pub(crate) fn note(&mut self, text: &str) -> io::Result<()> {
        if self.manner.quiet { Ok(()) } else { self.talk(text) }
    }

    /// Prints notes, a line each.
    pub(crate) fn notes(&mut self, texts: &[String]) -> io::Result<()> {
        texts.iter().try_for_each(|text| self.note(&format!("note: {}", shown(text))))
    }

    /// Prints a warning, on stderr also in JSON mode.
    pub(crate) fn warn(&mut self, text: &str) -> io::Result<()> {
        let word = self.paint_talk(Slot::Warning, "warning:");
        self.note(&format!("{word} {}", shown(text)))
    }

    /// Prints talk that cannot be silenced, such as errors.
    pub(crate) fn talk(&mut self, text: &str) -> io::Result<()> {
        // Data comes before the talk about it, also in one terminal. If the data cannot be written,
        // the talk must still appear.
        self.flush().ok();
        self.err.write(text)?;
        self.err.write("\n")
    }

    /// Paints text in the colour of its slot, for stdout. Foreign text goes through `shown` first.
    pub(crate) fn paint(&self, slot: Slot, text: &str) -> String {
        self.out.painted(slot, text)
    }

    /// Paints text in the colour of its slot, for stderr.
    pub(crate) fn paint_talk(&self, slot: Slot, text: &str) -> String {
        self.err.painted(slot, text)
    }

    /// Tells whether the user still wants this kind of hint.
    pub(crate) fn wants_advice(&self, advice: Advice) -> bool {
        !self.manner.quiet && !self.silenced.contains(&advice)
    }

    /// Tells whether a person looks at stdout right now.
    pub(crate) fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    pub(crate) fn is_colored(&self) -> bool {
        self.out.colored
    }

    /// Hands everything to the system; a full disk shows here at the latest.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Stream {
    fn new(to: Box<dyn Write>, colored: bool) -> Stream {
        Stream { to, colored, closed: false, failed: false }
    }

    fn write(&mut self, data: impl AsRef<[u8]>) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        let written = self.to.write_all(data.as_ref());
        self.unless_closed(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        let flushed = self.to.flush();
        self.unless_closed(flushed)
    }

    fn unless_closed(&mut self, result: io::Result<()>) -> io::Result<()> {
        match result {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            other => other.inspect_err(|_| self.failed = true),
        }
    }

    fn painted(&self, slot: Slot, text: &str) -> String {
        if self.colored {
            let style = slot.style();
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }
}

fn silenced_advice(
    environment: &Environment,
    config: &dyn Fn(&str) -> Option<String>,
) -> Vec<Advice> {
    let is_off = |value: &str| parse_boolean(value) == Some(false);
    if environment.non_empty("GIT_ADVICE").is_some_and(is_off) {
        return Advice::ALL.to_vec();
    }
    let silenced = |advice: &Advice| config(advice.key()).as_deref().is_some_and(is_off);
    Advice::ALL.into_iter().filter(silenced).collect()
}

#[cfg(test)]
pub(crate) mod tests;
