//! Resolves and orders commits that people have named.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::Stdio;

use super::Changes;
use crate::store::error::StoreError;
use crate::store::git::object::ObjectId;
use crate::store::git::program::{ProgramError, running};

/// A commit that this repository has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownCommit {
    pub id: ObjectId,
    /// The names that people gave for it.
    pub names: Vec<String>,
    /// Set if the commit has several parents.
    pub is_merge: bool,
}

impl Changes {
    /// Lists those of the named commits that exist, each once, in topological order: descendants
    /// first. Commits that are to be reverted are reverted in this order, which does not depend on
    /// clocks.
    pub fn newest_first(&self, names: &[&str]) -> Result<Vec<KnownCommit>, StoreError> {
        let mut known: BTreeMap<ObjectId, Vec<String>> = BTreeMap::new();
        for (name, id) in self.resolved(names)? {
            known.entry(id).or_default().push(name.to_owned());
        }
        if known.is_empty() {
            return Ok(Vec::new());
        }
        let mut ordered = Vec::new();
        for line in self.walked(known.keys())?.lines() {
            let mut ids = line.split(' ').filter_map(|id| id.parse::<ObjectId>().ok());
            if let Some(id) = ids.next()
                && let Some(names) = known.remove(&id)
            {
                ordered.push(KnownCommit { id, names, is_merge: ids.count() > 1 });
            }
        }
        Ok(ordered)
    }

    /// Resolves the names that identify one commit.
    fn resolved<'n>(&self, names: &[&'n str]) -> Result<Vec<(&'n str, ObjectId)>, StoreError> {
        let questions: Vec<String> =
            names.iter().map(|name| format!("{name}^{{commit}}")).collect();
        let format = "--batch-check=%(objectname) %(objecttype)";
        let answers = self.asked(&["cat-file", format], &questions)?;
        let commit = |answer: &str| answer.strip_suffix(" commit")?.parse().ok();
        let pairs = names.iter().zip(answers.lines());
        Ok(pairs.filter_map(|(name, answer)| Some((*name, commit(answer)?))).collect())
    }

    /// Lists the commits and everything between them, descendants first. Common ancestors of all
    /// are older than any of them, and are not walked.
    fn walked<'i>(&self, ids: impl Iterator<Item = &'i ObjectId>) -> Result<String, StoreError> {
        let ids: Vec<String> = ids.map(ToString::to_string).collect();
        let mut words = vec!["merge-base", "--octopus"];
        words.extend(ids.iter().map(String::as_str));
        let base = match self.program.ask(&words) {
            Ok(base) => String::from_utf8_lossy(&base).trim_end().to_owned(),
            // Git is quiet if there is none.
            Err(ProgramError::Failed { words, .. }) if words.is_empty() => String::new(),
            Err(error) => return Err(error.into()),
        };
        let mut tips = ids.clone();
        if !base.is_empty() {
            tips.push(format!("^{base}^@"));
        }
        self.asked(&["rev-list", "--topo-order", "--parents", "--stdin"], &tips)
    }

    /// Sends lines to git and returns its output.
    fn asked(&self, words: &[&str], lines: &[String]) -> Result<String, StoreError> {
        let mut command = self.program.command(words);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let (mut child, _guard) = running::start(&mut command)?;
        let mut questions = child.stdin.take().expect("a child with pipes has them");
        let lines = lines.join("\n") + "\n";
        // A separate thread writes, because both pipes may be full at once. If git stops reading,
        // its answer shows it.
        let asking = std::thread::spawn(move || questions.write_all(lines.as_bytes()));
        let output = child.wait_with_output().map_err(ProgramError::NotStarted)?;
        asking.join().ok();
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let verb = words.first().copied().unwrap_or_default().to_owned();
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        Err(ProgramError::Failed { verb, words }.into())
    }
}
