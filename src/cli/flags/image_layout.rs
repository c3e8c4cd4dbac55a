//! Flags for image numbering and sprite sheets.

use portamento_formats::export::sprite_sheet::SheetLayout;
use portamento_session::ImageLayout;

/// Flags for image numbering and sprite sheets.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct ImageFlags {
    /// Number of the first image file.
    #[arg(long, value_name = "N", default_value_t = 0)]
    first_number: u32,
    /// Frames per row of a sprite sheet. Default: as close to a square as possible.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    columns: Option<u32>,
    /// Transparent pixels around every frame of a sprite sheet.
    #[arg(long, value_name = "PIXELS", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=256))]
    padding: u32,
    /// Round sheet width and height up to a power of two.
    #[arg(long)]
    power_of_two: bool,
}

impl From<ImageFlags> for ImageLayout {
    fn from(flags: ImageFlags) -> Self {
        let ImageFlags { first_number, columns, padding, power_of_two } = flags;
        Self { first: first_number, sheet: SheetLayout { columns, padding, power_of_two } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        flags: ImageFlags,
    }

    #[test]
    fn the_flags_of_a_layout_parse_back_to_that_layout() {
        let sheet = SheetLayout { columns: Some(8), padding: 2, power_of_two: true };
        for layout in [ImageLayout::default(), ImageLayout { first: 1001, sheet }] {
            let words = layout.flags().into_iter().flat_map(|(flag, value)| [flag.to_owned()].into_iter().chain(value));
            let line = Line::try_parse_from(["bake".to_owned()].into_iter().chain(words)).unwrap();
            assert_eq!(ImageLayout::from(line.flags), layout);
        }
        assert!(Line::try_parse_from(["bake", "--columns", "0"]).is_err());
    }
}
