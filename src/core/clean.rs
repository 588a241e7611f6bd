//! The fields of each command that have text of others, and how secrets are removed from them.
//!
//! Everything on record is pushed, and cannot be taken back. So a command is cleaned when a request
//! is made of it, through whichever door it came and whether it was built or deserialised. Text
//! that is read back from a ledger is only checked: an entry is what its command was at the time.
//!
//! Names of files, agents, locks, phases and runs stay as they are, since they would name something
//! else otherwise. Names of overrides are refused if they have the shape of a secret.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::core::domain::agent_record::RecordAgents;
use crate::core::domain::classify::{Classify, Declassify};
use crate::core::domain::record::Detect;
use crate::core::limits::{BODY_BYTES_MAX, LINE_CHARS_MAX};
use crate::core::negotiation::acknowledge::Acknowledge;
use crate::core::negotiation::answer::{Answer, Verdict};
use crate::core::negotiation::ask::Ask;
use crate::core::negotiation::body;
use crate::core::negotiation::prune::Prune;
use crate::core::negotiation::send::Send;
use crate::core::negotiation::take::Take;
use crate::core::ownership::adopt::Adopt;
use crate::core::redact::{REDACTED, is_secret_key, redact};
use crate::core::repair::Repair;
use crate::core::reservation::conflict::RecordConflict;
use crate::core::reservation::release::Release;
use crate::core::reservation::renew::Renew;
use crate::core::reservation::reserve::Reserve;
use crate::core::reservation::sweep::Sweep;
use crate::core::reservation::transfer::Transfer;
use crate::core::reservation::undo::{Change, Undo};
use crate::core::reservation::wait::Leave;
use crate::core::reservation::{About, Hold};
use crate::core::rollback::Rollback;
use crate::core::routing::apply::Apply;
use crate::core::routing::approve::Approve;
use crate::core::routing::block::{BlockAgent, Unblock};
use crate::core::routing::canary::CheckTrials;
use crate::core::routing::evidence::AddEvidence;
use crate::core::routing::import::Import;
use crate::core::routing::names::{EvidenceRef, OverlayId, RoutedName, Word};
use crate::core::routing::overlay::{AddOverlay, DisableOverlay};
use crate::core::routing::propose::Propose;
use crate::core::routing::reset::Reset;
use crate::core::routing::revert::{Revert, Target};
use crate::core::routing::sample::TakeSample;
use crate::core::routing::text::{Body, Context, Note, check_name};
use crate::core::routing::thresholds::SetThreshold;
use crate::core::routing::{Override, Scope, foreign};
use crate::core::run::advance::Advance;
use crate::core::run::agent::{AddAgent, FinishAgent};
use crate::core::run::artifact::AddArtifact;
use crate::core::run::create::Create;
use crate::core::run::dispatch::{AddDispatch, UpdateDispatch};
use crate::core::run::end::End;
use crate::core::run::names::MetadataKey;
use crate::core::run::override_gate::OverrideGate;
use crate::core::run::rollback::RollBackRun;
use crate::core::run::set::Set;
use crate::core::run::skip::SetSkip;
use crate::core::run::verdict::AddVerdict;
use crate::core::text::{BadText, Line, refuse_placeholder};

/// The fields of a command that had a secret in them.
pub type LeftOut = BTreeSet<&'static str>;

/// Stands for a field whose name the text does not know.
const UNNAMED: &str = "";

/// A value that can have text of others in it.
pub trait Clean {
    /// Removes secrets from the text, and refuses text that could not mean the same without them.
    /// Returns the fields that had any.
    fn clean(&mut self) -> Result<LeftOut, BadText>;
}

/// Tells the caller that its text is not recorded as it was given; `None` if it is.
pub fn notice(left_out: &LeftOut) -> Option<String> {
    let fields: Vec<String> = left_out.iter().map(|field| field.replace('_', " ")).collect();
    let fields = fields.join(" and the ");
    let told = || format!("what looks like a secret was left out of the {fields}");
    (!left_out.is_empty()).then(told)
}

fn unnamed(had_any: bool) -> LeftOut {
    had_any.then_some(UNNAMED).into_iter().collect()
}

fn named(field: &'static str, left_out: LeftOut) -> LeftOut {
    let name = |inner: &'static str| if inner == UNNAMED { field } else { inner };
    left_out.into_iter().map(name).collect()
}

fn all<'c, T: Clean + 'c>(parts: impl Iterator<Item = &'c mut T>) -> Result<LeftOut, BadText> {
    parts.map(Clean::clean).try_fold(LeftOut::new(), |mut all, part| {
        all.extend(part?);
        Ok(all)
    })
}

/// Implements [`Clean`] for commands by listing their fields that have text of others.
macro_rules! words_of_others {
    ($($command:ident { $($field:ident),* })*) => {
        $(impl Clean for $command {
            fn clean(&mut self) -> Result<LeftOut, BadText> {
                let parts: Vec<LeftOut> =
                    vec![$(named(stringify!($field), self.$field.clean()?)),*];
                Ok(parts.into_iter().flatten().collect())
            }
        })*
    };
}

words_of_others! {
    Reserve { about }
    Renew {}
    Release { force }
    Transfer { force }
    Undo { changes, reason }
    Adopt { reason }
    Sweep {}
    Leave {}
    RecordConflict { about }
    Ask { reason }
    Answer { verdict }
    Take { reason }
    Send { subject, body }
    Acknowledge {}
    Prune {}
    Create { goal, scope, metadata }
    Set {}
    Advance { reason }
    OverrideGate { reason }
    SetSkip { reason }
    RollBackRun { reason }
    End { reason }
    AddArtifact { kind }
    AddVerdict { note }
    AddAgent {}
    FinishAgent {}
    AddDispatch {}
    UpdateDispatch {}
    Rollback { reason }
    Repair { lost, why }
    Detect {}
    Classify { source, reason }
    Declassify { reason }
    RecordAgents {}
    Propose { agent, reason, evidence, scope, source }
    Approve { agent }
    Apply { agent, reason, evidence, scope, source }
    Revert { target, reason, block }
    BlockAgent { agent, reason }
    Unblock { agent }
    AddEvidence { agent, source_version, event, reason, session, project, context, lineage }
    TakeSample { agent, session }
    CheckTrials { agent }
    AddOverlay { agent, id, body, evidence, source }
    DisableOverlay { agent, id }
    SetThreshold {}
    Reset {}

    About { reason, task, run }
    Hold { about, unknown }
    Change { before, after }
    Override { agent, reason, evidence_ids, created_by, scope, unknown }
}

/// Cleans the document again, and reports nothing: reading the document has removed its secrets and
/// reported them.
impl Clean for Import {
    fn clean(&mut self) -> Result<LeftOut, BadText> {
        self.entries.clean()?;
        self.unknown.clean()?;
        self.unconfirmed.clean()?;
        Ok(LeftOut::new())
    }
}

impl<T: Clean> Clean for Option<T> {
    fn clean(&mut self) -> Result<LeftOut, BadText> {
        all(self.iter_mut())
    }
}

impl<T: Clean> Clean for Vec<T> {
    fn clean(&mut self) -> Result<LeftOut, BadText> {
        all(self.iter_mut())
    }
}

impl Clean for Line {
    fn clean(&mut self) -> Result<LeftOut, BadText> {
        refuse_placeholder(self.as_str())?;
        let redacted = redact(self.as_str());
        let had_any = redacted != self.as_str();
        // The replacement of a secret can be longer than the secret.
        let clean: String = redacted.chars().take(LINE_CHARS_MAX).collect();
        *self = Line::new(&clean)?;
        Ok(unnamed(had_any))
    }
}

/// Redacts every value whose key names a secret, whatever the value looks like.
impl Clean for BTreeMap<MetadataKey, Line> {
    fn clean(&mut self) -> Result<LeftOut, BadText> {
        let mut left_out = LeftOut::new();
        for (key, value) in self {
            if is_secret_key(key.as_str()) {
                *value = Line::new(REDACTED)?;
                left_out.insert(UNNAMED);
            }
            left_out.extend(value.clean()?);
        }
        Ok(left_out)
    }
}

impl Clean for body::Body {
    fn clean(&mut self) -> Result<LeftOut, BadText> {
        let clean = redact(self.as_str());
        let had_any = clean != self.as_str();
        let ends = clean.char_indices().map(|(at, letter)| at + letter.len_utf8());
        let end = ends.take_while(|end| *end <= BODY_BYTES_MAX).last().unwrap_or(0);
        *self = clean[..end].parse().map_err(|_| BadText::Empty)?;
        Ok(unnamed(had_any))
    }
}

impl Clean for Verdict {
    fn clean(&mut self) -> Result<LeftOut, BadText> {
        match self {
            Verdict::Release => Ok(LeftOut::new()),
            Verdict::Defer { reason, .. } | Verdict::Refuse { reason } => {
                Ok(named("reason", reason.clean()?))
            }
        }
    }
}

/// Implements [`Clean`] for texts of the override ledger, which remove secrets when they are made
/// and show where.
macro_rules! made_again {
    ($($text:ident)*) => {
        $(impl Clean for $text {
            fn clean(&mut self) -> Result<LeftOut, BadText> {
                refuse_placeholder(self.as_str())?;
                *self = $text::new(self.as_str())?;
                Ok(unnamed(self.as_str().contains(REDACTED)))
            }
        })*
    };
}

made_again! { Note Context Body }

/// Implements [`Clean`] for names, which cannot be changed and are refused if they have the shape
/// of a secret.
macro_rules! names {
    ($($name:ident)*) => {
        $(impl Clean for $name {
            fn clean(&mut self) -> Result<LeftOut, BadText> {
                check_name(self.as_str()).map(|()| LeftOut::new())
            }
        })*
    };
}

names! { RoutedName Word OverlayId }

impl Clean for EvidenceRef {
    fn clean(&mut self) -> Result<LeftOut, BadText> {
        match self {
            EvidenceRef::Number(_) => Ok(LeftOut::new()),
            EvidenceRef::Text(text) => text.clean(),
        }
    }
}

impl Clean for Target {
    fn clean(&mut self) -> Result<LeftOut, BadText> {
        match self {
            Target::Agent(agent) => agent.clean(),
            Target::Act(_) => Ok(LeftOut::new()),
        }
    }
}

impl Clean for Scope {
    fn clean(&mut self) -> Result<LeftOut, BadText> {
        let mut left_out = self.domains.clean()?;
        self.refuse_secrets()?;
        left_out.extend(self.unknown.clean()?);
        Ok(left_out)
    }
}

impl Clean for Map<String, Value> {
    fn clean(&mut self) -> Result<LeftOut, BadText> {
        Ok(unnamed(foreign::clean(self)))
    }
}
