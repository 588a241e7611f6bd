//! A repository whose every setting and every file names a program: no question, by any door, runs
//! one of them.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use git_coord::app::config::KEYS;
use git_coord::store::layout::helpers;

use super::{Trap, edit_of, events, hook};
use crate::support::Repo;
use crate::support::contract::exit;
use crate::support::hooks::put_script;

/// The value of one of our keys, beside a command with `!` in front.
enum Value {
    /// No other value: the key takes a word or a number, and a command is neither.
    Word,
    /// A file or a directory of the repository, all of which can be executed.
    Path(&'static str),
}

/// Every key that the program reads. A new one needs its row.
const OUR_KEYS: [(&str, Value); 31] = [
    ("coord.agent", Value::Word),
    ("coord.wait", Value::Word),
    ("coord.ttl", Value::Word),
    ("coord.fsync", Value::Word),
    ("coord.queue", Value::Word),
    ("coord.clockSkew", Value::Word),
    ("coord.negotiation", Value::Word),
    ("coord.enabled", Value::Word),
    ("coord.hook.failClosed", Value::Word),
    ("coord.hook.people", Value::Word),
    ("coord.hook.shell", Value::Word),
    ("coord.hook.changes", Value::Word),
    ("coord.hook.leftovers", Value::Word),
    ("coord.hook.release", Value::Word),
    ("coord.trailers", Value::Word),
    ("coord.recordConflicts", Value::Word),
    ("coord.rescue.enabled", Value::Word),
    ("coord.rescue.maxFile", Value::Word),
    ("coord.rescue.max", Value::Word),
    ("coord.rescue.keep", Value::Word),
    ("coord.domainIndex", Value::Path("trap.sh")),
    ("coord.domainProfiles", Value::Path("traps")),
    ("coord.agentsDirectory", Value::Path("traps")),
    ("coord.roster", Value::Path("traps")),
    ("coord.routePrefixes", Value::Word),
    ("coord.crossCutting", Value::Word),
    ("coord.runGates", Value::Path("trap.sh")),
    ("color.coord", Value::Word),
    ("advice.coordHeld", Value::Word),
    ("advice.coordNoMatch", Value::Word),
    ("advice.coordNotYours", Value::Word),
];

/// Keys of git's that name a program, or lead to one. `TRAP` is the command.
const KEYS_OF_GIT: [(&str, &str); 52] = [
    ("alias.status", "!TRAP"),
    ("alias.cat-file", "!TRAP"),
    ("core.alternateRefsCommand", "TRAP"),
    ("core.askPass", "TRAP"),
    ("core.editor", "TRAP"),
    ("core.fsmonitor", "TRAP"),
    ("core.gitProxy", "TRAP"),
    ("core.hooksPath", "traps"),
    ("core.pager", "TRAP"),
    ("core.sshCommand", "TRAP"),
    ("credential.helper", "!TRAP"),
    ("credential.https://example.invalid.helper", "!TRAP"),
    ("diff.external", "TRAP"),
    ("diff.trap.command", "TRAP"),
    ("diff.trap.textconv", "TRAP"),
    ("filter.trap.clean", "TRAP"),
    ("filter.trap.process", "TRAP"),
    ("filter.trap.smudge", "TRAP"),
    ("gc.recentObjectsHook", "TRAP"),
    ("gpg.program", "traps/pre-commit"),
    ("gpg.ssh.program", "traps/pre-commit"),
    ("hook.trap.command", "TRAP"),
    ("hook.trap.event", "reference-transaction"),
    ("hook.trap.event", "post-index-change"),
    ("interactive.diffFilter", "TRAP"),
    ("log.showSignature", "true"),
    ("maintenance.auto", "true"),
    ("merge.trap.driver", "TRAP"),
    ("pager.log", "TRAP"),
    ("pager.status", "TRAP"),
    ("protocol.ext.allow", "always"),
    ("remote.o.partialCloneFilter", "blob:none"),
    ("remote.o.promisor", "true"),
    ("remote.o.receivepack", "TRAP;:"),
    ("remote.o.uploadpack", "TRAP;:"),
    ("remote.o.url", "."),
    ("remote.p.promisor", "true"),
    ("remote.p.url", "ext::TRAP"),
    ("remote.q.promisor", "true"),
    ("remote.q.url", "ssh://example.invalid/q"),
    ("remote.r.promisor", "true"),
    ("remote.r.url", "elsewhere:r"),
    ("remote.s.promisor", "true"),
    ("remote.s.url", "TRAP"),
    ("remote.s.vcs", "ext"),
    ("sequence.editor", "TRAP"),
    ("submodule.trap.update", "!TRAP"),
    ("submodule.trap.url", "ext::TRAP"),
    ("trailer.coord-agent.cmd", "TRAP"),
    ("trailer.trap.command", "TRAP"),
    ("uploadpack.packObjectsHook", "TRAP"),
    ("url.ext::TRAP .insteadOf", "elsewhere:"),
];

/// Files of a work tree, and of its repository, that somebody might execute, or that can name a
/// program. `SCRIPT` stands for one that can be executed.
pub(super) const FILES: [(&str, &str); 33] = [
    (".claude/agents/trap.md", "---\nname: trap\ndescription: TRAP\nhooks: TRAP\n---\n!`TRAP`\n"),
    (".claude/settings.json", "SETTINGS"),
    (".claude/settings.local.json", "SETTINGS"),
    (".git/info/attributes", "* filter=trap diff=trap merge=trap\n"),
    (".gitattributes", "* filter=trap diff=trap merge=trap\n"),
    (".githooks/pre-commit", "SCRIPT"),
    (".gitignore", "!TRAP\n"),
    (".gitmodules", "[submodule \"trap\"]\n\tpath = sub\n\turl = ext::TRAP\n\tupdate = !TRAP\n"),
    (".husky/pre-commit", "SCRIPT"),
    (".lfsconfig", "[lfs]\n\turl = ext::TRAP\n[lfs \"customtransfer.trap\"]\n\tpath = TRAP\n"),
    (".mailmap", "TRAP <ada@example.com>\n"),
    (".pre-commit-config.yaml", "repos: [{repo: local, hooks: [{entry: TRAP}]}]\n"),
    ("CMakeLists.txt", "execute_process(COMMAND TRAP)\n"),
    ("Cargo.toml", "[package]\nname = \"trap\"\nbuild = \"TRAP\"\n"),
    ("Dockerfile", "FROM scratch\nRUN TRAP\n"),
    ("Gemfile", "system('TRAP')\n"),
    ("Makefile", "all:\n\tTRAP\nX := $(shell TRAP)\n"),
    ("build.gradle", "exec { commandLine 'sh', '-c', 'TRAP' }\n"),
    ("build.gradle.kts", "exec { commandLine(\"sh\", \"-c\", \"TRAP\") }\n"),
    ("composer.json", "{\"scripts\": {\"pre-install-cmd\": \"TRAP\"}}\n"),
    ("docker-compose.yml", "services: {trap: {image: trap, command: TRAP}}\n"),
    ("go.mod", "module trap\n\ntoolchain TRAP\n"),
    ("lefthook.yml", "pre-commit:\n  jobs:\n    - run: TRAP; git-coord hook pre-commit\n"),
    ("overrides.json", "{\"overrides\": [{\"agent\": \"!TRAP\", \"reason\": \"TRAP\"}]}\n"),
    ("package.json", "{\"name\": \"trap\", \"scripts\": {\"prepare\": \"TRAP\"}}\n"),
    ("pom.xml", "<project><artifactId>TRAP</artifactId></project>\n"),
    ("pubspec.yaml", "name: trap\nscripts: {prepare: TRAP}\n"),
    ("pyproject.toml", "[project]\nname = \"trap\"\n[tool.trap]\nscript = \"TRAP\"\n"),
    ("requirements.txt", "trap @ git+ext::TRAP\n"),
    ("setup.py", "import os; os.system('TRAP')\n"),
    ("tsconfig.json", "{\"extends\": \"TRAP\"}\n"),
    ("trap.sh", "SCRIPT"),
    ("traps/agent.md", "SCRIPT"),
];

/// Every hook of git that one of our calls could trigger.
const HOOKS: [&str; 8] = [
    "fsmonitor-watchman",
    "post-checkout",
    "post-index-change",
    "pre-auto-gc",
    "pre-commit",
    "prepare-commit-msg",
    "reference-transaction",
    "update",
];

/// Every command, one a line.
const QUESTIONS: &str = "
    status
    list --all
    check src/x
    who src/x
    changes
    changes --check
    rescue list
    rescue save
    rescue diff
    rescue restore README.md
    rescue drop --all
    inbox
    agents
    whoami
    prime
    prime --agents-md
    undo
    log
    events
    events cursors
    doctor
    doctor --repair
    route fd-style agent
    override propose fd-style --reason r
    override approve fd-style
    override apply fd-style --reason r
    override list
    override status
    override eligible
    override canary sample fd-style --session s --override-rate 0 --fp-rate 0 --density 0
    override canary check
    override evidence add fd-style --event override
    override evidence list
    override overlay add fd-style --reason r note
    override overlay disable fd-style
    override overlay list
    override thresholds
    override export
    override import trap.sh
    override import overrides.json
    override block fd-style --reason r
    override unblock fd-style
    override revert fd-style
    override protected
    override reset --scope evidence
    run create --goal g --id k3v9x2ab
    run list
    run show k3v9x2ab
    run current
    run set k3v9x2ab --goal h
    run advance k3v9x2ab
    run skip k3v9x2ab plan --reason r
    run unskip k3v9x2ab plan --reason r
    run gate check k3v9x2ab
    run gate override k3v9x2ab --reason r
    run gate rules k3v9x2ab
    run gate signals k3v9x2ab
    run verdict add k3v9x2ab --phase plan --result clean
    run verdict list k3v9x2ab
    run artifact add k3v9x2ab --path README.md
    run artifact list k3v9x2ab
    run agent add k3v9x2ab --name a
    run agent finish k3v9x2ab a --status completed
    run agent list k3v9x2ab
    run dispatch add k3v9x2ab
    run dispatch update k3v9x2ab one --status done
    run dispatch list k3v9x2ab
    run budget k3v9x2ab
    run replay k3v9x2ab
    run rollback k3v9x2ab --to brainstorm --reason r
    run rollback k3v9x2ab --to brainstorm --reason r --layer code
    run fail k3v9x2ab --reason r
    run cancel k3v9x2ab --reason r
    domain show
    domain detect
    domain check
    domain set go --source s --reason r
    domain index
    domain agents generate --dry-run
    domain agents list
    domain agents repair
    ledger log reservations
    ledger show reservations
    ledger diff reservations
    ledger verify
    ledger rollback reservations --to 1 --reason r
    ledger upgrade
    ledger compact
    install --dry-run
    uninstall --dry-run
    reserve x
    renew --mine
    transfer --to bob
    ask src/x --reason r
    answer src/x --release
    take src/x --reason r
    adopt --all --reason r
    release --mine
    send bob --subject hello
    sweep
";

/// Commands that are not asked here.
const EXCUSED: [(&str, &str); 6] = [
    ("completions", "opens no repository"),
    ("demo", "makes a repository of its own"),
    ("help", "opens no repository"),
    ("hook", "each hook is asked below"),
    ("version", "opens no repository"),
    ("with", "runs what its caller names"),
];

pub(super) fn questions() -> impl Iterator<Item = Vec<&'static str>> {
    QUESTIONS.trim().lines().map(|line| line.split_whitespace().collect())
}

/// A command without its question is a way in that nobody has tried.
#[test]
fn every_command_is_asked() {
    let commands = crate::transcripts::commands();
    let is_group =
        |command: &str| commands.iter().any(|one| one.starts_with(&format!("{command} ")));
    let is_asked = |command: &str| {
        let words: Vec<&str> = command.split(' ').collect();
        questions().any(|question| question.starts_with(&words))
    };
    let is_excused = |command: &str| EXCUSED.iter().any(|(name, _)| *name == command);
    let left: Vec<&String> = commands
        .iter()
        .filter(|command| !is_group(command) && !is_asked(command) && !is_excused(command))
        .collect();
    assert!(left.is_empty(), "no question asks {left:?}");
}

/// Creates a repository with all of that in its files, and a ledger.
pub(super) fn hostile() -> (Repo, Trap) {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    let trap = Trap::in_world_of(&repo);
    let (command, script) = (trap.command(), format!("#!/bin/sh\n{}\n", trap.command()));
    let calls = format!("{command}; git coord hook claude");
    let handler = serde_json::json!([{ "hooks": [{ "type": "command", "command": calls }] }]);
    let hooks: serde_json::Map<_, _> =
        events().into_iter().map(|event| (event, handler.clone())).collect();
    let settings = serde_json::json!({ "hooks": hooks }).to_string();
    for (file, text) in FILES {
        match text {
            "SCRIPT" => put_script(&repo.work().join(file), &script),
            "SETTINGS" => repo.write(file, &settings),
            text => repo.write(file, &text.replace("TRAP", &command)),
        }
    }
    for hook in HOOKS {
        put_script(&repo.work().join("traps").join(hook), &script);
        put_script(&repo.git_dir().join("hooks").join(hook), &script);
    }
    let own = helpers(&repo.git_dir());
    for entry in fs::read_dir(&own).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() {
            put_script(&entry.path().join("trap"), &script);
        }
    }
    put_script(&own.join("trap"), &script);
    // Whose content has to be looked at, through a filter.
    let tracked = repo.work().join("README.md");
    fs::write(&tracked, "changed\n").unwrap();
    fs::set_permissions(&tracked, fs::Permissions::from_mode(0o755)).unwrap();
    (repo, trap)
}

/// Asks everything, and fails as soon as something was run.
#[track_caller]
fn ask_everything(repo: &Repo, trap: &Trap, about: &str) {
    for words in questions() {
        repo.call("ada").args(&words).run_unproven();
        trap.was_not_run(&format!("{about}: {words:?}"));
    }
    ask_hooks(repo, trap, about);
}

#[track_caller]
fn ask_hooks(repo: &Repo, trap: &Trap, about: &str) {
    let commands = ["ls", "git status", "git reset --hard", "git clean -fd", "git stash -u"];
    for event in events() {
        let calls = commands.iter().map(|command| ("Bash", *command)).chain([("Edit", "")]);
        for (tool, command) in calls {
            let mut more = edit_of(&repo.work().join("README.md"));
            more["tool_name"] = tool.into();
            more["tool_input"]["command"] = command.into();
            hook(repo, &event, &repo.work(), &more).run_unproven();
            trap.was_not_run(&format!("{about}: {event} of {tool} {command}"));
        }
    }
    let message = repo.world().join("tmp/message");
    fs::write(&message, "subject\n\nbody\n").unwrap();
    let message = message.to_str().unwrap();
    for words in [
        &["pre-commit"][..],
        &["pre-merge-commit"],
        &["prepare-commit-msg", message, "message"],
        &["post-commit"],
        &["pre-push", "o", "."],
        &["fsmonitor", "2", "token"],
    ] {
        let head = repo.git_call(["rev-parse", "HEAD"]).config("core.fsmonitor", "false");
        let head = head.run_unproven().stdout.trim_end().to_owned();
        let pushed = format!("refs/heads/main {head} refs/heads/main {}\n", "0".repeat(40));
        repo.call("ada").args(["hook"]).args(words).input(pushed).run_unproven();
        trap.was_not_run(&format!("{about}: hook {words:?}"));
    }
}

/// Writes settings into a file, as `git config` would.
fn put_settings(file: &Path, settings: &[(impl AsRef<str>, String)]) {
    let lines = settings.iter().map(|(key, value)| {
        let (section, rest) = key.as_ref().split_once('.').unwrap();
        let value = value.replace('"', "\\\"");
        match rest.rsplit_once('.') {
            Some((middle, name)) => format!("[{section} \"{middle}\"]\n\t{name} = \"{value}\"\n"),
            None => format!("[{section}]\n\t{rest} = \"{value}\"\n"),
        }
    });
    let before = fs::read_to_string(file).unwrap_or_default();
    fs::write(file, before + &lines.collect::<String>()).unwrap();
}

fn settings_of_git(trap: &Trap) -> Vec<(String, String)> {
    let command = trap.command();
    let named = |text: &str| text.replace("TRAP", &command);
    let mut all: Vec<(String, String)> =
        KEYS_OF_GIT.iter().map(|(key, value)| (named(key), named(value))).collect();
    let own = [("coord.enabled", "true"), ("coord.trailers", "true"), ("coord.roster", "!TRAP")];
    all.extend(own.map(|(key, value)| (key.to_owned(), named(value))));
    all
}

/// A new key without a row is a key that nobody has thought about.
#[test]
fn every_key_has_its_row() {
    let known: Vec<&str> = KEYS.iter().map(|key| key.name).collect();
    let rows: Vec<&str> = OUR_KEYS.iter().map(|(key, _)| *key).collect();
    assert_eq!(rows, known);
}

/// 8/NO-HARM: whatever a key of ours is set to in the repository, nothing is run.
#[test]
fn no_key_of_ours_runs_anything() {
    let (repo, trap) = hostile();
    let config = repo.git_dir().join("config");
    let before = fs::read(&config).unwrap();
    for (key, value) in &OUR_KEYS {
        let command = format!("!{}", trap.command());
        let path = match value {
            Value::Word => None,
            Value::Path(path) => Some((*path).to_owned()),
        };
        for value in std::iter::once(command).chain(path) {
            fs::write(&config, &before).unwrap();
            let on = ["coord.enabled", "coord.trailers"].map(|key| (key, "true".to_owned()));
            put_settings(&config, &on);
            put_settings(&config, &[(key, value.clone())]);
            for words in [
                &["status"][..],
                &["route", "agent"],
                &["override", "status"],
                &["domain", "detect"],
                &["domain", "agents", "list"],
                &["run", "create", "--goal", "g"],
                &["doctor"],
            ] {
                repo.call("ada").args(words).run_unproven();
                trap.was_not_run(&format!("{key}={value}: {words:?}"));
            }
        }
    }
}

/// 8/NO-HARM: nor is what git's own keys name, wherever a repository keeps its configuration.
#[test]
fn no_key_of_gits_runs_anything() {
    let (repo, trap) = hostile();
    put_settings(&repo.git_dir().join("config"), &settings_of_git(&trap));
    ask_everything(&repo, &trap, "in its configuration");
}

#[test]
fn no_included_key_runs_anything() {
    let (repo, trap) = hostile();
    put_settings(&repo.work().join("included"), &settings_of_git(&trap));
    let include = [("include.path", "../included".to_owned())];
    put_settings(&repo.git_dir().join("config"), &include);
    ask_hooks(&repo, &trap, "in an included file");
    repo.call("ada").args(["route", "agent"]).run_unproven().done().says("git config --global");
    trap.was_not_run("route");
}

#[test]
fn no_key_of_a_worktree_runs_anything() {
    let (repo, trap) = hostile();
    repo.git(["config", "extensions.worktreeConfig", "true"]);
    put_settings(&repo.git_dir().join("config.worktree"), &settings_of_git(&trap));
    ask_hooks(&repo, &trap, "in the configuration of a worktree");
    repo.call("ada").args(["route", "agent"]).run_unproven().done().says("git config --global");
    trap.was_not_run("route");
}

/// 8/NO-HARM: a ledger that has to be fetched is fetched from where the repository says, and by no
/// program that it names. Git cannot be kept from one of these, and is then not asked.
#[test]
fn fetching_runs_no_program_of_the_repository() {
    for names_program in [false, true] {
        let (repo, trap) = hostile();
        let mut settings = settings_of_git(&trap);
        settings.retain(|(key, _)| names_program || !key.ends_with(".uploadpack"));
        put_settings(&repo.git_dir().join("config"), &settings);
        fs::write(repo.git_dir().join("objects/pack/a.promisor"), "").unwrap();
        let missing = format!("{}\n", "1".repeat(40));
        fs::write(repo.git_dir().join("refs/coord/reservations"), missing).unwrap();
        for words in [&["status"][..], &["list"], &["reserve", "x"], &["doctor"]] {
            let told = repo.call("ada").args(words).run_unproven();
            trap.was_not_run(&format!("{words:?}"));
            if names_program && words[0] == "list" {
                told.exits(exit::FAILURE).says("names a program for that").says("git cat-file -e");
            }
        }
        ask_hooks(&repo, &trap, "a ledger that is not there");
    }
}

/// 8/NO-HARM: git reads files on conditions that libgit2 does not know. What stands in them is
/// overruled like the rest, and keeps git from fetching like the rest.
#[test]
fn what_git_alone_includes_runs_nothing() {
    let (repo, trap) = hostile();
    let mut included = settings_of_git(&trap);
    // Git refuses these behind such a condition.
    included.retain(|(key, _)| key.strip_suffix(".url").is_none());
    put_settings(&repo.work().join("included"), &included);
    let settings = [
        ("includeIf.hasconfig:remote.*.url:**.path", "../included"),
        ("remote.o.url", "."),
        ("remote.o.promisor", "true"),
        ("coord.enabled", "true"),
    ];
    let settings = settings.map(|(key, value)| (key, value.to_owned()));
    put_settings(&repo.git_dir().join("config"), &settings);
    ask_hooks(&repo, &trap, "in a file that git alone includes");
    fs::write(repo.git_dir().join("objects/pack/a.promisor"), "").unwrap();
    let missing = format!("{}\n", "1".repeat(40));
    fs::write(repo.git_dir().join("refs/coord/reservations"), missing).unwrap();
    for words in [&["status"][..], &["list"], &["reserve", "x"], &["doctor"]] {
        repo.call("ada").args(words).run_unproven();
        trap.was_not_run(&format!("{words:?}"));
    }
}

/// 8/NO-HARM: a key that cannot be spelled cannot be overruled, so git is not asked.
#[test]
fn a_key_that_is_not_text_runs_nothing() {
    let (repo, trap) = hostile();
    let filter = format!("\"]\n\tclean = {}\n[coord]\n\tenabled = true\n", trap.command());
    let config = repo.git_dir().join("config");
    let before = fs::read(&config).unwrap();
    let config_text = [&before[..], b"[filter \"ev\xffil", filter.as_bytes()].concat();
    fs::write(&config, config_text).unwrap();
    fs::write(repo.work().join(".gitattributes"), b"* filter=ev\xffil\n").unwrap();
    ask_hooks(&repo, &trap, "by a key that is not text");
}

/// The user's own words still count: what they have named is run.
#[test]
fn what_the_user_names_is_run() {
    let repo = Repo::new();
    let trap = Trap::in_world_of(&repo);
    let named = format!("!{}", trap.command());
    repo.call("ada").config("coord.roster", &named).args(["route", "agent"]).run().done();
    assert!(trap.mark.exists(), "git -c is the user's own");
    fs::remove_file(&trap.mark).unwrap();
    let global = repo.world().join("home/own");
    fs::write(&global, format!("[coord]\n\troster = \"{named}\"\n")).unwrap();
    repo.call("ada").env("GIT_CONFIG_GLOBAL", &global).args(["route", "agent"]).run().done();
    assert!(trap.mark.exists(), "so is the global configuration");
    fs::remove_file(&trap.mark).unwrap();
    repo.git(["config", "coord.roster", &named]);
    let told = repo.call("ada").args(["route", "agent"]).run().done();
    trap.was_not_run("route");
    told.says("coord.roster: the repository's own configuration names a command");
}
