//! `git coord domain index`

use serde_json::{Value, json};

use super::{From, which};
use crate::app::Ctx;
use crate::app::domains::catalogue;
use crate::app::problem::{Kind, Problem};
use crate::cli::exit::ExitCode;
use crate::cli::holds::fields;
use crate::cli::layout::{Cell, aligned};
use crate::cli::term::Ui;
use crate::core::domain::catalogue::Domain;
use crate::core::domain::name::Name;
use crate::core::text::shown;

const EXAMPLES: &str = "\
Examples:
  git coord domain index
  git coord domain index web-api";

/// Show the index of domains that counts here, or one of its domains
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Show what gives this domain away
    #[arg(value_name = "DOMAIN")]
    pub(crate) domain: Option<Name>,

    /// Read coord.domainIndex from this tree
    #[arg(long, value_name = "TREE")]
    pub(crate) from: Option<From>,
}

impl Args {
    pub(super) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let catalogue = catalogue::catalogue(ctx, which(self.from))?;
        let is_asked =
            |domain: &&Domain| self.domain.as_ref().is_none_or(|name| domain.name == *name);
        let domains: Vec<&Domain> = catalogue.domains().iter().filter(is_asked).collect();
        if let (Some(name), []) = (&self.domain, domains.as_slice()) {
            let message = format!("no domain '{name}' in the index");
            return Err(Problem::new(Kind::NothingThere, message));
        }
        if ui.is_json() {
            let list = json!(catalogue.list_version());
            ui.answer(true, fields([("list", list), ("domains", json!(domains))]))?;
            return Ok(ExitCode::Done);
        }
        match domains.as_slice() {
            [domain] if self.domain.is_some() => print_one(ui, domain)?,
            _ => print_all(ui, &domains)?,
        }
        Ok(ExitCode::Done)
    }
}

fn print_all(ui: &mut Ui, domains: &[&Domain]) -> Result<(), Problem> {
    let row = |domain: &&Domain| {
        let Domain { name, min_confidence, directories, files, frameworks, keywords } = domain;
        let counted = |count: usize, what: &str| Cell::plain(&format!("{count} {what}"));
        vec![
            Cell::plain(name.as_str()),
            Cell::plain(&format!("from {min_confidence}")),
            counted(directories.len(), "directories"),
            counted(files.len(), "files"),
            counted(frameworks.len(), "frameworks"),
            counted(keywords.len(), "keywords"),
        ]
    };
    let rows: Vec<Vec<Cell>> = domains.iter().map(row).collect();
    for line in aligned(&rows) {
        ui.line(&line)?;
    }
    Ok(())
}

fn print_one(ui: &mut Ui, domain: &Domain) -> Result<(), Problem> {
    let value = json!(domain);
    ui.line(&format!("{}, from {}", domain.name, domain.min_confidence))?;
    for sort in ["directories", "files", "frameworks", "keywords"] {
        let signals = value[sort].as_array().into_iter().flatten().filter_map(Value::as_str);
        let signals: Vec<String> = signals.map(|signal| shown(signal).into_owned()).collect();
        if !signals.is_empty() {
            ui.line(&format!("  {sort}: {}", signals.join(", ")))?;
        }
    }
    Ok(())
}
