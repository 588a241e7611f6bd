//! The options of git's verbs that touch uncommitted work: git takes every beginning of a long one
//! that no other one has.

/// The options of a verb.
pub(super) struct Options {
    /// The letters whose value is the next word.
    pub(super) letters: &'static str,
    /// The long names; those with a `=` behind them take the next word as their value.
    pub(super) names: Vec<&'static str>,
}

/// Options that ask a question and do nothing. Git's own help counts for every verb.
const QUESTIONS: [&str; 4] = ["h", "help", "dry-run", "patch"];
/// Verbs that ask a person what to do with `--interactive`.
const ASKING: [&str; 4] = ["add", "clean", "commit", "stage"];

/// Tells whether an option of a verb makes it a question.
pub(super) fn questions(verb: &str) -> impl Iterator<Item = &'static str> {
    let asks = ASKING.contains(&verb).then_some("interactive");
    QUESTIONS.into_iter().chain(asks)
}

/// Finds the options of a verb.
pub(super) fn of(verb: &str) -> Options {
    let (letters, names): (&str, &str) = match verb {
        "reset" => ("", RESET),
        "checkout" => ("bB", CHECKOUT),
        "switch" => ("cC", SWITCH),
        "restore" => ("s", RESTORE),
        "rm" => ("", REMOVE),
        "mv" => ("", "dry-run force sparse verbose"),
        "checkout-index" => ("", CHECKOUT_INDEX),
        "read-tree" => ("", READ_TREE),
        "stash" => ("m", STASH),
        "clean" => ("e", "dry-run exclude= force interactive quiet"),
        "rebase" => ("sXxC", REBASE),
        "pull" => ("sXo", PULL),
        "merge" | "cherry-pick" | "revert" => ("sXmF", MERGE),
        "add" | "stage" => ("", ADD),
        "commit" => ("mFCct", COMMIT),
        "worktree" => ("", "force"),
        "branch" => ("u", BRANCH),
        "symbolic-ref" => ("m", "delete quiet recurse short"),
        "update-ref" => ("m", "create-reflog deref stdin"),
        _ => ("", ""),
    };
    Options { letters, names: names.split_whitespace().collect() }
}

const RESET: &str = "\
    hard intent-to-add keep merge mixed patch pathspec-file-nul pathspec-from-file= quiet \
    recurse-submodules refresh soft";
const CHECKOUT: &str = "\
    conflict= detach force guess ignore-other-worktrees ignore-skip-worktree-bits merge \
    orphan= ours overlay overwrite-ignore patch pathspec-file-nul pathspec-from-file= \
    progress quiet recurse-submodules theirs track";
const SWITCH: &str = "\
    conflict= create= detach discard-changes force force-create= guess \
    ignore-other-worktrees merge orphan= overwrite-ignore progress quiet recurse-submodules \
    track";
const RESTORE: &str = "\
    conflict= ignore-skip-worktree-bits ignore-unmerged merge ours overlay patch \
    pathspec-file-nul pathspec-from-file= progress quiet recurse-submodules source= staged \
    theirs worktree";
const REMOVE: &str =
    "cached dry-run force ignore-unmatch pathspec-file-nul pathspec-from-file= quiet sparse";
const CHECKOUT_INDEX: &str =
    "all create force ignore-skip-worktree-bits index prefix= quiet stage= stdin temp";
const READ_TREE: &str = "\
    aggressive debug-unpack dry-run empty exclude-per-directory= index-output= prefix= quiet \
    recurse-submodules reset sparse-checkout super-prefix= trivial verbose";
const STASH: &str = "\
    all include-untracked keep-index message= patch pathspec-file-nul pathspec-from-file= \
    quiet staged";
const REBASE: &str = "\
    abort allow-empty-message apply autosquash autostash committer-date-is-author-date \
    continue edit-todo empty= exec= ff force-rebase fork-point gpg-sign ignore-date \
    ignore-whitespace interactive keep-base keep-empty merge no-autostash onto= quiet quit \
    reapply-cherry-picks rebase-merges rerere-autoupdate reschedule-failed-exec \
    reset-author-date root show-current-patch signoff skip stat strategy-option= strategy= \
    update-refs verbose verify whitespace=";
const PULL: &str = "\
    all allow-unrelated-histories append autostash cleanup= commit deepen= depth= dry-run \
    edit ff ff-only force gpg-sign ipv4 ipv6 jobs keep log negotiation-tip= no-autostash \
    no-rebase progress prune quiet rebase recurse-submodules refmap= server-option= \
    set-upstream shallow-exclude= shallow-since= show-forced-updates signoff squash stat \
    strategy-option= strategy= summary tags unshallow update-shallow upload-pack= verbose \
    verify verify-signatures";
const MERGE: &str = "\
    abort allow-unrelated-histories autostash cleanup= commit continue edit ff ff-only file= \
    gpg-sign into-name= log mainline= message= no-autostash overwrite-ignore progress quiet \
    quit rerere-autoupdate signoff skip squash stat strategy-option= strategy= summary \
    verbose verify verify-signatures";
const ADD: &str = "\
    all chmod= dry-run edit force ignore-errors ignore-missing ignore-removal intent-to-add \
    interactive patch pathspec-file-nul pathspec-from-file= refresh renormalize sparse \
    update verbose";
const COMMIT: &str = "\
    ahead-behind all allow-empty allow-empty-message amend author= branch cleanup= date= \
    dry-run edit file= fixup= gpg-sign include interactive long message= null only patch \
    pathspec-file-nul pathspec-from-file= porcelain post-rewrite quiet reedit-message= \
    reset-author reuse-message= short signoff squash= status template= trailer= \
    untracked-files verbose verify";
const BRANCH: &str = "\
    abbrev all color column contains= copy create-reflog delete edit-description force \
    format= ignore-case list merged move omit-empty points-at= quiet recurse-submodules \
    remotes set-upstream-to= show-current sort= track unset-upstream verbose";
