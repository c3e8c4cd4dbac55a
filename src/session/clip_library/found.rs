//! Filter of the clip table by findings.

use super::ClipRow;
use super::columns::is_found;
use portamento_anim::quality::Finding;

/// A filter of the clip table by findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Found {
    /// Every row.
    #[default]
    Whatever,
    /// Rows with at least one finding, or unmeasured.
    Something,
    /// Rows with that finding.
    One(Finding),
    /// Rows that a take fixes.
    Mended,
}

impl Found {
    /// True if the filter accepts `row`; `is_mended` if a take fixes it.
    pub fn holds(self, row: &ClipRow, is_mended: bool) -> bool {
        match self {
            Self::Whatever => true,
            Self::Something => is_found(row),
            Self::One(finding) => row.quality.as_ref().is_some_and(|quality| quality.findings.contains(&finding)),
            Self::Mended => is_mended,
        }
    }
}
