//! The sources of takes, one file per kind. Each implements [`Source`].

mod blend;
pub(super) mod clip;
mod cloth;
mod images;
mod rest;
mod retarget;
mod source;
mod vertex_cache;
mod walk;

pub(super) use source::Source;

use crate::document::TakeSource;

/// Returns the implementation of `source`.
pub(super) fn source(source: &TakeSource) -> Box<dyn Source + '_> {
    match source {
        TakeSource::Clip { clip, .. } => Box::new(clip::ClipSource(clip)),
        TakeSource::Retarget(retarget) => Box::new(retarget::RetargetSource(retarget)),
        TakeSource::Rest { seconds } => Box::new(rest::RestSource { seconds: *seconds }),
        TakeSource::Scenario(blend) => Box::new(blend::BlendSource(blend)),
        TakeSource::Vertices(vertices) => Box::new(vertex_cache::VertexCacheSource(vertices)),
        TakeSource::Images { fps, sheet, tag, .. } => {
            Box::new(images::ImageSource { fps: *fps, sheet: *sheet, tag: tag.clone() })
        }
        TakeSource::Cloth(settings) => Box::new(cloth::ClothSource(settings)),
        TakeSource::Walk(walk) => Box::new(walk::WalkSource(walk)),
    }
}
