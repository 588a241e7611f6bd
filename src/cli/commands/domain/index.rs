//! `git coord domain index`

use std::io;

use super::TreeArg;
use crate::app::Ctx;
use crate::app::domains::index::{Request, index};
use crate::app::problem::Problem;
use crate::cli::exit::ExitCode;
use crate::cli::layout::Cell;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::domain::catalogue::Domain;
use crate::core::domain::name::Name;
use crate::core::text::shown;

const EXAMPLES: &str = "\
Examples:
  git coord domain index
  git coord domain index web-api";

/// Show the index of domains that is in use here, or one of its domains
#[derive(Debug, clap::Args)]
#[command(
    after_long_help = EXAMPLES,
    mut_arg("from", |arg| arg.help("Tree to read coord.domainIndex from"))
)]
pub(crate) struct Args {
    /// Show the signals of this domain
    #[arg(value_name = "DOMAIN")]
    pub(crate) domain: Option<Name>,

    #[command(flatten)]
    pub(crate) from: TreeArg,
}

impl Args {
    pub(super) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let request = Request { domain: self.domain.as_ref(), which: self.from.which() };
        let answer = index(ctx, &request)?;
        show(ui, &answer, |ui| match answer.body.domains.as_slice() {
            [domain] if self.domain.is_some() => print_one(ui, domain),
            domains => print_all(ui, domains),
        })
    }
}

fn print_all(ui: &mut Ui, domains: &[Domain]) -> io::Result<()> {
    let row = |domain: &Domain| {
        let Domain { name, min_confidence, directories, files, frameworks, keywords } = domain;
        let counted = |count: usize, what: &str| Cell::plain(format!("{count} {what}"));
        vec![
            Cell::plain(name.as_str()),
            Cell::plain(format!("from {min_confidence}")),
            counted(directories.len(), "directories"),
            counted(files.len(), "files"),
            counted(frameworks.len(), "frameworks"),
            counted(keywords.len(), "keywords"),
        ]
    };
    ui.table(domains.iter().map(row))
}

fn print_one(ui: &mut Ui, domain: &Domain) -> io::Result<()> {
    ui.line(&format!("{}, from {}", domain.name, domain.min_confidence))?;
    let Domain { directories, files, frameworks, keywords, .. } = domain;
    let files: Vec<String> = files.iter().map(ToString::to_string).collect();
    let sorts = [
        ("directories", directories),
        ("files", &files),
        ("frameworks", frameworks),
        ("keywords", keywords),
    ];
    for (sort, signals) in sorts {
        let signals: Vec<_> = signals.iter().map(|signal| shown(signal)).collect();
        if !signals.is_empty() {
            ui.line(&format!("  {sort}: {}", signals.join(", ")))?;
        }
    }
    Ok(())
}
