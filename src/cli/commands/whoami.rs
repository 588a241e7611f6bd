//! `git coord whoami`

use crate::app::problem::Problem;
use crate::app::whoami::{Body, whoami};
use crate::cli::color::Slot;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::show::show;
use crate::cli::term::Ui;

/// Show the name under which you act, and its source
///
/// The name comes from --as, GIT_COORD_AGENT, the session that your agent's program exports, or
/// coord.agent, in this order. Where your agent's program tells only that it is there, the name
/// comes from its process. Without any of these, you are a person, and your name is user@host.
#[derive(Debug, clap::Args)]
#[expect(clippy::doc_markdown, reason = "the comment is shown to users")]
pub(crate) struct Args {}

impl Args {
    /// Tells the name; works outside of a repository too.
    pub(crate) fn run(ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let answer = whoami(&context.door, context.globals.acting_as.as_ref())?;
        let Body { agent, kind, source, process } = &answer.body;
        show(ui, &answer, |ui| {
            let name = ui.paint(Slot::Holder, agent.as_str());
            let process = process.map_or_else(String::new, |pid| format!(", process {pid}"));
            let why = format!("({}, from {source}{process})", kind.name());
            let why = ui.paint(Slot::Dim, &why);
            ui.line(&format!("{name} {why}"))
        })
    }
}
