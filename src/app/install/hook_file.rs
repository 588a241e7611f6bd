//! The content of a git hook's file, with our block and without.
//!
//! Pure: bytes in, bytes out. A shell script gets our block after its first line. Any other hook is
//! kept beside ours, which calls it last. Where the program is not installed, the hook behaves as
//! if the block were not there.

/// A hook of git that we take part in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GitHook {
    /// Before a commit.
    PreCommit,
    /// Before a merge is committed.
    PreMergeCommit,
    /// After a commit.
    PostCommit,
    /// Before a push, with what is pushed on its standard input.
    PrePush,
    /// Before the message of a commit is edited.
    PrepareCommitMsg,
}

impl GitHook {
    pub const ALL: [GitHook; 5] = [
        GitHook::PreCommit,
        GitHook::PreMergeCommit,
        GitHook::PostCommit,
        GitHook::PrePush,
        GitHook::PrepareCommitMsg,
    ];

    pub fn name(self) -> &'static str {
        match self {
            GitHook::PreCommit => "pre-commit",
            GitHook::PreMergeCommit => "pre-merge-commit",
            GitHook::PostCommit => "post-commit",
            GitHook::PrePush => "pre-push",
            GitHook::PrepareCommitMsg => "prepare-commit-msg",
        }
    }

    /// Names the file that keeps the hook of somebody else, which ours calls.
    pub fn chained_name(self) -> String {
        format!("{}.git-coord-chained", self.name())
    }

    /// Tells whether a manager that passes file names in place of arguments has to pass them: this
    /// hook gets the file of the message.
    pub fn needs_file_names(self) -> bool {
        self == GitHook::PrepareCommitMsg
    }

    /// Writes the call as every shell and every hook manager takes it.
    pub fn call(self) -> String {
        format!("git-coord hook {}", self.name())
    }

    /// Writes the call for a shell, so that it succeeds where the program is not installed.
    /// Arguments can be appended.
    pub fn call_if_there(self) -> String {
        format!("! command -v git-coord >/dev/null 2>&1 || {}", self.call())
    }

    /// Writes the call for managers that use no shell, and append arguments.
    pub fn entry(self) -> String {
        format!("sh -c '{} \"$@\"' git-coord", self.call_if_there())
    }
}

const SHELLS: [&[u8]; 6] = [b"sh", b"bash", b"dash", b"ash", b"ksh", b"zsh"];
const BEGIN: &str = "# >>> git-coord >>>\n";
const END: &str = "# <<< git-coord <<<\n";
const OWN: &str = "#!/bin/sh\n# Made by 'git coord install'. Your own lines can stand below.\n";
const KEEPS: &str =
    "#!/bin/sh\n# Made by 'git coord install', which keeps the hook that was here.\n";

/// Writes a hook file that has our block alone.
pub fn own(hook: GitHook) -> String {
    format!("{OWN}{}", block(hook))
}

/// Writes a hook file that calls the earlier hook at its end.
pub fn chaining(hook: GitHook) -> String {
    format!("{KEEPS}{}{}", block(hook), call_of_chained(hook))
}

/// Writes the call of the earlier hook. A hook that is not executable was switched off, and stays
/// so.
fn call_of_chained(hook: GitHook) -> String {
    let chained = format!("\"${{0%/*}}/{}\"", hook.chained_name());
    format!("if [ -x {chained} ]; then\n  exec {chained} \"$@\"\nfi\n")
}

fn block(hook: GitHook) -> String {
    let call = hook.call();
    let body = match hook {
        GitHook::PrePush => PRE_PUSH.to_owned(),
        // The commit is made, so a failure of ours must not keep the rest of the hook from running.
        GitHook::PostCommit => format!("  {call} \"$@\" || :\n"),
        GitHook::PreCommit | GitHook::PreMergeCommit | GitHook::PrepareCommitMsg => {
            format!("  {call} \"$@\" || exit $?\n")
        }
    };
    format!("{BEGIN}if command -v git-coord >/dev/null 2>&1; then\n{body}fi\n{END}")
}

/// Standard input can be read once only, and the rest of the hook wants to read it too.
const PRE_PUSH: &str = r#"  git_coord_input=$(cat)
  if [ -n "$git_coord_input" ]; then
    git-coord hook pre-push "$@" <<git_coord_end || exit $?
$git_coord_input
git_coord_end
    exec <<git_coord_end
$git_coord_input
git_coord_end
  fi
"#;

/// The author of a hook file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whose {
    /// All of it is ours.
    Own,
    /// All of it is ours, and it calls the hook that was there.
    Chaining,
    /// Somebody else's, with our block in it; here without the block.
    With(Vec<u8>),
    /// Somebody else's.
    Foreign,
}

/// Finds the author of a file by its content.
pub fn whose(hook: GitHook, content: &[u8]) -> Whose {
    let Some(rest) = without_block(content) else { return Whose::Foreign };
    if rest == OWN.as_bytes() {
        Whose::Own
    } else if rest == format!("{KEEPS}{}", call_of_chained(hook)).as_bytes() {
        Whose::Chaining
    } else {
        Whose::With(rest)
    }
}

/// Puts our block after the first line; none if the file is no shell script.
pub fn with_block(hook: GitHook, content: &[u8]) -> Option<Vec<u8>> {
    let first = content.split_inclusive(|byte| *byte == b'\n').next()?;
    let (line, rest) = content.split_at(first.len());
    is_shell(line).then(|| [line, block(hook).as_bytes(), rest].concat())
}

/// Tells whether a first line names a shell. Options such as `-e` do not matter. A carriage return
/// does: it is part of the program's name. A line without a line break is not taken either: it
/// would get one from us, and keep it.
fn is_shell(line: &[u8]) -> bool {
    let Some(line) = line.strip_prefix(b"#!").and_then(|line| line.strip_suffix(b"\n")) else {
        return false;
    };
    let words = line.split(|byte| matches!(byte, b' ' | b'\t')).filter(|word| !word.is_empty());
    let mut names = words.map(|word| word.rsplit(|byte| *byte == b'/').next().unwrap_or(word));
    let program = match names.next() {
        Some(b"env") => names.next(),
        other => other,
    };
    program.is_some_and(|program| SHELLS.contains(&program))
}

fn without_block(content: &[u8]) -> Option<Vec<u8>> {
    let begin = line_at(content, BEGIN.as_bytes(), 0)?;
    let end = line_at(content, END.as_bytes(), begin)? + END.len();
    Some([&content[..begin], &content[end..]].concat())
}

/// Finds the start of a line, from an offset on.
fn line_at(content: &[u8], line: &[u8], from: usize) -> Option<usize> {
    let places = content.windows(line.len()).enumerate().skip(from);
    let mut found = places.filter(|(_, window)| *window == line).map(|(at, _)| at);
    found.find(|at| *at == 0 || content[at - 1] == b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_goes_in_after_the_first_line_and_out_without_a_trace() {
        for hook in GitHook::ALL {
            for before in [
                "#!/bin/sh\n",
                "#!/bin/sh\nexit 0",
                "#!/usr/bin/env bash\nset -e\n",
                "#! /usr/bin/zsh -f\n\n\n",
            ] {
                let with = with_block(hook, before.as_bytes()).unwrap();
                let (first, _) = before.split_once('\n').unwrap();
                assert!(with.starts_with(format!("{first}\n{BEGIN}").as_bytes()));
                assert_eq!(whose(hook, &with), Whose::With(before.as_bytes().to_vec()));
            }
        }
    }

    #[test]
    fn what_no_shell_runs_gets_no_block() {
        for content in
            ["", "#!/bin/sh", "#!/usr/bin/env python3\n", "#!/bin/sh\r\n", "\x7fELF\n", "exit 0\n"]
        {
            assert_eq!(with_block(GitHook::PreCommit, content.as_bytes()), None, "{content:?}");
            assert_eq!(whose(GitHook::PreCommit, content.as_bytes()), Whose::Foreign);
        }
    }

    #[test]
    fn our_own_files_are_known_again_and_what_was_added_to_them_is_not_ours() {
        for hook in GitHook::ALL {
            assert_eq!(whose(hook, own(hook).as_bytes()), Whose::Own);
            assert_eq!(whose(hook, chaining(hook).as_bytes()), Whose::Chaining);
            let more = format!("{}make lint\n", own(hook));
            let rest = format!("{OWN}make lint\n").into_bytes();
            assert_eq!(whose(hook, more.as_bytes()), Whose::With(rest));
        }
    }

    #[test]
    fn a_block_that_is_cut_short_is_not_ours_to_remove() {
        let content = format!("#!/bin/sh\n{BEGIN}exit 0\n");
        assert_eq!(whose(GitHook::PreCommit, content.as_bytes()), Whose::Foreign);
    }
}
