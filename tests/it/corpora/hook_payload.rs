//! Any bytes on the stdin of an agent's hook.

use std::path::{Component, Path};

use git_coord::core::ids::AgentName;
use git_coord::hook::agent::heard::{Heard, listen};

/// Parses the input as a payload: it is refused in one line or understood.
pub(super) fn check(input: &[u8]) {
    let heard = match listen(input) {
        Ok(heard) => heard,
        Err(why) => return assert!(!why.is_empty()),
    };
    let Heard { agent, session, directory, file, answers } = heard;
    assert_eq!(agent.as_str().parse::<AgentName>().as_ref(), Ok(&agent));
    assert!(!session.is_empty());
    assert!(directory.is_none_or(|path| path.is_absolute()));
    assert!(file.is_none_or(|path| is_plain(&path)));
    for answer in answers {
        let text = answer.to_string();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).ok(), Some(answer));
        assert!(!text.contains('\n'), "an answer is one line");
    }
}

fn is_plain(path: &Path) -> bool {
    let is_name = |part| matches!(part, Component::RootDir | Component::Normal(_));
    path.is_absolute() && path.components().all(is_name)
}
