//! The files of an export.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Keep;
use super::formats::{ExportFormat, ImageFormat, MeshFormat};
use super::request::{ExportRequest, TakeNames};
use crate::dynamics::spring_bone::{SpringBoneExport, SpringBoneWork};
use portamento_anim::Clip;
use portamento_anim::clip::unique_names;
use portamento_anim::reduce::{self, KeyReduction, reduced};
use portamento_anim::still_curves::RemovedKeys;
use portamento_base::budget::Reservation;
use portamento_base::message::{Message, Tell, message};
use portamento_base::progress::{Cancelled, Progress};
use portamento_takes::document::{Asset, Loaded, TakeId, Walk};
use portamento_takes::evaluate::{BuiltTake, Content, Lookup, bake};

/// A take to export and its build status.
#[derive(Clone)]
pub(super) struct Wanted {
    pub take: TakeId,
    /// File stems of the sets of which it is a member.
    pub sets: Vec<String>,
    /// True to mark the clip as a loop, as a set requires or the take says; `None` if the motion decides.
    pub loops: Option<bool>,
    /// The take's name.
    pub name: String,
    /// Unique stem of its files.
    pub stem: String,
    /// Stem of the file that contains its clip; takes with the same value share a file.
    pub file: String,
    /// Name of the source clip.
    pub clip: String,
    /// Name of the character.
    pub character: String,
    /// The built take or the work that builds it, or the reason why it cannot be built.
    pub found: Result<Lookup, Message>,
    /// The conversion to spring bones, if they are wanted and the take has dynamic bones.
    pub springs: Result<Option<SpringBoneWork>, Message>,
    /// The settings of a walk.
    pub walk: Option<Walk>,
}

/// A file to write, with everything the job needs.
pub(super) struct Output {
    pub path: PathBuf,
    pub asset: Asset<Loaded>,
    pub clips: Vec<OutputClip>,
    pub springs: Option<SpringBoneExport>,
    /// True if loops repeat their first frame at the end; `None` for the default of the format.
    pub closing: Option<bool>,
}

/// A clip of a file.
pub(super) struct OutputClip {
    pub take: TakeId,
    /// File stems of the sets of which it is a member.
    pub sets: Vec<String>,
    /// True if the clip is marked as one that loops.
    pub loops: bool,
    /// Stem of its sidecar files.
    pub stem: String,
    pub built: Arc<BuiltTake>,
    pub clip: Clip,
    /// Static curves, as they would be written.
    pub still: RemovedKeys,
    /// Result of the key reduction, if requested.
    pub left_out: Option<KeyReduction>,
    /// Exported seconds per second of the take.
    pub time_scale: f64,
    /// The settings of a walk.
    pub walk: Option<Walk>,
    /// Memory reserved for its keys.
    pub reservation: Reservation,
}

/// Builds the output of one take. May take long.
///
/// Returns `Err` if the take cannot be built, has a fault, or lacks requested spring bones; also without memory or if
/// cancelled.
pub(super) fn output(request: &ExportRequest, wanted: Wanted, progress: &Progress) -> Result<Output, Message> {
    let Wanted { take, sets, loops, stem, file, clip: source, found, springs, walk, character, .. } = wanted;
    let built = found?.built(progress).map_err(|error| error.message())?;
    let springs = springs?.map(|work| work.run(progress)).transpose()?;
    if let Some(missing) = built.walked.as_ref().and_then(|walked| walked.missing.as_ref()) {
        return Err(Message::verbatim(missing.to_string()));
    }
    if let Some(fault) = built.blended.as_ref().and_then(|blended| blended.faults.first()) {
        return Err(fault.message());
    }
    if request.springs && springs.is_none() && request.is_per_take() {
        return Err(no_springs());
    }
    let name = built.clip.name.clone();
    let loops = match loops {
        Some(loops) => loops,
        None => built.loops(progress).map_err(|stopped| stopped.message())?,
    };
    let reservation = progress.budget().reserve(bake::bytes(&built, request.settings.fps), &|| format!("“{name}”"));
    let reservation = reservation.map_err(|error| error.message())?;
    let Keys { mut clip, still, left_out } = keys_of(&built, request, progress).map_err(|stopped| stopped.message())?;
    if request.settings.keep != Keep::Replace {
        let names = TakeNames { take: &clip.name, clip: &source, character: &character };
        clip.name = request.settings.names.clip_name(names, loops);
    } else if built.blended.is_none() {
        // A blend has several source clips; it can only replace a clip of its own name.
        clip.name.clone_from(&built.clip_name);
    }
    let asset = built.character.clone();
    let path = match request.is_folder() {
        true => request.destination.join(file_of(&file, &built.content, request)),
        false => request.destination.clone(),
    };
    let time_scale = request.frames().map_or(1.0, |frames| frames.pace(&built));
    let clips =
        vec![OutputClip { take, sets, loops, stem, built, clip, still, left_out, time_scale, walk, reservation }];
    Ok(Output { path, asset, clips, springs, closing: request.settings.closing })
}

/// Returns the message that a take has no dynamic bones to export.
fn no_springs() -> Message {
    message!(
        "notice.no_dynamics",
        "spring bones were requested, but the take has no dynamic bones. Add dynamic bones to it first.",
    )
}

impl Output {
    /// Merges the clips of two outputs into one file; returns `Err` if the characters differ. The path and the spring bones
    /// of the first one win.
    pub fn joined(mut self, mut other: Self) -> Result<Self, Message> {
        let is_joints = |output: &Self| output.clips.iter().all(|clip| matches!(clip.built.content, Content::Joints));
        if self.asset != other.asset || !is_joints(&other) {
            return Err(message!(
                "notice.several_characters",
                "the takes belong to different characters. Export them to a folder instead.",
            ));
        }
        self.springs = self.springs.take().or_else(|| other.springs.take());
        self.clips.append(&mut other.clips);
        Ok(self)
    }

    /// Makes clip names unique, also among the clips that stay in the file, because markers refer to clips by name. A clip of a
    /// glTF that is exported as it is stays there with its name; an FBX gets it once more. Does nothing if clips are replaced.
    pub(super) fn make_names_unique(&mut self, request: &ExportRequest) {
        if request.settings.keep == Keep::Replace {
            return;
        }
        let is_fbx = self.path.extension().is_some_and(|end| end.eq_ignore_ascii_case("fbx"));
        let is_unchanged =
            |clip: &&Clip| !is_fbx && self.clips.iter().any(|output| output.built.is_own_clip && output.clip == **clip);
        let staying = self.asset.model.clips.iter().filter(|_| request.settings.keep == Keep::Append);
        let mut names: Vec<String> = staying.filter(|clip| !is_unchanged(clip)).map(|clip| clip.name.clone()).collect();
        let first = names.len();
        names.extend(self.clips.iter().map(|output| output.clip.name.clone()));
        let apart = unique_names(&names).into_iter().skip(first);
        self.clips.iter_mut().zip(apart).for_each(|(output, name)| output.clip.name = name);
    }

    /// Returns `Err` if `request` asks for spring bones that do not exist.
    pub fn check(&self, request: &ExportRequest) -> Result<(), Message> {
        if request.springs && self.springs.is_none() { Err(no_springs()) } else { Ok(()) }
    }
}

/// Returns the file name of a take in a folder, or the path of its first file below that folder.
fn file_of(stem: &str, content: &Content, request: &ExportRequest) -> PathBuf {
    // A dot would start an extension.
    let folder = || stem.replace('.', "_");
    let extension = match (content, request.settings.meshes, request.settings.images) {
        (Content::Images(_), _, ImageFormat::Png) => return folder().into(),
        (Content::Images(_), _, image @ (ImageFormat::Exr | ImageFormat::Tga)) => {
            return Path::new(&folder()).join(format!("{stem}.{}", image.name()));
        }
        (Content::Images(_), _, ImageFormat::Sheet) => "json",
        (Content::Images(_), _, format) => format.name(),
        (Content::Vertices(_), format, _) if format != MeshFormat::Morphs => format.name(),
        // Morph targets exist only in glTF.
        (Content::Vertices(_), ..) if matches!(request.settings.format, ExportFormat::Fbx | ExportFormat::Vrma) => {
            ExportFormat::Glb.extension()
        }
        _ => request.settings.format.extension(),
    };
    format!("{stem}.{extension}").into()
}

/// The exported keys of a take. `left_out` is the result of the key reduction, `None` without one.
struct Keys {
    clip: Clip,
    still: RemovedKeys,
    left_out: Option<KeyReduction>,
}

/// Returns the keys to export: resampled, reduced and without a closing key as `request` asks. Curves taken unchanged from
/// the source are never reduced. Only joint motion is reduced. Returns `Err` if `progress` is cancelled.
fn keys_of(built: &BuiltTake, request: &ExportRequest, progress: &Progress) -> Result<Keys, Cancelled> {
    let bake::Baked { mut clip, still } = bake::clip(built, request.frames());
    let mut left_out = None;
    if let Some(tolerance) = request.settings.tolerance.filter(|_| matches!(built.content, Content::Joints)) {
        let (skeleton, untouched) = (&built.character.model.skeleton, &built.source.tracks[..]);
        let input = reduce::Input { skeleton, clip: &clip, untouched, metres_per_unit: built.metres_per_unit };
        let fewer = reduced(&input, tolerance, progress)?;
        (clip, left_out) = (fewer.clip, Some(fewer.report));
    }
    if request.settings.closing == Some(false) && built.repeats() {
        clip = bake::unclosed(clip);
    }
    Ok(Keys { clip, still, left_out })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ExportSettings, Session};
    use portamento_anim::Tolerance;

    /// Exports the sample with dynamic bones; returns the exported clip and the built take.
    fn swung(tolerance: Option<Tolerance>) -> (Clip, Arc<BuiltTake>) {
        use crate::{Command, FileCommand};
        let folder = tempfile::tempdir().unwrap();
        crate::samples::write_all(folder.path()).unwrap();
        let mut session = Session::inline();
        session.preferences.autosave_seconds = 0.0;
        session.perform(Command::File(FileCommand::Open(vec![folder.path().join("samples.portamento")])));
        let fast =
            |take: &mut portamento_takes::document::Take| match take.stages.first_mut().map(|stage| &mut stage.kind) {
                Some(portamento_takes::document::StageKind::Dynamics(dynamics)) => {
                    dynamics.fps = Some(240.0);
                    Some(take.clone())
                }
                _ => None,
            };
        let take = session.document.takes.iter_mut().find_map(fast).unwrap();
        let settings = ExportSettings { tolerance, ..Default::default() };
        let (takes, destination) = (vec![take.id], folder.path().join("out.glb"));
        let request = ExportRequest { takes, destination: destination.clone(), settings, ..Default::default() };
        session.perform(Command::File(FileCommand::Export(request)));
        let clip = portamento_formats::import::import(&destination).unwrap().model.clip(&take.name).unwrap().clone();
        (clip, session.built(&take).unwrap())
    }

    /// Returns the largest angle between exported and simulated rotations at the unreduced keys, degrees, and the
    /// number of keys.
    fn compare(clip: &Clip, built: &BuiltTake) -> (f64, usize) {
        let skeleton = &built.character.model.skeleton;
        let simulated = built.dynamics(None).unwrap();
        let (mut worst, mut keys) = (0.0_f64, 0);
        for &joint in &simulated.joints {
            let curve = clip.tracks[joint].rotation.as_ref().unwrap();
            keys += curve.times.len();
            for &time in &built.clip.tracks[joint].rotation.as_ref().unwrap().times {
                let mut pose = portamento_anim::Pose::rest(skeleton);
                simulated.sample(f64::from(time), &mut pose);
                let angle = portamento_anim::math::mean::angle_between(
                    pose.locals[joint].rotation,
                    curve.sample(f64::from(time)).unwrap(),
                );
                worst = worst.max(angle.to_degrees());
            }
        }
        (worst, keys)
    }

    #[test]
    fn exported_keys_match_the_simulation_and_reduced_keys_stay_within_tolerance() {
        let (clip, built) = swung(None);
        let (worst, all) = compare(&clip, &built);
        assert!(worst.to_radians() <= 1e-4, "{worst} degrees");
        let (few, built) = swung(Some(Tolerance { millimetres: 1.0 }));
        let (worst, some) = compare(&few, &built);
        // 1 mm at 3 cm corresponds to at most two degrees at the end of a chain.
        assert!(worst <= 2.0 && worst > 0.0 && some < all / 2, "{worst} degrees with {some} of {all} keys");
        let untouched =
            clip.tracks.iter().enumerate().filter(|(joint, _)| !built.dynamics(None).unwrap().joints.contains(joint));
        assert!(untouched.into_iter().all(|(joint, tracks)| few.tracks[joint] == *tracks));
    }
}
