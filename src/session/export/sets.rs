//! The sets of an export: their index, and the files that make an engine play them.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::file_stems;
use super::formats::ExportFormat;
use super::markers::{foot_names, markers};
use super::plan::OutputClip;
use super::request::ExportRequest;
use super::staging::{Staged, nothing_exported};
use super::write::{is_fbx, is_gltf};
use crate::clip_library::Stack;
use crate::{OpenDocument, Session, Severity};
use portamento_anim::foot_shape::soles;
use portamento_anim::quality::Input;
use portamento_anim::root_motion::{frame_times, path};
use portamento_anim::{Front, RootKind, RootMotion};
use portamento_base::message::{Message, Tell, message};
use portamento_base::progress::Progress;
use portamento_formats::export::clip_set::{
    DistanceKeys, INDEX_ENDING, IndexedClip, IndexedFoot, MeasuredClip, SetIndex, rounded,
};
use portamento_formats::export::{ExportError, FileSet, godot, unity};
use portamento_sets::{ClipName, Figures, Member, SetRequirements};
use portamento_takes::document::clip_set::{ClipSet, MemberClip};
use portamento_takes::document::{Document, Take, TakeId, TakeSource};
use portamento_walk::locomotion::{DistanceCurve, Measure, Sign};

/// Travel up to which a clip has no distance curve, metres: the travel up to which a contract calls it in place.
const DISTANCE_MIN_M: f64 = 0.02;

/// A set all of whose members are exported.
#[derive(Clone, Debug)]
pub(crate) struct ExportedSet {
    pub name: String,
    /// File stem, unique among all sets of the document.
    pub stem: String,
    pub requirements: SetRequirements,
    /// The members in order, with the stance at the end.
    pub members: Vec<TakeId>,
    /// The members that must loop: those of which the contract requires it, and the stance.
    pub looping: Vec<TakeId>,
    pub has_stance: bool,
}

/// The sets of an export.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExportedSets {
    pub sets: Vec<ExportedSet>,
    /// Sets of which only some members are exported.
    pub incomplete: Vec<String>,
}

/// An exported clip with the figures that the index of its sets needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SetClip {
    /// The exported take.
    pub take: TakeId,
    clip: IndexedClip,
    figures: Option<Figures>,
    /// Joints of the feet of `clip`.
    joints: Vec<usize>,
    front: Front,
}

impl SetClip {
    /// Measures an exported clip in the file at `path`. Figures are missing if it cannot be measured.
    pub(super) fn measure(output: &OutputClip, path: &Path) -> Self {
        let OutputClip { built, clip, take, .. } = output;
        let (model, roles) = (&built.character.model, &built.roles);
        let (skeleton, soles) = (&model.skeleton, soles(model, &roles.legs));
        let input = Input { skeleton, clip, roles, soles: &soles, metres_per_unit: built.metres_per_unit };
        // An export that is cancelled here is cancelled in the next step too.
        let member = Member::measure(ClipName::default(), &input, &Progress::new()).ok();
        let figures = member.and_then(|member| member.figures);
        let (names, joints): (Vec<String>, Vec<usize>) = foot_names(built).into_iter().unzip();
        let foot = |(name, joint): (String, &usize)| IndexedFoot {
            name,
            joint: skeleton.joints[*joint].name.clone(),
            ..IndexedFoot::default()
        };
        let feet = names.into_iter().zip(&joints).map(foot).collect();
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut clip = IndexedClip::new(file, figures.as_ref(), &markers(output), feet);
        clip.root = output.root_above_hips().map(|joint| skeleton.joints[joint].name.clone());
        clip.distance = distance(&input, &clip);
        Self { take: *take, clip, figures, joints, front: roles.front.unwrap_or_default() }
    }

    /// Returns the clip as a member of `set`.
    fn member(&self, set: &SetRequirements) -> MeasuredClip {
        let clip = self.clip.clone();
        MeasuredClip {
            clip: match &self.figures {
                Some(figures) => clip.with_strides(figures, &self.joints, set.min_amplitude()),
                None => clip,
            },
            ends: self.figures.as_ref().map(|figures| figures.ends.clone()),
            aim: self.figures.as_ref().and_then(|figures| figures.aim(set)),
            front: self.front.name(),
        }
    }
}

impl OutputClip {
    /// Returns the joint above the hips that carries the travel of the clip; `None` if the travel is in the hips or the
    /// hips are unknown.
    pub(super) fn root_above_hips(&self) -> Option<usize> {
        let root = self.built.root.filter(|root| root.kind == RootKind::Root)?;
        // Without known hips, the root motion joint may be the hips themselves, whose sway is not travel.
        let hips = self.built.roles.hips.filter(|&hips| hips != root.joint)?;
        self.built.character.model.skeleton.is_within(hips, root.joint).then_some(root.joint)
    }
}

/// Returns the remaining travel along the path of the body in every frame, metres. Empty for clips in place.
fn distance(input: &Input, clip: &IndexedClip) -> DistanceKeys {
    let Some(root) = RootMotion::find(input.skeleton, input.clip, input.roles) else { return DistanceKeys::default() };
    if clip.in_place || clip.travel_m < DISTANCE_MIN_M {
        return DistanceKeys::default();
    }
    let times = frame_times(input.clip, 0..input.skeleton.len(), clip.fps.unwrap_or_else(|| input.clip.fps()));
    let positions = path(input.skeleton, input.clip, root.joint, &times);
    let positions: Vec<_> = positions.into_iter().map(|position| position * input.metres_per_unit).collect();
    let curve = DistanceCurve::new(&positions, &times, Measure::AlongPath);
    let (times, metres) = curve.exported(Sign::Positive).map(|(time, left)| (rounded(time), rounded(left))).unzip();
    DistanceKeys { times, metres }
}

impl ExportRequest {
    /// True if sets of exported takes get files.
    pub(super) fn wants_sets(&self) -> bool {
        self.settings.set_index || self.settings.godot_import || self.settings.unity_import
    }

    /// Adds the files that all sets of the export share to `files`: for FBX files, the script for Unity. Returns `Err` with
    /// the reason if it cannot be written.
    pub(crate) fn write_shared_by_sets(&self, files: &mut FileSet) -> Result<(), Message> {
        let has_fbx =
            if self.is_folder() { self.settings.format == ExportFormat::Fbx } else { is_fbx(&self.destination) };
        if self.settings.unity_import && has_fbx {
            unity::write(files, self.folder()).map_err(|error| error.message())?;
        }
        Ok(())
    }
}

impl ExportedSets {
    /// Returns the file stems of the sets of which `take` is a member.
    pub(super) fn stems_with(&self, take: TakeId) -> Vec<String> {
        self.sets.iter().filter(|set| set.members.contains(&take)).map(|set| set.stem.clone()).collect()
    }

    /// Returns what the files of `take` have from its sets: the file stem of each, and true where it must loop.
    pub fn memberships(&self, take: TakeId) -> Vec<(&str, bool)> {
        let own = self.sets.iter().filter(|set| set.members.contains(&take));
        own.map(|set| (&*set.stem, set.looping.contains(&take))).collect()
    }

    /// True if a set requires of `take` that it loops.
    pub(super) fn require_loop(&self, take: TakeId) -> bool {
        self.sets.iter().any(|set| set.looping.contains(&take))
    }
}

impl OpenDocument<'_> {
    /// Returns the sets of which all members are among the takes of `request`, or among those that are exported together
    /// with them, and the incomplete ones. Empty if the request wants no files of sets.
    pub(crate) fn exported_sets(self, request: &ExportRequest) -> ExportedSets {
        let mut exported = ExportedSets::default();
        if !request.wants_sets() {
            return exported;
        }
        let sets = &self.document.sets;
        let stems = file_stems(sets.iter().map(|set| &*set.name), request.settings.names.spaces);
        for (set, stem) in sets.iter().zip(stems) {
            let members: Vec<Option<TakeId>> =
                clips_of(set).map(|clip| take_of(self.document, clip, request.all_takes())).collect();
            match members.iter().copied().collect::<Option<Vec<TakeId>>>() {
                Some(members) if !members.is_empty() => exported.sets.push(ExportedSet {
                    looping: looping(set, &members),
                    name: set.name.clone(),
                    stem,
                    requirements: set.requirements.clone(),
                    members,
                    has_stance: set.stance.is_some(),
                }),
                // A single take is a correction of one clip.
                _ if members.iter().flatten().nth(1).is_some() => exported.incomplete.push(set.name.clone()),
                _ => {}
            }
        }
        exported
    }
}

/// Returns those of `members` that must loop: those of which `set` requires it, and the stance. `members` are in the order
/// of [`clips_of`].
fn looping(set: &ClipSet, members: &[TakeId]) -> Vec<TakeId> {
    let all = set.requirements.with_defaults().each.is_loop;
    let own = set.members.iter().map(|member| member.requirements.is_loop.or(all) == Some(true));
    let looping = own.chain(set.stance.as_ref().map(|_| true)).zip(members);
    looping.filter(|(is_looping, _)| *is_looping).map(|(_, id)| *id).collect()
}

/// Returns the members of `set`, with the stance at the end.
fn clips_of(set: &ClipSet) -> impl Iterator<Item = &MemberClip> {
    set.members.iter().map(|member| &member.clip).chain(&set.stance)
}

/// Returns the first take among `takes` that is the member `clip`: for a clip of a file, a take without stages over it.
/// `None` if there is none.
fn take_of(document: &Document, clip: &MemberClip, takes: &[TakeId]) -> Option<TakeId> {
    let is_it = |take: &&Take| match (clip, &take.source) {
        (MemberClip::Take(id), _) => take.id == *id,
        (MemberClip::Clip { file, clip }, TakeSource::Clip { file: source, clip: name }) => {
            take.stages.is_empty() && take.character == *file && source == file && name == clip
        }
        _ => false,
    };
    document.takes.iter().filter(|take| takes.contains(&take.id)).find(is_it).map(|take| take.id)
}

impl Session {
    /// Returns the takes that are the members of the set at `index`, with its stance, each once. Members that are clips of
    /// files get takes without stages, grouped in a folder, if they have none yet. Empty if there is no such set.
    pub fn takes_of_set(&mut self, index: usize) -> Vec<TakeId> {
        let Some(set) = self.document.sets.get(index).cloned() else { return Vec::new() };
        let before = self.document.takes.len();
        let mut ids = Vec::new();
        for clip in clips_of(&set) {
            let all: Vec<TakeId> = self.document.takes.iter().map(|take| take.id).collect();
            let known = take_of(&self.document, clip, &all);
            let id = match (known, clip) {
                (Some(id), _) => id,
                (None, MemberClip::Clip { file, clip }) if self.library.get(*file).is_some() => {
                    let take = Stack { name: clip.clone(), kinds: Vec::new() }.over(*file, clip);
                    self.document.add_take(take)
                }
                _ => continue,
            };
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        self.document.group_takes(before, &set.name);
        ids
    }
}

impl Staged {
    /// Adds the files of those of `sets` of which each member was exported, with notes. Others get a warning. Takes the
    /// measured clips out of the reports. Adds nothing if the takes are a part of a batch, which knows all clips at its end.
    pub(super) fn with_sets(mut self, sets: &ExportedSets, request: &ExportRequest) -> Result<Self, Message> {
        if request.is_part() {
            return Ok(self);
        }
        let clips: Vec<SetClip> = self.reports.iter_mut().flat_map(|report| report.report.take_set_clips()).collect();
        let mut is_any_written = false;
        for set in &sets.sets {
            let names = set.write(&mut self.files, &clips, request).map_err(nothing_exported)?;
            is_any_written |= names.is_some();
            self.notes.extend(match names {
                None => Some((Severity::Warning, incomplete_set(&set.name))),
                Some(names) => (!names.is_empty()).then(|| (Severity::Done, written_set(&set.name, &names))),
            });
        }
        if is_any_written {
            request.write_shared_by_sets(&mut self.files).map_err(nothing_exported)?;
        }
        self.notes.extend(sets.incomplete.iter().map(|name| (Severity::Warning, incomplete_set(name))));
        Ok(self)
    }
}

impl ExportedSet {
    /// Adds the files of the set to `files` and returns the names of its own. `None`, without files, if a member is not
    /// among `clips`. Returns `Err` with the reason if a file cannot be written.
    pub fn write(
        &self,
        files: &mut FileSet,
        clips: &[SetClip],
        request: &ExportRequest,
    ) -> Result<Option<Vec<String>>, Message> {
        let Some(index) = self.index(clips) else { return Ok(None) };
        let written = write(files, &index, &request.folder().join(&self.stem), request);
        written.map(Some).map_err(|error| error.message())
    }

    /// Returns the index; `None` if a member was not exported.
    fn index(&self, clips: &[SetClip]) -> Option<SetIndex> {
        let member =
            |id: &TakeId| clips.iter().find(|clip| clip.take == *id).map(|clip| clip.member(&self.requirements));
        let members: Vec<MeasuredClip> = self.members.iter().map(member).collect::<Option<_>>()?;
        let stance = members.len().checked_sub(1).filter(|_| self.has_stance);
        Some(SetIndex::new(&self.name, &self.requirements, &members, stance))
    }
}

/// Adds the files of a set, whose paths begin with `stem`, to `files`. Returns their names; none if the settings or the
/// formats ask for no file.
fn write(
    files: &mut FileSet,
    index: &SetIndex,
    stem: &Path,
    request: &ExportRequest,
) -> Result<Vec<String>, ExportError> {
    let settings = &request.settings;
    let mut texts = Vec::new();
    let is_fbx = index.members.iter().all(|member| is_fbx(Path::new(&member.file)));
    if settings.set_index || (settings.unity_import && is_fbx) {
        texts.push((INDEX_ENDING, index.json()));
    }
    let is_gltf = index.members.iter().all(|member| is_gltf(Path::new(&member.file)));
    if settings.godot_import && is_gltf {
        texts.extend(godot::tree(index).map(|tree| (godot::TREE_ENDING, tree)));
    }
    let mut names = Vec::new();
    for (ending, text) in texts {
        let mut path = stem.as_os_str().to_owned();
        path.push(format!(".{ending}"));
        files.write(Path::new(&path), text.as_bytes())?;
        names.push(Path::new(&path).file_name().unwrap_or_default().to_string_lossy().into_owned());
    }
    Ok(names)
}

/// Returns the note that the set `name` was written as `files`.
fn written_set(name: &str, files: &[String]) -> Message {
    message!("notice.set_exported", "Set “%{set}”: wrote %{files}.", set = name, files = files.join(", "))
}

/// Returns the warning that the set `name` is incomplete.
pub(crate) fn incomplete_set(name: &str) -> Message {
    message!(
        "notice.set_incomplete",
        "The index of the set “%{set}” was not written, because not all of its members were exported. Export all takes of the set \
         together.",
        set = name
    )
}
