//! The id of this clone, which is made once.
//!
//! A clone that loses the file gets a new id. Then it knows its own earlier holds only as those of
//! another clone, until their time is over.

use std::path::{Path, PathBuf};

use crate::core::place::Place;
use crate::store::error::StoreError;
use crate::store::layout::{HelperDir, helpers};
use crate::store::os::files::{Files, Purpose};

/// The maximum length of the file.
const PLACE_BYTES_MAX: u64 = 64;

fn path(common_dir: &Path) -> PathBuf {
    helpers(common_dir).join("place")
}

/// Reads the id of this clone; `None` if it has none yet, or the file is damaged.
pub fn read(common_dir: &Path, files: Files) -> Option<Place> {
    let bytes = files.read(&path(common_dir), PLACE_BYTES_MAX).ok()??;
    std::str::from_utf8(&bytes).ok()?.trim_end().parse().ok()
}

/// Gives this clone an id, unless it has one. Of several processes that do so at once, the first
/// one decides.
pub fn make(common_dir: &Path, files: Files) -> Result<(), StoreError> {
    if read(common_dir, files).is_some() {
        return Ok(());
    }
    let random = getrandom::u64().map_err(|error| StoreError::Random(error.to_string()))?;
    let staging = HelperDir::Staging.below(common_dir);
    let staged = staging.join(format!("place-{}", std::process::id()));
    files.make_directories(&staging)?;
    files.remove(&staged)?;
    let content = format!("{}\n", Place::from_bits(random));
    files.write_new(&staged, content.as_bytes(), Purpose::Helper)?;
    let linked = files.link(&staged, &path(common_dir));
    // Another process was first, or the file is damaged, or the file system has no links.
    if linked.is_err() && read(common_dir, files).is_none() {
        return Ok(files.rename(&staged, &path(common_dir))?);
    }
    files.remove(&staged)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::store::testing::FILES;

    #[test]
    fn a_clone_keeps_its_id_and_gets_another_for_a_damaged_one() {
        let home = tempfile::tempdir().unwrap();
        assert_eq!(read(home.path(), FILES), None);
        make(home.path(), FILES).unwrap();
        let first = read(home.path(), FILES).unwrap();
        make(home.path(), FILES).unwrap();
        assert_eq!(read(home.path(), FILES), Some(first.clone()));
        for damaged in ["", "nonsense!", &"x".repeat(100)] {
            fs::write(path(home.path()), damaged).unwrap();
            assert_eq!(read(home.path(), FILES), None);
            make(home.path(), FILES).unwrap();
            assert_ne!(read(home.path(), FILES).unwrap(), first);
        }
        let staging = HelperDir::Staging.below(home.path());
        assert_eq!(fs::read_dir(staging).unwrap().count(), 0);
    }

    #[test]
    fn two_clones_have_two_ids() {
        let [one, other] = [(); 2].map(|()| {
            let home = tempfile::tempdir().unwrap();
            make(home.path(), FILES).unwrap();
            read(home.path(), FILES).unwrap()
        });
        assert_ne!(one, other);
    }
}
