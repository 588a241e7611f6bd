//! Reads objects through one `git cat-file` process that stays open.

use std::cell::RefCell;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::running::{self, RunningGuard};
use super::{Program, ProgramError, answer};
use crate::core::limits::MESSAGE_BYTES_MAX;
use crate::store::error::StoreError;
use crate::store::git::backend::ReadObjects;
use crate::store::git::object::{Object, ObjectId, ObjectKind};

/// Objects as git reads them. Missing ones are fetched from the remote that promised them.
pub struct ProgramObjects {
    program: Program,
    reach: Reach,
    session: RefCell<Option<Session>>,
}

/// The places that git reads an object from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    /// The repository and the remotes that promised objects.
    Remotes,
    /// The repository only, without any program that its configuration names.
    Here,
}

/// A `git cat-file` process that waits for the next request.
struct Session {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
    _guard: RunningGuard,
}

/// The line before an object's content.
struct Header {
    id: ObjectId,
    kind: ObjectKind,
    size: usize,
}

impl ProgramObjects {
    /// Reads the objects of a repository, and may fetch. Starts git on first use.
    pub fn new(program: Program) -> ProgramObjects {
        ProgramObjects { program, reach: Reach::Remotes, session: RefCell::default() }
    }

    /// Reads the objects of a repository without fetching.
    pub fn here(program: Program) -> ProgramObjects {
        ProgramObjects { program, reach: Reach::Here, session: RefCell::default() }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.program.command(arguments);
        if self.reach == Reach::Here {
            // Not every git knows the first variable. The second leaves none of them a way to
            // fetch.
            command.env("GIT_NO_LAZY_FETCH", "1").env("GIT_ALLOW_PROTOCOL", "none");
        }
        command
    }

    /// Resolves a name to an object; `None` if there is no such name or no such object.
    pub(super) fn resolve(&self, name: &str) -> Result<Option<ObjectId>, StoreError> {
        let header = self.with_session(name, |session| session.info(name))?;
        Ok(header.map(|header| header.id))
    }

    fn read_object(&self, name: &str) -> Result<Option<Object>, StoreError> {
        let Some(header) = self.with_session(name, |session| session.info(name))? else {
            return Ok(None);
        };
        let Header { id, kind, size } = header;
        if size > MESSAGE_BYTES_MAX {
            return Err(StoreError::TooLarge { id, size });
        }
        let bytes = self.with_session(name, |session| session.contents(name))?;
        Ok(bytes.map(|bytes| Object { kind, bytes }))
    }

    /// Sends a request. A session that has ended is replaced once. If the next one ends as well,
    /// git is asked for the reason.
    fn with_session<T>(
        &self,
        name: &str,
        ask: impl Fn(&mut Session) -> io::Result<T>,
    ) -> Result<T, StoreError> {
        let mut session = self.session.borrow_mut();
        for _ in 0..2 {
            if session.is_none() {
                let batch = self.command(&["cat-file", "--batch-command"]);
                *session = Some(Session::start(batch)?);
            }
            if let Some(Ok(answer)) = session.as_mut().map(&ask) {
                return Ok(answer);
            }
            *session = None;
        }
        Err(self.failure_of(name))
    }

    fn failure_of(&self, name: &str) -> StoreError {
        let asked = |option| answer(self.command(&["cat-file", option, name]));
        let error = match asked("-t").and_then(|_| asked("-p")) {
            Ok(_) => ProgramError::InvalidAnswer { verb: "cat-file", why: "it stopped".to_owned() },
            Err(error) => error,
        };
        let why = error.to_string();
        match (name.parse(), error) {
            (Ok(id), ProgramError::Failed { words, .. }) if words.contains("promisor remote") => {
                StoreError::NotFetched { id, why }
            }
            (Ok(id), ProgramError::Failed { .. }) => StoreError::DamagedObject { id, why },
            (_, error) => error.into(),
        }
    }
}

impl ReadObjects for ProgramObjects {
    fn read(&self, id: &ObjectId) -> Result<Option<Object>, StoreError> {
        self.read_object(&id.to_string())
    }

    fn size(&self, id: &ObjectId) -> Result<Option<u64>, StoreError> {
        let name = id.to_string();
        let header = self.with_session(&name, |session| session.info(&name))?;
        Ok(header.map(|header| header.size as u64))
    }
}

impl Session {
    fn start(mut command: Command) -> Result<Session, ProgramError> {
        // Errors are requested when they are needed: a full pipe that nobody reads would block git.
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let (mut child, guard) = running::start(&mut command)?;
        let piped = "a child with pipes has them";
        let questions = child.stdin.take().expect(piped);
        let answers = BufReader::new(child.stdout.take().expect(piped));
        Ok(Session { child, questions, answers, _guard: guard })
    }

    fn info(&mut self, name: &str) -> io::Result<Option<Header>> {
        self.questions.write_all(format!("info {name}\n").as_bytes())?;
        self.header()
    }

    fn contents(&mut self, name: &str) -> io::Result<Option<Vec<u8>>> {
        self.questions.write_all(format!("contents {name}\n").as_bytes())?;
        let Some(header) = self.header()? else { return Ok(None) };
        let mut bytes = vec![0; header.size + 1];
        self.answers.read_exact(&mut bytes)?;
        if bytes.pop() != Some(b'\n') {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok(Some(bytes))
    }

    /// Parses `<id> <kind> <size>`, or `<name> missing`.
    fn header(&mut self) -> io::Result<Option<Header>> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        let line = line.strip_suffix('\n').ok_or(io::ErrorKind::UnexpectedEof)?;
        if line.ends_with(" missing") {
            return Ok(None);
        }
        let header = || {
            let mut words = line.split(' ');
            let (id, kind, size) = (words.next()?, words.next()?, words.next()?);
            let kind = ObjectKind::ALL.into_iter().find(|known| known.name() == kind)?;
            Some(Header { id: id.parse().ok()?, kind, size: size.parse().ok()? })
        };
        header().map(Some).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Git only reads, so it may be killed at any time. Waiting for it leaves no zombie.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
