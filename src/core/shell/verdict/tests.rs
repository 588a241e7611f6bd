//! The rows of the table, direct and through every form that the reader understands.

use super::*;
use crate::core::shell::act;
use crate::core::shell::effect::{Commits, Effect, Rule};
use crate::core::shell::git::Ground;
use crate::core::shell::pathspec::Place;
use crate::core::shell::verbs::Facts;
use crate::core::shell::{Known, Start, read};

const TRACKED: State = State { is_tracked: true, is_staged: false, is_changed_since: true };
const UNTRACKED: State = State { is_tracked: false, is_staged: false, is_changed_since: true };
const STAGED: State = State { is_tracked: true, is_staged: true, is_changed_since: false };
const TWICE: State = State { is_tracked: true, is_staged: true, is_changed_since: true };

fn change(path: &str, state: Option<State>) -> Change {
    Change {
        path: path.as_bytes().to_vec(),
        agent: "claude:0b9d44e1".parse().unwrap(),
        since: Timestamp::from_millis(0),
        turn: Turn::Over,
        state,
        is_held: state.is_none(),
        is_shared: false,
    }
}

/// Another agent has changed a tracked file, made a new one, and is about to edit a third.
fn others() -> Others {
    let changes = vec![
        change("src/a.rs", Some(TRACKED)),
        change("src/new.rs", Some(UNTRACKED)),
        change("src/next.rs", None),
    ];
    Others { changes, ..Others::default() }
}

fn staged(state: State) -> Others {
    Others { changes: vec![change("src/a.rs", Some(state))], ..Others::default() }
}

/// Returns what would be hit by a command at the top of a work tree whose branch is `main`.
fn hits(text: &str, others: &Others) -> Option<Vec<String>> {
    let unset = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"];
    let variables = unset.map(|name| (name.to_owned(), Known::Unset)).into_iter().collect();
    let reading = read(text, &Start { directory: "/top".into(), variables });
    let mut hit: Option<Vec<String>> = None;
    for simple in &reading.commands {
        let Some(directory) = Ground::of(simple).directory.filter(|path| path.starts_with("/top"))
        else {
            continue;
        };
        let facts = Facts {
            place: Place { top: "/top".into(), directory },
            branch: Some("main".to_owned()),
            is_path: &|path| path.contains('.') || path == "src",
            is_directory: &|path| path == "src",
            config: &|key| match key {
                "alias.undo" => Some("reset --hard".to_owned()),
                "alias.nuke" => Some("!git clean -fd && git undo".to_owned()),
                "alias.loop" => Some("loop".to_owned()),
                _ => None,
            },
        };
        let effects = act::effects(simple, &facts);
        assert!(effects.is_empty() || act::can_have_effects(simple), "{text}");
        for effect in effects {
            if let Verdict::Refused(refused) = verdict(&effect, others, Case::Sensitive) {
                let paths =
                    refused.changes.iter().map(|change| String::from_utf8_lossy(&change.path));
                let holds = refused.holds.iter().map(|hold| hold.target.shown());
                let all = paths.map(String::from).chain(holds);
                hit.get_or_insert_default().extend(all);
            }
        }
    }
    hit
}

#[track_caller]
fn refused(texts: &[&str], others: &Others) {
    for text in texts {
        assert!(hits(text, others).is_some(), "passes: {text}");
    }
}

#[track_caller]
fn passes(texts: &[&str], others: &Others) {
    for text in texts {
        assert_eq!(hits(text, others), None, "{text}");
    }
}

/// 8/RESET: what wipes out tracked changes is refused where others have some.
#[test]
fn what_wipes_out_tracked_changes_is_refused() {
    let wiping = [
        "git reset --hard",
        "git reset --hard HEAD",
        "git reset --hard HEAD~1",
        "git reset --merge",
        "git checkout -f",
        "git checkout -f main",
        "git checkout --force other",
        "git switch --discard-changes other",
        "git switch -f main",
        "git read-tree --reset -u HEAD",
        "git rebase --abort",
        "git -c a.b=c reset -q --hard",
    ];
    refused(&wiping, &others());
    let untracked =
        Others { changes: vec![change("new.rs", Some(UNTRACKED))], ..Others::default() };
    passes(&["git reset --hard", "git checkout -f", "git reset --merge"], &untracked);
    passes(&wiping, &Others::default());
}

/// 8/SWITCH: what moves HEAD is refused where others work.
#[test]
fn what_moves_head_is_refused() {
    let moving = [
        "git checkout other",
        "git checkout -b new",
        "git checkout -B new origin/main",
        "git checkout --detach",
        "git switch other",
        "git switch -c new",
        "git switch -",
        "git symbolic-ref HEAD refs/heads/x",
        "git bisect start",
        "git stash branch x",
        "gh pr checkout 12",
        "git checkout --orphan x",
        "git rebase main",
        "git rebase -i HEAD~3",
        "git reset --hard HEAD~2",
        "git checkout origin/main",
    ];
    let next = Others { changes: vec![change("src/next.rs", None)], ..Others::default() };
    refused(&moving, &others());
    let moving: Vec<&str> = moving.into_iter().filter(|text| !text.contains("--detach")).collect();
    refused(&moving, &next);
    passes(&moving, &Others::default());
    passes(
        &[
            "git checkout main",
            "git switch main",
            "git checkout HEAD",
            "git symbolic-ref HEAD",
            "git bisect log",
            "git checkout",
        ],
        &others(),
    );
    let mut ended = others();
    ended.changes.iter_mut().for_each(|change| change.turn = Turn::Ended);
    passes(&["git checkout -b new", "git rebase main"], &ended);
    refused(&["git reset --hard", "git clean -f"], &ended);
}

/// 8/CHECKOUT: what puts paths back, removes or moves them is refused for paths of others.
#[test]
fn what_puts_paths_back_is_refused_for_those_of_others() {
    refused(
        &[
            "git checkout -- src/a.rs",
            "git checkout HEAD -- src",
            "git checkout src/a.rs",
            "git checkout .",
            "git checkout HEAD~1 src/a.rs",
            "git restore src/a.rs",
            "git restore .",
            "git restore -s HEAD~1 -W src",
            "git restore -SW src/a.rs",
            "git checkout-index -f -a",
            "git checkout-index -f src/a.rs",
            "git rm src/a.rs",
            "git rm -rf src",
            "git mv src/b.rs src/a.rs",
            "git mv src lib",
            "git restore :/",
            "git restore ':(top)src/a.rs'",
            "git restore '*.rs'",
            "git restore src/*.rs",
            "git checkout -- src/{a,b}.rs",
            "git restore src/next.rs",
            "git restore src/new.rs",
            "cd src && git restore a.rs",
            "git -C src restore ../src/a.rs",
            "git restore -- ':!docs'",
        ],
        &others(),
    );
    passes(
        &[
            "git checkout -- src/b.rs",
            "git restore docs",
            "git restore src/b.rs src/c.rs",
            "git rm docs/x.md",
            "git mv docs/a.md docs/b.md",
            "git restore *.rs",
            "git restore 'docs/*'",
            "git checkout -p",
            "git rm -n src/a.rs",
            "git mv -n src/a.rs x",
            "git checkout-index -a",
            "git restore :/docs",
            "git restore -- . ':!src'",
            "git checkout -- \"$F\"",
            "git restore $F",
            "cd src && git restore b.rs",
            "cd docs && git restore .",
            "git checkout HEAD -- src/b.rs",
            "cd \"$X\"; git restore .",
        ],
        &others(),
    );
}

/// A file that another agent holds by command is not put back or removed either.
#[test]
fn what_others_hold_by_command_counts_for_paths() {
    let hold: Hold = serde_json::from_value(serde_json::json!({
        "id": "aaaaaaaa", "holder": "alice", "pattern": "docs/**", "mode": "exclusive",
        "via": "command", "granted_at": "2026-01-01T00:00:00.000Z",
        "expires_at": "2026-01-01T01:00:00.000Z", "fence": 1,
    }))
    .unwrap();
    let others = Others { holds: vec![hold], ..Others::default() };
    refused(
        &["git rm docs/x.md", "rm docs/x.md", "git restore docs/x.md", "sed -i s/a/b/ docs/x.md"],
        &others,
    );
    passes(
        &[
            "git reset --hard",
            "git restore src",
            "git checkout x",
            "git clean -fd",
            "cat docs/x.md > out",
        ],
        &others,
    );
}

/// 8/STAGED: others' staged changes are not undone.
#[test]
fn what_undoes_the_index_is_refused() {
    refused(
        &[
            "git reset",
            "git reset HEAD",
            "git reset HEAD~1",
            "git reset -q",
            "git reset --mixed HEAD^",
        ],
        &staged(STAGED),
    );
    refused(
        &[
            "git restore --staged src/a.rs",
            "git reset -- src/a.rs",
            "git reset HEAD src/a.rs",
            "git rm --cached src/a.rs",
            "git reset src/a.rs",
        ],
        &staged(TWICE),
    );
    passes(
        &[
            "git restore --staged src/a.rs",
            "git reset -- src/a.rs",
            "git reset src/b.rs",
            "git reset --soft HEAD~1",
        ],
        &staged(STAGED),
    );
    passes(&["git reset", "git reset HEAD -- src", "git restore --staged ."], &others());
    refused(
        &["git merge --abort", "git cherry-pick --abort", "git revert --abort"],
        &staged(STAGED),
    );
    passes(&["git merge --abort", "git merge x", "git cherry-pick x", "git revert x"], &others());
}

/// 8/STASH: a stash is refused if it takes work of others.
#[test]
fn a_stash_is_refused_for_what_it_takes() {
    refused(
        &[
            "git stash",
            "git stash push",
            "git stash -k",
            "git stash save x",
            "git stash push -m x",
            "git stash -u",
            "git stash push -- src",
            "git stash push src/a.rs",
        ],
        &others(),
    );
    let new = Others { changes: vec![change("src/new.rs", Some(UNTRACKED))], ..Others::default() };
    refused(&["git stash -u", "git stash push --include-untracked", "git stash -a"], &new);
    passes(
        &[
            "git stash",
            "git stash push -- docs",
            "git stash list",
            "git stash show -p",
            "git stash push docs",
        ],
        &new,
    );
}

/// 8/CLEAN, 8/REBASE: so are the removal of new files, and what puts changes aside by itself.
#[test]
fn clean_and_autostash_are_refused_for_what_they_take() {
    refused(
        &[
            "git clean -f",
            "git clean -fd",
            "git clean -dfx",
            "git clean -f src",
            "git clean --force -- src/new.rs",
            "git clean -fX",
            "cd src; git clean -f",
        ],
        &others(),
    );
    passes(
        &[
            "git clean -n",
            "git clean -nfd",
            "git clean",
            "git clean -f docs",
            "git clean -fd -e x docs",
            "cd docs; git clean -f",
            "git clean -fX docs",
        ],
        &others(),
    );
    refused(
        &[
            "git pull --rebase --autostash",
            "git -c rebase.autoStash=true pull -r",
            "git -c pull.rebase=true -c rebase.autostash=1 pull",
            "git merge --autostash x",
            "git -c merge.autoStash=yes pull",
        ],
        &others(),
    );
    passes(
        &[
            "git pull",
            "git pull --rebase",
            "git fetch",
            "git push",
            "git merge x",
            "git am x",
            "git apply x",
            "git rebase --continue",
            "git -c rebase.autoStash=true pull --no-rebase",
        ],
        &others(),
    );
}

/// 8/SWEEP: others' changes are neither staged nor committed.
#[test]
fn what_sweeps_is_refused() {
    refused(
        &[
            "git add -A",
            "git add .",
            "git add --all",
            "git add -u",
            "git add src",
            "git add src/a.rs",
            "git add src/new.rs",
            "git add -- '*.rs'",
            "git stage .",
            "git commit -a",
            "git commit -am x",
            "git commit -m x src/a.rs",
            "git commit -i src -m x",
            "git commit --only -m x -- src",
        ],
        &others(),
    );
    refused(
        &["git commit -m x", "git commit", "git commit --amend --no-edit", "git commit -i docs"],
        &staged(STAGED),
    );
    passes(
        &[
            "git add docs",
            "git add src/b.rs",
            "git commit -m x",
            "git commit -m 'add -A' -- docs/x.md",
            "git add -n .",
            "git add -p",
            "git commit --dry-run -a",
            "git add \"$F\"",
        ],
        &others(),
    );
    passes(&["git commit --only -m x -- docs", "git commit -m x docs/y.md"], &staged(STAGED));
    let mut ended = others();
    ended.changes.iter_mut().for_each(|change| change.turn = Turn::Ended);
    passes(&["git add -A && git commit -m 'what the last session did'"], &ended);
}

/// Programs other than git that write or remove what others changed.
#[test]
fn what_writes_over_files_of_others_is_refused() {
    refused(
        &[
            "rm src/a.rs",
            "rm -rf src",
            "mv src/a.rs x",
            "mv x src/a.rs",
            "cp x src/a.rs",
            "cp a.rs src",
            "cp y/a.rs z/b.rs src/",
            "echo > src/a.rs",
            "echo x >> src/new.rs",
            "x | tee src/a.rs",
            "truncate -s 0 src/a.rs",
            "dd if=x of=src/a.rs",
            "sed -i s/a/b/ src/a.rs",
            "sed -i.bak -e s/a/b/ src/a.rs",
            "perl -pi -e s/a/b/ src/a.rs",
            "find . -name '*.rs' -delete",
            "find src -type f -delete",
            "cd src && rm *.rs",
            "cat x >| src/next.rs",
            "ln -sf x src/a.rs",
            "ln -s y/a.rs z/b.rs src",
            "cd src && ln -f ../x/a.rs",
            "install -m 644 x src/a.rs",
            "shred -n 3 -u src/new.rs",
            "ls | xargs rm",
            "find . -exec rm {} +",
        ],
        &others(),
    );
    passes(
        &[
            "rm target/x",
            "rm -rf target node_modules",
            "mv x y",
            "cp src/a.rs /tmp/x",
            "cp src/a.rs docs/",
            "cat src/a.rs > out.txt",
            "sed s/a/b/ src/a.rs",
            "sed -n 1p src/a.rs 2>/dev/null",
            "perl -ne print src/a.rs",
            "find . -name '*.tmp' -delete",
            "find . -newer x -delete",
            "echo src/a.rs",
            "tee /dev/null",
            "rm \"$F\"",
            "make > log 2>&1",
            "find . -name x",
            "ln -s src/a.rs x",
            "install -d src",
        ],
        &others(),
    );
}

/// 8/WORKTREE-REMOVE: the effect names the other work tree.
#[test]
fn the_removal_of_a_work_tree_names_it() {
    refused(&["git worktree remove --force ../x", "git worktree remove -f x"], &others());
    passes(
        &["git worktree remove x", "git worktree add ../y -b z", "git worktree list"],
        &others(),
    );
}

/// 8/RESET: a destructive verb is found behind everything that the reader understands.
#[test]
fn a_verb_is_found_behind_every_understood_form() {
    let forms: [fn(&str) -> String; 28] = [
        |verb| format!("true && {verb}"),
        |verb| format!("make test; {verb}"),
        |verb| format!("{verb} || true"),
        |verb| format!("echo x | {verb} 2>&1 | tail -3"),
        |verb| format!("({verb})"),
        |verb| format!("{{ {verb}; }}"),
        |verb| format!("if true; then {verb}; fi"),
        |verb| format!("for i in 1 2; do {verb}; done"),
        |verb| format!("while true; do {verb}; done"),
        |verb| format!("case x in x) {verb};; esac"),
        |verb| format!("f() {{ {verb}; }}; f"),
        |verb| format!("x=$({verb})"),
        |verb| format!("echo `{verb}`"),
        |verb| format!("cat <({verb})"),
        |verb| format!("cd /top && {verb}"),
        |verb| format!("cd src && cd .. && {verb}"),
        |verb| format!("pushd /top; {verb}; popd"),
        |verb| verb.replacen("git ", "git -C /top ", 1),
        |verb| format!("env A=1 {verb}"),
        |verb| format!("sudo -u me nice -n 5 timeout 10 {verb}"),
        |verb| format!("command {verb}"),
        |verb| verb.replacen("git ", "/usr/bin/git ", 1),
        |verb| format!("bash -c '{verb}'"),
        |verb| format!("sh -lc \"cd src; cd ..; {verb}\""),
        |verb| format!("eval '{verb}'"),
        |verb| format!("bash <<E\n{verb}\nE"),
        |verb| format!("{verb} &"),
        |verb| verb.replacen("git ", "'gi't \"--no-pager\" ", 1),
    ];
    for verb in [
        "git reset --hard",
        "git checkout -- src/a.rs",
        "git stash",
        "git clean -fd",
        "git add -A",
        "git switch other",
    ] {
        for form in forms {
            let text = form(verb);
            assert!(hits(&text, &others()).is_some(), "passes: {text}");
        }
    }
    refused(
        &[
            "git undo",
            "git undo -q",
            "git nuke",
            "git -c alias.x='checkout --' x src/a.rs",
            "git -c alias.y='!git reset --hard' y",
        ],
        &others(),
    );
    passes(&["git loop", "git unknown --hard"], &others());
    refused(
        &[
            "ls | xargs git checkout --",
            "for f in $(ls); do git restore \"$f\"; done",
            "find . -exec git rm {} \\;",
        ],
        &others(),
    );
}

/// 8/RESET: git takes every beginning of a long option that no other one has, and the value of an
/// option is no question.
#[test]
fn options_are_those_of_git() {
    refused(
        &[
            "git reset --har",
            "git reset --ha HEAD",
            "git checkout --forc other",
            "git checkout --det",
            "git switch --disc other",
            "git switch --cre new",
            "git clean --forc -d",
            "git stash push --mess --help",
            "git add --upd",
            "git commit -a -m --help",
            "git commit --mess --dry-run --all",
            "git commit -am -h",
            "git rebase --interactive main",
            "git rebase --abo",
            "git pull --reb --autost",
            "git worktree remove --for ../x",
            "git restore --work --source HEAD~1 src/a.rs",
            "git rebase $X main",
            "git switch -f $X",
            "git rm --for src/a.rs",
        ],
        &others(),
    );
    passes(
        &[
            "git clean -f --dry",
            "git clean -f --interactive",
            "git add --dry .",
            "git add --inter",
            "git commit --dry -a",
            "git reset --so HEAD~1",
            "git rm --dry src/a.rs",
            "git rebase --cont",
            "git checkout -h",
        ],
        &others(),
    );
}

/// 8/HARMLESS: hopeless and harmless forms pass.
#[test]
fn what_is_not_known_or_harmless_passes() {
    passes(
        &[
            "./script.sh",
            "make clean",
            "npm run reset",
            "python -c 'import os'",
            "$G reset --hard",
            "git $X --hard",
            "ssh host 'git reset --hard'",
            "docker exec box git reset --hard",
            "echo git reset --hard",
            "grep -rn 'git reset --hard' docs",
            "cat <<E\ngit reset --hard\nE",
            "git commit -m 'git reset --hard' docs/x.md",
            "# git reset --hard",
            "git reset --hard --help",
            "git help reset",
            "git log --oneline -- src/a.rs",
            "git diff src",
            "git show HEAD:src/a.rs",
            "git status",
            "git -C /elsewhere reset --hard",
            "cd /elsewhere && git clean -fdx",
            "cd \"$(mktemp -d)\" && git init && git add -A",
            "git clone x y && cd /y && git checkout z",
            "git stash list",
            "git branch new",
            "git tag x",
            "git fetch --all",
            "git push origin main",
            "git coord list",
            "git add -h",
            "git branch -D old",
        ],
        &others(),
    );
}

/// What goes ahead and could lose somebody's work wants everything saved first.
#[test]
fn what_destroys_and_goes_ahead_is_kept_first() {
    let none = Others::default();
    let of = |rule: Rule| verdict(&Effect::everywhere(rule), &none, Case::Sensitive);
    for rule in [
        Rule::Wipe,
        Rule::WipePaths,
        Rule::Stash,
        Rule::Autostash,
        Rule::Clean,
        Rule::Abort,
        Rule::RemoveTree,
    ] {
        assert_eq!(of(rule), Verdict::KeepFirst, "{rule:?}");
    }
    for rule in
        [Rule::MoveHead, Rule::Unstage, Rule::Add, Rule::Commit, Rule::Rebase, Rule::WriteFiles]
    {
        assert_eq!(of(rule), Verdict::Pass, "{rule:?}");
    }
}

/// Lists the commits that a command takes away, at the top of a work tree whose branch is `main`.
fn taken(text: &str) -> Vec<(Rule, Commits)> {
    let reading = read(text, &Start { directory: "/top".into(), ..Start::default() });
    let facts = Facts {
        place: Place { top: "/top".into(), directory: "/top".into() },
        branch: Some("main".to_owned()),
        is_path: &|path| path.contains('.'),
        is_directory: &|_| false,
        config: &|_| None,
    };
    let effects = reading.commands.iter().flat_map(|simple| act::effects(simple, &facts));
    effects.filter_map(|effect| Some((effect.rule, effect.commits?))).collect()
}

/// 8/DROPPED: what a command drops is known by its words, and a file is no commit.
#[test]
fn dropped_commits_are_known_by_words() {
    let left = |target: &str| Commits::LeftBehind { target: Some(target.to_owned()) };
    for how in ["--soft", "--mixed", "", "--hard", "--merge", "--keep"] {
        let text = format!("git reset {how} HEAD~2");
        assert_eq!(taken(&text), [(Rule::MoveBack, left("HEAD~2"))], "{text}");
    }
    let unknown = Commits::LeftBehind { target: None };
    assert_eq!(taken("git reset --soft \"$X\""), [(Rule::MoveBack, unknown)]);
    assert_eq!(taken("git update-ref HEAD abc"), [(Rule::MoveBack, left("abc"))]);
    let only = |branch: &str, target: Option<&str>| {
        let (branch, target) = (branch.to_owned(), target.map(str::to_owned));
        (Rule::DropBranch, Commits::OnlyOn { branch, target })
    };
    assert_eq!(taken("git branch -D a b"), [only("a", None), only("b", None)]);
    assert_eq!(taken("git branch -f a"), [only("a", Some("HEAD"))]);
    assert_eq!(taken("git branch -f a c"), [only("a", Some("c"))]);
    assert_eq!(taken("git update-ref refs/heads/a c d"), [only("a", Some("c"))]);
    assert_eq!(taken("git update-ref -d refs/heads/a c"), [only("a", None)]);
    assert_eq!(taken("git update-ref -d refs/stash"), [(Rule::UseStash, Commits::Stash)]);
    assert_eq!(taken("git stash pop"), [(Rule::UseStash, Commits::StashEntry(0))]);
    assert_eq!(taken("git stash apply"), [(Rule::ApplyStash, Commits::StashEntry(0))]);
    for text in [
        "git reset",
        "git reset --hard",
        "git reset --soft HEAD",
        "git reset --hard main",
        "git reset a.rs",
        "git reset HEAD~1 -- a.rs",
        "git branch -d a",
        "git branch -rD o/a",
        "git update-ref refs/tags/a b",
        "git stash list",
    ] {
        assert_eq!(taken(text), [], "{text}");
    }
}

/// 8/DROPPED: an agent that moves back over its own commits keeps nothing; over those of anybody
/// else it does, and what is deleted is kept whosoever it is.
#[test]
fn what_is_kept_depends_on_the_authors() {
    let name = |text: &str| -> AgentName { text.parse().unwrap() };
    let asker = name("claude:1/sub");
    let (own, other) = (Some(name("claude:1")), Some(name("claude:2")));
    let kept = |rule: Rule, authors: &[Option<AgentName>]| {
        is_kept(&Effect::on_commits(rule, Commits::Head), &asker, authors)
    };
    for (authors, is_back_kept) in [
        (vec![], false),
        (vec![own.clone()], false),
        (vec![own.clone(), None], true),
        (vec![own.clone(), other.clone()], true),
        (vec![other], true),
    ] {
        assert_eq!(kept(Rule::MoveBack, &authors), is_back_kept, "{authors:?}");
        for rule in [Rule::DropBranch, Rule::UseStash] {
            assert_eq!(kept(rule, &authors), !authors.is_empty(), "{rule:?} {authors:?}");
        }
        for rule in [Rule::ApplyStash, Rule::Amend, Rule::Wipe] {
            assert!(!kept(rule, &authors), "{rule:?} {authors:?}");
        }
    }
}
