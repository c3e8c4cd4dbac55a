//! Pages, addresses, search and the site.

use std::collections::BTreeSet;

use super::*;

#[test]
fn every_file_of_the_guide_is_embedded_with_the_pictures_it_shows() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/guide");
    for language in Language::ALL {
        let files = std::fs::read_dir(root.join(language.code())).unwrap();
        let names: BTreeSet<String> =
            files.map(|file| file.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned()).collect();
        assert_eq!(names, PAGES.iter().map(|name| (*name).to_owned()).collect());
        for name in PAGES {
            assert!(!title(name, language).is_empty(), "{name}");
            for block in blocks(page(name, language).unwrap(), language) {
                if let Block::Picture { path, alt } = block {
                    assert!(picture(&path).is_some() && !alt.is_empty(), "{path} on {name}");
                }
            }
        }
    }
}

#[test]
fn blocks_have_the_structure_and_the_labels_of_the_page() {
    let text = "# Title\n\nClick *Add stage* or `Ctrl+E`, see\n[the loop](loop.md#steps).\n\n1. one\n2. two\n\n   - inner\n\n\
                | a | b |\n|---|---|\n| x | **y** |\n\n![Two legs](../../../screenshots/walk.png)\n\n```sh\nls\n```\n";
    let all = blocks(text, Language::English);
    assert!(matches!(&all[0], Block::Heading { level: 1, place: 0, .. }));
    let Block::Paragraph(spans) = &all[1] else { panic!("{all:?}") };
    assert_eq!(plain_text(spans), "Click Add stage or Ctrl+E, see the loop.");
    assert_eq!((spans[1].style, spans[3].style), (SpanStyle::Label, SpanStyle::Code));
    assert!(spans.iter().any(|span| span.text == "the loop" && span.link.as_deref() == Some("loop.md#steps")));
    let Block::List { first: Some(1), items } = &all[2] else { panic!("{all:?}") };
    assert!(matches!(&items[1][..], [Block::Paragraph(_), Block::List { first: None, .. }]), "{items:?}");
    let Block::Table { header, rows } = &all[3] else { panic!("{all:?}") };
    assert_eq!((plain_text(&header[1]), rows[0].place, rows[0].cells[1][0].style), ("b".into(), 1, SpanStyle::Strong));
    assert_eq!(all[4], Block::Picture { path: "../../../screenshots/walk.png".into(), alt: "Two legs".into() });
    assert_eq!(all[5], Block::Code("ls\n".into()));
    let chinese = blocks("点击“添加阶段”，然后\n继续。", Language::Chinese);
    let Block::Paragraph(spans) = &chinese[0] else { panic!("{chinese:?}") };
    assert_eq!(plain_text(spans), "点击添加阶段，然后继续。");
    assert_eq!(spans[1].style, SpanStyle::Label);
}

#[test]
fn an_address_is_the_same_place_in_both_languages() {
    let feet = Address::of_topic("symptoms#feet-slide").unwrap();
    assert_eq!((feet.anchor(Language::English), feet.anchor(Language::Chinese)), ("feet-slide".into(), "滑步".into()));
    let chinese = Address::of_link("#滑步", "symptoms", Language::Chinese);
    assert_eq!(chinese, Some(feet));
    assert_eq!(Address::of_link("loop.md", "walk", Language::English), Address::of_topic("loop"));
    assert_eq!(Address::of_topic("symptoms#feet-fly"), None);
    assert_eq!(Address::of_link("https://example.org/a.md", "walk", Language::English), None);
    for name in PAGES {
        let places = |language| search::of_page(name, language).iter().filter_map(|part| part.address.place).max();
        assert_eq!(places(Language::English), places(Language::Chinese), "{name}");
    }
}

#[test]
fn a_search_finds_symptoms_before_other_text_in_both_languages() {
    for (query, language, anchor) in
        [("Feet slide", Language::English, "feet-slide"), ("滑步", Language::Chinese, "feet-slide")]
    {
        let hits = search(query, language);
        assert!(hits.len() > 1, "{query}");
        assert_eq!(hits[0].address, Address::of_topic(&format!("symptoms#{anchor}")).unwrap(), "{hits:#?}");
    }
    assert_eq!(search("stretch", Language::English)[0].address, Address::of_topic("stretch").unwrap());
    let rows = search("--rig-preset mixamo", Language::English);
    let of_commands = rows.iter().filter(|hit| hit.page_title == title("commands", Language::English));
    assert_eq!(of_commands.count(), 1, "{rows:#?}");
    assert!(search("  ", Language::English).is_empty() && search("qwertz", Language::English).is_empty());
}

#[test]
fn every_link_picture_and_anchor_of_the_site_leads_to_a_file_or_id_of_it() {
    let files = site();
    let text = |path: &str| {
        let file = files.iter().find(|file| file.path == path)?;
        Some(String::from_utf8_lossy(&file.bytes).into_owned())
    };
    let pages: Vec<&SiteFile> = files.iter().filter(|file| file.path.ends_with(".html")).collect();
    let (mut count, mut wrong) = (0, Vec::new());
    for page in &pages {
        let html = text(&page.path).unwrap();
        for target in html.split(" href=\"").chain(html.split(" src=\"")).skip(1) {
            let target = target.split('"').next().unwrap();
            let is_link = !target.contains("://") && !target.starts_with('<');
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let path = if file.is_empty() { page.path.clone() } else { resolved(&page.path, file) };
            let found = text(&path).is_some_and(|html| anchor.is_empty() || html.contains(&format!("id=\"{anchor}\"")));
            count += 1;
            if is_link && !found {
                wrong.push(format!("{}: {target}", page.path));
            }
        }
    }
    assert!(count > 2000 && wrong.is_empty(), "{count} links, {wrong:#?}");
}

#[test]
fn every_page_of_the_site_has_one_title_landmarks_its_language_and_texts_for_pictures() {
    for file in site().into_iter().filter(|file| file.path.ends_with(".html") && file.path != "index.html") {
        let html = String::from_utf8(file.bytes).unwrap();
        let language = file.path.split('/').next().unwrap();
        let count = |part: &str| html.matches(part).count();
        assert!(html.contains(&format!("<html lang=\"{language}\">")), "{}", file.path);
        assert_eq!(["<h1", "<main ", "<nav ", "<title>"].map(count), [1; 4], "{}", file.path);
        assert_eq!(count("<img "), count("alt=\""), "{}", file.path);
        assert!(!html.contains("alt=\"\"") && !html.contains("<script>"), "{}", file.path);
    }
}

/// Returns the path of `target`, relative to the folder of the file `from`.
fn resolved(from: &str, target: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}
