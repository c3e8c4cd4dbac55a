//! JSON whose structure is damaged: it parses, and its values lie.

use serde_json::{Map, Value, json};

use crate::random_below;
use portamento_anim::math::random::SplitMix64;

/// Number of mutants that the tests try of each kind; `PORTAMENTO_MUTANTS` sets another number for long runs.
pub fn mutants(short: u64) -> u64 {
    std::env::var("PORTAMENTO_MUTANTS").ok().and_then(|count| count.parse().ok()).unwrap_or(short)
}

/// Returns `seed` with one to four values changed, repeated, moved or removed. Some results are damaged as text too.
pub fn damaged_json(seed: &[u8], random: &mut SplitMix64) -> Vec<u8> {
    let mut json: Value = serde_json::from_slice(seed).expect("a seed of JSON");
    for _ in 0..=random_below(random, 4) {
        let count = count(&json);
        let donor = nth(&mut json, &mut random_below(random, count)).cloned();
        if let Some(value) = nth(&mut json, &mut random_below(random, count)) {
            change(value, donor, random);
        }
    }
    let text = json.to_string().into_bytes();
    if random_below(random, 8) == 0 { crate::damaged(&text, random) } else { text }
}

/// Returns the TOML of a damaged `seed`, the JSON of a table; see [`damaged_json`]. Values that TOML lacks are damaged as text.
pub fn damaged_toml(seed: &[u8], random: &mut SplitMix64) -> Vec<u8> {
    let damaged = damaged_json(seed, random);
    let Ok(Value::Object(table)) = serde_json::from_slice(&damaged) else { return crate::damaged(&damaged, random) };
    table.iter().map(|(key, value)| format!("{} = {}\n", json!(key), toml_of(value))).collect::<String>().into_bytes()
}

/// Returns `value` as inline TOML. A string of JSON is one of TOML too.
fn toml_of(value: &Value) -> String {
    match value {
        Value::Array(list) => format!("[{}]", list.iter().map(toml_of).collect::<Vec<_>>().join(", ")),
        Value::Object(entries) => {
            let entry = |(key, value)| format!("{} = {}", json!(key), toml_of(value));
            format!("{{ {} }}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// Returns the number of values in `json`, itself included.
fn count(json: &Value) -> usize {
    1 + match json {
        Value::Array(list) => list.iter().map(count).sum(),
        Value::Object(entries) => entries.values().map(count).sum(),
        _ => 0,
    }
}

/// Returns value number `index` of `json`, itself included, in depth-first order.
fn nth<'j>(json: &'j mut Value, index: &mut usize) -> Option<&'j mut Value> {
    if *index == 0 {
        return Some(json);
    }
    *index -= 1;
    match json {
        Value::Array(list) => list.iter_mut().find_map(|value| nth(value, index)),
        Value::Object(entries) => entries.values_mut().find_map(|value| nth(value, index)),
        _ => None,
    }
}

fn change(value: &mut Value, donor: Option<Value>, random: &mut SplitMix64) {
    match (random_below(random, 4), &mut *value) {
        (0, _) => *value = donor.unwrap_or_default(),
        (1, _) => *value = lie(random),
        (_, Value::Number(_)) => *value = number(random),
        (_, Value::String(text)) => *value = string(text, random),
        (2, Value::Array(list)) if !list.is_empty() => {
            let times = [2, 3, 1000][random_below(random, 3)].min(100_000 / list.len().max(1));
            *list = list.iter().cycle().take(times * list.len()).cloned().collect();
        }
        (_, Value::Array(list)) if !list.is_empty() => drop(list.remove(random_below(random, list.len()))),
        (2, Value::Object(entries)) => *entries = renamed(entries, random),
        (_, Value::Object(entries)) if !entries.is_empty() => {
            let name = entries.keys().nth(random_below(random, entries.len())).cloned();
            name.and_then(|name| entries.remove(&name));
        }
        _ => *value = lie(random),
    }
}

/// Returns `entries` with the name of one exchanged.
fn renamed(entries: &Map<String, Value>, random: &mut SplitMix64) -> Map<String, Value> {
    let changed = random_below(random, entries.len());
    let name = |(index, (name, value)): (usize, (&String, &Value))| {
        let name = if index == changed { format!("{name}_") } else { name.clone() };
        (name, value.clone())
    };
    entries.iter().enumerate().map(name).collect()
}

/// Numbers at the ends of their types, and sizes that cannot be.
fn number(random: &mut SplitMix64) -> Value {
    let numbers = [
        json!(0),
        json!(-1),
        json!(1),
        json!(255),
        json!(65_536),
        json!(100_000_000),
        json!(i32::MAX),
        json!(u32::MAX),
        json!(1_u64 << 40),
        json!(i64::MIN),
        json!(u64::MAX),
        json!(1e-300),
        json!(-1e9),
        json!(1e9),
        json!(1e300),
        json!(f64::MAX),
        json!(0.5),
    ];
    numbers[random_below(random, numbers.len())].clone()
}

fn string(text: &str, random: &mut SplitMix64) -> Value {
    let run = "/////w8AAAA/";
    let texts = ["", "../../../../etc/passwd", "/dev/zero", "slot:clip", "take:1", "\u{0}\n", run, "{{{x}", "=1+1"];
    match random_below(random, texts.len() + 2) {
        0 => Value::from(text.repeat(1000.min(100_000 / text.len().max(1)))),
        1 => Value::from(format!("{text}\u{301}")),
        index => Value::from(texts[index - 2]),
    }
}

/// A value of another type.
fn lie(random: &mut SplitMix64) -> Value {
    let deep = (0..100).fold(json!(0), |inner, _| json!([inner]));
    let values = [Value::Null, json!(true), json!([]), json!({}), json!("a"), number(random), deep];
    values[random_below(random, values.len())].clone()
}
