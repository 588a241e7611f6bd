//! The documentation as a site: `docs/site.sh` builds it, and its links hold.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use regex_lite::Regex;

use crate::support::tools::mdbook;

/// Builds the site into a directory of its own.
fn built(mdbook: &Path) -> tempfile::TempDir {
    let site = tempfile::tempdir().expect("a directory can be made");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let front = std::iter::once(mdbook.to_path_buf()).chain(std::env::split_paths(&path));
    let path = std::env::join_paths(front).expect("no entry of PATH contains a separator");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/site.sh");
    let output = Command::new("bash")
        .arg(script)
        .arg(site.path().join("site"))
        .env("PATH", path)
        .stdin(Stdio::null())
        .output()
        .expect("a script can be run");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !said.contains("WARN"), "{said}");
    site
}

#[test]
fn the_site_is_built_and_its_links_hold() {
    let Some(mdbook) = mdbook() else { return };
    let site = built(&mdbook);
    let site = site.path().join("site");
    let pages = pages_below(&site);
    assert!(pages.len() > 25, "{pages:?}");
    let has_search = fs::read_dir(&site)
        .unwrap()
        .any(|entry| entry.unwrap().file_name().to_string_lossy().starts_with("searchindex"));
    assert!(has_search, "the site has an index for its search");
    let link = Regex::new(r#"href="([^"]+)""#).unwrap();
    let mut lost = BTreeSet::new();
    for page in &pages {
        let text = fs::read_to_string(page).unwrap();
        let content = text.split("<main>").nth(1).unwrap_or_default();
        let content = content.split("</main>").next().unwrap_or_default();
        for target in link.captures_iter(content).map(|found| found[1].to_owned()) {
            if !leads_somewhere(page, &target) {
                lost.insert(format!("{}: {target}", page.strip_prefix(&site).unwrap().display()));
            }
        }
    }
    assert!(lost.is_empty(), "links to nothing:\n{}", Vec::from_iter(lost).join("\n"));
}

/// Lists the pages, but for the one that has all of them in it.
fn pages_below(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let (directories, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let is_page = |path: &PathBuf| {
        path.extension().is_some_and(|kind| kind == "html")
            && !["print.html", "toc.html", "404.html"].iter().any(|name| path.ends_with(name))
    };
    let below = directories.iter().flat_map(|directory| pages_below(directory));
    files.iter().filter(|path| is_page(path)).cloned().chain(below).collect()
}

fn leads_somewhere(page: &Path, target: &str) -> bool {
    if target.contains("://") || target.starts_with("mailto:") {
        return true;
    }
    let (path, heading) = target.split_once('#').unwrap_or((target, ""));
    let file = if path.is_empty() { page.to_path_buf() } else { page.parent().unwrap().join(path) };
    if heading.is_empty() || !file.is_file() {
        return file.exists();
    }
    fs::read_to_string(file).unwrap().contains(&format!("id=\"{heading}\""))
}
