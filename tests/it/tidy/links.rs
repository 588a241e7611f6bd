//! Links between the pages: each leads to a file that is there, and to a heading of it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use regex_lite::Regex;

use super::files::{root, tracked};
use super::none;

/// The list of pages of the site. Its links are relative to the top of the repository.
const SUMMARY: &str = "docs/site/SUMMARY.md";

#[test]
fn links_lead_somewhere() {
    let link = Regex::new(r"\]\(([^)\s]+)\)").expect("an expression");
    let pages = tracked().into_iter().filter(|file| is_page(&file.path));
    let mut found = Vec::new();
    for page in pages {
        let here = if page.path == SUMMARY { root().to_path_buf() } else { around(&page.path) };
        for (number, line) in page.numbered() {
            let targets = link.captures_iter(line).map(|link| link[1].to_owned());
            let lost = targets.filter(|target| !leads_somewhere(&here, &page.path, target));
            found.extend(lost.map(|target| format!("{}:{number}: {target}", page.path)));
        }
    }
    none(&found, "a link leads to a file of ours, and to a heading in it");
}

/// A page that is not in the list would not be on the site, and links to it would be dead.
#[test]
fn the_site_has_every_page() {
    let summary = fs::read_to_string(root().join(SUMMARY)).expect("the site has a list of pages");
    let is_listed = |path: &String| {
        path.starts_with("docs/decisions/0") || summary.contains(&format!("]({path})"))
    };
    let of_the_site = |path: &String| {
        let is_below = ["docs/", "examples/"].iter().any(|directory| path.starts_with(directory));
        is_page(path) && is_below && path != SUMMARY
    };
    let pages = tracked().into_iter().map(|file| file.path).filter(of_the_site);
    let found: Vec<String> = pages.filter(|path| !is_listed(path)).collect();
    none(&found, "each page is in 'docs/site/SUMMARY.md'");
}

/// Pages of ours, and not the texts that others see, such as profiles and skills.
fn is_page(path: &str) -> bool {
    let is_below = ["docs/", "examples/"].iter().any(|directory| path.starts_with(directory));
    let is_markdown = Path::new(path).extension().is_some_and(|kind| kind == "md");
    is_markdown && (is_below || !path.contains('/'))
}

fn around(path: &str) -> PathBuf {
    root().join(path).parent().expect("a page lies in a directory").to_path_buf()
}

fn leads_somewhere(here: &Path, page: &str, target: &str) -> bool {
    if target.contains("://") || target.starts_with("mailto:") {
        return true;
    }
    let (path, heading) = target.split_once('#').unwrap_or((target, ""));
    let file = if path.is_empty() { root().join(page) } else { here.join(path) };
    if heading.is_empty() || !file.exists() {
        return file.exists();
    }
    let text = fs::read_to_string(file).expect("a page is text");
    headings(&text).contains(heading)
}

/// Lists the names of a page's headings, as forges make them.
fn headings(page: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut is_code = false;
    for line in page.lines() {
        is_code ^= line.trim_start().starts_with("```");
        if let Some(heading) = line.strip_prefix('#').filter(|_| !is_code) {
            let text = heading.trim_start_matches('#').trim().to_lowercase();
            let name = text.chars().filter_map(|letter| match letter {
                ' ' | '-' => Some('-'),
                letter => (letter.is_alphanumeric() || letter == '_').then_some(letter),
            });
            found.insert(name.collect());
        }
    }
    found
}

#[test]
fn headings_have_the_names_that_forges_give_them() {
    let page = "# Git hooks\n```\n# no heading\n```\n## What `with` does, and why\n";
    let expected = ["git-hooks", "what-with-does-and-why"].map(str::to_owned);
    assert_eq!(headings(page), BTreeSet::from(expected));
}
