//! The effect of a push on the remote as a whole: the total change of many commits, and the pushed
//! work of others that it reverts.

use std::collections::BTreeSet;

use super::pushed::{COMMITS_MAX, PATHS_MAX, Push, Pushed, PushedCommit};
use super::{Changes, PathBytes};
use crate::store::error::StoreError;
use crate::store::git::object::ObjectId;
use crate::store::git::program::ProgramError;

/// The maximum number of boundary commits that are compared.
const BOUNDARIES_MAX: usize = 8;

impl Changes {
    /// Lists the total change of commits that are too many to be examined one by one: the paths
    /// that differ from every commit of the remote that they start from.
    pub(super) fn total_changes(&self, push: &Push) -> Result<Pushed, StoreError> {
        let range = push.range();
        let words = ["rev-list", "--ignore-missing", "--boundary"];
        let words: Vec<&str> = words.into_iter().chain(range.iter().map(String::as_str)).collect();
        let listed = self.program.ask(&words)?;
        let listed = String::from_utf8_lossy(&listed);
        let starts: Vec<String> =
            listed.lines().filter_map(|line| line.strip_prefix('-')).map(str::to_owned).collect();
        let nothing = [self.empty_tree().to_string()];
        let starts = if starts.is_empty() { &nothing[..] } else { &starts[..] };
        let mut paths = BTreeSet::new();
        for tip in &push.tips {
            let mut changed = self.differing(&starts[0], tip)?;
            for start in starts.iter().take(BOUNDARIES_MAX).skip(1) {
                let from_here = self.differing(start, tip)?;
                changed.retain(|path| from_here.contains(path));
            }
            paths.extend(changed);
        }
        let is_cut_short = paths.len() > PATHS_MAX;
        let paths = paths.into_iter().take(PATHS_MAX).map(|path| (path, Vec::new())).collect();
        Ok(Pushed { paths, is_total: true, is_cut_short, ..Pushed::default() })
    }

    /// Adds the reverted paths: those that dropped commits of the remote have changed, and that
    /// differ after the push.
    pub(super) fn with_reverted(
        &self,
        mut pushed: Pushed,
        push: &Push,
    ) -> Result<Pushed, StoreError> {
        if push.replaced.is_empty() {
            return Ok(pushed);
        }
        let (lost, are_all_here) = self.lost(push)?;
        pushed.drops_unknown_commits = !are_all_here;
        if lost.is_empty() {
            return Ok(pushed);
        }
        let is_long = lost.len() > COMMITS_MAX;
        let changed = if is_long { Pushed::default() } else { self.changed_by(lost)? };
        pushed.is_cut_short |= changed.is_cut_short;
        for replaced in &push.replaced {
            // Commits that are missing here were reported above.
            let differing = self.differing(&replaced.old.to_string(), &replaced.new);
            let taken = differing.unwrap_or_default();
            let is_changed = |path: &PathBytes| is_long || changed.paths.contains_key(path);
            pushed.reverted.extend(taken.into_iter().filter(is_changed));
        }
        Ok(pushed)
    }

    /// Lists the commits of the remote that the push drops. Returns false if some of them are
    /// missing here.
    fn lost(&self, push: &Push) -> Result<(Vec<PushedCommit>, bool), StoreError> {
        let count = format!("--max-count={}", COMMITS_MAX + 1);
        let old = push.replaced.iter().map(|replaced| replaced.old.to_string());
        let new = push.replaced.iter().map(|replaced| format!("^{}", replaced.new));
        let range: Vec<String> = old.chain(new).chain(["--".to_owned()]).collect();
        let listed = |more: &[&str]| {
            let words = ["rev-list", &count].into_iter().chain(more.iter().copied());
            let words: Vec<&str> = words.chain(range.iter().map(String::as_str)).collect();
            self.program.ask(&words)
        };
        let (ids, are_all_here) = match listed(&[]) {
            Ok(ids) => (ids, true),
            // A shallow clone lacks the commits below its boundary, and the push does not drop
            // those.
            Err(ProgramError::Failed { .. }) => {
                (listed(&["--ignore-missing"])?, self.git_dir.join("shallow").exists())
            }
            Err(error) => return Err(error.into()),
        };
        let text = String::from_utf8_lossy(&ids);
        let ids = text.lines().filter_map(|line| line.parse::<ObjectId>().ok());
        Ok((ids.map(|id| PushedCommit { id, made_by: Vec::new() }).collect(), are_all_here))
    }

    /// Lists the paths that differ between two trees.
    fn differing(&self, from: &str, to: &str) -> Result<BTreeSet<PathBytes>, StoreError> {
        let words = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", from, to, "--"];
        let listed = self.program.ask(&words)?;
        let paths = listed.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        Ok(paths.map(<[u8]>::to_vec).collect())
    }
}
