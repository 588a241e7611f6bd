//! Changes that are gone, for the agents that made them: each is told once.
//!
//! Each agent has a file in a worktree's own git directory, to which whoever sees the loss adds a
//! line. A lost line is a loss that is not told; `changes` shows it all the same.

use std::io;
use std::path::{Path, PathBuf};

use crate::core::ids::AgentName;
use crate::core::ownership::lost::Loss;
use crate::store::error::StoreError;
use crate::store::layout::HelperDir;
use crate::store::machine::record::{agent_of, file_name, take};
use crate::store::os::files::Files;

/// The maximum size of a file; a longer one is not added to.
const BYTES_MAX: u64 = 256 * 1024;

/// The losses of one worktree.
#[derive(Clone, Debug)]
pub struct Losses {
    dir: PathBuf,
    files: Files,
}

impl Losses {
    pub fn new(git_dir: &Path, files: Files) -> Losses {
        Losses { dir: HelperDir::Losses.below(git_dir), files }
    }

    /// Adds a loss, for the agent that made the change.
    pub fn add(&self, loss: &Loss) -> Result<(), StoreError> {
        let file = self.dir.join(file_name(&loss.agent));
        if self.files.stamp(&file)?.is_some_and(|stamp| stamp.length > BYTES_MAX) {
            return Ok(());
        }
        let json = serde_json::to_string(loss).expect("a loss is plain data");
        // It begins with the line break, so that a line that was cut short spoils no other.
        let line = format!("\n{json}\n");
        match self.files.append(&file, line.as_bytes()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.files.make_directories(&self.dir)?;
                Ok(self.files.append(&file, line.as_bytes())?)
            }
            other => Ok(other?),
        }
    }

    /// Takes the losses of an agent and its subagents out. Of several callers one gets each.
    pub fn take(&self, agent: &AgentName) -> Result<Vec<Loss>, StoreError> {
        let is_meant = |name: &str| agent_of(name).is_some_and(|of| agent.covers(&of));
        let mut taken = Vec::new();
        for name in self.files.list(&self.dir)? {
            let Some(name) = name.to_str().filter(|name| is_meant(name)) else { continue };
            let Some(aside) = take(self.files, &self.dir.join(name))? else { continue };
            let content = self.files.read(&aside, 2 * BYTES_MAX)?.unwrap_or_default();
            self.files.remove(&aside)?;
            let lines = String::from_utf8_lossy(&content).into_owned();
            taken.extend(lines.lines().filter_map(|line| serde_json::from_str::<Loss>(line).ok()));
        }
        Ok(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::pattern::Pattern;
    use crate::core::time::Timestamp;
    use crate::store::testing::FILES;

    fn loss(agent: &str, path: &str) -> Loss {
        let at = Timestamp::from_millis(1);
        let path = Pattern::canonical(path.as_bytes()).unwrap();
        Loss { path, agent: agent.parse().unwrap(), changed_at: at, seen_at: at, content: None }
    }

    #[test]
    fn each_loss_is_taken_once_by_its_agent_or_its_session() {
        let home = tempfile::tempdir().unwrap();
        let losses = Losses::new(home.path(), FILES);
        let take = |agent: &str| losses.take(&agent.parse().unwrap()).unwrap();
        assert_eq!(take("claude:1"), []);
        let all = [loss("claude:1", "a"), loss("claude:1/x", "b"), loss("claude:12", "c")];
        for loss in &all {
            losses.add(loss).unwrap();
        }
        FILES.append(&losses.dir.join("claude:1"), b"{\"path\":").unwrap();
        losses.add(&loss("claude:1", "d")).unwrap();
        assert_eq!(take("claude:1/x"), all[1..2]);
        assert_eq!(take("claude:1"), [all[0].clone(), loss("claude:1", "d")]);
        assert_eq!(take("claude:1"), []);
        assert_eq!(take("claude:12"), all[2..]);
        assert_eq!(losses.files.list(&losses.dir).unwrap().len(), 0);
    }
}
