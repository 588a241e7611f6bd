//! Replaces whole files that people and other programs read too, with the same permissions.

use std::fs::{self, File, Permissions};
use std::path::Path;

use super::step::{Operation, Step};
use super::{Files, Purpose, Result, absent_as, examine};

/// The permissions of a replaced file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rights {
    /// Those of the file that is replaced; for a new file, the default ones.
    AsBefore,
    /// Readers of the file may also execute it.
    Executable,
    /// Those of the file that is replaced, but nobody may execute it.
    Plain,
}

/// The metadata of a file that `install` needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Set for a symbolic link, wherever it leads.
    pub is_link: bool,
    /// Set if the owner may execute the file.
    pub is_executable: bool,
}

impl Files {
    /// Replaces a file atomically. Concurrent readers see the old one.
    pub fn replace(&self, path: &Path, content: &[u8], rights: Rights) -> Result<()> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let staged = path.with_file_name(format!(".{name}.{}", std::process::id()));
        self.replace_by(path, &staged, content, rights)
    }

    /// Replaces a file through a staged file of this name, which must be on the same file system.
    pub fn replace_by(
        &self,
        path: &Path,
        staged: &Path,
        content: &[u8],
        rights: Rights,
    ) -> Result<()> {
        self.remove(staged)?;
        self.stage(staged, content, path, rights)?;
        self.rename(staged, path).inspect_err(|_| drop(self.remove(staged)))?;
        path.parent().map_or(Ok(()), |directory| self.sync_directory(directory))
    }

    /// Writes a file that is to take the place of `path`.
    pub fn stage(&self, staged: &Path, content: &[u8], path: &Path, rights: Rights) -> Result<()> {
        self.write_new(staged, content, Purpose::State)?;
        give(staged, path, rights).inspect_err(|_| drop(self.remove(staged)))
    }

    /// Makes a symbolic link, which must not exist.
    pub fn make_symbolic_link(&self, target: &Path, path: &Path) -> Result<()> {
        Step::new(Operation::Link, path).run(|| std::os::unix::fs::symlink(target, path))
    }

    /// Reads the shape of a file; `None` if it does not exist.
    pub fn shape(&self, path: &Path) -> Result<Option<Shape>> {
        let Some(metadata) = examine(path)? else { return Ok(None) };
        let is_link = metadata.is_symlink();
        let led_to = || fs::metadata(path).map(|metadata| may_run(&metadata.permissions()));
        let is_executable = absent_as(false, Step::new(Operation::Examine, path).run(led_to))?;
        Ok(Some(Shape { is_link, is_executable }))
    }

    /// Tells whether this process may create files in a directory.
    pub fn can_write_in(&self, directory: &Path) -> bool {
        #[cfg(unix)]
        return rustix::fs::access(directory, rustix::fs::Access::WRITE_OK).is_ok();
        #[cfg(not(unix))]
        return directory.is_dir();
    }

    /// Removes an empty directory. Returns false if it is not empty or does not exist.
    pub fn remove_if_empty(&self, path: &Path) -> Result<bool> {
        if !self.is_directory(path)? || !self.list(path)?.is_empty() {
            return Ok(false);
        }
        let remove = || fs::remove_dir(path).map(|()| true);
        absent_as(false, Step::new(Operation::RemoveDirectory, path).run(remove))
    }

    /// Removes a directory with its content. Links are removed, not followed.
    pub fn remove_all(&self, path: &Path) -> Result<()> {
        for name in self.list(path)? {
            let child = path.join(name);
            if examine(&child)?.is_some_and(|metadata| metadata.is_dir()) {
                self.remove_all(&child)?;
            } else {
                self.remove(&child)?;
            }
        }
        absent_as((), Step::new(Operation::RemoveDirectory, path).run(|| fs::remove_dir(path)))
    }
}

/// Sets the permissions that a staged file will have in its place.
fn give(staged: &Path, path: &Path, rights: Rights) -> Result<()> {
    let set = |permissions: Permissions| {
        Step::new(Operation::Share, staged).run(|| fs::set_permissions(staged, permissions))
    };
    match rights {
        Rights::AsBefore => permissions_of(path)?.map_or(Ok(()), set),
        Rights::Plain => {
            // Those of a symbolic link are those of another file.
            let is_link = examine(path)?.is_some_and(|metadata| metadata.is_symlink());
            let before = if is_link { None } else { permissions_of(path)? };
            before.map_or(Ok(()), |before| set(not_runnable(before)))
        }
        Rights::Executable => {
            let file = Step::new(Operation::Open, staged).run(|| File::open(staged))?;
            let metadata = Step::new(Operation::Examine, staged).run(|| file.metadata())?;
            set(runnable(metadata.permissions()))
        }
    }
}

fn permissions_of(path: &Path) -> Result<Option<Permissions>> {
    let before = || fs::metadata(path).map(|metadata| Some(metadata.permissions()));
    absent_as(None, Step::new(Operation::Examine, path).run(before))
}

#[cfg(unix)]
fn not_runnable(mut permissions: Permissions) -> Permissions {
    use std::os::unix::fs::PermissionsExt as _;
    permissions.set_mode(permissions.mode() & !0o111);
    permissions
}

#[cfg(not(unix))]
fn not_runnable(permissions: Permissions) -> Permissions {
    permissions
}

#[cfg(unix)]
fn may_run(permissions: &Permissions) -> bool {
    std::os::unix::fs::PermissionsExt::mode(permissions) & 0o100 != 0
}

#[cfg(unix)]
fn runnable(mut permissions: Permissions) -> Permissions {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = permissions.mode();
    permissions.set_mode(mode | ((mode & 0o444) >> 2));
    permissions
}

#[cfg(not(unix))]
fn may_run(_: &Permissions) -> bool {
    true
}

#[cfg(not(unix))]
fn runnable(permissions: Permissions) -> Permissions {
    permissions
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;
    use crate::store::testing::FILES;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_replaced_file_keeps_its_rights_unless_it_is_to_be_run() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("x");
        FILES.replace(&path, b"1", Rights::AsBefore).unwrap();
        assert!(!FILES.shape(&path).unwrap().unwrap().is_executable);
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        FILES.replace(&path, b"2", Rights::AsBefore).unwrap();
        assert_eq!((mode(&path), fs::read(&path).unwrap()), (0o640, b"2".to_vec()));
        FILES.replace(&path, b"3", Rights::Executable).unwrap();
        assert!(FILES.shape(&path).unwrap().unwrap().is_executable);
        assert_eq!(FILES.list(home.path()).unwrap(), ["x"], "nothing staged is left");
    }

    #[test]
    fn a_link_is_seen_as_one_and_removed_without_what_it_leads_to() {
        let home = tempfile::tempdir().unwrap();
        let (inside, outside) = (home.path().join("in"), home.path().join("out"));
        fs::create_dir_all(inside.join("deep")).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("mine"), "").unwrap();
        symlink(&outside, inside.join("deep/link")).unwrap();
        assert!(FILES.shape(&inside.join("deep/link")).unwrap().unwrap().is_link);
        assert_eq!(FILES.shape(&home.path().join("none")).unwrap(), None);
        assert!(!FILES.remove_if_empty(&inside).unwrap());
        FILES.remove_all(&inside).unwrap();
        assert!(!inside.exists() && outside.join("mine").is_file());
        fs::create_dir(&inside).unwrap();
        assert!(FILES.remove_if_empty(&inside).unwrap() && !inside.exists());
    }
}
