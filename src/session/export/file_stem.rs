//! File names of takes: valid on every system and unique.

use std::collections::BTreeSet;

use unicode_segmentation::UnicodeSegmentation as _;

/// Maximum length of a file stem in bytes; systems allow 255, which leaves room for numbers and extensions.
const MAX_STEM_BYTES: usize = 180;
/// Device names that Windows reserves, with any extension. Those of ports end in a digit or a superscript digit.
const RESERVED_NAMES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

/// Returns a unique file stem for each of `takes`, in order. Names that differ only in case or in invalid characters
/// get a number. Unless `spaces` is true, spaces become underscores, so that command lines need no quotes.
pub fn file_stems<'t>(takes: impl IntoIterator<Item = &'t str>, spaces: bool) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let stem = |take: &str| if spaces { sanitized(take) } else { without_spaces(&sanitized(take)) };
    takes.into_iter().map(|take| unique(&stem(take), &mut taken)).collect()
}

/// Replaces each space and adjacent separators by one separator: a hyphen if there was one, otherwise an underscore.
fn without_spaces(name: &str) -> String {
    let is_mark = |c: char| matches!(c, ' ' | '_' | '-');
    let mut tidy = String::new();
    let mut rest = name;
    while let Some(start) = rest.find(is_mark) {
        let (word, marks) = rest.split_at(start);
        let (marks, after) = marks.split_at(marks.find(|c| !is_mark(c)).unwrap_or(marks.len()));
        tidy.push_str(word);
        tidy.push_str(match (marks.contains(' '), marks.contains('-')) {
            (false, _) => marks,
            (true, true) => "-",
            (true, false) => "_",
        });
        rest = after;
    }
    tidy + rest
}

/// Returns `stem`, or `stem_2` and so on if it is taken, and adds it to `taken`. Case and the difference of `.` and `_` do not
/// count.
fn unique(stem: &str, taken: &mut BTreeSet<String>) -> String {
    let numbered = (2..).map(|number| format!("{stem}_{number}"));
    let mut names = std::iter::once(stem.to_owned()).chain(numbered);
    // Image folders use `_` for dots, so names that differ only there count as equal.
    let is_free = |name: &String| taken.insert(name.to_lowercase().replace('.', "_"));
    names.find(is_free).unwrap_or_default()
}

/// Replaces characters that are invalid in file names by `_`. Also trims it, limits its length to [`MAX_STEM_BYTES`], and
/// marks reserved names. An empty name becomes `take`.
fn sanitized(take: &str) -> String {
    let is_safe = |c: char| c.is_alphanumeric() || "-_. ".contains(c);
    // Accents and vowel signs belong to the letter before them.
    let safe = |letter: &str| match letter.starts_with(char::is_alphanumeric) {
        true => letter.to_owned(),
        false => letter.chars().map(|c| if is_safe(c) { c } else { '_' }).collect(),
    };
    let name: String = take.graphemes(true).map(safe).collect();
    // A leading dot hides files on some systems, and a leading hyphen reads as a command option.
    let mut name = name.trim_start_matches(['.', ' ']).trim_end().to_owned();
    if name.starts_with('-') {
        name.replace_range(..1, "_");
    }
    if let Some(end) = name.char_indices().map(|(at, c)| at + c.len_utf8()).find(|&end| end > MAX_STEM_BYTES) {
        name.truncate(name[..end].char_indices().next_back().map_or(0, |(at, _)| at));
    }
    let name = name.trim_end_matches(['.', ' ']);
    let first = name.split('.').next().unwrap_or_default().trim_end();
    let is_digit = |c: char| c.is_ascii_digit() || "¹²³".contains(c);
    let device = first.to_lowercase();
    let is_device = RESERVED_NAMES.contains(&device.trim_end_matches(is_digit)) && first.chars().count() <= 4;
    match name {
        "" => "take".into(),
        // Everything after the first dot is an extension, so the mark stands before it.
        name if is_device => format!("{first}_{}", &name[first.len()..]),
        name => name.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_take_name_cannot_leave_the_folder_and_is_legal_everywhere() {
        let stem = |take: &str| file_stems([take], true).remove(0);
        assert_eq!(stem("../leap: 5 m"), "_leap_ 5 m");
        assert_eq!((stem(".hidden"), stem("-o"), stem("..")), ("hidden".into(), "_o".into(), "take".into()));
        assert_eq!(
            (stem(""), stem(" . "), stem("run. "), stem("走 1")),
            ("take".into(), "take".into(), "run".into(), "走 1".into())
        );
        assert_eq!(
            (stem("con"), stem("LPT1.x"), stem("console"), stem("come")),
            ("con_".into(), "LPT1_.x".into(), "console".into(), "come".into())
        );
        // Windows takes `NUL.tar.gz` for `NUL`, so the part before the first dot differs.
        for (device, name) in [("COM¹", "COM¹_"), ("lpt².x", "lpt²_.x"), ("nul .x", "nul_ .x"), ("aux.a.b", "aux_.a.b")]
        {
            assert_eq!(stem(device), name);
        }
        for word in ["e\u{301}te\u{301}", "हिन्दी", "นี้"] {
            assert_eq!(stem(word), word, "combining marks are kept");
        }
        assert_eq!(stem("\u{301}/\u{202e}a"), "___a");
        let long = stem(&"走".repeat(400));
        assert!(long.len() <= MAX_STEM_BYTES && long.chars().all(|c| c == '走'));
    }

    #[test]
    fn a_file_has_no_spaces_unless_they_are_wanted() {
        let names = ["leap to 5 m", "run, cast, stop, end", "in - out", "a__b", "leap_to_5_m", "走 1"];
        let tidy = ["leap_to_5_m", "run_cast_stop_end", "in-out", "a__b", "leap_to_5_m_2", "走_1"];
        assert_eq!(file_stems(names, false), tidy);
        assert_eq!(file_stems(names[..3].iter().copied(), true), ["leap to 5 m", "run_ cast_ stop_ end", "in - out"]);
    }

    #[test]
    fn no_two_takes_share_a_file() {
        assert_eq!(file_stems(["a/b", "a_b", "a_b", "A_b", "c"], true), ["a_b", "a_b_2", "a_b_3", "A_b_4", "c"]);
        assert_eq!(file_stems(["a_b_2", "a_b", "a_b"], true), ["a_b_2", "a_b", "a_b_3"]);
        assert_eq!(file_stems(["v1.5", "v1_5"], true), ["v1.5", "v1_5_2"]);
        let many: Vec<String> = (0..400).map(|_| "x".repeat(300)).collect();
        let stems = file_stems(many.iter().map(String::as_str), true);
        let different: BTreeSet<&String> = stems.iter().collect();
        assert_eq!(different.len(), 400);
    }
}
