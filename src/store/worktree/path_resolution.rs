//! Resolves the destination of a path of the work tree: through symbolic links, out of the work
//! tree, or into another repository inside it.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use rustix::io::Errno;

/// The maximum size of `.gitmodules`.
const MODULES_BYTES_MAX: u64 = 1024 * 1024;
/// The maximum number of links in one path, as in Linux.
const LINKS_MAX: usize = 40;

/// The components of a path, from the top of the work tree.
pub type Names = Vec<Vec<u8>>;

/// The destination of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// Inside the work tree. None of these components is a symbolic link.
    Here(Names),
    /// Outside of the work tree.
    Outside(PathBuf),
    /// In another repository, or another work tree of this one, whose top is inside this work tree.
    Elsewhere {
        top: Names,
        /// The components below the top.
        below: Names,
    },
    /// The links of this path form a circle.
    Circle(Names),
}

/// The subject of a question about a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// The path itself.
    Itself,
    /// The content of a directory.
    Below,
}

/// Follows a path below the top of a work tree, which itself has no links. Components that do not
/// exist are taken literally, and a dangling link leads to the file that writing through it would
/// create.
pub fn follow(top: &Path, names: &[Vec<u8>], about: About) -> Destination {
    let mut names = names.to_vec();
    let (mut at, mut path) = (0, top.to_owned());
    while let Some(name) = names.get(at) {
        path.push(OsStr::from_bytes(name));
        let Ok(metadata) = path.symlink_metadata() else { break };
        if metadata.is_symlink() {
            let real = match path.canonicalize() {
                Ok(real) => real,
                Err(error) if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => {
                    names.truncate(at + 1);
                    return Destination::Circle(names);
                }
                Err(_) => match resolved(&path) {
                    unmade if unmade == path => break,
                    unmade => unmade,
                },
            };
            let Ok(below) = real.strip_prefix(top) else {
                return Destination::Outside(real.join(joined(&names[at + 1..])));
            };
            let real = below.iter().map(|name| name.as_bytes().to_vec());
            names = real.chain(names.drain(at + 1..).collect::<Vec<_>>()).collect();
            (at, path) = (0, top.to_owned());
            continue;
        }
        at += 1;
        let goes_on = at < names.len() || about == About::Below;
        if goes_on && metadata.is_dir() && is_top(&path) {
            let below = names.split_off(at);
            return Destination::Elsewhere { top: names, below };
        }
    }
    Destination::Here(names)
}

/// Follows an absolute path. Existing components decide, including dangling links; components that
/// do not exist are taken literally.
pub fn resolved(path: &Path) -> PathBuf {
    walked(path).unwrap_or_else(|| {
        let real = |existing: &Path| {
            let below = path.strip_prefix(existing).ok()?;
            let real = existing.canonicalize().ok()?;
            Some(if below.as_os_str().is_empty() { real } else { real.join(below) })
        };
        path.ancestors().find_map(real).unwrap_or_else(|| path.to_owned())
    })
}

/// Follows an absolute path component by component. Returns `None` if its links form a circle, or
/// if it leads back with `..` from a directory that does not exist, through which nothing can be
/// created.
fn walked(path: &Path) -> Option<PathBuf> {
    let (mut real, mut ahead, mut exists) = (PathBuf::new(), path.to_owned(), true);
    'links: for _ in 0..=LINKS_MAX {
        let mut names = ahead.components();
        while let Some(name) = names.next() {
            match name {
                Component::Normal(name) => real.push(name),
                Component::ParentDir => {
                    exists.then(|| real.pop())?;
                    continue;
                }
                // The root replaces everything before it.
                Component::RootDir | Component::Prefix(_) => {
                    real.push(name);
                    continue;
                }
                Component::CurDir => continue,
            }
            if !exists {
                continue;
            }
            match real.read_link() {
                Ok(to) => {
                    let further = to.join(names.as_path());
                    real.pop();
                    ahead = further;
                    continue 'links;
                }
                Err(error) => exists = error.kind() == io::ErrorKind::InvalidInput,
            }
        }
        return Some(real);
    }
    None
}

/// Tells whether a directory is the top of a work tree, or pretends to be.
pub fn is_top(directory: &Path) -> bool {
    directory.join(".git").symlink_metadata().is_ok()
}

/// Joins components to a relative path.
pub fn joined(names: &[Vec<u8>]) -> PathBuf {
    names.iter().map(|name| OsStr::from_bytes(name)).collect()
}

/// Lists the submodules' paths in `.gitmodules`, for hints.
pub fn submodules(top: &Path) -> Vec<Vec<u8>> {
    let path = top.join(".gitmodules");
    let is_small = path.symlink_metadata().is_ok_and(|it| it.len() <= MODULES_BYTES_MAX);
    let text = is_small.then(|| std::fs::read(&path).ok()).flatten().unwrap_or_default();
    let value = |line: &[u8]| {
        let (key, value) = line.split_at(line.iter().position(|byte| *byte == b'=')?);
        let value = value[1..].trim_ascii();
        (key.trim_ascii().eq_ignore_ascii_case(b"path") && !value.is_empty())
            .then(|| value.to_vec())
    };
    text.split(|byte| *byte == b'\n').filter_map(value).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn names(path: &str) -> Names {
        path.split('/').map(|name| name.as_bytes().to_vec()).collect()
    }

    #[test]
    fn a_path_is_followed_as_an_edit_of_it_would_be() {
        let home = tempfile::tempdir().unwrap();
        let top = home.path().canonicalize().unwrap().join("top");
        fs::create_dir_all(top.join("src/deep")).unwrap();
        fs::create_dir_all(top.join("sub/.git")).unwrap();
        fs::write(top.join("src/a"), "").unwrap();
        for (target, link) in [
            ("src", "link"),
            ("link", "again"),
            ("../link/deep", "src/up"),
            ("src/a", "file"),
            ("..", "out"),
            ("nothing/there", "dangling"),
            ("../link/new", "src/unmade"),
            ("src/unmade", "unmade"),
            ("../away/new", "out_unmade"),
            ("nowhere/../x", "impossible"),
            ("round", "around"),
            ("around", "round"),
            ("sub", "module"),
            (".", "self"),
        ] {
            symlink(target, top.join(link)).unwrap();
        }
        let here = |path: &str| Destination::Here(names(path));
        for (path, leads_to) in [
            ("src/a", here("src/a")),
            ("link/a", here("src/a")),
            ("again/new/b", here("src/new/b")),
            ("link/up/x", here("src/deep/x")),
            ("file", here("src/a")),
            ("file/below", here("src/a/below")),
            ("dangling", here("nothing/there")),
            ("dangling/x", here("nothing/there/x")),
            ("unmade", here("src/new")),
            ("impossible", here("impossible")),
            ("link/unmade/x", here("src/new/x")),
            ("out_unmade", Destination::Outside(top.parent().unwrap().join("away/new"))),
            ("self/self/link/a", here("src/a")),
            ("sub", here("sub")),
            ("module", here("sub")),
            ("out/x", Destination::Outside(top.parent().unwrap().join("x"))),
            ("round/x", Destination::Circle(names("round"))),
        ] {
            assert_eq!(follow(&top, &names(path), About::Itself), leads_to, "{path}");
        }
        let elsewhere = Destination::Elsewhere { top: names("sub"), below: names("x/y") };
        assert_eq!(follow(&top, &names("sub/x/y"), About::Itself), elsewhere);
        assert_eq!(follow(&top, &names("module/x/y"), About::Itself), elsewhere);
        let all_of_it = Destination::Elsewhere { top: names("sub"), below: Vec::new() };
        assert_eq!(follow(&top, &names("module"), About::Below), all_of_it);
        assert_eq!(follow(&top, &[], About::Below), Destination::Here(Vec::new()));
    }

    #[test]
    fn submodules_are_read_from_their_file() {
        let home = tempfile::tempdir().unwrap();
        assert!(submodules(home.path()).is_empty());
        let text = "[submodule \"a\"]\n\tpath = vendor/a\n\turl = x=y\n[submodule \"b\"]\nPath=b\n";
        fs::write(home.path().join(".gitmodules"), text).unwrap();
        assert_eq!(submodules(home.path()), [b"vendor/a".to_vec(), b"b".to_vec()]);
    }
}
