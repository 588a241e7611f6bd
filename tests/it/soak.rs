//! A short storm: `tests/soak.sh`, which has its own checker. Before a release it runs for minutes.

use std::path::Path;
use std::process::Command;

use crate::support::env::program;
use crate::support::gits::skip;

/// 0/RACE-01, 1/C1, 3/CONCURRENT: whatever is killed, stopped or tidied up meanwhile, nothing that
/// was acknowledged is lost or done twice, and no two hold the same.
#[test]
fn what_agents_are_told_in_a_storm_is_true() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/soak.sh");
    let home = tempfile::tempdir().unwrap();
    let storm = Command::new("bash")
        .arg(script)
        .args(["--seconds", "15", "--agents", "12", "--kinds", "files,reftable", "--seed", "7"])
        .env("GIT_COORD", program())
        .env("TMPDIR", home.path())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&storm.stdout);
    told.lines().filter_map(|line| line.strip_prefix("skipped: ")).for_each(skip);
    assert!(storm.status.success(), "{told}{}", String::from_utf8_lossy(&storm.stderr));
}
