//! The size of a walking character, measured on its mesh.

use crate::OpenDocument;
use portamento_base::progress::Progress;
use portamento_takes::document::{FileId, Walk};

/// Frames per second at which the mesh is measured: an idle clip moves slowly.
const MEASURED_FPS: f64 = 2.0;

/// The size of an upright character, metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodySize {
    /// Half of the larger horizontal side.
    pub radius: f64,
    /// Height.
    pub height: f64,
}

impl OpenDocument<'_> {
    /// Returns the size of the mesh of `character`, rounded up to centimetres.
    ///
    /// Each side is the median over the clip in which the walk stands, or else over its first gait or the first clip
    /// of the file. The rest pose does not serve, since its arms are often spread. Returns `None` if the file has no mesh or no
    /// clip. Poses the mesh for all these frames now, which takes time.
    pub fn body_size(self, character: FileId, walk: &Walk) -> Option<BodySize> {
        let model = &self.library.get(character)?.model;
        let unit = self.document.file(character)?.metres_per_unit;
        let clips = &walk.settings.clips;
        let named = clips.idle.iter().chain(clips.gaits.iter().map(|gait| &gait.clip));
        let clip = named.filter_map(|name| model.clip(name)).next().or(model.clips.first())?;
        let cache = model.to_vertex_clip(clip, MEASURED_FPS, &Progress::new()).ok()?;
        let size = |frame: usize| {
            let points = cache.frame(frame).iter();
            let (low, high) = points
                .fold((glam::Vec3::MAX, glam::Vec3::MIN), |(low, high), point| (low.min(*point), high.max(*point)));
            high - low
        };
        let sizes: Vec<glam::Vec3> = (0..cache.frames()).map(size).collect();
        let radius = median(sizes.iter().map(|size| 0.5 * f64::from(size.x.max(size.z))).collect())?;
        let height = median(sizes.iter().map(|size| f64::from(size.y)).collect())?;
        // Whole centimetres, since the figure is an estimate.
        let rounded = |metres: f64| (metres * unit * 100.0).ceil() / 100.0;
        Some(BodySize { radius: rounded(radius), height: rounded(height) }).filter(|size| size.height > 0.0)
    }
}

/// Returns the upper median; `None` for no values.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Command, FileCommand, Session};

    #[test]
    fn the_size_of_the_hero_is_that_of_a_standing_person() {
        let mut session = Session::inline();
        let hero = portamento_test_support::asset("hero.glb");
        session.perform(Command::File(FileCommand::Open(vec![hero])));
        let file = session.document.files[0].id;
        let mut walk = Walk::default();
        walk.settings.clips.idle = Some("idle".into());
        let size = session.opened().body_size(file, &walk).unwrap();
        let rest = session.library.get(file).unwrap().rest_bounds().size();
        assert!((size.height / f64::from(rest.y) - 1.0).abs() < 0.1, "{size:?} {rest}");
        assert!((0.2..0.6).contains(&size.radius), "{size:?}");
        session.document.files[0].metres_per_unit = 0.5;
        let half = session.opened().body_size(file, &walk).unwrap();
        assert!((half.height * 2.0 - size.height).abs() < 0.02 && half.radius < size.radius);
        assert_eq!(session.opened().body_size(FileId(99), &walk), None);
    }
}
