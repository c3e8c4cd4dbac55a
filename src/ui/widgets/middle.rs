//! Shortening of long names in the middle, because joint names differ at their ends.

use egui::{Color32, FontId, Ui};

/// Returns `name` if it fits into `room` points, else the name without its namespace, else with its middle replaced by “…”.
pub fn shorten_middle(ui: &Ui, name: &str, font: &FontId, room: f32) -> String {
    fitting(name, |text| width(ui, text, font) <= room)
}

/// Returns the length in bytes of the namespace that all `names` share, such as `Armature|` or `mixamorig:`; 0 for a single name or
/// if one name has another namespace. Lists leave it out on every row, so that equal names look equal.
pub fn shared_namespace<'n>(mut names: impl Iterator<Item = &'n str>) -> usize {
    let Some(first) = names.next() else { return 0 };
    let namespace = &first[..first.rfind([':', '|']).map_or(0, |at| at + 1)];
    let mut is_shared = false;
    for name in names {
        if !name.starts_with(namespace) || name.len() == namespace.len() {
            return 0;
        }
        is_shared = true;
    }
    if is_shared && first.len() > namespace.len() { namespace.len() } else { 0 }
}

/// Returns `text` if it fits into `room` points, else its end after “…”. The end distinguishes files in long paths.
pub fn shorten_start(ui: &Ui, text: &str, font: &FontId, room: f32) -> String {
    let galley = ui.painter().layout_no_wrap(text.to_owned(), font.clone(), Color32::WHITE);
    let glyphs = galley.rows.first().map_or(&[][..], |row| &row.glyphs[..]);
    let (wide, sign) = (galley.size().x, width(ui, "…", font));
    if wide <= room {
        return text.to_owned();
    }
    let left_out = glyphs.iter().take_while(|glyph| wide - glyph.pos.x + sign > room).count();
    std::iter::once('…').chain(text.chars().skip(left_out)).collect()
}

/// Returns the width of `text`, points.
pub fn width(ui: &Ui, text: &str, font: &FontId) -> f32 {
    ui.painter().layout_no_wrap(text.to_owned(), font.clone(), Color32::WHITE).size().x
}

/// Returns the longest form of `name` that `fits`: the name, the name without namespace, or that with “…” in its middle.
///
/// Returns two letters around “…” if none fits.
fn fitting(name: &str, fits: impl Fn(&str) -> bool) -> String {
    let short_name = name.rsplit([':', '|']).next().filter(|short_name| !short_name.is_empty()).unwrap_or(name);
    if let Some(form) = [name, short_name].into_iter().find(|text| fits(text)) {
        return form.to_owned();
    }
    let letters: Vec<char> = short_name.chars().collect();
    let cut = |kept_letters: usize| {
        // The side often comes last and the body part first, so the end gets two thirds.
        let first = kept_letters.div_ceil(3);
        let (start, end) = (&letters[..first], &letters[letters.len() - (kept_letters - first)..]);
        start.iter().chain(['…'].iter()).chain(end).collect::<String>()
    };
    let max_letters = letters.len().saturating_sub(1);
    (2..max_letters).rev().map(cut).find(|text| fits(text)).unwrap_or_else(|| cut(max_letters.min(2)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_path_keeps_its_end() {
        let mut harness = egui_kittest::Harness::new_ui(|ui| {
            let font = FontId::proportional(13.0);
            let path = "damaged/knight__drift.glb";
            assert_eq!(shorten_start(ui, path, &font, f32::INFINITY), path);
            let room = 0.6 * width(ui, path, &font);
            let short = shorten_start(ui, path, &font, room);
            let fits = width(ui, &short, &font) <= room;
            assert!(short.starts_with('…') && short.ends_with("drift.glb") && fits, "{short}");
        });
        harness.run_steps(2);
    }

    #[test]
    fn a_namespace_is_left_out_on_all_names_or_on_none() {
        let shared = |names: &[&str]| shared_namespace(names.iter().copied());
        assert_eq!(shared(&["Armature|Run", "Armature|Walk"]), 9);
        assert_eq!(shared(&["Armature|Run", "Walk"]), 0);
        assert_eq!(shared(&["Armature|Run", "Armature|"]), 0, "a name would be empty");
        assert_eq!((shared(&["Armature|Run"]), shared(&["Run", "Walk"]), shared(&[])), (0, 0, 0));
    }

    #[test]
    fn names_lose_their_namespace_then_their_middle_and_keep_their_side() {
        let within = |max: usize| move |text: &str| text.chars().count() <= max;
        assert_eq!(fitting("upper_arm.R", within(11)), "upper_arm.R");
        assert_eq!(fitting("upper_arm.R", within(9)), "upp…arm.R");
        assert_eq!(fitting("mixamorig:LeftUpLeg", within(12)), "LeftUpLeg");
        assert_eq!(fitting("mixamorig:LeftUpLeg", within(7)), "Le…pLeg");
        assert_ne!(fitting("upper_arm.L", within(6)), fitting("upper_arm.R", within(6)));
        assert_eq!(fitting("上臂骨骼左侧", within(4)), "上…左侧");
        assert_eq!(fitting("hips", within(0)), "h…s");
        assert_eq!(fitting("", within(0)), "");
    }
}
