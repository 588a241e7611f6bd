//! 8/HARMLESS: a thousand commands that agents type every day, in seven situations, and none is
//! refused. They are asked for in one process, because a thousand starts take long.

use git_coord::app::identity::{Identity, Session as Asker};
use git_coord::app::open::Door;
use git_coord::app::shell_gate::{self, Looked};
use git_coord::core::environment::Environment;

use super::*;

/// Commands with `{n}` for a number, `{own}` for a file of the agent's own, `{any}` for any file
/// and `{word}` for a word.
const TEMPLATES: [&str; 104] = [
    "ls -la {any}",
    "cat {any}",
    "head -n {n} {any}",
    "tail -n {n} {any} | sort | uniq -c",
    "grep -rn {word} src",
    "rg -n '{word}' --glob '*.rs' | head -{n}",
    "wc -l src/*.rs",
    "find . -name '*.rs' -not -path './target/*' | head -{n}",
    "find . -name '{word}*' -type f",
    "find src -name '*.rs' | xargs grep -n {word}",
    "sed -n '{n},20p' {any}",
    "sed 's/a/b/' {any}",
    "awk '{print $1}' {any}",
    "diff {any} {own}",
    "cargo build 2>&1 | tail -{n}",
    "cargo test {word} -- --nocapture > target/log 2>&1; tail -{n} target/log",
    "cargo fmt --check",
    "cargo clippy --all-targets -- -D warnings",
    "npm test -- {word}",
    "npm run build && npm run lint",
    "npx tsc --noEmit",
    "pytest -k {word} -x -q",
    "python3 -m pytest tests/test_{n}.py",
    "python3 - <<'E'\nimport os\nprint('git reset --hard')\nE",
    "go test ./... -run {word}",
    "make -j{n} {word}",
    "make clean all",
    "docker build -t {word}:{n} .",
    "docker ps -a | head -{n}",
    "docker exec {word} git status",
    "curl -s http://localhost:{n}/{word} | jq .",
    "ps aux | grep {word}",
    "kill %1",
    "echo {word} > /dev/null",
    "echo \"{word}\" >> target/notes-{n}.txt",
    "mkdir -p target/{n}",
    "rm -rf target/{n}",
    "rm -f target/*.o",
    "cp {any} target/{n}.bak",
    "mv target/{n} target/{word}",
    "touch target/{word}",
    "chmod +x target/{word}",
    "tar czf target/{n}.tgz src",
    "which git cargo",
    "env | grep GIT",
    "date; sleep {n}",
    "cd src && ls",
    "cd docs && git diff . && cd ..",
    "(cd src && cargo test {word})",
    "for f in docs/*.md; do wc -l \"$f\"; done",
    "while read -r line; do echo \"$line\"; done < {any}",
    "if [ -f {any} ]; then cat {any}; fi",
    "git status",
    "git status --short --branch",
    "git status --porcelain -- {any}",
    "git log --oneline -{n}",
    "git log -p -{n} -- {any}",
    "git log --author={word} --since='{n} days ago'",
    "git diff",
    "git diff --stat HEAD~{n}",
    "git diff --cached",
    "git diff {any}",
    "git diff main...HEAD -- {any}",
    "git show HEAD~{n}",
    "git show HEAD:{any} | head -{n}",
    "git blame -L {n},+5 {any}",
    "git branch",
    "git branch -a -vv",
    "git branch {word}-{n}",
    "git branch -d {word}",
    "git branch --show-current",
    "git tag v{n}",
    "git tag -l 'v*'",
    "git remote -v",
    "git fetch --all --prune",
    "git fetch origin {word}",
    "git push",
    "git push -u origin HEAD:{word}-{n}",
    "git pull",
    "git pull --ff-only",
    "git pull --rebase",
    "git merge origin/{word}",
    "git merge-base main HEAD",
    "git cherry-pick {word}",
    "git revert --no-edit HEAD~{n}",
    "git add {own}",
    "git add -- {own} && git commit -m 'git add -A: {word} {n}' -- {own}",
    "git commit --only -m '{word}' -- {own}",
    "git commit -m \"$(cat <<'E'\n{word}: git reset --hard\n\nbody\nE\n)\" -- {own}",
    "git restore {own}",
    "git checkout -- {own}",
    "git restore --staged {own}",
    "git stash list",
    "git stash show -p stash@{{n}}",
    "git rev-parse HEAD",
    "git rev-parse --show-toplevel",
    "git ls-files | wc -l",
    "git ls-files -- {any}",
    "git config --get user.name",
    "git reflog -{n}",
    "git worktree list",
    "git worktree add ../{word}-{n} -b {word}-{n}",
    "gh pr view {n}",
    "gh pr create --title '{word}' --body 'fixes #{n}'",
];

/// Commands about the whole work tree, which are ordinary where nobody else has anything in it.
const WHOLE_TREE: [&str; 27] = [
    "git add -A && git commit -m '{word}'",
    "git add --all",
    "git add .",
    "git add -u; git status",
    "git commit -am \"{word}: it's done\"",
    "git checkout -b {word}-{n}",
    "git switch -c '{word}/{n} odd'",
    "git checkout main",
    "git switch --detach HEAD~1",
    "git stash",
    "git stash push -u -m \"wip: {word} 'quoted'\"",
    "git stash && git pull && git stash pop",
    "git reset",
    "git reset --soft HEAD~1",
    "git reset --hard",
    "git reset --hard HEAD~{n}",
    "git clean -fd",
    "git clean -fdx",
    "git checkout .",
    "git checkout -- {any}",
    "git restore --staged --worktree :/",
    "git rebase main",
    "git rebase --autostash origin/main",
    "git rebase --abort",
    "git pull --rebase --autostash",
    "git rm -r 'src'",
    "rm -rf src \"docs\"",
];

/// Commands with names that have to be quoted.
const ODD_NAMES: [&str; 12] = [
    "git add -- 'docs/it'\\''s mine.md'",
    "git add \"docs/it's mine.md\"",
    "git commit -m \"it's \\\"done\\\"; git reset --hard\" -- \"docs/it's mine.md\"",
    "git commit -m $'two\\nlines' --only -- docs/it\\'s\\ mine.md",
    "git restore \"docs/it's mine.md\"",
    "git checkout -- docs/it*mine.md",
    "echo 'a > src/main.rs' > \"target/a b\"",
    "rm -f -- 'target/-rf' \"target/*\"",
    "sed -i 's/git stash/x/' \"docs/it's mine.md\"",
    "grep -rn \"rm -rf src\" 'docs/it'*",
    "cp src/main.rs 'target/main (copy).rs'",
    "mv 'target/a b' target/größe",
];

/// Fills templates in, each several times.
fn filled_in(templates: &[&str], rounds: usize) -> Vec<String> {
    let own = ["docs/guide.md", "docs/own.md"];
    let any = ["src/main.rs", "docs/guide.md", "README.md", "src/api/users.rs"];
    let words = ["parser", "user_id", "main", "fix-login", "0.1.3", "TODO", "feature"];
    let mut all = Vec::new();
    for (at, template) in templates.iter().enumerate() {
        for round in 0..rounds {
            let pick = |list: &[&str]| list[(at + round) % list.len()].to_owned();
            let text = template.replace("{own}", &pick(&own)).replace("{any}", &pick(&any));
            let text = text.replace("{word}", &pick(&words));
            all.push(text.replace("{n}", &(1 + (at * 7 + round * 3) % 40).to_string()));
        }
    }
    all
}

/// Asks for commands, and returns the refused ones.
fn refused(repo: &Repo, directory: &Path, commands: &[String]) -> Vec<String> {
    let variables = ["PATH", "HOME"].map(|name| (name, std::env::var_os(name).unwrap_or_default()));
    let now = ("GIT_COORD_NOW", repo.now().into());
    let environment: Environment = variables.into_iter().chain([now]).collect();
    let environment = environment.at(directory.canonicalize().unwrap());
    let mut refused = Vec::new();
    for command in commands {
        let door = Door::find_around(&environment).unwrap();
        let asker = Identity::of_hook(Asker::new("claude", ONE, None));
        let ctx = door.open_for(asker).unwrap();
        let looked = shell_gate::look(&ctx, &door, command, &|| ()).unwrap();
        if matches!(looked, Looked::Refused(_)) {
            refused.push(command.clone());
        }
    }
    refused
}

/// Edits a file through the hooks.
fn change(session: &Session<'_>, path: &str, text: &str) {
    session.edits(path);
    std::fs::write(session.directory.join(path), text).unwrap();
    session.has_edited(path);
}

#[test]
fn a_thousand_ordinary_commands_pass_in_seven_situations() {
    let ordinary = [filled_in(&TEMPLATES, 10), ODD_NAMES.map(str::to_owned).to_vec()].concat();
    let whole_tree = filled_in(&WHOLE_TREE, 3);
    assert!(ordinary.len() >= 1_000);
    let repo = Repo::new();
    repo.call("").args(["install", "--agents", "none"]).run_unproven().done();
    let (one, other) = (Session::new(&repo, ONE), Session::new(&repo, OTHER));
    let main = std::fs::read_to_string(repo.work().join("src/main.rs")).unwrap();
    // The index is nobody's.
    repo.git(["reset", "--quiet"]);
    let passes = |situation: &str, place: &Session<'_>, commands: &[String]| {
        for path in ["docs/guide.md", "docs/own.md", "docs/it's mine.md"] {
            change(place, path, &format!("mine, {situation}\n"));
        }
        let refused = refused(&repo, &place.directory, commands);
        assert!(refused.is_empty(), "{situation}: {refused:#?}");
    };
    // A real commit, with every hook of git, takes the own file and nothing else.
    let commits = |situation: &str, place: &Session<'_>| {
        repo.git(["-C", place.directory.to_str().unwrap(), "add", "-N", "docs"]);
        let call = repo.call(ONE_NAME).program("git").dir(&place.directory);
        let args = ["commit", "--quiet", "-m", situation, "--only", "--", "docs/it's mine.md"];
        call.args(args).run_unproven().done();
    };
    let everything = [ordinary.clone(), whole_tree].concat();
    passes("alone", &one, &everything);
    commits("alone", &one);
    change(&other, "src/main.rs", "theirs\n");
    change(&other, "src/new.rs", "theirs\n");
    passes("beside a running turn", &one, &ordinary);
    commits("beside a running turn", &one);
    silent(&other.event("Stop"));
    passes("beside a turn that is over", &one, &ordinary);
    commits("beside a turn that is over", &one);
    repo.git(["worktree", "add", "--quiet", "-b", "side", "../side"]);
    let side = one.clone().standing_in(&repo.world().join("side"));
    passes("in an own work tree", &side, &everything);
    commits("in an own work tree", &side);
    repo.git(["add", "src"]);
    repo.git(["commit", "--quiet", "--no-verify", "-m", "theirs", "--", "src"]);
    silent(&other.event("SessionEnd"));
    passes("after the other committed", &one, &everything);
    commits("after the other committed", &one);
    change(&other, "src/main.rs", "again\n");
    silent(&other.event("SessionEnd"));
    repo.git(["checkout", "--quiet", "HEAD", "--", "src/main.rs"]);
    passes("after the other reverted", &one, &everything);
    commits("after the other reverted", &one);
    repo.write("src/main.rs", &format!("{main}// by a person\n"));
    passes("with changes of a person", &one, &everything);
    commits("with changes of a person", &one);
}
