//! New files have the requested content and mode, and a missing file is not an error.

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

#[test]
fn an_error_names_the_operation_the_path_and_the_cause() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("absent/file");
    let error = FILES.write_new(&path, b"", Purpose::State).unwrap_err();
    let expected = format!("cannot create '{}': No such file or directory", path.display());
    assert_eq!(error.to_string(), expected);
}

/// A pipe in the place of a file does not block the caller.
#[test]
fn what_is_no_file_is_not_opened() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("x.json");
    let _listening = FILES.create_fifo(&path).unwrap();
    let said = |error: FileError| error.to_string();
    assert!(said(FILES.read(&path, 10).unwrap_err()).ends_with("x.json': not a regular file"));
    assert!(said(FILES.append(&path, b"x").unwrap_err()).contains("not a regular file"));
    assert!(said(FILES.append_existing(&path, b"x").unwrap_err()).contains("not a regular file"));
    assert!(FILES.open_lockable(&path).is_err() && FILES.open_existing(&path).is_err());
}
