//! The README and the guide: all files, headings, tests and labels that they name exist, in both languages alike.

mod commands;
mod films;
mod reference;
mod settings;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use image::AnimationDecoder;
use image::codecs::webp::WebPDecoder;

/// Limits of the README.
const MAX_README_LINES: usize = 150;
const MAX_README_WORDS: usize = 1500;

/// Limits of the films, and of all pictures together.
const MIN_FILMS: usize = 33;
const MAX_FILM_BYTES: usize = 400 * 1024;
const MAX_FILM_SECONDS: f64 = 12.1;
const MAX_PICTURE_BYTES: u64 = 12 << 20;

#[test]
fn the_readme_is_short() {
    let text = std::fs::read_to_string(root().join("README.md")).unwrap();
    let (lines, words) = (text.lines().count(), text.split_whitespace().count());
    assert!(lines <= MAX_README_LINES && words <= MAX_README_WORDS, "{lines} lines, {words} words");
}

#[test]
fn every_relative_link_anchor_and_picture_exists() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for (file, text) in pages() {
        for target in links(&text).into_iter().filter(|target| !target.contains("://")) {
            count += 1;
            let (path, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let path = if path.is_empty() { file.clone() } else { file.parent().unwrap().join(path) };
            let is_found = match anchor {
                "" => path.exists(),
                _ => std::fs::read_to_string(&path)
                    .is_ok_and(|text| anchors(&text).iter().any(|heading| heading == anchor)),
            };
            if !is_found {
                wrong.push(format!("{}: {target}", file.display()));
            }
        }
    }
    assert!(count > 50, "only {count} links were found");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_source_path_exists() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for (file, text) in pages() {
        for path in code_spans(&text).into_iter().filter(|span| span.starts_with("src/")) {
            count += 1;
            if !root().join(&path).exists() {
                wrong.push(format!("{}: {path}", file.display()));
            }
        }
    }
    assert!(count > 20, "only {count} paths were found");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_test_named_in_safety_exists() {
    let safety = std::fs::read_to_string(guide().join("en/safety.md")).unwrap();
    let is_test =
        |span: &String| span.matches('_').count() >= 2 && span.chars().all(|c| c == '_' || c.is_ascii_lowercase());
    let named: Vec<_> = code_spans(&safety).into_iter().filter(is_test).collect();
    assert!(named.len() > 20, "only {} tests are named", named.len());
    let sources: Vec<String> = files(&root().join("src"), "rs").iter().map(|file| read(file)).collect();
    let exists = |name: &str| sources.iter().any(|text| text.contains(&format!("fn {name}()")));
    let missing: Vec<_> = named.iter().filter(|name| !exists(name)).collect();
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn every_label_in_italics_is_in_the_window() {
    let labels = translations();
    let mut wrong = Vec::new();
    let mut count = 0;
    for (file, text) in pages() {
        let italics = italics(&text);
        for label in italics.iter().flat_map(|path| path.split(" → ")) {
            count += 1;
            if !labels.contains_key(label.trim_end_matches('…')) {
                wrong.push(format!("{}: {label}", file.display()));
            }
        }
    }
    assert!(count > 50, "only {count} labels were found");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_label_of_an_english_page_is_on_the_chinese_page_as_in_the_window() {
    let translations = translations();
    let mut wrong = Vec::new();
    for (name, english, chinese) in translated_pages() {
        let italics = italics(&without_code_blocks(&english));
        let expected: Vec<_> = italics
            .iter()
            .flat_map(|path| path.split(" → "))
            .filter_map(|label| translations.get(label.trim_end_matches('…')))
            .collect();
        let quoted = quoted(&without_code_blocks(&chinese));
        let is_known = |label: &&String| expected.iter().any(|labels| labels.contains(*label));
        wrong.extend(quoted.iter().filter(|label| !is_known(label)).map(|label| format!("{name}: {label}")));
        let missing = expected.iter().filter(|labels| labels.is_disjoint(&quoted));
        wrong.extend(missing.map(|labels| format!("{name} lacks {labels:?}")));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_finding_has_its_row_by_symptom() {
    let app = read(&root().join("src/ui/locales/app.json"));
    let findings: Vec<_> = app.lines().filter_map(|line| line.trim().strip_prefix("\"finding.")).collect();
    assert!(findings.len() >= 7, "only {} findings were found", findings.len());
    let symptoms = read(&guide().join("en/symptoms.md"));
    let rows = italics(&symptoms);
    let label =
        |line: &&str| line.split("\"en\": \"").nth(1).and_then(|rest| rest.split('"').next()).map(str::to_owned);
    let missing: Vec<_> = findings.iter().filter_map(label).filter(|finding| !rows.contains(finding)).collect();
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn both_languages_have_the_same_pages_headings_lists_tables_pictures_and_code() {
    let names = |language: &str| -> Vec<String> {
        let mut names: Vec<_> = files(&guide().join(language), "md").iter().map(|file| file_name(file)).collect();
        names.sort();
        names
    };
    assert_eq!(names("en"), names("zh-CN"));
    for (name, english, chinese) in translated_pages() {
        let (english, chinese) = (outline(&english), outline(&chinese));
        let pairs = english.iter().zip(&chinese);
        assert!(pairs.clone().count() > 5, "{name} is empty");
        for (index, (english, chinese)) in pairs.enumerate() {
            assert_eq!(english, chinese, "block {index} of {name}");
        }
        assert_eq!(english.len(), chinese.len(), "{name}");
    }
}

#[test]
fn both_languages_have_the_same_links_and_code_spans() {
    for (name, english, chinese) in translated_pages() {
        let sorted = |mut items: Vec<String>| {
            items.sort();
            items
        };
        let targets = |language: &str, text: &str| {
            let links = links(&without_code_blocks(text)).into_iter();
            let others = links.filter(|link| !link.ends_with("en/index.md") && !link.ends_with("zh-CN/index.md"));
            sorted(others.map(|link| numbered_anchor(language, &name, &link)).collect())
        };
        assert_eq!(targets("en", &english), targets("zh-CN", &chinese), "links of {name}");
        let spans = |text: &str| sorted(code_spans(&without_code_blocks(text)));
        assert_eq!(spans(&english), spans(&chinese), "code spans of {name}");
    }
}

#[test]
fn every_sentence_and_row_of_a_chinese_page_has_chinese() {
    let is_chinese = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
    let is_word = |word: &&str| word.chars().filter(char::is_ascii_alphabetic).count() > 3;
    for (name, _, chinese) in translated_pages() {
        let prose = without_code_blocks(&chinese);
        let words = |line: &str| line.split('`').step_by(2).flat_map(str::split_whitespace).filter(is_word).count();
        let foreign: Vec<_> = prose.lines().filter(|line| words(line) > 2 && !line.contains(is_chinese)).collect();
        assert!(foreign.is_empty(), "{name}: {foreign:#?}");
    }
}

#[test]
fn films_are_short_and_small_and_each_is_made_by_the_script_and_shown_on_a_page() {
    let films = files(&root().join("screenshots/films"), "webp");
    assert!(films.len() >= MIN_FILMS, "only {} films were found", films.len());
    let script = read(&root().join(".ci/pictures"));
    let pages: Vec<String> = pages().into_iter().map(|(_, text)| text).collect();
    for film in &films {
        let (name, bytes) = (file_name(film), std::fs::read(film).unwrap());
        let decoder = WebPDecoder::new(std::io::Cursor::new(&bytes)).unwrap();
        let delays = decoder.into_frames().map(|frame| std::time::Duration::from(frame.unwrap().delay()));
        let seconds = delays.sum::<std::time::Duration>().as_secs_f64();
        assert!(bytes.len() <= MAX_FILM_BYTES && seconds <= MAX_FILM_SECONDS, "{name}: {seconds} s");
        assert!(seconds > 0.5, "{name} stands still: {seconds} s");
        assert!(
            script.contains(&format!("\nfilm {} ", name.trim_end_matches(".webp"))),
            "{name} is not in .ci/pictures"
        );
        let shown = pages.iter().filter(|text| text.contains(&format!("screenshots/films/{name})"))).count();
        assert!(shown >= 2, "{name} is not on a page in both languages");
    }
    let all = ["png", "svg", "webp"].map(|extension| files(&root().join("screenshots"), extension)).concat();
    let total: u64 = all.iter().map(|file| std::fs::metadata(file).unwrap().len()).sum();
    assert!(total <= MAX_PICTURE_BYTES, "{total} bytes");
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn guide() -> PathBuf {
    root().join("assets/guide")
}

fn read(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap()
}

/// Returns the README and the pages of the guide, each with its text outside code blocks.
fn pages() -> Vec<(PathBuf, String)> {
    let mut pages = files(&guide(), "md");
    assert!(pages.len() > 10, "the guide was not found");
    pages.push(root().join("README.md"));
    pages.into_iter().map(|file| (file.clone(), without_code_blocks(&read(&file)))).collect()
}

/// Returns all files below `folder` with this extension.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|end| end == extension) {
            found.push(path);
        }
    }
    found
}

fn file_name(file: &Path) -> String {
    file.file_name().unwrap().to_string_lossy().into_owned()
}

/// Returns the pages that exist in both languages: name, English text and Chinese text.
fn translated_pages() -> Vec<(String, String, String)> {
    let pages = files(&guide().join("en"), "md");
    let chinese = |name: &str| read(&guide().join("zh-CN").join(name));
    pages.iter().map(|file| (file_name(file), read(file), chinese(&file_name(file)))).collect()
}

/// Returns the labels of the window in English, each with its Chinese texts, without the dots of commands.
fn translations() -> BTreeMap<String, BTreeSet<String>> {
    let app = read(&root().join("src/ui/locales/app.json"));
    let mut labels: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for entry in app.split("\"en\": \"").skip(1) {
        let (english, rest) = entry.split_once("\", \"zh-CN\": \"").unwrap();
        let chinese = rest.split("\"}").next().unwrap().trim_end_matches('…');
        labels.entry(english.trim_end_matches('…').to_owned()).or_default().insert(chinese.to_owned());
    }
    labels
}

/// Returns the blocks of a page in order: headings by level, list items, table rows by number of cells, targets of
/// pictures, and code without comments.
fn outline(text: &str) -> Vec<String> {
    let is_numbered = |start: &str| start.strip_suffix('.').is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
    let mut blocks = Vec::new();
    for (index, part) in text.split("```").enumerate() {
        if index % 2 == 1 {
            let code = part.lines().map(|line| line.split(" # ").next().unwrap_or_default().trim_end());
            blocks.push(code.collect::<Vec<_>>().join("\n"));
            continue;
        }
        for line in part.lines().map(str::trim_start) {
            let start = line.split(' ').next().unwrap_or_default();
            match start.chars().next() {
                Some('#' | '-' | '<') => blocks.push(start.to_owned()),
                Some('|') => blocks.push(format!("row of {}", line.matches('|').count())),
                Some('!') => blocks.extend(links(line)),
                Some('0'..='9') if is_numbered(start) => blocks.push(start.to_owned()),
                _ => {}
            }
        }
    }
    blocks
}

/// Replaces the anchor of a link on the page `name` by the number of its heading.
fn numbered_anchor(language: &str, name: &str, link: &str) -> String {
    let Some((page, anchor)) = link.split_once('#') else { return link.to_owned() };
    let target = guide().join(language).join(if page.is_empty() { name } else { page });
    let number = anchors(&read(&target)).iter().position(|heading| heading == anchor);
    format!("{page}#{number:?}")
}

fn without_code_blocks(text: &str) -> String {
    let outside = text.split("```").step_by(2);
    outside.collect::<Vec<_>>().join("\n")
}

/// Returns the text between pairs of backticks.
fn code_spans(text: &str) -> Vec<String> {
    text.lines().flat_map(|line| line.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

/// Returns the targets of links and pictures.
fn links(text: &str) -> Vec<String> {
    let prose = text.lines().flat_map(|line| line.split('`').step_by(2).collect::<Vec<_>>());
    let targets =
        prose.flat_map(|part| part.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect::<Vec<_>>());
    targets.map(str::to_owned).collect()
}

/// Returns the anchors of the headings, as code hosts derive them: lower case, spaces as hyphens, no punctuation.
fn anchors(text: &str) -> Vec<String> {
    let outside = without_code_blocks(text);
    let headings =
        outside.lines().filter_map(|line| line.strip_prefix('#')).map(|line| line.trim_start_matches('#').trim());
    let is_kept = |c: &char| c.is_alphanumeric() || "-_ ".contains(*c);
    headings
        .map(|heading| heading.to_lowercase().chars().filter(is_kept).collect::<String>().replace(' ', "-"))
        .collect()
}

/// Returns the text between single asterisks on one line.
fn italics(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("code").replace("**", "");
        found.extend(prose.split('*').skip(1).step_by(2).map(str::to_owned));
    }
    found
}

/// Returns the text between Chinese quotation marks, without the dots of commands.
fn quoted(text: &str) -> BTreeSet<String> {
    let prose = text.lines().map(|line| line.split('`').step_by(2).collect::<Vec<_>>().join("code"));
    let labels = prose.flat_map(|line| {
        let after_marks = line.split('“').skip(1).filter_map(|rest| rest.split('”').next());
        after_marks.map(|label| label.trim_end_matches('…').to_owned()).collect::<Vec<_>>()
    });
    labels.collect()
}
