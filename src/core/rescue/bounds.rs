//! The files that fit into a snapshot.

/// The largest number of bytes of all files of a snapshot.
pub const SNAPSHOT_BYTES_MAX: u64 = 64 << 20;
/// The largest number of files of a snapshot.
pub const SNAPSHOT_FILES_MAX: usize = 10_000;

/// A file that is to be saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sized {
    pub bytes: u64,
    /// Set if git tracks it or an agent has changed it. Other files may be the output of a program.
    pub goes_first: bool,
}

/// Splits files into those that fit into a snapshot and those that do not, each by its place in
/// `files`. Work goes before what may be output, small files before large ones, so that one large
/// file does not displace many small ones.
pub fn fitting(files: &[Sized], file_bytes_max: u64) -> (Vec<usize>, Vec<usize>) {
    let mut by_size: Vec<usize> = (0..files.len()).collect();
    by_size.sort_by_key(|place| (!files[*place].goes_first, files[*place].bytes));
    let (mut kept, mut left_out, mut bytes) = (Vec::new(), Vec::new(), 0_u64);
    for place in by_size {
        let with_it = bytes.saturating_add(files[place].bytes);
        let fits = files[place].bytes <= file_bytes_max
            && with_it <= SNAPSHOT_BYTES_MAX
            && kept.len() < SNAPSHOT_FILES_MAX;
        if fits {
            bytes = with_it;
            kept.push(place);
        } else {
            left_out.push(place);
        }
    }
    kept.sort_unstable();
    left_out.sort_unstable();
    (kept, left_out)
}
