//! Trailers at the end of a commit's message.

use std::path::Path;

use super::{ProgramError, answer, named};

/// What the configuration says about the form of a message.
const FORM: [&str; 2] = ["core.commentchar", "core.commentstring"];

/// Puts trailers at the end of the message in that file, in the place of those it has.
///
/// Git runs the commands that a configuration gives to trailers, and adds trailers of its own
/// because of them. So it works on the file outside of any repository, and is told of `settings`
/// what a comment is.
pub fn add_trailers(
    message: &Path,
    trailers: &[String],
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
    let mut command = named(Path::new("/dev/null"), &words);
    command.arg("--").arg(message);
    answer(command).map(drop)
}
