//! Pushes: the net for commits that no hook saw, as those of a rebase or a cherry-pick.

use super::objection::Act;
use super::{Objection, Verdict, literal};
use crate::app::error::AppError;
use crate::app::{Ctx, edits, pushes, rescue};
use crate::core::environment::Environment;
use crate::core::text::shown;
use crate::store::git::object::ObjectId;
use crate::store::layout::{NAMESPACE, is_rescue};
use crate::store::worktree::changes::pushed::{COMMITS_MAX, PATHS_MAX, Push, Pushed, Replaced};

/// A push, as far as it is known without reading stdin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Announced {
    /// A manager of hooks has read stdin, and tells by variables.
    Whole(Push),
    /// Git tells the refs on stdin.
    OnStdin { remote: Option<String> },
}

/// Reads what git's arguments and the variables of hook managers tell of a push.
pub(super) fn announced(name: Option<&str>, environment: &Environment) -> Announced {
    let manager_says = |what: &str| environment.non_empty(&format!("PRE_COMMIT_{what}"));
    let remote = name.or_else(|| manager_says("REMOTE_NAME")).filter(|name| is_name(name));
    let remote = remote.map(str::to_owned);
    // A branch that nothing of is on the other side has no beginning, and so no end either.
    let Some(tip) = manager_says("TO_REF").or_else(|| manager_says("LOCAL_BRANCH")) else {
        return Announced::OnStdin { remote };
    };
    let known: Option<ObjectId> = manager_says("FROM_REF").and_then(|from| from.parse().ok());
    let tips = Vec::from_iter(is_revision(tip).then(|| tip.to_owned()));
    let replaced = known.zip(tips.first().cloned()).map(|(old, new)| Replaced { old, new });
    let (known, replaced) = (Vec::from_iter(known), Vec::from_iter(replaced));
    Announced::Whole(Push { tips, known, replaced, remote, snapshots: Vec::new() })
}

/// Reads git's lines, `<local ref> <local id> <remote ref> <remote id>`. Deleted refs and the
/// ledgers themselves change no path.
pub(super) fn read_lines(lines: &str, remote: Option<String>) -> Push {
    let mut push = Push { remote, ..Push::default() };
    for line in lines.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let [name, local, reference, there] = words[..] else { continue };
        let Some(local) = id(local) else { continue };
        if is_rescue(name) || is_rescue(reference) {
            push.snapshots.push(name.to_owned());
        }
        if reference.starts_with(NAMESPACE) {
            continue;
        }
        push.tips.push(local.to_string());
        if let Some(old) = id(there) {
            push.known.push(old);
            push.replaced.push(Replaced { old, new: local.to_string() });
        }
    }
    push
}

/// Decides whether a push may go on. Only reads.
pub(super) fn before(ctx: &Ctx, push: &Push) -> Result<Verdict, AppError> {
    if let Some(first) = push.snapshots.first() {
        return Ok(Verdict::Refuse(of_snapshots(first, push.remote.as_deref())));
    }
    let saved = rescue::commits(ctx)?;
    let is_saved = |id: &ObjectId| saved.contains(id);
    if let Some(tip) = push.tips.iter().filter_map(|tip| tip.parse().ok()).find(is_saved) {
        return Ok(Verdict::Refuse(of_commit(&tip)));
    }
    let pushed = ctx.repository().changes().to_be_pushed(push)?;
    if let Some(commit) = pushed.commits.iter().find(|commit| is_saved(&commit.id)) {
        return Ok(Verdict::Refuse(of_commit(&commit.id)));
    }
    let mut held = pushes::held_by_others(ctx, &pushed, &literal(pushed.paths.keys()))?;
    for taken in edits::held_by_others(ctx, &literal(&pushed.reverted))? {
        if !held.contains(&taken) {
            held.push(taken);
        }
    }
    let limits = limits(&pushed);
    if !held.is_empty() {
        let mut objection = Objection::to(Act::Push, &held, ctx.clock());
        objection.hints.extend(limits);
        return Ok(Verdict::on(ctx, "push", objection));
    }
    if limits.is_empty() {
        return Ok(Verdict::Pass);
    }
    let objection = Objection::saying("held", limits.join("\n"));
    let is_known = !pushed.is_cut_short && !pushed.drops_unknown_commits;
    let must_be_known = ctx.settings().hook.fail_closed;
    Ok(if is_known || !must_be_known {
        Verdict::Warn(objection)
    } else {
        Verdict::Refuse(objection)
    })
}

/// Objects to a push of snapshots, whoever pushes: they have what nobody has chosen to publish.
fn of_snapshots(first: &str, remote: Option<&str>) -> Objection {
    let message = format!(
        "this push would publish uncommitted content: '{}' is a snapshot of this clone",
        shown(first)
    );
    let objection = Objection::saying("snapshots", message);
    let remote = remote.unwrap_or("<remote>");
    let branches = ["git", "push", remote, "refs/heads/*", "refs/tags/*"].map(str::to_owned);
    objection.suggesting("to push branches and tags only:".to_owned(), branches.to_vec())
}

/// Objects to a push of a snapshot's commit under another name.
fn of_commit(commit: &ObjectId) -> Objection {
    let commit = commit.short();
    let message = format!(
        "this push would publish uncommitted content: commit {commit} is a snapshot of this clone"
    );
    let mut objection = Objection::saying("snapshots", message);
    objection.hints.push("commit what is to be published on a branch without it".to_owned());
    objection
}

/// Says which part of a push was not looked at.
fn limits(pushed: &Pushed) -> Vec<String> {
    let mut limits = Vec::new();
    if pushed.is_total {
        limits.push(format!(
            "this push has more than {COMMITS_MAX} commits: what they change in all was looked at"
        ));
    }
    if pushed.is_cut_short {
        limits.push(format!("of this push, {PATHS_MAX} paths were looked at, and no more"));
    }
    if pushed.drops_unknown_commits {
        limits.push(
            "this push takes back commits that are not here: 'git fetch' shows them".to_owned(),
        );
    }
    limits
}

/// Reads the id of an object. Zeros stand for none.
fn id(text: &str) -> Option<ObjectId> {
    text.parse().ok().filter(|_| text.contains(|digit| digit != '0'))
}

/// Tells whether this is one revision. Git's options begin with a dash, and ranges are several.
fn is_revision(text: &str) -> bool {
    !text.starts_with(['-', '^']) && !text.contains("..")
}

/// Tells whether this names a remote, and does not address one. Refs cannot have these characters.
fn is_name(remote: &str) -> bool {
    !remote.contains([':', '?', '*', '[', '\\', '~', '^', ' '])
        && !remote.starts_with(['/', '.', '-'])
}

#[cfg(test)]
mod tests {
    use super::*;

    const ZERO: &str = "0000000000000000000000000000000000000000";
    const HERE: &str = "1111111111111111111111111111111111111111";
    const THERE: &str = "2222222222222222222222222222222222222222";

    fn tips(lines: &str) -> Vec<String> {
        read_lines(lines, None).tips
    }

    #[test]
    fn lines_of_git_are_read_and_others_are_not() {
        let update = format!("refs/heads/a {HERE} refs/heads/a {THERE}\n");
        let push = read_lines(&update, Some("origin".to_owned()));
        assert_eq!((push.tips, push.known), (vec![HERE.to_owned()], vec![THERE.parse().unwrap()]));
        let new = read_lines(&format!("HEAD {HERE} refs/heads/b {ZERO}"), None);
        assert_eq!((new.tips.len(), new.known.len()), (1, 0));
        assert_eq!(tips(&format!("(delete) {ZERO} refs/heads/a {THERE}")), [""; 0]);
        assert_eq!(tips(&format!("x {HERE} {NAMESPACE}reservations {ZERO}")), [""; 0]);
        let snapshot = "refs/coord/rescue/-/20260105T100000Z-12345678";
        let pushed = read_lines(&format!("{snapshot} {HERE} {snapshot} {ZERO}"), None);
        assert_eq!((pushed.snapshots, pushed.tips), (vec![snapshot.to_owned()], Vec::new()));
        let gone = read_lines(&format!("(delete) {ZERO} {snapshot} {HERE}"), None);
        assert!(gone.snapshots.is_empty(), "what others have published may be removed");
        assert_eq!(tips("x --all refs/heads/a y\nx ^a refs/heads/a y\nno line\n\n"), [""; 0]);
    }

    #[test]
    fn an_address_is_no_name() {
        for name in ["origin", "team/fork", "me.too"] {
            let remote = Some(name.to_owned());
            let announced = announced(Some(name), &Environment::default());
            assert_eq!(announced, Announced::OnStdin { remote });
        }
        for address in ["../x", "/x", "https://example.com/x", "git@example.com:x", "[::1]", "--x"]
        {
            let announced = announced(Some(address), &Environment::default());
            assert_eq!(announced, Announced::OnStdin { remote: None }, "{address}");
        }
    }

    #[test]
    fn variables_tell_a_push_where_there_are_any() {
        let environment = [
            ("PRE_COMMIT_REMOTE_NAME", "origin"),
            ("PRE_COMMIT_FROM_REF", THERE),
            ("PRE_COMMIT_TO_REF", HERE),
            ("PRE_COMMIT_LOCAL_BRANCH", "refs/heads/a"),
        ];
        let Announced::Whole(push) = announced(None, &environment.into_iter().collect()) else {
            panic!("the variables tell it all");
        };
        assert_eq!((push.tips, push.known), (vec![HERE.to_owned()], vec![THERE.parse().unwrap()]));
        assert_eq!(push.remote.as_deref(), Some("origin"));
    }
}
