//! Numbering and sheet layout of image takes.

use portamento_formats::export::sprite_sheet::SheetLayout;

/// Numbering and sheet layout of image files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImageLayout {
    /// The first file number.
    pub first: u32,
    /// The layout of sprite sheets.
    pub sheet: SheetLayout,
}

impl ImageLayout {
    /// Returns the command-line flags for all non-default values, each with its value, if it has one.
    pub fn flags(self) -> Vec<(&'static str, Option<String>)> {
        let SheetLayout { columns, padding, power_of_two } = self.sheet;
        let number = |flag, number: Option<u32>| number.map(|number| (flag, Some(number.to_string())));
        let numbers = [
            number("--first-number", Some(self.first).filter(|&first| first > 0)),
            number("--columns", columns),
            number("--padding", Some(padding).filter(|&padding| padding > 0)),
        ];
        numbers.into_iter().flatten().chain(power_of_two.then_some(("--power-of-two", None))).collect()
    }
}
