//! The JSON schema of every answer, from the types that the answers are made of.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::json;

use crate::app::answer::{AnswerForm, ProblemForm};
use crate::app::{
    agents, changesets, demo, doctor, domains, events, install, ledgers, log, negotiation,
    ownership, prime, rescue, reservations, routing, runs, status, version, who, whoami,
};
use crate::core::routing::export::Exported;

/// The output of a command with `--json`: its answer, or the reason why there is none.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it is a schema and never a value")]
enum Printed<'a, T> {
    Answer(AnswerForm<'a, T>),
    Problem(ProblemForm<'a>),
}

/// One of two answers, by the options of the command.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it is a schema and never a value")]
enum Either<A, B> {
    One(A),
    Other(B),
}

/// A line of the output of a command with `--json`, or the reason why there is none.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it is a schema and never a value")]
enum PrintedLine<'a, T> {
    Line(T),
    Problem(Box<ProblemForm<'a>>),
}

/// A command, and the schema of its output with `--json`.
pub struct CommandSchema {
    /// The words of the command, such as `run advance`.
    pub command: &'static str,
    /// The path of the schema in the repository.
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

/// Makes the schema of a command whose stdout belongs to another program: it prints an object only
/// where it has no answer.
fn of_problem<T: JsonSchema + 'static>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<T>()
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
            make: of_lines::<events::reader::Delivered>,
        }, CommandSchema {
            command: "with",
            file: "docs/schema/with.json",
            make: of_problem::<ProblemForm<'static>>,
        }];
    };
}

schemas! {
    "reserve" "reserve" reservations::reserve::Body,
    "check" "check" reservations::check::Body,
    "renew" "renew" reservations::renew::Body,
    "release" "release" reservations::release::Body,
    "transfer" "transfer" reservations::transfer::Body,
    "undo" "undo" reservations::undo::Body,
    "list" "list" reservations::list::Body,
    "who" "who" who::Body,
    "prime" "prime" prime::Body,
    "changes" "changes" ownership::changes::Body,
    "adopt" "adopt" ownership::adopt::Body,
    "rescue list" "rescue-list" rescue::list::Body,
    "rescue diff" "rescue-diff" rescue::diff::Body,
    "rescue restore" "rescue-restore" rescue::restore::Body,
    "rescue save" "rescue-save" rescue::save::Body,
    "rescue drop" "rescue-drop" rescue::drop::Body,
    "sweep" "sweep" reservations::sweep::Body,
    "ask" "ask" negotiation::ask::Body,
    "answer" "answer" negotiation::answer::Body,
    "take" "take" negotiation::take::Body,
    "inbox" "inbox" negotiation::inbox::Body,
    "send" "send" negotiation::send::Body,
    "agents" "agents" agents::Body,
    "status" "status" status::Body,
    "demo" "demo" demo::Body,
    "version" "version" version::Body,
    "whoami" "whoami" whoami::Body,
    "hook pre-commit" "hook-pre-commit" changesets::Body,
    "hook pre-merge-commit" "hook-pre-merge-commit" changesets::Body,
    "hook prepare-commit-msg" "hook-prepare-commit-msg" changesets::Body,
    "hook post-commit" "hook-post-commit" changesets::Body,
    "hook pre-push" "hook-pre-push" changesets::Body,
    "run create" "run-create" runs::create::Body,
    "run list" "run-list" runs::list::Body,
    "run show" "run-show" runs::show::Body,
    "run current" "run-current" runs::current::Body,
    "run set" "run-set" runs::set::Body,
    "run advance" "run-advance" runs::advance::Body,
    "run skip" "run-skip" runs::skip::Body,
    "run unskip" "run-unskip" runs::skip::Body,
    "run rollback" "run-rollback" runs::rollback::Body,
    "run cancel" "run-cancel" runs::end::Body,
    "run fail" "run-fail" runs::end::Body,
    "run gate check" "run-gate-check" runs::gate::Checked,
    "run gate override" "run-gate-override" runs::advance::Body,
    "run gate rules" "run-gate-rules" runs::gate::Rules,
    "run gate signals" "run-gate-signals" runs::gate::Judged,
    "run verdict add" "run-verdict-add" runs::verdict::Added,
    "run artifact add" "run-artifact-add" runs::artifact::Added,
    "run agent add" "run-agent-add" runs::agent::Added,
    "run agent finish" "run-agent-finish" runs::agent::Finished,
    "run dispatch add" "run-dispatch-add" runs::dispatch::Body,
    "run dispatch update" "run-dispatch-update" runs::dispatch::Body,
    "run verdict list" "run-verdict-list" runs::parts::Body,
    "run artifact list" "run-artifact-list" runs::parts::Body,
    "run agent list" "run-agent-list" runs::parts::Body,
    "run dispatch list" "run-dispatch-list" runs::parts::Body,
    "run budget" "run-budget" runs::budget::Body,
    "run replay" "run-replay" runs::replay::Body,
    "override propose" "override-propose" routing::change::Body,
    "override approve" "override-approve" routing::change::Body,
    "override apply" "override-apply" routing::change::Body,
    "override revert" "override-revert" routing::revert::Body,
    "override block" "override-block" routing::block::Body,
    "override unblock" "override-unblock" routing::block::Body,
    "override list" "override-list" routing::list::Body,
    "override status" "override-status" routing::status::Body,
    "override evidence add" "override-evidence-add" routing::evidence::AddBody,
    "override evidence list" "override-evidence-list" routing::evidence::ListBody,
    "override eligible" "override-eligible" routing::eligible::Body,
    "override canary sample" "override-canary-sample" routing::canary::SampleBody,
    "override canary check" "override-canary-check" routing::canary::CheckBody,
    "override overlay add" "override-overlay-add" routing::overlay::AddBody,
    "override overlay disable" "override-overlay-disable" routing::overlay::DisableBody,
    "override overlay list" "override-overlay-list" routing::overlay::ListBody,
    "override thresholds" "override-thresholds" routing::thresholds::Body,
    "override export" "override-export" Exported,
    "override import" "override-import" routing::transfer::Body,
    "override reset" "override-reset" routing::reset::Body,
    "override protected" "override-protected" routing::protected::Body,
    "route" "route" routing::route::Body,
    "events cursors" "events-cursors" events::cursors::Body,
    "log" "log" log::Body,
    "ledger log" "ledger-log" ledgers::log::Body,
    "ledger show" "ledger-show" ledgers::show::Body,
    "ledger diff" "ledger-diff" ledgers::show::DiffBody,
    "ledger rollback" "ledger-rollback" ledgers::rollback::Body,
    "ledger verify" "ledger-verify" ledgers::verify::Body,
    "ledger compact" "ledger-compact" ledgers::compact::Body,
    "ledger upgrade" "ledger-upgrade" ledgers::upgrade::Body,
    "domain detect" "domain-detect" domains::detect::Body,
    "domain check" "domain-check" domains::check::Body,
    "domain show" "domain-show" domains::show::Body,
    "domain set" "domain-set" Either<domains::view::ProjectView, domains::set::Cleared>,
    "domain index" "domain-index" domains::index::Body,
    "domain agents generate" "domain-agents-generate" domains::agents::generate::Body,
    "domain agents list" "domain-agents-list" domains::agents::list::Body,
    "domain agents repair" "domain-agents-repair" domains::agents::repair::Body,
    "install" "install" install::follow::Body,
    "uninstall" "uninstall" install::follow::Body,
    "doctor" "doctor" doctor::view::Body,
}
