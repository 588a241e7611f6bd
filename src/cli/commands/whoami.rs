//! `git coord whoami`

use serde_json::json;

use crate::app::config::Settings;
use crate::app::identity::ActorKind;
use crate::app::problem::Problem;
use crate::cli::color::Slot;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::holds::fields;
use crate::cli::open::identity_here;
use crate::cli::term::Ui;

/// Tell under which name you act, and why
///
/// The name comes from --as, GIT_COORD_AGENT, the session that your agent's program exports, or
/// coord.agent, in this order. Without any of these you are a person: user@host.
#[derive(Debug, clap::Args)]
#[expect(clippy::doc_markdown, reason = "the comment is shown to users")]
pub(crate) struct Args {}

impl Args {
    /// Tells the name; works outside of a repository too.
    pub(crate) fn run(ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let settings = Settings::read(context.config)?;
        let who = identity_here(context, &settings)?;
        let kind = match who.kind {
            ActorKind::Agent => "agent",
            ActorKind::Person => "person",
        };
        let source = who.source.description();
        if ui.is_json() {
            let answer =
                [("agent", json!(who.name)), ("kind", json!(kind)), ("source", json!(source))];
            ui.answer(true, fields(answer))?;
        } else {
            let name = ui.paint(Slot::Holder, who.name.as_str());
            let why = ui.paint(Slot::Dim, &format!("({kind}, from {source})"));
            ui.line(&format!("{name} {why}"))?;
        }
        Ok(ExitCode::Done)
    }
}
