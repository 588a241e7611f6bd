//! Every file operation of the store, so that there is one place that fsyncs, sets permissions
//! and names the path in errors (and one place where a test can make the disk fail).
//!
//! Knows nothing of packs, refs or locks. Nothing else in `store` writes through `std::fs`.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::shared_mode::SharedMode;

/// A file operation that failed.
#[derive(Debug, thiserror::Error)]
#[error("cannot {operation} '{}'", path.display())]
pub struct FileError {
    /// What was tried, as a verb.
    pub operation: &'static str,
    /// On which file or directory.
    pub path: PathBuf,
    /// Why not.
    pub source: io::Error,
}

impl FileError {
    /// The cause, for callers that expect some causes.
    pub fn kind(&self) -> io::ErrorKind {
        self.source.kind()
    }
}

type Result<T> = std::result::Result<T, FileError>;

/// What a new file is for; decides its mode and whether it must survive a power cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Never changed again: read-only, and on disk when the call returns.
    Immutable,
    /// State that will be replaced one day: writable, and on disk when the call returns.
    State,
    /// A helper whose loss loses nothing: writable, written back when the system likes.
    Helper,
}

/// What tells one version of a file from another without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The inode where there is one.
    pub inode: u64,
    /// Time of the last write.
    pub modified: SystemTime,
    /// Length in bytes.
    pub length: u64,
}

/// How the store uses the file system of one repository.
#[derive(Clone, Copy, Debug)]
pub struct Files {
    /// Whether state is forced to disk before an operation counts as done.
    pub fsync: bool,
    /// Permissions of what is created.
    pub shared: SharedMode,
}

impl Files {
    /// Creates `path`, which must not exist, with this content.
    pub fn write_new(&self, path: &Path, content: &[u8], purpose: Purpose) -> Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            options.mode(if purpose == Purpose::Immutable { 0o444 } else { 0o666 });
        }
        let mut file = options.open(path).map_err(failed("create", path))?;
        self.fill(&mut file, content, purpose).map_err(|source| {
            // Half a file helps nobody, and the first error is the one to report.
            fs::remove_file(path).ok();
            failed("write", path)(source)
        })
    }

    fn fill(&self, file: &mut File, content: &[u8], purpose: Purpose) -> io::Result<()> {
        self.share(file, SharedMode::for_file)?;
        file.write_all(content)?;
        if self.fsync && purpose != Purpose::Helper { file.sync_all() } else { Ok(()) }
    }

    /// Adds to the end of `path`; false if there is no such file.
    pub fn append_existing(&self, path: &Path, content: &[u8]) -> Result<bool> {
        let opened = OpenOptions::new().append(true).open(path).map(Some);
        let Some(mut file) = absent_as(None, "open", path, opened)? else { return Ok(false) };
        file.write_all(content).map_err(failed("append to", path))?;
        Ok(true)
    }

    /// Opens `path` to be locked, creating it if it is absent.
    pub fn open_lockable(&self, path: &Path) -> Result<File> {
        let open = || OpenOptions::new().read(true).append(true).create(true).open(path);
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
                // Somebody else's file cannot be changed, and already is as they wanted it.
                self.share(&file, SharedMode::for_file).ok();
                Ok(file)
            }
            // Locking needs no right to write.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                File::open(path).map_err(failed("open", path))
            }
            Err(error) => Err(failed("open", path)(error)),
        }
    }

    /// Moves a file, replacing what was at `to`.
    pub fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        fs::rename(from, to).map_err(failed("move a file to", to))
    }

    /// Gives a file a second name, which must not exist.
    pub fn link(&self, from: &Path, to: &Path) -> Result<()> {
        fs::hard_link(from, to).map_err(failed("link a file to", to))
    }

    /// Removes a file; false if it was not there.
    pub fn remove(&self, path: &Path) -> Result<bool> {
        absent_as(false, "remove", path, fs::remove_file(path).map(|()| true))
    }

    /// Removes a directory and the directories in it, none of which may hold a file.
    pub fn remove_empty_directories(&self, path: &Path) -> Result<()> {
        for name in self.list(path)? {
            let child = path.join(name);
            if child.is_dir() && !child.is_symlink() {
                self.remove_empty_directories(&child)?;
            }
        }
        absent_as((), "remove", path, fs::remove_dir(path))
    }

    /// Makes sure that `path` and its parents are directories.
    pub fn make_directories(&self, path: &Path) -> Result<()> {
        if path.is_dir() {
            return Ok(());
        }
        if let Some(parent) = path.parent() {
            self.make_directories(parent)?;
        }
        match fs::create_dir(path) {
            Ok(()) => File::open(path)
                .and_then(|directory| self.share(&directory, SharedMode::for_directory))
                .map_err(failed("share", path)),
            Err(_) if path.is_dir() => Ok(()),
            Err(error) => Err(failed("create", path)(error)),
        }
    }

    /// Forces renames and removals in a directory to disk.
    pub fn sync_directory(&self, path: &Path) -> Result<()> {
        if !self.fsync || cfg!(not(unix)) {
            return Ok(());
        }
        match File::open(path).and_then(|directory| directory.sync_all()) {
            // Some network file systems do not know this; they have nothing better to offer.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
            other => other.map_err(failed("sync", path)),
        }
    }

    /// The content of a file, none if there is no file; refuses more than `length_max` bytes.
    pub fn read(&self, path: &Path, length_max: u64) -> Result<Option<Vec<u8>>> {
        let content = self.read_start(path, length_max.saturating_add(1))?;
        if content.as_ref().is_some_and(|content| content.len() as u64 > length_max) {
            let reason = format!("longer than {length_max} bytes");
            let source = io::Error::new(io::ErrorKind::FileTooLarge, reason);
            return Err(failed("read", path)(source));
        }
        Ok(content)
    }

    /// The first bytes of a file, at most `length`; none if there is no file.
    pub fn read_start(&self, path: &Path, length: u64) -> Result<Option<Vec<u8>>> {
        let read = || {
            let mut content = Vec::new();
            File::open(path)?.take(length).read_to_end(&mut content)?;
            Ok(Some(content))
        };
        absent_as(None, "read", path, read())
    }

    /// The names in a directory in order; an absent directory is an empty one.
    pub fn list(&self, path: &Path) -> Result<Vec<OsString>> {
        let list = || fs::read_dir(path)?.map(|entry| Ok(entry?.file_name())).collect();
        let mut names: Vec<_> = absent_as(Vec::new(), "list", path, list())?;
        names.sort_unstable();
        Ok(names)
    }

    /// Whether there is anything at `path`.
    pub fn exists(&self, path: &Path) -> Result<bool> {
        self.stamp(path).map(|stamp| stamp.is_some())
    }

    /// Which version of a file this is; none if there is no file.
    pub fn stamp(&self, path: &Path) -> Result<Option<Stamp>> {
        let stamp = || {
            let metadata = fs::symlink_metadata(path)?;
            #[cfg(unix)]
            let inode = std::os::unix::fs::MetadataExt::ino(&metadata);
            #[cfg(not(unix))]
            let inode = 0;
            Ok(Some(Stamp { inode, modified: metadata.modified()?, length: metadata.len() }))
        };
        absent_as(None, "examine", path, stamp())
    }

    /// Applies `core.sharedRepository` to what was just created.
    #[cfg(unix)]
    fn share(&self, file: &File, adjust: fn(SharedMode, u32) -> u32) -> io::Result<()> {
        use std::os::unix::fs::PermissionsExt as _;
        if self.shared == SharedMode::Umask {
            return Ok(());
        }
        let mut permissions = file.metadata()?.permissions();
        let before = permissions.mode() & 0o7777;
        permissions.set_mode(adjust(self.shared, before));
        // Only the owner may change permissions, so what is right already is left as it is.
        if permissions.mode() == before { Ok(()) } else { file.set_permissions(permissions) }
    }

    #[cfg(not(unix))]
    fn share(&self, _: &File, _: fn(SharedMode, u32) -> u32) -> io::Result<()> {
        Ok(())
    }
}

fn failed(operation: &'static str, path: &Path) -> impl FnOnce(io::Error) -> FileError {
    move |source| FileError { operation, path: path.to_owned(), source }
}

/// A path whose parent is a file names nothing, just as one whose parent is absent.
fn is_absence(kind: io::ErrorKind) -> bool {
    matches!(kind, io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn absent_as<T>(absent: T, verb: &'static str, path: &Path, got: io::Result<T>) -> Result<T> {
    match got {
        Err(error) if is_absence(error.kind()) => Ok(absent),
        other => other.map_err(failed(verb, path)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: Files = Files { fsync: true, shared: SharedMode::Group };

    #[test]
    fn a_new_file_is_exclusive_and_shared() {
        let home = tempfile::tempdir().unwrap();
        let directory = home.path().join("a/b");
        FILES.make_directories(&directory).unwrap();
        let path = directory.join("file");
        FILES.write_new(&path, b"content", Purpose::Immutable).unwrap();
        let error = FILES.write_new(&path, b"other", Purpose::State).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert!(error.to_string().starts_with("cannot create '"), "{error}");
        assert_eq!(FILES.read(&path, 7).unwrap().unwrap(), b"content");
        assert_eq!(FILES.read(&path, 6).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
            assert_eq!(mode(&path) & 0o660, 0o440);
            assert_eq!(mode(&directory) & 0o2770, 0o2770);
        }
    }

    #[test]
    fn what_is_absent_is_no_error() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("nothing/here");
        assert!(!FILES.remove(&path).unwrap());
        assert!(!FILES.append_existing(&path, b"line").unwrap());
        assert!(FILES.list(&path).unwrap().is_empty());
        assert_eq!(FILES.read(&path, 10).unwrap(), None);
        assert_eq!(FILES.stamp(&path).unwrap(), None);
    }
}
