//! What the files of takes are called: legal on every system, and no two alike.

use std::collections::BTreeSet;

/// Bytes of a name at most; systems take 255, and numbers and extensions come on top.
const LONGEST: usize = 180;
/// Names that mean devices on some systems, whatever their extension.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

/// A file name without extension for each of `takes`, in order. Names that differ only in case or in what systems do not allow
/// are told apart by a number. Unless `spaces` stay, an underscore stands for each, so that no command line must quote them.
pub fn file_stems<'t>(takes: impl IntoIterator<Item = &'t str>, spaces: bool) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let stem = |take: &str| if spaces { legal(take) } else { without_spaces(&legal(take)) };
    takes.into_iter().map(|take| free(&stem(take), &mut taken)).collect()
}

/// A space and the marks beside it become one mark: a hyphen where there was one, else an underscore.
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

fn free(stem: &str, taken: &mut BTreeSet<String>) -> String {
    let numbered = (2..).map(|number| format!("{stem}_{number}"));
    let mut names = std::iter::once(stem.to_owned()).chain(numbered);
    // Folders of frames have `_` for dots, so names that differ only there are alike.
    let is_free = |name: &String| taken.insert(name.to_lowercase().replace('.', "_"));
    names.find(is_free).unwrap_or_default()
}

/// A take's name as a file name: what systems do not allow in names becomes `_`.
fn legal(take: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || "-_. ".contains(c) { c } else { '_' };
    let name: String = take.chars().map(safe).collect();
    // What begins with a dot is hidden on some systems, and what begins with a hyphen is taken for an option of commands.
    let mut name = name.trim_start_matches(['.', ' ']).trim_end().to_owned();
    if name.starts_with('-') {
        name.replace_range(..1, "_");
    }
    if let Some(end) = name.char_indices().map(|(at, c)| at + c.len_utf8()).find(|&end| end > LONGEST) {
        name.truncate(name[..end].char_indices().next_back().map_or(0, |(at, _)| at));
    }
    let name = name.trim_end_matches(['.', ' ']);
    let first = name.split('.').next().unwrap_or_default().to_lowercase();
    let is_device = DEVICES.contains(&first.trim_end_matches(|c: char| c.is_ascii_digit())) && first.len() <= 4;
    match name {
        "" => "take".into(),
        name if is_device => format!("{name}_"),
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
            ("con_".into(), "LPT1.x_".into(), "console".into(), "come".into())
        );
        let long = stem(&"走".repeat(400));
        assert!(long.len() <= LONGEST && long.chars().all(|c| c == '走'));
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
