//! The image source: a numbered sequence, an animated file, or the frames of a sprite sheet.

use super::source::{Source, check_rate, of_footage};
use crate::evaluate::inputs::Inputs;
use crate::evaluate::{BuiltTake, TakeError};
use portamento_anim::Footage;
use portamento_anim::media::SheetGrid;
use portamento_base::progress::Progress;

/// Plays the images of the first clip file.
pub(super) struct ImageSource {
    /// Frames per second; `None` uses the rate of the file.
    pub fps: Option<f64>,
    /// The grid of frames on each image, for sprite sheets.
    pub sheet: Option<SheetGrid>,
    /// One of the animations of a sprite sheet; `None` plays all frames.
    pub tag: Option<String>,
}

impl Source for ImageSource {
    /// Returns 0: frames are read on demand.
    fn bytes(&self, _: &Inputs) -> u64 {
        0
    }

    fn build(&self, inputs: &Inputs, _: &Progress) -> Result<BuiltTake, TakeError> {
        let file = &inputs.clips.files[0];
        let Some(Footage::Images(clip)) = &file.footage else {
            return Err(TakeError::NoImages { file: file.model.name.clone() });
        };
        let tagged = match &self.tag {
            None => clip.clone(),
            Some(tag) => clip.tagged(tag).ok_or_else(|| TakeError::NoClip {
                clip: tag.clone(),
                file: file.model.name.clone(),
                known: clip.tags.iter().map(|tag| tag.name.clone()).collect(),
            })?,
        };
        let mut clip = self.sheet.map_or_else(|| Ok(tagged.clone()), |grid| grid.cut(&tagged))?;
        clip.info.fps = check_rate(self.fps)?.unwrap_or(clip.info.fps);
        of_footage(inputs, Footage::Images(clip), std::iter::empty())
    }
}
