//! The tables of settings on the pages of the stages: labels, units and defaults are those of the program.
//!
//! A page has the table of a stage between the lines `<!-- settings NAME -->` and `<!-- end -->`. With
//! `PORTAMENTO_WRITE_GUIDE=1` the test writes the tables.

use portamento::document::StageType;
use portamento::document::setting::{Measure, Row};
use portamento::session::recipe::Expected;
use serde_json::{Value, json};

use super::{files, guide, read, root};

/// A language of the guide with the words of the tables.
struct Language {
    code: &'static str,
    header: &'static str,
    /// Marks around a label.
    marks: [&'static str; 2],
    /// Text before, between and after the labels of choices.
    choices: [&'static str; 3],
    off_on: [&'static str; 2],
}

const ENGLISH: Language = Language {
    code: "en",
    header: "| setting | in a recipe | default | effect |",
    marks: ["*", "*"],
    choices: [" Choices: ", ", ", "."],
    off_on: ["off", "on"],
};
const CHINESE: Language = Language {
    code: "zh-CN",
    header: "| 设置 | 配方中的名称 | 默认值 | 效果 |",
    marks: ["“", "”"],
    choices: ["可选：", "、", "。"],
    off_on: ["关", "开"],
};

#[test]
fn every_stage_has_the_table_of_its_settings_on_one_page() {
    let labels: Value = serde_json::from_str(&read(&root().join("src/ui/locales/app.json"))).unwrap();
    for language in [ENGLISH, CHINESE] {
        for kind in stages() {
            let start = format!("<!-- settings {} -->\n", kind.name());
            let pages = files(&guide().join(language.code), "md");
            let shown: Vec<_> = pages.iter().filter(|page| read(page).contains(&start)).collect();
            assert_eq!(shown.len(), 1, "{} in {}", kind.name(), language.code);
            let text = read(shown[0]);
            let (before, rest) = text.split_once(&start).unwrap();
            let (table, after) = rest.split_once("<!-- end -->").unwrap();
            let expected = format!("\n{}\n", Table { kind, language: &language, labels: &labels }.text());
            if std::env::var_os("PORTAMENTO_WRITE_GUIDE").is_some() {
                std::fs::write(shown[0], format!("{before}{start}{expected}<!-- end -->{after}")).unwrap();
            } else {
                assert_eq!(table, expected, "{}: run this test with PORTAMENTO_WRITE_GUIDE=1", shown[0].display());
            }
        }
    }
}

/// Returns the stages with such a table. The page of *Cross* explains its settings in another table.
fn stages() -> impl Iterator<Item = StageType> {
    StageType::ALL.iter().copied().filter(|kind| *kind != StageType::Cross)
}

/// The table of one stage in one language.
struct Table<'a> {
    kind: StageType,
    language: &'a Language,
    labels: &'a Value,
}

impl Table<'_> {
    /// Returns the table as Markdown, with a row for each setting that has a label and either an explanation or a plain default.
    fn text(&self) -> String {
        let rows = self.kind.setting_rows().iter().copied().flatten().filter_map(|row| self.row(row));
        let head = [self.language.header.to_owned(), "|---|---|---|---|".to_owned()];
        head.into_iter().chain(rows).map(|row| row + "\n").collect()
    }

    fn row(&self, row: &Row) -> Option<String> {
        let name = self.text_of(row.word)?;
        let is_listed = row.path.contains('*');
        let value = if is_listed { Value::Null } else { self.default(row.path)? };
        let tip = row.word.strip_prefix("form.").and_then(|word| self.text_of(&format!("tip.{word}")));
        if (tip.is_none() && (is_listed || value.is_null())) || row.path.matches('*').count() > 1 {
            return None;
        }
        let default = self.value(row, &value)?;
        let effect = format!("{}{}", tip.unwrap_or_default(), self.choices(row).unwrap_or_default());
        Some(format!("| {} | `{}` | {default} | {} |", self.marked(&name), row.path, effect.trim()))
    }

    /// Returns the default value at the path of a row; `None` if the stage has none.
    fn default(&self, path: &str) -> Option<Value> {
        let stage = json!(self.kind.default_kind());
        pointers(self.kind, path).iter().find_map(|pointer| stage.pointer(pointer)).cloned()
    }

    /// Returns a default as shown in the window; `None` for groups and lists.
    fn value(&self, row: &Row, value: &Value) -> Option<String> {
        let number = value.as_f64();
        match (value, row.measure) {
            (Value::Null, _) => Some("–".into()),
            (Value::Bool(on), _) => Some(self.language.off_on[usize::from(*on)].into()),
            (Value::String(name), Measure::Choice(texts)) => {
                self.text_of(&format!("{texts}{name}")).map(|label| self.marked(&label))
            }
            (Value::String(text), _) => text.is_empty().then(|| "–".into()),
            _ => number.map(|number| measured(number, row.measure)),
        }
    }

    /// Returns the sentence that lists the choices of a setting; `None` if it has none.
    fn choices(&self, row: &Row) -> Option<String> {
        let Measure::Choice(texts) = row.measure else { return None };
        let mut stage = json!(self.kind.default_kind());
        let path = pointers(self.kind, row.path).into_iter().find(|pointer| stage.pointer(pointer).is_some())?;
        *stage.pointer_mut(&path)? = "?".into();
        let names = Expected::in_stage(&stage)?.variants();
        let labels = names.iter().filter_map(|name| self.text_of(&format!("{texts}{name}")));
        let labels: Vec<_> = labels.map(|label| self.marked(&label)).collect();
        let [before, between, after] = self.language.choices;
        Some(format!("{before}{}{after}", labels.join(between)))
    }

    /// Returns the text of the window with this key.
    fn text_of(&self, key: &str) -> Option<String> {
        self.labels.get(key)?[self.language.code].as_str().map(str::to_owned)
    }

    fn marked(&self, label: &str) -> String {
        let [before, after] = self.language.marks;
        format!("{before}{label}{after}")
    }
}

/// Returns the JSON pointers at which a stage may have the setting `path`, whose list indices count from 1.
fn pointers(kind: StageType, path: &str) -> [String; 2] {
    let part = |part: &str| part.parse::<usize>().map_or_else(|_| part.to_owned(), |index| (index - 1).to_string());
    let path = path.split('/').map(part).collect::<Vec<_>>().join("/");
    [format!("/{}/{path}", kind.name()), format!("/{}/settings/{path}", kind.name())]
}

/// Returns a number with its unit. Angles are shown in degrees.
fn measured(number: f64, measure: Measure) -> String {
    let (number, unit) = match measure {
        Measure::Metres => (number, " m"),
        Measure::Millimetres => (number, " mm"),
        Measure::Degrees => (number, "°"),
        Measure::Radians => (number.to_degrees(), "°"),
        Measure::Seconds => (number, " s"),
        Measure::Speed => (number, " m/s"),
        Measure::Acceleration => (number, " m/s²"),
        Measure::DegreesPerSecond => (number, " °/s"),
        Measure::Percent => (number * 100.0, " %"),
        _ => (number, ""),
    };
    format!("{}{unit}", (number * 1e3).round() / 1e3)
}

#[test]
fn a_default_has_its_unit_and_a_choice_its_labels() {
    let labels: Value = serde_json::from_str(&read(&root().join("src/ui/locales/app.json"))).unwrap();
    let table = Table { kind: StageType::Close, language: &ENGLISH, labels: &labels }.text();
    assert!(table.contains("| *Seam* | `seam` | 0.3 s | Seconds over which"), "{table}");
    assert!(table.contains("Choices: *Least visible*, *Before the end*, *Both sides*, *After the start*."), "{table}");
    assert_eq!(measured(std::f64::consts::PI, Measure::Radians), "180°");
}
