//! Which rows are shown by what was found in them.

use super::ClipRow;
use super::columns::is_found;
use crate::anim::quality::Finding;

/// Which rows are shown by what was found in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Found {
    /// Every row.
    #[default]
    Whatever,
    /// Something is worth a look.
    Something,
    /// That, whatever else.
    One(Finding),
    /// A take mends it.
    Mended,
}

impl Found {
    /// Whether `row` is shown; `is_mended` where a take mends it.
    pub fn holds(self, row: &ClipRow, is_mended: bool) -> bool {
        match self {
            Self::Whatever => true,
            Self::Something => is_found(row),
            Self::One(finding) => row.quality.as_ref().is_some_and(|quality| quality.findings.contains(&finding)),
            Self::Mended => is_mended,
        }
    }
}
