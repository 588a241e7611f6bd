//! The words of a git command: which repository is meant, which verb, and with which arguments.

use std::path::{Path, PathBuf};

use super::word::Word;
use super::{Setting, Simple, joined};

/// Options before the verb that take the next word as their value.
const VALUED: [&str; 6] =
    ["--git-dir", "--work-tree", "--namespace", "--exec-path", "--super-prefix", "--attr-source"];

/// A call of git.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitCall {
    /// The directory that it works from; none if it is not known.
    pub directory: Option<PathBuf>,
    pub git_dir: Setting,
    pub work_tree: Setting,
    pub index_file: Setting,
    /// The verb, such as `checkout`.
    pub verb: String,
    /// The words behind the verb.
    pub arguments: Vec<Word>,
    /// The configuration that is given with `-c`.
    pub config: Vec<(String, String)>,
    /// Set if paths have no wildcards.
    pub has_literal_paths: bool,
}

/// The place that tells which work tree a command is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ground {
    /// The directory; none if it is not known.
    pub directory: Option<PathBuf>,
    pub git_dir: Setting,
    pub work_tree: Setting,
    pub index_file: Setting,
}

impl Ground {
    /// Makes the place of a directory, with nothing else said.
    pub fn in_directory(directory: &Path) -> Ground {
        let directory = Some(directory.to_owned());
        let [git_dir, work_tree, index_file] = [Setting::Unset, Setting::Unset, Setting::Unset];
        Ground { directory, git_dir, work_tree, index_file }
    }

    /// Finds the place of a command: that of git's own options, or that of the shell.
    pub fn of(simple: &Simple) -> Ground {
        match GitCall::read(simple) {
            Some(GitCall { directory, git_dir, work_tree, index_file, .. }) => {
                Ground { directory, git_dir, work_tree, index_file }
            }
            None => Ground {
                directory: simple.directory.clone(),
                git_dir: Setting::Unset,
                work_tree: Setting::Unset,
                index_file: Setting::Unset,
            },
        }
    }
}

impl GitCall {
    /// Reads the words of a simple command; none if they do not surely run a verb of git.
    pub fn read(simple: &Simple) -> Option<GitCall> {
        if simple.program() != Some("git") {
            return None;
        }
        let mut call = GitCall {
            directory: simple.directory.clone(),
            git_dir: simple.variables.git_dir.clone(),
            work_tree: simple.variables.work_tree.clone(),
            index_file: simple.variables.index_file.clone(),
            verb: String::new(),
            arguments: Vec::new(),
            config: Vec::new(),
            has_literal_paths: false,
        };
        let mut words = simple.words[1..].iter();
        while let Some(word) = words.next() {
            let text = word.literal()?;
            if !text.starts_with('-') {
                text.clone_into(&mut call.verb);
                call.arguments = words.cloned().collect();
                return Some(call);
            }
            let (name, value) = match text.split_once('=').filter(|_| text.starts_with("--")) {
                Some((name, value)) => (name, Some(Word::Literal(value.to_owned()))),
                None if text == "-C" || text == "-c" || VALUED.contains(&text) => {
                    (text, Some(words.next()?.clone()))
                }
                None => (text, None),
            };
            call.option(name, value.as_ref());
        }
        None
    }

    fn option(&mut self, name: &str, value: Option<&Word>) {
        let text = value.and_then(Word::literal);
        let setting = || text.map_or(Setting::Unknown, |text| Setting::Is(text.to_owned()));
        match name {
            "-C" => {
                self.directory = match (text, &self.directory) {
                    (Some(""), here) => here.clone(),
                    (Some(path), _) if path.starts_with('/') => {
                        Some(joined(&PathBuf::from("/"), path))
                    }
                    (Some(path), Some(here)) => Some(joined(here, path)),
                    _ => None,
                };
            }
            "-c" => {
                let pair = text.map(|text| text.split_once('=').unwrap_or((text, "true")));
                self.config.extend(pair.map(|(key, value)| (key.to_owned(), value.to_owned())));
            }
            "--git-dir" => self.git_dir = setting(),
            "--work-tree" => self.work_tree = setting(),
            "--literal-pathspecs" => self.has_literal_paths = true,
            _ => {}
        }
    }
}
