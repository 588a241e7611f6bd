//! Every file operation of the store: the one place that syncs, sets permissions and names the path
//! in errors.
//!
//! This module knows nothing of packs, refs or locks, and nothing else in `store` changes a file.
//! Each system call is one `Step`, so that tests can make each of them fail.

mod entries;
#[cfg(debug_assertions)]
mod faults;
mod fifo;
mod purpose;
mod regular;
mod replace;
mod step;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::mem;
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, SystemTime};

use fd_lock::{RwLock, RwLockWriteGuard};

use crate::store::os::shared_mode::SharedMode;
pub use entries::{Entry, EntryType, link_at_or_in};
pub use purpose::Purpose;
use regular::{opened, opened_to_read};
pub use replace::{Rights, Shape};
pub use step::FileError;
use step::{Operation, Step};

/// The usual maximum size of a ref, a note or a presence.
const SMALL_FILE_LENGTH: usize = 1024;

type Result<T> = std::result::Result<T, FileError>;

/// A file to be created.
#[derive(Clone, Copy, Debug)]
pub struct NewFile<'a> {
    pub path: &'a Path,
    pub content: &'a [u8],
    pub purpose: Purpose,
}

/// Distinguishes versions of a file without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The inode number; 0 on systems without one.
    pub inode: u64,
    /// The time of the last write.
    pub modified: SystemTime,
    /// The length in bytes.
    pub length: u64,
}

/// The settings for file operations in one repository.
#[derive(Clone, Copy, Debug)]
pub struct Files {
    /// Set if state is synced to disk before an operation counts as done.
    pub fsync: bool,
    /// The permissions of new files and directories.
    pub shared: SharedMode,
}

impl Files {
    /// Creates `path`, which must not exist, with this content.
    pub fn write_new(&self, path: &Path, content: &[u8], purpose: Purpose) -> Result<()> {
        self.write_all_new(&[NewFile { path, content, purpose }])
    }

    /// Creates files, none of which may exist: all of them or, if an operation fails, none. On
    /// Linux, writing back starts for all of them before the first is synced, so that several
    /// together take less time than each alone.
    pub fn write_all_new(&self, files: &[NewFile<'_>]) -> Result<()> {
        let mut made = Vec::with_capacity(files.len());
        let written = files.iter().try_for_each(|new| {
            let file = create(new)?;
            let filled = self.fill(&file, new);
            made.push((new, file));
            filled
        });
        let outcome = written.and_then(|()| self.flush(&made));
        // An incomplete set is useless, and the first error is the one to report.
        outcome.inspect_err(|_| made.iter().for_each(|(new, _)| drop(self.remove(new.path))))
    }

    /// Syncs the files that must survive a power cut.
    fn flush(&self, made: &[(&NewFile<'_>, File)]) -> Result<()> {
        let mut surviving = made.iter().filter(|(new, _)| self.must_survive(new.purpose));
        surviving.try_for_each(|(new, file)| {
            Step::new(Operation::Sync, new.path).run(|| file.sync_all())
        })
    }

    fn fill(&self, mut file: &File, new: &NewFile<'_>) -> Result<()> {
        let NewFile { path, content, purpose } = *new;
        if purpose != Purpose::Private {
            self.share(file, path, SharedMode::for_file)?;
        }
        Step::new(Operation::Write, path).writing(file, content).run(|| file.write_all(content))?;
        if self.must_survive(purpose) {
            begin_writing_back(file);
        }
        Ok(())
    }

    fn must_survive(&self, purpose: Purpose) -> bool {
        self.fsync && !matches!(purpose, Purpose::Helper | Purpose::Private)
    }

    /// Appends to a file. Returns false if it does not exist.
    pub fn append_existing(&self, path: &Path, content: &[u8]) -> Result<bool> {
        let open = || opened(OpenOptions::new().append(true), path).map(Some);
        let opened = absent_as(None, Step::new(Operation::Open, path).run(open))?;
        let Some(file) = opened else { return Ok(false) };
        let append = Step::new(Operation::Append, path).writing(&file, content);
        append.run(|| (&file).write_all(content))?;
        Ok(true)
    }

    /// Appends to a file, and creates it if it does not exist.
    pub fn append(&self, path: &Path, content: &[u8]) -> Result<()> {
        let open = || opened(OpenOptions::new().append(true).create(true), path);
        let file = Step::new(Operation::Open, path).run(open)?;
        // The mode of another user's file cannot be changed, and is already as they wanted it.
        self.share(&file, path, SharedMode::for_file).ok();
        let append = Step::new(Operation::Append, path).writing(&file, content);
        append.run(|| (&file).write_all(content))
    }

    /// Opens a file for locking, and creates it if it does not exist.
    pub fn open_lockable(&self, path: &Path) -> Result<File> {
        let open = || {
            let mut options = OpenOptions::new();
            Step::new(Operation::Open, path)
                .run(|| opened(options.read(true).append(true).create(true), path))
        };
        let opened = match open() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if let Some(directory) = path.parent() {
                    self.make_directories(directory)?;
                }
                open()
            }
            other => other,
        };
        match opened {
            Ok(file) => {
                // Another user's file cannot be changed, and already is as they wanted it.
                self.share(&file, path, SharedMode::for_file).ok();
                Ok(file)
            }
            // Locking needs no right to write. If reading is denied too, reports the first error.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                Step::new(Operation::Open, path).run(|| opened_to_read(path)).map_err(|_| error)
            }
            Err(error) => Err(error),
        }
    }

    /// Opens an existing file for locking; `None` if it does not exist.
    pub fn open_existing(&self, path: &Path) -> Result<Option<File>> {
        absent_as(None, Step::new(Operation::Open, path).run(|| opened_to_read(path).map(Some)))
    }

    /// Waits for the kernel's lock on an open file. Returns false if another process had it all
    /// that time. The kernel wakes the next process at once, while polling would leave the lock
    /// idle in between.
    pub fn lock_within(&self, file: &File, path: &Path, limit: Duration) -> Result<bool> {
        Step::new(Operation::Lock, path).run(|| {
            let waiting = file.try_clone()?;
            let (sender, locked) = mpsc::channel();
            let wait = move || {
                // After a caller gave up, closing this last handle releases the lock.
                sender.send(RwLock::new(&waiting).write().map(keep_locked)).ok();
            };
            thread::Builder::new().name("lock".to_owned()).spawn(wait)?;
            locked.recv_timeout(limit).unwrap_or(Ok(false))
        })
    }

    /// Tries to get the kernel's lock on an open file, without waiting. Returns false if another
    /// process has it. Closing the file releases it.
    pub fn try_lock(&self, file: &File, path: &Path) -> Result<bool> {
        Step::new(Operation::Lock, path).run(|| match RwLock::new(file).try_write() {
            Ok(guard) => Ok(keep_locked(guard)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
            Err(error) => Err(error),
        })
    }

    /// Sets the time of the last write to now.
    pub fn touch(&self, file: &File, path: &Path) -> Result<()> {
        Step::new(Operation::Touch, path).run(|| file.set_modified(SystemTime::now()))
    }

    /// Renames a file, replacing the one at `to`.
    pub fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        Step::new(Operation::Rename, to).from(from).run(|| fs::rename(from, to))
    }

    /// Creates a hard link, which must not exist.
    pub fn link(&self, from: &Path, to: &Path) -> Result<()> {
        Step::new(Operation::Link, to).from(from).run(|| fs::hard_link(from, to))
    }

    /// Removes a file. Returns false if it did not exist.
    pub fn remove(&self, path: &Path) -> Result<bool> {
        let remove = || fs::remove_file(path).map(|()| true);
        absent_as(false, Step::new(Operation::Remove, path).run(remove))
    }

    /// Removes a directory and its subdirectories, none of which may contain a file.
    pub fn remove_empty_directories(&self, path: &Path) -> Result<()> {
        for name in self.list(path)? {
            let child = path.join(name);
            if examine(&child)?.is_some_and(|metadata| metadata.is_dir()) {
                self.remove_empty_directories(&child)?;
            }
        }
        absent_as((), Step::new(Operation::RemoveDirectory, path).run(|| fs::remove_dir(path)))
    }

    /// Creates a directory and its parents, unless they exist.
    pub fn make_directories(&self, path: &Path) -> Result<()> {
        if self.is_directory(path)? {
            return Ok(());
        }
        if let Some(parent) = path.parent() {
            self.make_directories(parent)?;
        }
        match Step::new(Operation::MakeDirectory, path).run(|| fs::create_dir(path)) {
            Ok(()) => self.share_directory(path),
            Err(error) => {
                if self.is_directory(path)? {
                    Ok(())
                } else {
                    Err(error)
                }
            }
        }
    }

    /// Syncs the creations, renames and removals in a directory to disk.
    pub fn sync_directory(&self, path: &Path) -> Result<()> {
        if !self.fsync || cfg!(not(unix)) {
            return Ok(());
        }
        let sync = || File::open(path).and_then(|directory| directory.sync_all());
        match Step::new(Operation::SyncDirectory, path).run(sync) {
            // Some network file systems do not support this, and offer nothing better.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
            other => other,
        }
    }

    /// Reads a file; `None` if it does not exist. Fails if it is longer than `length_max` bytes.
    pub fn read(&self, path: &Path, length_max: u64) -> Result<Option<Vec<u8>>> {
        let content = self.read_start(path, length_max.saturating_add(1))?;
        if content.as_ref().is_some_and(|content| content.len() as u64 > length_max) {
            let reason = format!("longer than {length_max} bytes");
            let cause = io::Error::new(io::ErrorKind::FileTooLarge, reason);
            return Err(FileError {
                operation: Operation::Read.verb(),
                path: path.to_owned(),
                cause,
            });
        }
        Ok(content)
    }

    /// Reads at most `length` bytes from the start of a file; `None` if it does not exist.
    pub fn read_start(&self, path: &Path, length: u64) -> Result<Option<Vec<u8>>> {
        let read = || {
            // Nearly all of our files fit into this buffer, and arrive with the first read.
            let mut content = Vec::with_capacity(SMALL_FILE_LENGTH);
            opened_to_read(path)?.take(length).read_to_end(&mut content)?;
            Ok(Some(content))
        };
        absent_as(None, Step::new(Operation::Read, path).run(read))
    }

    /// Lists the names in a directory in order. A directory that does not exist is empty.
    pub fn list(&self, path: &Path) -> Result<Vec<OsString>> {
        let mut names: Vec<_> = self.list_kinds(path)?.into_iter().map(|(name, _)| name).collect();
        names.sort_unstable();
        Ok(names)
    }

    /// Lists the names in a directory, each with its kind, in no order. Links are not followed.
    pub fn list_kinds(&self, path: &Path) -> Result<Vec<(OsString, fs::FileType)>> {
        let named = |entry: fs::DirEntry| Ok((entry.file_name(), entry.file_type()?));
        let list = || fs::read_dir(path)?.map(|entry| named(entry?)).collect();
        absent_as(Vec::new(), Step::new(Operation::List, path).run(list))
    }

    /// Tells whether `path` exists. A dangling link counts.
    pub fn exists(&self, path: &Path) -> Result<bool> {
        examine(path).map(|metadata| metadata.is_some())
    }

    /// Tells whether `path` leads to a directory.
    pub fn is_directory(&self, path: &Path) -> Result<bool> {
        let look = || fs::metadata(path).map(|metadata| metadata.is_dir());
        absent_as(false, Step::new(Operation::Examine, path).run(look))
    }

    /// Reads the stamp of a file; `None` if it does not exist.
    pub fn stamp(&self, path: &Path) -> Result<Option<Stamp>> {
        let Some(metadata) = examine(path)? else { return Ok(None) };
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(&metadata);
        #[cfg(not(unix))]
        let inode = 0;
        // On a file system without times, the other two have to do.
        let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        Ok(Some(Stamp { inode, modified, length: metadata.len() }))
    }

    fn share_directory(&self, path: &Path) -> Result<()> {
        if self.shared == SharedMode::Umask {
            return Ok(());
        }
        let directory = Step::new(Operation::Open, path).run(|| File::open(path))?;
        self.share(&directory, path, SharedMode::for_directory)
    }

    /// Applies `core.sharedRepository` to a new file or directory.
    #[cfg(unix)]
    fn share(&self, file: &File, path: &Path, adjust: fn(SharedMode, u32) -> u32) -> Result<()> {
        use std::os::unix::fs::PermissionsExt as _;
        if self.shared == SharedMode::Umask {
            return Ok(());
        }
        Step::new(Operation::Share, path).run(|| {
            let mut permissions = file.metadata()?.permissions();
            let before = permissions.mode() & 0o7777;
            permissions.set_mode(adjust(self.shared, before));
            // Only the owner may change permissions, so correct ones are left alone.
            if permissions.mode() == before { Ok(()) } else { file.set_permissions(permissions) }
        })
    }

    #[cfg(not(unix))]
    fn share(&self, _: &File, _: &Path, _: fn(SharedMode, u32) -> u32) -> Result<()> {
        Ok(())
    }
}

fn create(new: &NewFile<'_>) -> Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(new.purpose.mode());
    }
    Step::new(Operation::Create, new.path).run(|| options.open(new.path))
}

/// Starts writing back before the file is synced. Nothing depends on it.
#[cfg(target_os = "linux")]
fn begin_writing_back(file: &File) {
    rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed).ok();
}

#[cfg(not(target_os = "linux"))]
fn begin_writing_back(_: &File) {}

/// Moves a lock from its guard to the open file: the guard would release it with the borrow, but a
/// place in a queue lasts as long as the file is open.
fn keep_locked(guard: RwLockWriteGuard<'_, &File>) -> bool {
    mem::forget(guard);
    true
}

/// Reads the metadata at `path` without following links.
fn examine(path: &Path) -> Result<Option<Metadata>> {
    let look = || fs::symlink_metadata(path).map(Some);
    absent_as(None, Step::new(Operation::Examine, path).run(look))
}

/// Tells whether an error means that a path does not exist, for instance below a file.
fn is_absence(kind: io::ErrorKind) -> bool {
    matches!(kind, io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn absent_as<T>(absent: T, got: Result<T>) -> Result<T> {
    match got {
        Err(error) if is_absence(error.kind()) => Ok(absent),
        other => other,
    }
}
