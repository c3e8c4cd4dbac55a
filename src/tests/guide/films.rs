//! The inputs of the films. A film whose inputs changed since it was made shows what is no longer so.
//!
//! `.ci/film_inputs.py` notes a hash of them when `.ci/pictures` makes a film; here it is computed in the same way.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{files, guide, read, root};
use crate::commands::words;

#[test]
fn no_film_is_older_than_the_takes_and_settings_that_it_shows() {
    let noted: BTreeMap<String, String> = serde_json::from_str(&read(&root().join(".ci/film_inputs.json"))).unwrap();
    let films = films_of_script();
    assert!(films.len() > 30, "only {} films were found", films.len());
    let inputs = Inputs::new();
    let is_old = |(name, takes): &(String, Vec<String>)| noted.get(name) != Some(&hash(&inputs.text(takes)));
    let old: Vec<String> = films.iter().filter(|film| is_old(film)).map(|(name, _)| format!("film-{name}")).collect();
    assert!(old.is_empty(), "make these films again: .ci/pictures PROGRAM {}", old.join(" "));
}

#[test]
fn another_number_in_a_take_or_another_text_in_a_table_of_settings_makes_a_film_old() {
    let mut inputs = Inputs::new();
    let takes = ["leap, slow in the air".to_owned()];
    let before = hash(&inputs.text(&takes));
    let take = inputs.entries.iter_mut().find(|entry| entry["name"] == takes[0]).unwrap();
    take["part"][1] = 2.7.into();
    let other_take = hash(&inputs.text(&takes));
    inputs.pages.iter_mut().for_each(|page| *page = page.replace("| `length` |", "| `duration` |"));
    let other_table = hash(&inputs.text(&takes));
    assert_eq!(BTreeSet::from([&before, &other_take, &other_table]).len(), 3, "{before}");
    assert_eq!(hash("a"), "af63dc4c8601ec8c");
}

/// Returns the name of each film in `.ci/pictures` with the takes that it shows.
fn films_of_script() -> Vec<(String, Vec<String>)> {
    let script = read(&root().join(".ci/pictures"));
    let films = script.lines().filter_map(|line| line.strip_prefix("film ")).map(words);
    films.map(|words| (words[0].clone(), words[2..].to_vec())).collect()
}

/// All that a film may show.
struct Inputs {
    /// Entries of `.ci/films.json`.
    entries: Vec<Value>,
    /// Document of the sample project.
    samples: Value,
    /// English pages, by name.
    pages: Vec<String>,
}

impl Inputs {
    fn new() -> Self {
        let json = |path: &str| serde_json::from_str::<Value>(&read(&root().join(path))).unwrap();
        let mut pages = files(&guide().join("en"), "md");
        pages.sort();
        Self {
            entries: json(".ci/films.json").as_array().unwrap().clone(),
            samples: json("assets/samples.portamento")["document"].clone(),
            pages: pages.iter().map(|page| read(page)).collect(),
        }
    }

    /// Returns all inputs of a film that shows these takes as text.
    fn text(&self, names: &[String]) -> String {
        let is_named = |entry: &&Value, names: &[String]| names.iter().any(|name| entry["name"] == **name);
        let mut shown: Vec<Value> = self.entries.iter().filter(|entry| is_named(entry, names)).cloned().collect();
        let samples = shown.iter().filter_map(|entry| entry["sample"].as_str().map(str::to_owned));
        let others = names.iter().filter(|name| !shown.iter().any(|entry| entry["name"] == ***name)).cloned();
        let samples: Vec<String> = samples.chain(others).collect();
        let takes = self.samples["takes"].as_array().unwrap();
        shown.extend(takes.iter().filter(|take| is_named(take, &samples)).cloned());
        let tables = self.tables(&shown);
        let mut lines = names.to_vec();
        add_leaves(&mut lines, &shown.into(), "");
        add_leaves(&mut lines, &self.samples["files"], "");
        lines.extend(tables);
        lines.join("\n")
    }

    /// Returns the tables of settings of all stages of the takes.
    fn tables(&self, shown: &[Value]) -> Vec<String> {
        let stages = shown.iter().filter_map(|take| take["stages"].as_array()).flatten();
        let kinds: BTreeSet<&String> = stages.flat_map(|stage| stage.as_object().unwrap().keys()).collect();
        let table = |kind: &&String, page: &String| {
            let (_, rest) = page.split_once(&format!("<!-- settings {kind} -->"))?;
            rest.split("<!-- end -->").next().map(str::to_owned)
        };
        kinds
            .iter()
            .flat_map(|kind| self.pages.iter().filter_map(|page| table(kind, page)).collect::<Vec<_>>())
            .collect()
    }
}

/// Adds a line for each value in a JSON value, with six decimals, in the order of the names.
fn add_leaves(lines: &mut Vec<String>, value: &Value, path: &str) {
    match value {
        Value::Object(entries) => {
            let entries: BTreeMap<&String, &Value> = entries.iter().collect();
            entries.into_iter().for_each(|(key, entry)| add_leaves(lines, entry, &format!("{path}/{key}")));
        }
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(index, entry)| add_leaves(lines, entry, &format!("{path}/{index}")));
        }
        Value::Number(number) => lines.push(format!("{path} {:.6}", number.as_f64().unwrap())),
        Value::String(text) => lines.push(format!("{path} {text}")),
        other => lines.push(format!("{path} {other}")),
    }
}

/// Returns the 64-bit FNV-1a hash of a text.
fn hash(text: &str) -> String {
    let add = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, add))
}
