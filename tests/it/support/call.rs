//! One call of a program in a test's world: user, directory, arguments and environment.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::FileExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::NamedTempFile;

use super::env::{make_hermetic, program};
use super::output::Output;
use super::untouched::Untouched;

/// A call that has not been made yet.
#[derive(Clone)]
pub(crate) struct Call {
    world: PathBuf,
    directory: PathBuf,
    program: OsString,
    args: Vec<OsString>,
    env: Vec<(OsString, Option<OsString>)>,
    config: Vec<(String, String)>,
    input: Option<Vec<u8>>,
    user: Option<User>,
}

/// A user of this machine, who need not have a name.
#[derive(Clone, Copy)]
pub(crate) struct User {
    pub(crate) uid: u32,
    pub(crate) gid: u32,
}

impl Call {
    /// Prepares a call of the program under test.
    pub(crate) fn new(world: &Path, directory: &Path) -> Call {
        Call {
            world: world.to_path_buf(),
            directory: directory.to_path_buf(),
            program: program().into(),
            args: Vec::new(),
            env: Vec::new(),
            config: Vec::new(),
            input: None,
            user: None,
        }
    }

    /// Runs another program instead.
    pub(crate) fn program(mut self, program: impl AsRef<OsStr>) -> Call {
        self.program = program.as_ref().into();
        self
    }

    /// Adds arguments.
    pub(crate) fn args(mut self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Call {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    /// Runs in another directory. A relative one is below the current one.
    pub(crate) fn dir(mut self, directory: impl AsRef<Path>) -> Call {
        self.directory = self.directory.join(directory);
        self
    }

    /// Sets a variable.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Call {
        self.env.push((name.into(), Some(value.as_ref().to_owned())));
        self
    }

    /// Removes a variable.
    pub(crate) fn without_env(mut self, name: &str) -> Call {
        self.env.push((name.into(), None));
        self
    }

    /// Sets a configuration key as `git -c` does.
    pub(crate) fn config(mut self, key: &str, value: &str) -> Call {
        self.config.push((key.to_owned(), value.to_owned()));
        self
    }

    /// Sets the content of stdin.
    pub(crate) fn input(mut self, bytes: impl Into<Vec<u8>>) -> Call {
        self.input = Some(bytes.into());
        self
    }

    /// Runs as another user, which only root may do.
    pub(crate) fn user(mut self, user: User) -> Call {
        self.user = Some(user);
        self
    }

    /// Builds the `std` command.
    pub(crate) fn command(&self) -> Command {
        self.command_of(&self.program, &self.args)
    }

    /// Builds the command of a shell that runs `script` with the call as `"$@"`.
    pub(crate) fn command_in_shell(&self, script: &str) -> Command {
        let shell = ["-c", script, "sh"].map(OsString::from);
        let inner = std::iter::once(&self.program).chain(&self.args);
        let args: Vec<OsString> = shell.iter().chain(inner).cloned().collect();
        self.command_of(OsStr::new("sh"), &args)
    }

    fn command_of(&self, program: &OsStr, args: &[OsString]) -> Command {
        let mut command = Command::new(program);
        make_hermetic(&mut command, &self.world);
        command.current_dir(&self.directory).args(args);
        for (index, (key, value)) in self.config.iter().enumerate() {
            command.env(format!("GIT_CONFIG_KEY_{index}"), key);
            command.env(format!("GIT_CONFIG_VALUE_{index}"), value);
        }
        if !self.config.is_empty() {
            command.env("GIT_CONFIG_COUNT", self.config.len().to_string());
        }
        for (name, value) in &self.env {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        if let Some(User { uid, gid }) = self.user {
            command.uid(uid).gid(gid);
        }
        command.stdin(self.stdin()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Writes the input of the call into a file that has a name.
    pub(crate) fn input_file(&self) -> NamedTempFile {
        let file = NamedTempFile::new_in(self.world.join("tmp")).expect("a scratch file");
        let input = self.input.as_deref().unwrap_or_default();
        std::fs::write(file.path(), input).expect("a scratch file can be written");
        file
    }

    fn stdin(&self) -> Stdio {
        let Some(bytes) = &self.input else { return Stdio::null() };
        let file = tempfile::tempfile_in(self.world.join("tmp")).expect("a scratch file");
        file.write_all_at(bytes, 0).expect("a scratch file can be written");
        file.into()
    }

    /// Makes the call and checks that it touched nothing of the user's.
    #[track_caller]
    pub(crate) fn run(&self) -> Output {
        let before = Untouched::of(&self.world);
        let output = self.run_unproven();
        before.assert_still_so(&output.called);
        output
    }

    /// Makes the call as part of a larger check that nothing of the user's was touched.
    #[track_caller]
    pub(crate) fn run_unproven(&self) -> Output {
        self.finish(self.command().spawn().expect("the program can be started"))
    }

    /// Waits for a started call and checks the rules that every answer of the program keeps. A
    /// script need not keep them.
    #[track_caller]
    pub(crate) fn finish(&self, child: Child) -> Output {
        let raw = child.wait_with_output().expect("a started program ends");
        let by_signal = || 128 + raw.status.signal().unwrap_or_default();
        let output = Output {
            called: format!("{} {:?}", self.program.display(), self.args),
            code: raw.status.code().unwrap_or_else(by_signal),
            stdout: String::from_utf8_lossy(&raw.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&raw.stderr).into_owned(),
        };
        if self.program != "sh" {
            output.keeps_the_contract(&self.args);
        }
        output
    }
}
