//! `Repo`: a scratch repository in a world of its own, with a clock that moves when told.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};

use jiff::Timestamp;
use serde_json::Value;
use tempfile::TempDir;

use super::call::Call;
use super::content::Content;
use super::contract::{LOCAL_DIR, event};
use super::gits::{Git, Version, gits};
use super::hooks::put_script;
use super::notice::say_what_takes_long;
use super::output::Output;

/// The time at which every test begins.
pub(crate) const START: &str = "2026-01-05T10:00:00Z";

/// A repository, its user, and its time.
pub(crate) struct Repo {
    world: TempDir,
    /// The directory of calls: the top of a work tree, or a bare repository.
    pub(super) top: PathBuf,
    pub(super) git_dir: PathBuf,
    now_seconds: AtomicI64,
}

impl Repo {
    /// Creates a repository in the middle of a user's work.
    pub(crate) fn new() -> Repo {
        Repo::with(&Content::usual())
    }

    /// Creates a repository before its first commit.
    pub(crate) fn unborn() -> Repo {
        Repo::with(&Content::default())
    }

    /// Creates a repository with this content.
    pub(crate) fn with(content: &Content) -> Repo {
        let repo = Repo::in_new_world();
        repo.git(["init", "--quiet", "--initial-branch=main", "--template=", "."]);
        content.commit_in(&repo);
        content.begin_in(&repo);
        repo.put_hook();
        repo
    }

    /// Creates the world of a repository that does not exist yet.
    pub(super) fn in_new_world() -> Repo {
        say_what_takes_long();
        let world = TempDir::new().expect("a directory");
        for directory in ["home/.config", "tmp", "bin", "work", "elsewhere"] {
            fs::create_dir_all(world.path().join(directory)).expect("a directory can be made");
        }
        let top = world.path().join("work");
        let repo = Repo { git_dir: top.join(".git"), top, world, now_seconds: 0.into() };
        repo.at(START);
        repo
    }

    /// Takes the turn of a ledger's writers until the file is closed.
    pub(crate) fn take_turn(&self, ledger: &str) -> File {
        let lock = self.git_dir().join(LOCAL_DIR).join(format!("locks/{ledger}.lock"));
        locked(&lock)
    }

    /// Puts a git in front of all others on the `PATH` of every call.
    pub(crate) fn prefer(&self, git: &Git) {
        let link = self.world().join("bin/git");
        symlink(&git.program, link).expect("a git is preferred once");
    }

    /// Makes the git of every call report another version, which `install` relies on.
    pub(crate) fn git_says(&self, version: Version) {
        let git = self.world().join("bin/git");
        let real = fs::read_link(&git).unwrap_or_else(|_| gits()[0].program.clone());
        let says = format!("echo git version {}.{}.0", version.0, version.1);
        let real = real.display();
        let script =
            format!("#!/bin/sh\n[ \"$1\" = version ] && {says} && exit\nexec '{real}' \"$@\"\n");
        put_script(&git, &script);
    }

    /// Copies the repository with its user and time into a new world.
    pub(crate) fn copy(&self) -> Repo {
        let world = TempDir::new().expect("a directory");
        copy_below(self.world(), world.path());
        let moved = |path: &Path| {
            let below = path.strip_prefix(self.world()).expect("a repository is in its world");
            world.path().join(below)
        };
        let (top, git_dir) = (moved(&self.top), moved(&self.git_dir));
        let now_seconds = self.now_seconds.load(Ordering::SeqCst).into();
        Repo { world, top, git_dir, now_seconds }
    }

    /// Writes a hook of the user's, which must stay as it is.
    pub(super) fn put_hook(&self) {
        put_script(&self.git_dir().join("hooks/pre-commit"), "#!/bin/sh\nexit 0\n");
    }

    /// Returns the directory of everything that the test owns: home, scratch files, work tree.
    pub(crate) fn world(&self) -> &Path {
        self.world.path()
    }

    /// Returns the top of the work tree, or the bare repository.
    pub(crate) fn work(&self) -> PathBuf {
        self.top.clone()
    }

    /// Returns a directory that belongs to no repository.
    pub(crate) fn elsewhere(&self) -> PathBuf {
        self.world().join("elsewhere")
    }

    /// Returns the common git directory.
    pub(crate) fn git_dir(&self) -> PathBuf {
        self.git_dir.clone()
    }

    /// Writes a file of the work tree.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let file = self.work().join(path);
        fs::create_dir_all(file.parent().expect("a file lies in a directory")).expect("made");
        fs::write(file, text).expect("a file can be written");
    }

    /// Sets the clock.
    pub(crate) fn at(&self, time: &str) {
        let time: Timestamp = time.parse().expect("a time in RFC 3339");
        self.now_seconds.store(time.as_second(), Ordering::SeqCst);
    }

    /// Lets time pass: `90s`, `16m`, `2h`, `7d`.
    pub(crate) fn pass(&self, span: &str) {
        self.now_seconds.fetch_add(seconds(span), Ordering::SeqCst);
    }

    /// Returns the time as `GIT_COORD_NOW` and JSON spell it.
    pub(crate) fn now(&self) -> String {
        let seconds = self.now_seconds.load(Ordering::SeqCst);
        Timestamp::from_second(seconds).expect("a time that exists").to_string()
    }

    /// Returns the time that is `span` ahead.
    pub(crate) fn later(&self, span: &str) -> String {
        let then = self.now_seconds.load(Ordering::SeqCst) + seconds(span);
        Timestamp::from_second(then).expect("a time that exists").to_string()
    }

    /// Runs git at the top of the work tree, which must succeed, and returns its output.
    #[track_caller]
    pub(crate) fn git(&self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> String {
        let output = self.git_call(args).run_unproven().done();
        output.stdout.trim_end().to_owned()
    }

    /// Prepares a call of git.
    pub(crate) fn git_call(&self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Call {
        self.call("").program("git").args(args)
    }

    /// Prepares a call of the program by `agent`, or by a person if the name is empty.
    pub(crate) fn call(&self, agent: &str) -> Call {
        let call = Call::new(self.world(), &self.work()).env("GIT_COORD_NOW", self.now());
        if agent.is_empty() { call } else { call.env("GIT_COORD_AGENT", agent) }
    }

    /// Runs a command as `agent`.
    #[track_caller]
    pub(crate) fn coord(
        &self,
        agent: &str,
        args: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) -> Output {
        self.call(agent).args(args).run()
    }

    /// Runs a command as `agent` with `--json`.
    #[track_caller]
    pub(crate) fn coord_json(
        &self,
        agent: &str,
        args: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) -> Output {
        self.call(agent).args(["--json"]).args(args).run()
    }

    /// Runs a command that must succeed, and returns its answer.
    #[track_caller]
    pub(crate) fn json(
        &self,
        agent: &str,
        args: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) -> Value {
        self.coord_json(agent, args).done().json()
    }

    /// Reserves one pattern, which must succeed, and returns the hold.
    #[track_caller]
    pub(crate) fn reserve(&self, agent: &str, pattern: &str) -> Value {
        self.reserve_with(agent, &[pattern])
    }

    /// Reserves one pattern with options, which must succeed, and returns the hold.
    #[track_caller]
    pub(crate) fn reserve_with(&self, agent: &str, args: &[&str]) -> Value {
        let answer = self.json(agent, std::iter::once(&"reserve").chain(args));
        let granted = answer["granted"].as_array().expect("'granted' is a list");
        assert_eq!(granted.len(), 1, "{answer:#}");
        granted[0].clone()
    }

    /// Reserves one pattern, which must succeed, and returns the hold's id.
    #[track_caller]
    pub(crate) fn reserve_id(&self, agent: &str, pattern: &str) -> String {
        id_of(&self.reserve(agent, pattern))
    }

    /// Lists the active reservations.
    #[track_caller]
    pub(crate) fn holds(&self) -> Vec<Value> {
        self.list(&[])
    }

    /// Lists reservations with these options.
    #[track_caller]
    pub(crate) fn list(&self, options: &[&str]) -> Vec<Value> {
        let all = ["list", "--limit", "100000"];
        let answer = self.json("lister", all.iter().chain(options));
        answer["reservations"].as_array().expect("'reservations' is a list").clone()
    }

    /// Lists the events of one type, in order, or of every type if it is empty.
    #[track_caller]
    pub(crate) fn events(&self, kind: &str) -> Vec<Value> {
        let all = self.coord("lister", ["events", "--json", "--limit", "100000"]).done();
        let wanted = |found: &Value| kind.is_empty() || found["type"] == kind;
        all.json_lines().into_iter().filter(wanted).collect()
    }

    /// Counts the events of a hold's life: granted, released, expired.
    #[track_caller]
    pub(crate) fn life_counts(&self) -> [usize; 3] {
        [event::GRANTED, event::RELEASED, event::EXPIRED].map(|kind| self.events(kind).len())
    }
}

fn copy_below(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("the test's own directory is readable") {
        let entry = entry.expect("an entry of the test's own directory is readable");
        let copy = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            fs::create_dir(&copy).expect("a directory can be made");
            copy_below(&entry.path(), &copy);
        } else {
            fs::copy(entry.path(), copy).expect("a file can be copied");
        }
    }
}

/// Opens a file and locks it, as writers do in their queue. Closing it releases the lock.
pub(crate) fn locked(path: &Path) -> File {
    let file = File::open(path).expect("what is to be locked is there");
    rustix::fs::flock(&file, rustix::fs::FlockOperation::LockExclusive).expect("it can be locked");
    file
}

/// Returns the id of a reservation.
#[track_caller]
pub(crate) fn id_of(hold: &Value) -> String {
    hold["id"].as_str().unwrap_or_else(|| panic!("no id in {hold:#}")).to_owned()
}

fn seconds(span: &str) -> i64 {
    let (number, unit) = span.split_at(span.len() - 1);
    let number: i64 = number.parse().expect("a number before the unit");
    let unit = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        other => panic!("no such unit: '{other}'"),
    };
    number * unit
}
