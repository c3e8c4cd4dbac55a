//! How takes of images are numbered and laid out.

use crate::export::sprite_sheet::SheetLayout;

/// How the files of images are made, whatever their format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImageLayout {
    /// The number of the first of numbered files.
    pub first: u32,
    /// How frames lie on sheets.
    pub sheet: SheetLayout,
}

impl ImageLayout {
    /// What says so on the command line; nothing for what is as usual.
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
