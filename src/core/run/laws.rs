//! Laws that hold for the runs of every state, whoever wrote it.

use crate::core::documents::{Documents, Key, ReadError, walk};
use crate::core::laws::Fault;
use crate::core::run::agent::{Member, MemberStatus};
use crate::core::run::artifact::Artifact;
use crate::core::run::budget::Tokens;
use crate::core::run::dispatch::{self, Dispatch};
use crate::core::run::names::VerdictId;
use crate::core::run::phase::Tally;
use crate::core::run::verdict::Verdict;
use crate::core::run::{Run, Standing, Status, dependencies, index, phase, record, skip};

/// Finds every law that the state breaks.
pub fn faults(documents: &dyn Documents) -> Result<Vec<Fault>, ReadError> {
    let mut faults = Faults { documents, found: Vec::new() };
    for key in index::headers(documents)? {
        let (dir, _) = key.split_last();
        let id = dir.split_last().1.parse();
        let run = id.ok().map(|id| index::by_id(documents, &id)).transpose()?.flatten();
        match run {
            Some(run) => faults.of_run(&run)?,
            None => faults.add(key, "there is no run of that name"),
        }
    }
    for key in walk(documents, &Key::of([index::ACTIVE]))? {
        let id = key.split_last().1.parse();
        let run = id.ok().map(|id| index::by_id(documents, &id)).transpose()?.flatten();
        if run.is_none_or(|run| run.status != Status::Active) {
            faults.add(key, "belongs to no active run");
        }
    }
    Ok(faults.found)
}

struct Faults<'d> {
    documents: &'d dyn Documents,
    found: Vec<Fault>,
}

impl Faults<'_> {
    fn add(&mut self, key: Key, what: impl Into<String>) {
        self.found.push(Fault { key, what: what.into() });
    }

    /// Checks that the same bytes stand under the other name too.
    fn linked(&mut self, key: &Key, link: Key) -> Result<(), ReadError> {
        match self.documents.get(&link)? {
            None => self.add(link, "is missing"),
            copy if copy != self.documents.get(key)? => {
                self.add(link, "differs from its other copy");
            }
            Some(_) => {}
        }
        Ok(())
    }

    fn of_run(&mut self, run: &Run) -> Result<(), ReadError> {
        let header = index::header(&run.id);
        if run.phases.place(&run.phase).is_none() {
            self.add(header.clone(), format!("it is at '{}', which is no phase of it", run.phase));
        }
        if (run.status == Status::Completed) != (run.place() == run.phases.last()) {
            self.add(header.clone(), format!("it is {} at '{}'", run.status.name(), run.phase));
        }
        if (run.status == Status::Completed) != run.completed_at.is_some() {
            self.add(header.clone(), "it is completed, and has no time of that, or the reverse");
        }
        if run.status == Status::Active {
            self.linked(&header, index::active(&run.id))?;
        }
        if let Some(parent) = &run.parent {
            let child = index::child(parent, &run.id);
            if self.documents.get(&child)?.is_none() {
                self.add(child, "is missing");
            }
            let is_called_off =
                |parent: &Run| matches!(parent.status, Status::Cancelled | Status::Failed);
            if run.status == Status::Active
                && index::by_id(self.documents, parent)?
                    .is_some_and(|parent| is_called_off(&parent))
            {
                self.add(header.clone(), format!("it goes on without '{parent}', its whole"));
            }
        }
        if dependencies::children(self.documents, run)?.len() != run.children as usize {
            self.add(index::children(&run.id), format!("there should be {}", run.children));
        }
        for (place, what) in [
            (run.phases.last(), "the last phase is skipped"),
            (run.place(), "the run stands in a phase that is skipped"),
        ] {
            if skip::of(self.documents, run, place)?.is_some() {
                self.add(skip::key(run, place), what);
            }
        }
        let dispatches = dispatch::of_run(self.documents, run)?;
        let agents: Vec<Member> = index::all(self.documents, &index::agents(&run.id))?;
        let sum = |part: fn(&Tokens) -> u64| -> u128 {
            dispatches.iter().map(|dispatch| u128::from(part(&dispatch.tokens))).sum()
        };
        let parts: [fn(&Tokens) -> u64; 3] =
            [|tokens| tokens.input, |tokens| tokens.output, |tokens| tokens.cache];
        if parts.iter().any(|part| sum(*part) != u128::from(part(&run.spent))) {
            self.add(header, "what it has spent is not the sum of its dispatches");
        }
        for place in 0..run.phases.names().len() {
            self.of_phase(run, place, &dispatches, &agents)?;
        }
        Ok(())
    }

    /// Checks the tally of a phase against a count, and its links against the things that go on.
    fn of_phase(
        &mut self,
        run: &Run,
        place: usize,
        dispatches: &[Dispatch],
        agents: &[Member],
    ) -> Result<(), ReadError> {
        let phase = run.phases.at(place);
        let open: Vec<&Dispatch> =
            dispatches.iter().filter(|one| one.phase == *phase && one.status.is_open()).collect();
        let working: Vec<&Member> = agents
            .iter()
            .filter(|one| one.phase == *phase && one.status == MemberStatus::Active)
            .collect();
        for dispatch in &open {
            let key = index::dispatch(&run.id, &dispatch.id);
            self.linked(&key, index::open_dispatch(run, place, &dispatch.id))?;
        }
        for member in &working {
            let key = index::agent(&run.id, &member.id);
            self.linked(&key, index::working_agent(run, place, &member.id))?;
        }
        let artifacts: Vec<Artifact> = index::all(self.documents, &index::artifacts(run, place))?;
        let verdicts: Vec<Verdict> = index::all(self.documents, &index::verdicts(run, place))?;
        let links = |dir: Key| walk(self.documents, &dir).map(|keys| keys.len() as u64);
        let tally = Tally::of(self.documents, run, place)?;
        let counts = |status: &Standing| *status == Standing::Active;
        let active_artifacts = artifacts.iter().filter(|one| counts(&one.status)).count() as u64;
        let active_verdicts = verdicts.iter().filter(|one| counts(&one.status)).count() as u64;
        let expected = [
            ("artifacts", tally.artifacts, active_artifacts),
            ("verdicts", tally.verdicts, active_verdicts),
            ("open dispatches", tally.open, open.len() as u64),
            ("working agents", tally.working, working.len() as u64),
            ("links to dispatches", links(index::open_dispatches(run, place))?, open.len() as u64),
            ("links to agents", links(index::working_agents(run, place))?, working.len() as u64),
            ("visits", u64::from(tally.visits), links(phase::visits(run, place))?),
            ("answers of its gate", u64::from(tally.gates), links(record::records(run, place))?),
        ];
        for (what, tallied, counted) in expected {
            if tallied != counted {
                let key = index::phase(run, place);
                self.add(key, format!("{tallied} {what} by its tally, {counted} by counting"));
            }
        }
        let latest = tally.latest_verdict.as_ref().map(|latest| &latest.id);
        let is_there =
            |id: &VerdictId| verdicts.iter().any(|one| one.id == *id && counts(&one.status));
        if latest.is_some() != (active_verdicts > 0) || latest.is_some_and(|id| !is_there(id)) {
            self.add(index::phase(run, place), "its newest verdict is not one that counts");
        }
        Ok(())
    }
}
