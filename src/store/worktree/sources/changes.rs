//! Changes since a commit, listed by git, for an explanation that may take its time.

use super::Which;
use crate::core::domain::change::Change;
use crate::store::error::StoreError;
use crate::store::git::repository::Repository;

impl Repository {
    /// Lists the changes from a commit to one of the trees; `None` if the commit no longer exists.
    /// Bytes of a path that are not UTF-8 are replaced.
    pub fn changes_since(
        &self,
        commit: &str,
        which: Which,
    ) -> Result<Option<Vec<Change>>, StoreError> {
        let program = self.program();
        if program.commit_of(commit)?.is_none() {
            return Ok(None);
        }
        let tree = match (which, self.work_tree()) {
            (Which::Usual | Which::WorkTree, Some(tree)) => Some(tree),
            _ => None,
        };
        let (words, top) = match (which, tree) {
            (_, Some(tree)) => (vec![commit], Some(tree.top.as_path())),
            (Which::Index, None) => (vec!["--cached", commit], None),
            (_, None) => (vec![commit, "HEAD"], None),
        };
        let mut changes = parse(&program.diff(&words, top)?);
        if let Some(top) = top {
            let untracked = program.untracked(top)?;
            changes.extend(untracked.iter().map(|path| Change::Added { path: text(path) }));
        }
        Ok(Some(changes))
    }
}

/// Parses the output of `--name-status -z`: a letter, a NUL, the path, a NUL; a rename has two
/// paths.
fn parse(listed: &[u8]) -> Vec<Change> {
    let mut parts = listed.split(|byte| *byte == 0).filter(|part| !part.is_empty());
    let mut changes = Vec::new();
    while let (Some(status), Some(path)) = (parts.next(), parts.next()) {
        let path = text(path);
        changes.push(match status[0] {
            b'A' => Change::Added { path },
            b'D' => Change::Deleted { path },
            b'R' | b'C' => {
                let Some(to) = parts.next() else { break };
                Change::Renamed { from: path, path: text(to) }
            }
            _ => Change::Modified { path },
        });
    }
    changes
}

fn text(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_read() {
        let path = |text: &str| text.to_owned();
        assert_eq!(
            parse(b"M\0a b\0R100\0old\0new\0D\0gone\0A\0came\0"),
            [
                Change::Modified { path: path("a b") },
                Change::Renamed { from: path("old"), path: path("new") },
                Change::Deleted { path: path("gone") },
                Change::Added { path: path("came") },
            ]
        );
        assert_eq!(parse(b""), []);
        assert_eq!(parse(b"R100\0old\0"), []);
    }
}
