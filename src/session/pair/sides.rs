//! Selection of the two motions for a comparison.

use std::path::PathBuf;

use crate::clip_library::ClipRow;
use crate::{ClipTable, OpenDocument, Shown};
use portamento_takes::document::clip_ref::referred_take;
use portamento_takes::document::{TakeId, TakeSource, file};

/// One of two motions; its file may not be open yet.
#[derive(Clone, Debug)]
pub(super) enum Side {
    Clip { file: PathBuf, clip: String },
    Known(Shown),
}

impl Side {
    /// Returns the clip of `row`, with the absolute path of its file.
    fn from_row(row: &ClipRow) -> Self {
        let file = file::absolute(&row.file);
        Self::Clip { file, clip: row.clip.clone() }
    }
}

impl OpenDocument<'_> {
    /// Returns the two rows selected in the library, upper one first; or the selected row and its newest take. `None` for
    /// any other number of rows, or if the only row has no take.
    pub(super) fn chosen_sides(self, clips: &mut ClipTable) -> Option<[Side; 2]> {
        let mut chosen: Vec<usize> = clips.chosen.iter().copied().take(3).collect();
        let order = clips.shown();
        chosen.sort_by_key(|row| order.iter().position(|each| each == row).unwrap_or(usize::MAX));
        let rows: Vec<&ClipRow> = chosen.iter().filter_map(|&at| clips.rows().get(at)).collect();
        match rows[..] {
            [upper, lower] => Some([Side::from_row(upper), Side::from_row(lower)]),
            [only] => Some([Side::from_row(only), Side::Known(Shown::Take(self.newest_take_of(only)?))]),
            _ => None,
        }
    }

    /// Returns the take `shown` and its source. The source may be another take. `None` if `shown` is no take of a clip.
    pub(super) fn with_its_clip(self, shown: &Shown) -> Option<[Shown; 2]> {
        let Shown::Take(id) = *shown else { return None };
        let take = self.document.take(id)?;
        let TakeSource::Clip { file, clip } = &take.source else { return None };
        let plain = || Shown::Clip { character: take.character, file: *file, clip: clip.clone() };
        Some([Shown::Take(id), referred_take(clip).map_or_else(plain, Shown::Take)])
    }

    /// Returns the item of `side`, if its file is open.
    pub(super) fn open_item(self, side: &Side) -> Option<Shown> {
        match side {
            Side::Known(shown) => Some(shown.clone()),
            Side::Clip { file, clip } => {
                let file = self.document.files.iter().find(|known| known.path == *file)?.id;
                Some(Shown::Clip { character: file, file, clip: clip.clone() })
            }
        }
    }

    /// Returns the files of `sides` that are not open yet.
    pub(super) fn missing_files(self, sides: &[Side; 2]) -> Vec<PathBuf> {
        let file = |side: &Side| match side {
            Side::Clip { file, .. } if self.open_item(side).is_none() => Some(file.clone()),
            _ => None,
        };
        let mut missing: Vec<PathBuf> = sides.iter().filter_map(file).collect();
        missing.dedup();
        missing
    }

    /// True if `shown` is a clip or take and no image sequence.
    pub(super) fn can_be_paired(self, shown: &Shown) -> bool {
        let is_file = matches!(shown, Shown::File(_));
        let take = self.take_of(shown).filter(|_| !is_file);
        take.is_some_and(|take| !matches!(take.source, TakeSource::Images { .. }))
    }

    /// Returns the take added last whose source is the clip of `row`; `None` if there is none.
    fn newest_take_of(self, row: &ClipRow) -> Option<TakeId> {
        let Shown::Clip { file, clip, .. } = self.open_item(&Side::from_row(row))? else { return None };
        let source = TakeSource::Clip { file, clip };
        self.document.takes.iter().rev().find(|take| take.source == source).map(|take| take.id)
    }
}
