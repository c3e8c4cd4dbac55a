//! The page of all commands, written from the descriptions that `--help` and the manual pages print.
//!
//! With `PORTAMENTO_WRITE_GUIDE=1` the test writes what stands on it between the lines `<!-- commands -->` and `<!-- end -->`.

use std::collections::BTreeSet;

use clap::{Arg, Command, CommandFactory};
use portamento::anim::rig::preset::RigPreset;
use portamento::systems::dynamics;
use serde_json::Value;

use super::{code_spans, guide, pages, read, root};

/// A language of the guide with the words of the page.
struct Language {
    code: &'static str,
    header: &'static str,
    /// Label of a default, before the value.
    default: &'static str,
    /// Text before, between and after possible values.
    choices: [&'static str; 3],
    /// Ends of a sentence, the first of which is added.
    ends: &'static [char],
    /// File with the translation of each English description; none for English itself.
    translations: Option<&'static str>,
}

const LANGUAGES: [Language; 2] = [
    Language {
        code: "en",
        header: "| argument | effect |\n|---|---|\n",
        default: " Default: ",
        choices: [" One of: ", ", ", "."],
        ends: &['.', '…'],
        translations: None,
    },
    Language {
        code: "zh-CN",
        header: "| 参数 | 作用 |\n|---|---|\n",
        default: "默认值：",
        choices: ["可选：", "、", "。"],
        ends: &['。', '…'],
        translations: Some("src/tests/guide/help.zh-CN.json"),
    },
];

#[test]
fn the_page_of_commands_is_made_of_the_descriptions_of_help_and_manual() {
    for language in LANGUAGES {
        let page = guide().join(language.code).join("commands.md");
        let text = read(&page);
        let (before, rest) = text.split_once("<!-- commands -->\n").unwrap();
        let (_, after) = rest.split_once("<!-- end -->").unwrap();
        let commands = Reference::new(&language).text();
        let expected = format!("{before}<!-- commands -->\n{commands}\n<!-- end -->{after}");
        if std::env::var_os("PORTAMENTO_WRITE_GUIDE").is_some() {
            std::fs::write(&page, expected).unwrap();
        } else {
            assert_eq!(text, expected, "{}: run this test with PORTAMENTO_WRITE_GUIDE=1", page.display());
        }
    }
}

#[test]
fn every_flag_on_a_page_exists() {
    let known: BTreeSet<String> = commands().iter().flat_map(arguments).filter_map(|flag| long(&flag)).collect();
    assert!(known.len() > 150, "only {} flags were found", known.len());
    let mut wrong = Vec::new();
    for (file, text) in pages() {
        // A page shows flags of the import script for Unreal too.
        let is_ours = |span: &&String| !["cargo", "py ", "--watch", "<!--"].iter().any(|other| span.starts_with(other));
        for span in code_spans(&text).iter().filter(is_ours) {
            let words = span.split([' ', '=']).filter(|word| word.len() > 2 && word.starts_with("--"));
            let unknown = words.filter(|word| !known.contains(*word) && !["--help", "--version"].contains(word));
            wrong.extend(unknown.map(|word| format!("{}: {word}", file.display())));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_preset_is_on_the_page_of_its_job() {
    let engines = portamento::session::Preset::ALL.map(|preset| preset.name().to_owned()).to_vec();
    let chains = dynamics::Preset::ALL.map(|preset| preset.name().to_owned()).to_vec();
    let rigs = RigPreset::built_in().into_iter().map(|preset| preset.name.to_lowercase().replace(' ', "_")).collect();
    for (page, names) in [("export", engines), ("dynamics", chains), ("retarget", rigs)] {
        let spans = code_spans(&read(&guide().join(format!("en/{page}.md"))));
        let missing: Vec<&String> = names.iter().filter(|name| !spans.contains(name)).collect();
        assert!(!names.is_empty() && missing.is_empty(), "{page}: {missing:?}");
    }
}

/// Returns the program as its command line is defined, with all arguments that a command gets from elsewhere.
fn program() -> Command {
    let mut program = portamento::cli::Arguments::command().disable_help_subcommand(true);
    program.build();
    program
}

/// Returns the program and its commands.
fn commands() -> Vec<Command> {
    let program = program();
    let commands: Vec<Command> = program.get_subcommands().cloned().collect();
    std::iter::once(program).chain(commands).collect()
}

/// Returns the arguments of a command: without those that every command has, except for the program itself.
fn arguments(command: &Command) -> Vec<Arg> {
    let is_own = |arg: &&Arg| {
        let name = arg.get_id().as_str();
        !arg.is_hide_set()
            && !["help", "version"].contains(&name)
            && (!arg.is_global_set() || command.get_name() == "portamento")
    };
    command.get_arguments().filter(is_own).cloned().collect()
}

fn long(argument: &Arg) -> Option<String> {
    argument.get_long().map(|long| format!("--{long}"))
}

/// The commands in one language.
struct Reference<'a> {
    language: &'a Language,
    translations: Value,
}

impl<'a> Reference<'a> {
    fn new(language: &'a Language) -> Self {
        let translations = language.translations.map(|file| serde_json::from_str(&read(&root().join(file))).unwrap());
        Self { language, translations: translations.unwrap_or_default() }
    }

    /// Returns a section for the program and one for each command.
    fn text(&self) -> String {
        commands().iter().map(|command| self.section(command)).collect()
    }

    fn section(&self, command: &Command) -> String {
        let about = self.sentence(&command.get_about().unwrap_or_default().to_string());
        let usage = command.clone().render_usage().to_string();
        let usage: Vec<&str> = usage.trim_start_matches("Usage:").lines().map(str::trim).collect();
        let rows: String = arguments(command).iter().map(|argument| self.row(argument)).collect();
        let table = if rows.is_empty() { String::new() } else { format!("\n{}{rows}", self.language.header) };
        format!("\n## {}\n\n{about}\n\n```sh\n{}\n```\n{table}", command.get_name(), usage.join("\n"))
    }

    /// Returns the row of an argument: its name with its value, and its description with default and choices.
    fn row(&self, argument: &Arg) -> String {
        let values = argument.get_value_names().unwrap_or_default().iter().map(ToString::to_string);
        let value = values.collect::<Vec<_>>().join(" ");
        let takes_value = argument.get_action().takes_values();
        let name = match (argument.get_short(), long(argument)) {
            (Some(short), Some(long)) => format!("-{short}, {long}"),
            (None, Some(long)) => long,
            _ => String::new(),
        };
        let name = if takes_value { format!("{name} {value}") } else { name };
        let mut effect = self.sentence(&argument.get_help().unwrap_or_default().to_string());
        let defaults = argument.get_default_values().iter().map(|value| value.to_string_lossy().into_owned());
        let defaults: Vec<String> = defaults.collect();
        if takes_value && !defaults.is_empty() {
            effect += &format!("{}`{}`{}", self.language.default, defaults.join(" "), self.language.choices[2]);
        }
        let choices = argument.get_possible_values();
        if takes_value && !choices.is_empty() {
            let names: Vec<String> = choices.iter().map(|choice| format!("`{}`", choice.get_name())).collect();
            let [before, between, after] = self.language.choices;
            effect += &format!("{before}{}{after}", names.join(between));
        }
        format!("| `{}` | {effect} |\n", name.trim().replace('|', "\\|"))
    }

    /// Returns a description in this language as a sentence.
    fn sentence(&self, english: &str) -> String {
        let text = match self.language.translations {
            None => english,
            Some(file) => self.translations[english].as_str().unwrap_or_else(|| panic!("{file} lacks {english:?}")),
        };
        let text = marked(text);
        let ends = self.language.ends;
        if text.ends_with(ends) { text } else { format!("{text}{}", ends[0]) }
    }
}

/// Returns a text in which placeholders, such as `{take}`, and asterisks are code, and bars end no cell of a table.
fn marked(text: &str) -> String {
    let of_plain = |text: &str| text.replace('{', "`{").replace('}', "}`").replace('*', "`*`");
    let part = |(index, text)| if index % 2 == 1 { format!("`{text}`") } else { of_plain(text) };
    text.split('`').enumerate().map(part).collect::<String>().replace('|', "\\|")
}

#[test]
fn signs_of_markdown_in_a_description_are_code() {
    assert_eq!(marked("`{a}` is {take}; * is any | none"), "`{a}` is `{take}`; `*` is any \\| none");
}
