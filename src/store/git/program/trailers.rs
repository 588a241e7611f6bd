//! Trailers at the end of a commit's message.

use std::path::Path;

use super::{ProgramError, answer, named};
use crate::core::environment::Environment;

/// The settings that define comments in a message.
const FORM: [&str; 2] = ["core.commentchar", "core.commentstring"];

/// Appends trailers to the message in a file, and replaces existing ones of the same name.
///
/// Git runs the commands that a configuration gives to trailers, and adds trailers of its own
/// because of them. So git edits the file outside of any repository, and gets only the settings
/// that define comments from `setting`.
pub fn add_trailers(
    message: &Path,
    trailers: &[String],
    environment: &Environment,
    setting: &dyn Fn(&str) -> Option<String>,
) -> Result<(), ProgramError> {
    let form = FORM.iter().filter_map(|key| Some(format!("{key}={}", setting(key)?)));
    let form: Vec<String> = form.flat_map(|pair| ["-c".to_owned(), pair]).collect();
    let mut words: Vec<&str> = form.iter().map(String::as_str).collect();
    words.extend(["interpret-trailers", "--in-place"]);
    words.extend(["--where=end", "--if-exists=replace", "--if-missing=add", "--no-divider"]);
    for trailer in trailers {
        words.extend(["--trailer", trailer]);
    }
    let mut command = named(Path::new("/dev/null"), &words, environment);
    command.arg("--").arg(message);
    answer(command).map(drop)
}
