//! Flags that number images and lay them out.

use crate::export::sprite_sheet::SheetLayout;
use crate::session::ImageLayout;

/// How the files of images are numbered and laid out.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct ImageFlags {
    /// The number of the first of numbered images.
    #[arg(long, value_name = "N", default_value_t = 0)]
    first_number: u32,
    /// Frames in a row of a sheet; as many as make it nearest to a square when absent.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    columns: Option<u32>,
    /// Clear pixels around every frame of a sheet.
    #[arg(long, value_name = "PIXELS", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=256))]
    padding: u32,
    /// Make sheets as wide and high as a power of two.
    #[arg(long)]
    power_of_two: bool,
}

impl From<ImageFlags> for ImageLayout {
    fn from(flags: ImageFlags) -> Self {
        let ImageFlags { first_number, columns, padding, power_of_two } = flags;
        Self { first: first_number, sheet: SheetLayout { columns, padding, power_of_two } }
    }
}
