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

/// Makes the commands: every template with several fillings.
fn commands() -> Vec<String> {
    let own = ["docs/guide.md", "docs/own.md"];
    let any = ["src/main.rs", "docs/guide.md", "README.md", "src/api/users.rs"];
    let words = ["parser", "user_id", "main", "fix-login", "0.1.3", "TODO", "feature"];
    let mut all = Vec::new();
    for (at, template) in TEMPLATES.iter().enumerate() {
        for round in 0..10 {
            let pick = |list: &[&str]| list[(at + round) % list.len()].to_owned();
            let text = template.replace("{own}", &pick(&own)).replace("{any}", &pick(&any));
            let text = text.replace("{word}", &pick(&words));
            all.push(text.replace("{n}", &(1 + (at * 7 + round * 3) % 40).to_string()));
        }
    }
    all
}

/// Asks for every command, and returns the refused ones.
fn refused(repo: &Repo, directory: &Path) -> Vec<String> {
    let variables = ["PATH", "HOME"].map(|name| (name, std::env::var_os(name).unwrap_or_default()));
    let now = ("GIT_COORD_NOW", repo.now().into());
    let environment: Environment = variables.into_iter().chain([now]).collect();
    let environment = environment.at(directory.canonicalize().unwrap());
    let mut refused = Vec::new();
    for command in commands() {
        let door = Door::find_around(&environment).unwrap();
        let asker = Identity::of_hook(Asker::new("claude", ONE, None));
        let ctx = door.open_for(asker).unwrap();
        let looked = shell_gate::look(&ctx, &door, &command, &|| ()).unwrap();
        if matches!(looked, Looked::Refused(_)) {
            refused.push(command);
        }
    }
    refused
}

#[test]
fn a_thousand_ordinary_commands_pass_in_seven_situations() {
    assert!(commands().len() >= 1_000);
    let repo = enabled();
    let (one, other) = (Session::new(&repo, ONE), Session::new(&repo, OTHER));
    let change = |session: &Session<'_>, path: &str, text: &str| {
        session.edits(path);
        repo.write(path, text);
        session.has_edited(path);
    };
    let before = std::fs::read_to_string(repo.work().join("src/main.rs")).unwrap();
    for path in ["docs/guide.md", "docs/own.md"] {
        change(&one, path, "mine\n");
    }
    let none = |situation: &str, directory: &Path| {
        let refused = refused(&repo, directory);
        assert!(refused.is_empty(), "{situation}: {refused:#?}");
    };
    none("alone", &repo.work());
    change(&other, "src/main.rs", "theirs\n");
    change(&other, "src/new.rs", "theirs\n");
    none("beside a running turn", &repo.work());
    silent(&other.event("Stop"));
    none("beside a turn that is over", &repo.work());
    repo.git(["worktree", "add", "--quiet", "-b", "side", "../side"]);
    none("in an own work tree", &repo.world().join("side"));
    repo.git(["add", "src"]);
    repo.git(["commit", "--quiet", "--no-verify", "-m", "theirs", "--", "src"]);
    none("after the other committed", &repo.work());
    change(&other, "src/main.rs", "again\n");
    repo.git(["checkout", "--quiet", "HEAD", "--", "src/main.rs"]);
    none("after the other reverted", &repo.work());
    repo.write("src/main.rs", &format!("{before}// by a person\n"));
    none("with changes of a person", &repo.work());
}
