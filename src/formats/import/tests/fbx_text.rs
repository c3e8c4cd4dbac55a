//! Text FBX damaged line by line: numbers, counts, words and blocks instead of bytes.

use super::random_below;
use portamento_anim::math::random::SplitMix64;

/// Returns the file with one to six faults in its lines.
pub(super) fn damaged(seed: &[u8], random: &mut SplitMix64) -> Vec<u8> {
    let text = String::from_utf8_lossy(seed);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..=random_below(random, 6) {
        damage(&mut lines, random);
    }
    lines.join("\n").into_bytes()
}

fn damage(lines: &mut Vec<String>, random: &mut SplitMix64) {
    let (at, other) = (random_below(random, lines.len()), random_below(random, lines.len()));
    if lines.is_empty() {
        return;
    }
    match random_below(random, 9) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(other, lines[at].clone()),
        2 => lines.swap(at, other),
        3 => drop(lines.drain(at..(at + random_below(random, 30)).min(lines.len()))),
        4 => lines.insert(at, ["{", "}", "a: ", "\"", ";", "*", "P: "][random_below(random, 7)].into()),
        5 => {
            let end = (at + random_below(random, 30)).min(lines.len());
            let block = lines[at..end].to_vec();
            lines.splice(other..other, block);
        }
        6 => {
            let word = lines[other].split([' ', ',', '"']).next_back().unwrap_or_default().to_owned();
            let begin = lines[at].find([' ', ',']).unwrap_or(0);
            lines[at].replace_range(begin.., &format!(" {word}"));
        }
        _ => number(&mut lines[at], random),
    }
}

/// Replaces one number of the line, or its count after an asterisk, by an invalid one.
fn number(line: &mut String, random: &mut SplitMix64) {
    const INVALID_NUMBERS: [&str; 14] = [
        "-1",
        "0",
        "1",
        "2147483647",
        "-2147483648",
        "99999999999999999999",
        "1e999",
        "-1e-999",
        "nan",
        "inf",
        "",
        "\"a\"",
        "*4000000000",
        "0.5",
    ];
    let starts = |(at, here): (usize, char)| {
        let before = line[..at].chars().next_back().unwrap_or(' ');
        (here.is_ascii_digit() && !before.is_ascii_digit()).then_some(at)
    };
    let numbers: Vec<usize> = line.char_indices().filter_map(starts).collect();
    let Some(&begin) = numbers.get(random_below(random, numbers.len())) else { return };
    let end = line[begin..].find(|here: char| !here.is_ascii_digit()).map_or(line.len(), |length| begin + length);
    line.replace_range(begin..end, INVALID_NUMBERS[random_below(random, INVALID_NUMBERS.len())]);
}
