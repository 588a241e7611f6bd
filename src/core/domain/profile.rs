//! Profiles: the review criteria of a domain, and the agents that review for it.
//!
//! A profile is Markdown that people write. `## Review criteria` is a list; `## Agent
//! Specifications` has one `### <name>` for each agent, with the fields `Focus`, `Persona`,
//! `Decision lens`, `Key review areas` and `Success criteria hints`. A line that continues the line
//! before it is part of it, as everywhere in Markdown, and fenced code is an example that means
//! nothing. A bad specification is reported and does not stop the others.

use crate::core::domain::code_fence::Fence;
use crate::core::domain::name::Name;
use crate::core::text::shown;

/// Most bytes of a profile.
pub const PROFILE_BYTES_MAX: u64 = 256 * 1024;
/// Most agents of a profile.
const AGENTS_MAX: usize = 50;
/// Characters of a line that are read.
const LINE_CHARS_MAX: usize = 1_000;

/// Agents that every project has from elsewhere: these are never generated.
pub const CORE_AGENTS: [&str; 7] = [
    "fd-architecture",
    "fd-safety",
    "fd-correctness",
    "fd-quality",
    "fd-user-product",
    "fd-performance",
    "fd-game-design",
];

macro_rules! shipped {
    ($($name:literal,)*) => {
        /// The profiles that come with the program, by domain.
        const SHIPPED: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("profiles/", $name, ".md"))),)*];
    };
}

shipped! {
    "claude-code-plugin",
    "cli-tool",
    "data-pipeline",
    "desktop-tauri",
    "embedded-systems",
    "game-simulation",
    "library-sdk",
    "ml-pipeline",
    "mobile-app",
    "tui-app",
    "web-api",
}

/// Returns the profile of a domain that comes with the program.
pub fn shipped(domain: &Name) -> Option<&'static str> {
    SHIPPED.iter().find(|(name, _)| *name == domain.as_str()).map(|(_, text)| *text)
}

/// The review criteria of a domain, and its agents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    pub criteria: Vec<String>,
    /// The agents, or for a bad specification the reason why it is none.
    pub agents: Vec<Result<Specification, BadSpecification>>,
}

/// An agent as a profile describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Specification {
    pub name: Name,
    /// The subject of its reviews.
    pub focus: String,
    /// The character that it takes on.
    pub persona: String,
    /// The question that it decides by.
    pub lens: String,
    /// The faults that it looks for.
    pub areas: Vec<String>,
    /// The signs of a good review.
    pub hints: Vec<String>,
}

/// A specification that no agent can be generated from.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{heading}': {why}")]
pub struct BadSpecification {
    pub heading: String,
    pub why: String,
}

/// Parses a profile.
pub fn parse(text: &str) -> Profile {
    let mut profile = Profile::default();
    let mut section = "";
    let mut agent: Option<Draft> = None;
    let mut criterion_is_open = false;
    let mut example: Option<Fence> = None;
    for mut line in text.lines().map(str::trim_end) {
        if let Some(fence) = example {
            example = Some(fence).filter(|fence| !fence.is_closed_by(line));
            continue;
        }
        example = Fence::opened_by(line);
        if example.is_some() {
            // An example ends the text before it, as an empty line does.
            line = "";
        }
        if let Some(heading) = line.strip_prefix("## ") {
            profile.agents.extend(agent.take().map(Draft::finish));
            section = heading.trim();
            criterion_is_open = false;
        } else if section.eq_ignore_ascii_case("review criteria") {
            if let Some(criterion) = item(line) {
                profile.criteria.push(criterion);
                criterion_is_open = true;
            } else if ends_paragraph(line) {
                criterion_is_open = false;
            } else if let Some(last) = profile.criteria.last_mut().filter(|_| criterion_is_open) {
                continue_text(last, line);
            }
        } else if section.eq_ignore_ascii_case("agent specifications") {
            if let Some(heading) = line.strip_prefix("### ") {
                profile.agents.extend(agent.take().map(Draft::finish));
                agent = Some(Draft::of(heading.trim()));
            } else if let Some(agent) = &mut agent {
                agent.read_line(line);
            }
        }
    }
    profile.agents.extend(agent.take().map(Draft::finish));
    let whole = |why: String| Err(BadSpecification { heading: "the profile".to_owned(), why });
    if profile.agents.len() > AGENTS_MAX {
        profile.agents.truncate(AGENTS_MAX);
        let why = format!("more than {AGENTS_MAX} agents; the rest is left out");
        profile.agents.push(whole(why));
    }
    if example.is_some() {
        let why = "its last example has no end, so all lines after its beginning are left out";
        profile.agents.push(whole(why.to_owned()));
    }
    profile
}

/// A specification that is being parsed.
#[derive(Default)]
struct Draft {
    heading: String,
    focus: String,
    persona: String,
    lens: String,
    areas: Vec<String>,
    hints: Vec<String>,
    /// The field that a line which is neither a field nor an item continues.
    open: Option<Field>,
    /// Set if the last item of the list cannot be continued.
    item_is_closed: bool,
}

/// A field that is being parsed.
#[derive(Clone, Copy)]
enum Field {
    Focus,
    Persona,
    Lens,
    Areas,
    Hints,
}

impl Field {
    fn of(field: &str) -> Option<Field> {
        match field.trim().to_ascii_lowercase().as_str() {
            "focus" => Some(Field::Focus),
            "persona" => Some(Field::Persona),
            "decision lens" => Some(Field::Lens),
            "key review areas" => Some(Field::Areas),
            "success criteria hints" => Some(Field::Hints),
            _ => None,
        }
    }
}

impl Draft {
    fn of(heading: &str) -> Draft {
        Draft { heading: clean(heading), ..Draft::default() }
    }

    fn read_line(&mut self, line: &str) {
        if let Some(item) = item(line) {
            self.item_is_closed = false;
            match self.open {
                Some(Field::Areas) => self.areas.push(item),
                Some(Field::Hints) => self.hints.push(item),
                _ => self.open = None,
            }
            return;
        }
        // People write fields plain or in bold.
        let plain = line.replace("**", "");
        let field = plain.split_once(':').and_then(|(name, value)| Some((Field::of(name)?, value)));
        if let Some((open, value)) = field {
            self.open = Some(open);
            if let Some(text) = self.text(open) {
                *text = clean(value);
            }
        } else if ends_paragraph(line) {
            // A list goes on after an empty line, a text does not.
            self.open = self.open.filter(|open| matches!(open, Field::Areas | Field::Hints));
            self.item_is_closed = true;
        } else if let Some(open) = self.open {
            let last = match open {
                Field::Areas => self.areas.last_mut(),
                Field::Hints => self.hints.last_mut(),
                _ => None,
            };
            let is_closed = self.item_is_closed;
            match last.filter(|_| !is_closed) {
                Some(item) => continue_text(item, line),
                None => self.text(open).map_or((), |text| continue_text(text, line)),
            }
        }
    }

    /// Returns the text of a field that is no list.
    fn text(&mut self, open: Field) -> Option<&mut String> {
        match open {
            Field::Focus => Some(&mut self.focus),
            Field::Persona => Some(&mut self.persona),
            Field::Lens => Some(&mut self.lens),
            Field::Areas | Field::Hints => None,
        }
    }

    fn finish(self) -> Result<Specification, BadSpecification> {
        let Draft { heading, focus, persona, lens, areas, hints, .. } = self;
        let bad = |why: String| BadSpecification { heading: heading.clone(), why };
        let name: Name = heading.parse().map_err(|_| {
            bad("the name must be small letters, digits and '-', after a small letter".to_owned())
        })?;
        // Nothing is generated for a core agent, so nothing can be missing.
        if CORE_AGENTS.contains(&name.as_str()) {
            return Ok(Specification { name, focus, persona, lens, areas, hints });
        }
        for (field, value) in [("Focus", &focus), ("Persona", &persona)] {
            if value.is_empty() {
                return Err(bad(format!("it has no '{field}'")));
            }
        }
        if areas.is_empty() {
            return Err(bad("it has no 'Key review areas'".to_owned()));
        }
        Ok(Specification { name, focus, persona, lens, areas, hints })
    }
}

/// Parses an item of a list.
fn item(line: &str) -> Option<String> {
    let line = line.trim_start();
    let text = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "))?;
    Some(clean(text)).filter(|text| !text.is_empty())
}

/// Tells whether the next line cannot continue this one: this is empty, a rule, a heading, or a
/// field in bold that is none of ours.
fn ends_paragraph(line: &str) -> bool {
    let line = line.trim();
    let is_rule = line.len() >= 3 && line.chars().all(|letter| matches!(letter, '-' | '*' | '_'));
    line.is_empty() || is_rule || line.starts_with('#') || line.starts_with("**")
}

/// Appends a line to the text that it continues.
fn continue_text(text: &mut String, line: &str) {
    if !text.is_empty() {
        text.push(' ');
    }
    text.push_str(&clean(line));
    if let Some((end, _)) = text.char_indices().nth(LINE_CHARS_MAX) {
        text.truncate(end);
    }
}

/// Cleans text for a file that a model reads: one line, nothing disguised, of limited length. The
/// text may come from a model, or from anybody who can write a profile.
fn clean(text: &str) -> String {
    shown(text.trim()).chars().take(LINE_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::domain::catalogue::Catalogue;

    #[test]
    fn every_shipped_domain_has_a_whole_profile() {
        for domain in Catalogue::shipped().domains() {
            let text = shipped(&domain.name).unwrap_or_else(|| panic!("no '{}'", domain.name));
            let profile = parse(text);
            assert!(profile.criteria.len() >= 3, "{}", domain.name);
            assert!(profile.agents.len() >= 3, "{}", domain.name);
            for agent in &profile.agents {
                let agent = agent.as_ref().unwrap();
                assert!(agent.areas.len() >= 3 && !agent.lens.is_empty(), "{}", agent.name);
                assert!(!agent.hints.is_empty(), "{}", agent.name);
                assert!(!CORE_AGENTS.contains(&agent.name.as_str()), "{}", agent.name);
            }
        }
        assert_eq!(SHIPPED.len(), Catalogue::shipped().domains().len());
    }

    #[test]
    fn no_two_shipped_agents_have_one_name() {
        let profiles = SHIPPED.iter().map(|(_, text)| parse(text));
        let agents = profiles.flat_map(|profile| profile.agents);
        let mut names: Vec<Name> = agents.map(|agent| agent.unwrap().name).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    /// 2/P2-3: a malformed specification is named, and those around it are read.
    #[test]
    fn one_bad_specification_does_not_stop_the_others() {
        let good = "Focus: f\n**Persona:** p\n- stray\nKey review areas:\n- a\n* b\n";
        let text = format!(
            "## Agent Specifications\n### fd-one\n{good}### Not A Name\n{good}### fd-empty\n\
             ### fd-two\n{good}## Other\n### fd-no\n{good}"
        );
        let agents = parse(&text).agents;
        let told: Vec<String> = agents
            .iter()
            .map(|agent| match agent {
                Ok(agent) => agent.name.to_string(),
                Err(error) => error.to_string(),
            })
            .collect();
        assert_eq!(told.len(), 4, "{told:?}");
        assert_eq!((told[0].as_str(), told[3].as_str()), ("fd-one", "fd-two"));
        assert!(told[1].contains("Not A Name") && told[2].contains("no 'Focus'"), "{told:?}");
        assert_eq!(agents[0].as_ref().unwrap().areas, ["a", "b"]);
    }

    #[test]
    fn wrapped_text_goes_on() {
        let text = "## Review criteria\n- is it\n  ours?\n\nNot this.\n- and that\n\
                    ## Agent Specifications\n### fd-x\nFocus: what\n  comes: next\n\
                    Persona: You have\nseen it.\n\nNot this.\n**Severity:** nor this\n\
                    **Decision lens:** Who\npays?\nKey review areas:\n\n- one\n  and more\n\
                    \n- two\n\
                    \nNot this.\nSuccess criteria hints:\n- a\n---\ntools: all\n";
        let profile = parse(text);
        assert_eq!(profile.criteria, ["is it ours?", "and that"]);
        let agent = profile.agents[0].as_ref().unwrap();
        assert_eq!((agent.focus.as_str(), agent.lens.as_str()), ("what comes: next", "Who pays?"));
        assert_eq!(agent.persona, "You have seen it.");
        assert_eq!(
            (&agent.areas[..], &agent.hints[..]),
            (&["one and more".to_owned(), "two".to_owned()][..], &["a".to_owned()][..])
        );
    }

    #[test]
    fn what_disguises_text_is_written_out() {
        let text = "## Agent Specifications\n### fd-x\nFocus: a\u{202e}b\nPersona: p\x1b[31m\n\
                    Key review areas:\n- a\u{200b}\n";
        let agent = parse(text).agents.remove(0).unwrap();
        assert_eq!(agent.focus, "a\\u{202e}b");
        assert!(!agent.persona.contains('\x1b') && !agent.areas[0].contains('\u{200b}'));
        assert_eq!(parse("").agents, []);
    }
}
