//! `run artifact add`: records a result of a phase.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::read;
use crate::core::ids::{AgentName, text_conversions};
use crate::core::pattern::Pattern;
use crate::core::run::dispatch::{self, Dispatch};
use crate::core::run::names::{ArtifactId, DispatchId, IdPrefix, PhaseName};
use crate::core::run::refusal::Refusal;
use crate::core::run::{Run, Standing, events, index, phase};
use crate::core::text::Line;
use crate::core::time::Timestamp;

/// The SHA-256 of a file's content, as 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct ContentHash(String);

text_conversions!(ContentHash);

impl ContentHash {
    pub fn of(content: &[u8]) -> ContentHash {
        ContentHash(format!("{:x}", Sha256::digest(content)))
    }
}

impl FromStr for ContentHash {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if text.len() == 64 && text.bytes().all(is_digit) {
            Ok(ContentHash(text.to_owned()))
        } else {
            Err("not a SHA-256 in hexadecimal")
        }
    }
}

/// A result of a phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Artifact {
    /// The id of the artifact.
    pub id: ArtifactId,
    /// The phase that the artifact belongs to.
    pub phase: PhaseName,
    /// The path of the artifact in the repository.
    pub path: Pattern,
    /// The kind of artifact, as people name it.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none", default)]
    pub kind: Option<Line>,
    /// The hash of the file's content, if there was a file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sha256: Option<ContentHash>,
    /// The dispatch that made the artifact.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub dispatch: Option<DispatchId>,
    /// The standing of the artifact; it counts unless its phase was rolled back.
    #[serde(default)]
    pub status: Standing,
    /// The number of phases that the run had come to when the artifact was added.
    #[serde(default)]
    pub step: u32,
    /// The time when the artifact was added.
    pub at: Timestamp,
    /// The agent that added the artifact.
    pub by: AgentName,
    /// Fields of a later version, kept as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

/// An artifact to record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddArtifact {
    pub run: IdPrefix,
    /// The phase; the phase of the dispatch if none is named, or else the current one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub phase: Option<PhaseName>,
    pub path: Pattern,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none", default)]
    pub kind: Option<Line>,
    /// The hash of the file's content.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sha256: Option<ContentHash>,
    /// The dispatch that made the artifact.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub dispatch: Option<IdPrefix>,
}

/// An artifact that was added, now or earlier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedArtifact {
    pub run: Run,
    pub artifact: Artifact,
    /// True if the artifact was added before.
    pub known: bool,
}

impl AddArtifact {
    /// Finds the dispatch that made the artifact. Its artifacts belong to its own phase. Once it
    /// was cancelled or its phase rolled back, its artifacts do not count, and are refused.
    fn maker(&self, act: &Act<'_>, run: &Run) -> Result<Option<Dispatch>, No> {
        let Some(prefix) = &self.dispatch else { return Ok(None) };
        let dispatch = dispatch::select(act, run, prefix)?;
        dispatch.must_not_be_called_off(act, run)?;
        match &self.phase {
            Some(phase) if *phase != dispatch.phase => {
                run.place_of(phase)?;
                let Dispatch { id, phase: of, .. } = dispatch;
                Err(Refusal::OtherPhase { dispatch: id, of, phase: phase.clone() }.into())
            }
            _ => Ok(Some(dispatch)),
        }
    }

    /// Derives the id from the content of the artifact; `others` is the number of ids that are
    /// taken by something else.
    fn name(
        &self,
        run: &Run,
        place: usize,
        dispatch: Option<&DispatchId>,
        others: u64,
    ) -> ArtifactId {
        let what = (&run.id, place, &self.path, &self.kind, &self.sha256, dispatch, others);
        let what = serde_json::to_vec(&what).expect("an artifact is plain data");
        ArtifactId::of(Sha256::new().chain_update(what))
    }
}

impl Decide for AddArtifact {
    type Answer = AddedArtifact;

    fn decide(&self, act: &mut Act<'_>) -> Result<AddedArtifact, No> {
        let run = index::select(act, &self.run)?;
        run.must_be_active()?;
        let dispatch = self.maker(act, &run)?;
        let place = match &dispatch {
            Some(dispatch) => run.place_of(&dispatch.phase)?,
            None => run.place_or_present(self.phase.as_ref())?,
        };
        let dispatch = dispatch.map(|dispatch| dispatch.id);
        let mut artifact = Artifact {
            id: self.name(&run, place, dispatch.as_ref(), 0),
            phase: run.phases.at(place).clone(),
            path: self.path.clone(),
            kind: self.kind.clone(),
            sha256: self.sha256.clone(),
            dispatch,
            status: Standing::Active,
            step: run.steps,
            at: act.env.now,
            by: act.env.actor.clone(),
            unknown: Map::new(),
        };
        let mut others = 0;
        while let Some(known) = read::<Artifact>(act, &index::artifact(&run, place, &artifact.id))?
        {
            if is_same(&known, &artifact) {
                return Ok(AddedArtifact { run, artifact: known, known: true });
            }
            others += 1;
            artifact.id = self.name(&run, place, artifact.dispatch.as_ref(), others);
        }
        act.put(index::artifact(&run, place, &artifact.id), &artifact);
        phase::count(act, &run, place, |tally| tally.artifacts += 1)?;
        events::artifact_added(act, &run, &artifact);
        Ok(AddedArtifact { run, artifact, known: false })
    }

    fn summary(&self, answer: &AddedArtifact, env: &Env<'_>) -> String {
        let AddedArtifact { run, artifact, .. } = answer;
        let path = artifact.path.shown();
        format!("artifact {path} of '{}' of run {} by {}", artifact.phase, run.id, env.actor)
    }
}

/// Tells whether the new artifact repeats a known one. An artifact that was rolled back does not
/// count.
fn is_same(known: &Artifact, new: &Artifact) -> bool {
    known.status == Standing::Active
        && (&known.path, &known.kind, &known.sha256, &known.dispatch)
            == (&new.path, &new.kind, &new.sha256, &new.dispatch)
}
