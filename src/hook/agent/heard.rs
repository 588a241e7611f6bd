//! A payload read as a hook reads it, and nothing more: for the fuzzer, which has no repository.

use std::path::PathBuf;

use serde_json::Value;

use super::{Call, Event, Verdict, sender};
use crate::core::environment::Environment;
use crate::core::ids::AgentName;

/// The content of a payload, and the possible answers.
#[derive(Debug)]
pub struct Heard {
    pub agent: AgentName,
    /// The id of its session.
    pub session: String,
    /// Where it stands.
    pub directory: Option<PathBuf>,
    /// The file that it edits.
    pub file: Option<PathBuf>,
    /// The answers, whatever the verdict.
    pub answers: Vec<Value>,
}

/// Reads a payload in the dialect that it has the shape of, where no agent has set a variable.
pub fn listen(input: &[u8]) -> Result<Heard, String> {
    let dialect = sender::of_payload(input, &Environment::default());
    let dialect = dialect.ok_or("a payload of nobody whose dialect we speak")?;
    let call = dialect.decode(input).map_err(|why| why.to_string())?;
    let Call { session, directory, name, event, tool_use } = call;
    let verdicts = [Verdict::Deny, Verdict::Tell, Verdict::Warn].map(|say| say(tool_use.clone()));
    let answer = |verdict: &Verdict| dialect.encode(&name, verdict);
    let answers = verdicts.iter().chain([&Verdict::Silence]).filter_map(answer).collect();
    let file = match event {
        Event::Edit(file) => Some(file),
        Event::CallEnds(file) => file,
        _ => None,
    };
    Ok(Heard { agent: session.name(), session: session.id, directory, file, answers })
}
