//! A command that runs already: the words of a process, as the system shows them.

use super::act::effects;
use super::verbs::Facts;
use super::{GitVariables, Setting, Simple, Word};

/// Tells whether a process with these words throws uncommitted work away, so that everything is to
/// be saved before it goes on. The first word is the program.
pub fn throws_away(words: &[String], facts: &Facts<'_>) -> bool {
    let unset = || Setting::Unset;
    let variables = GitVariables { git_dir: unset(), work_tree: unset(), index_file: unset() };
    let simple = Simple {
        words: words.iter().cloned().map(Word::Literal).collect(),
        directory: Some(facts.place.directory.clone()),
        variables,
        writes: Vec::new(),
    };
    effects(&simple, facts).iter().any(|effect| effect.rule.is_kept())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::core::shell::pathspec::Place;

    fn is_thrown_away(text: &str) -> bool {
        let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        let facts = Facts {
            place: Place { top: "/top".into(), directory: "/top/src".into() },
            branch: Some("main".to_owned()),
            is_path: &|path| path.contains('.') || path == "src",
            is_directory: &|path| path == "src",
            config: &|key| match key {
                "alias.undo" => Some("reset --hard".to_owned()),
                "alias.loop" => Some("loop".to_owned()),
                _ => None,
            },
        };
        throws_away(&words, &facts)
    }

    /// 8/TERMINAL: the verbs that throw work away are told from those that do not.
    #[test]
    fn verbs_that_throw_work_away_are_known() {
        for text in [
            "git reset --hard",
            "/usr/lib/git-core/git reset --hard -q --no-recurse-submodules",
            "git reset --merge HEAD~1",
            "git clean -fd",
            "git clean -fdx",
            "git checkout -- .",
            "git checkout a.rs",
            "git checkout -f other",
            "git checkout-index -f -a",
            "git switch -f main",
            "git switch --discard-changes main",
            "git restore .",
            "git stash",
            "git stash push -u",
            "git -c user.name=x -C sub stash",
            "git rm -f a.rs",
            "git mv -f a.rs b.rs",
            "git read-tree -u --reset HEAD",
            "git rebase --abort",
            "git merge --abort",
            "git undo",
        ] {
            assert!(is_thrown_away(text), "{text}");
        }
        for text in [
            "git status",
            "git diff --stat",
            "git add -A",
            "git commit -a",
            "git checkout other",
            "git switch -c new",
            "git restore --staged a.rs",
            "git clean -n",
            "git stash list",
            "git loop",
            "git",
            "sh -c git reset --hard",
        ] {
            assert!(!is_thrown_away(text), "{text}");
        }
    }

    proptest! {
        /// Options of git before the verb change nothing, and another program is never meant.
        #[test]
        fn what_stands_before_the_verb_changes_nothing(
            verb in "reset --hard|status|clean -f|checkout other|stash|undo",
            name in "[a-z]{1,8}",
            value in "[a-z]{0,8}",
        ) {
            let plain = is_thrown_away(&format!("git {verb}"));
            let given = format!("/bin/git -c x.{name}={value} --no-pager {verb}");
            prop_assert_eq!(is_thrown_away(&given), plain);
            let other = format!("x{name} {verb}");
            prop_assert!(!is_thrown_away(&other));
        }
    }
}
