//! The committer of an entry: the user's own identity, since forges refuse made-up ones.

use serde::{Deserialize, Serialize};

use crate::core::time::Timestamp;

/// The committer of an entry's commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Committer {
    /// The name, without the characters that would end it.
    pub name: String,
    /// The address, without the characters that would end it.
    pub email: String,
}

impl Committer {
    /// Builds a committer whose parts cannot break out of their line.
    pub fn new(name: &str, email: &str) -> Committer {
        let clean = |text: &str| -> String {
            let kept = text.chars().filter(|c| !c.is_control() && !matches!(c, '<' | '>'));
            kept.collect::<String>().trim().to_owned()
        };
        Committer { name: clean(name), email: clean(email) }
    }

    /// Formats the committer and the time as git writes them in a commit.
    pub fn signature(&self, at: Timestamp) -> String {
        format!("{} <{}> {} +0000", self.name, self.email, at.as_seconds())
    }

    /// Reads the committer of a commit. The decision of an entry that is taken again keeps it.
    pub fn of_commit(bytes: &[u8]) -> Option<Committer> {
        let text = std::str::from_utf8(bytes).ok()?;
        let (header, _) = text.split_once("\n\n")?;
        let signature = header.lines().find_map(|line| line.strip_prefix("committer "))?;
        let (name, rest) = signature.split_once('<')?;
        let (email, _) = rest.split_once('>')?;
        Some(Committer::new(name, email))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_gives_back_its_committer() {
        for (name, email) in [("Ada L.", "ada@example.org"), ("", ""), ("a <b> c", "x>y")] {
            let committer = Committer::new(name, email);
            let signature = committer.signature(Timestamp::from_millis(1_767_607_200_000));
            let commit = format!("tree 1f\nauthor x\ncommitter {signature}\n\nmessage\n");
            assert_eq!(Committer::of_commit(commit.as_bytes()), Some(committer));
        }
        for other in ["tree 1f\n\ncommitter a <b> 1 +0000\n", "committer a\n\n", ""] {
            assert_eq!(Committer::of_commit(other.as_bytes()), None, "{other}");
        }
    }
}
