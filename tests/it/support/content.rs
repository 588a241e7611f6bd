//! The files that a user has in a repository when `git coord` is called: commits, a commit in the
//! making, and untracked files.

use super::repo::Repo;

/// The content of a repository, in the order in which a user would have made it.
#[derive(Default)]
pub(crate) struct Content {
    committed: Vec<(&'static str, &'static str)>,
    staged: Vec<(&'static str, &'static str)>,
    unstaged: Vec<(&'static str, &'static str)>,
    untracked: Vec<(&'static str, &'static str)>,
}

impl Content {
    /// Builds a small project in the middle of a user's work, with one file of each kind.
    pub(crate) fn usual() -> Content {
        Content::default()
            .committed("README.md", "a project\n")
            .committed("src/main.rs", "fn main() {}\n")
            .committed("src/api/users.rs", "// users\n")
            .committed("src/api/teams.rs", "// teams\n")
            .committed("docs/guide.md", "a guide\n")
            .staged("src/main.rs", "fn main() { staged() }\n")
            .unstaged("README.md", "a project, being edited\n")
            .untracked("notes.txt", "mine\n")
    }

    /// Takes only the commit of [`Content::usual`].
    pub(crate) fn clean() -> Content {
        Content { committed: Content::usual().committed, ..Content::default() }
    }

    /// Adds a file to the first commit.
    pub(crate) fn committed(mut self, path: &'static str, text: &'static str) -> Content {
        self.committed.push((path, text));
        self
    }

    /// Adds a change to the index.
    pub(crate) fn staged(mut self, path: &'static str, text: &'static str) -> Content {
        self.staged.push((path, text));
        self
    }

    /// Adds a change to the work tree only.
    pub(crate) fn unstaged(mut self, path: &'static str, text: &'static str) -> Content {
        self.unstaged.push((path, text));
        self
    }

    /// Adds a file that git does not track.
    pub(crate) fn untracked(mut self, path: &'static str, text: &'static str) -> Content {
        self.untracked.push((path, text));
        self
    }

    /// Makes the commit.
    pub(crate) fn commit_in(&self, repo: &Repo) {
        write_all(repo, &self.committed);
        if !self.committed.is_empty() {
            repo.git(["add", "--all"]);
            repo.git(["commit", "--quiet", "--message", "first"]);
        }
    }

    /// Makes the changes that are not committed.
    pub(crate) fn begin_in(&self, repo: &Repo) {
        write_all(repo, &self.staged);
        for (path, _) in &self.staged {
            repo.git(["add", "--", path]);
        }
        write_all(repo, &self.unstaged);
        write_all(repo, &self.untracked);
    }
}

fn write_all(repo: &Repo, files: &[(&str, &str)]) {
    for (path, text) in files {
        repo.write(path, text);
    }
}
