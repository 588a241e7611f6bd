//! The JSON schema of every answer, from the types that the answers are made of.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::json;

use crate::app::answer::{AnswerForm, ProblemForm};
use crate::app::events::{cursors, reader};
use crate::app::ledgers::{compact, log, rollback, show, verify};
use crate::app::reservations::{check, list, release, renew, reserve, sweep, transfer};

/// What a command prints with `--json`: its answer, or why there is none.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it is a schema and never a value")]
enum Printed<'a, T> {
    Answer(AnswerForm<'a, T>),
    Problem(ProblemForm<'a>),
}

/// A line of what a command prints with `--json`, or why there is none.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it is a schema and never a value")]
enum PrintedLine<'a, T> {
    Line(T),
    Problem(ProblemForm<'a>),
}

/// A command, and the schema of what it prints with `--json`.
pub struct CommandSchema {
    /// The words of the command, as `run advance`.
    pub command: &'static str,
    /// The file that has the schema, in the repository.
    pub file: &'static str,
    make: fn() -> Schema,
}

impl CommandSchema {
    /// Makes the schema.
    pub fn schema(&self) -> Schema {
        let mut schema = (self.make)();
        schema.insert("title".to_owned(), json!(format!("git coord {} --json", self.command)));
        schema
    }
}

/// Makes the schema of an answer with that body.
fn of<T: JsonSchema + 'static>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<Printed<'static, T>>()
}

/// Makes the schema of a line of a command that prints several.
fn of_lines<T: JsonSchema + 'static>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<PrintedLine<'static, T>>()
}

/// A table of commands, each with the name of its file and the body of its answer.
macro_rules! schemas {
    ($($command:literal $file:literal $body:ty,)*) => {
        /// Every command that answers in JSON.
        pub const ALL: &[CommandSchema] = &[$(CommandSchema {
            command: $command,
            file: concat!("docs/schema/", $file, ".json"),
            make: of::<$body>,
        },)* CommandSchema {
            command: "events",
            file: "docs/schema/events.json",
            make: of_lines::<reader::Delivered>,
        }];
    };
}

schemas! {
    "reserve" "reserve" reserve::Body,
    "check" "check" check::Body,
    "renew" "renew" renew::Body,
    "release" "release" release::Body,
    "transfer" "transfer" transfer::Body,
    "list" "list" list::Body,
    "sweep" "sweep" sweep::Body,
    "events cursors" "events-cursors" cursors::Body,
    "ledger log" "ledger-log" log::Body,
    "ledger show" "ledger-show" show::Body,
    "ledger diff" "ledger-diff" show::DiffBody,
    "ledger rollback" "ledger-rollback" rollback::Body,
    "ledger verify" "ledger-verify" verify::Body,
    "ledger compact" "ledger-compact" compact::Body,
}
