//! Dynamic chains and colliders.

pub(crate) mod live;
pub mod presets;
mod likely;
pub mod spring_bone;
#[cfg(test)]
mod tests;

use glam::DVec3;

use crate::{NewCollider, OpenDocument, Session, Severity, Shown};
use portamento_anim::joint_capsule::joint_capsule;
use portamento_anim::{Clip, Model, Pose, Roles, Skeleton};
use portamento_base::message::{Message, message};
use portamento_dynamics as dynamics;
use portamento_dynamics::{Chain, Collider, ColliderShape, Preset};
use portamento_takes::document::stage::Dynamics;
use portamento_takes::document::{Asset, FileId, Loaded, StageId, StageKind, Take, TakeId, TakeSource};

/// Length of the bone added after a chain's last joint if the chain has no other bone, metres.
const DEFAULT_END_LENGTH_M: f64 = 0.1;
/// Duration of a rest-pose take for an avatar without clips; long enough to see a gust of wind, seconds.
pub(crate) const REST_SECONDS: f64 = 4.0;
/// Radius of a new sphere or capsule, metres.
const DEFAULT_RADIUS_M: f64 = 0.1;

impl Session {
    /// Adds a chain from `joint` on to the shown take and selects both; unmutes and selects a chain that begins there
    /// already. Shows `character` first if it is not shown. Adds a take and a stage if needed.
    pub(crate) fn make_dynamic(&mut self, character: Option<FileId>, joint: usize) {
        let shown = self.opened().shown_character(&self.selection.shown);
        let is_shown =
            |id: FileId| shown.as_ref().zip(self.library.get(id)).is_some_and(|(shown, loaded)| shown.1 == *loaded);
        if let Some(other) = character.filter(|&id| !is_shown(id)) {
            self.selection.show(Shown::File(other));
        }
        let Some((_, character, metres)) = self.opened().shown_character(&self.selection.shown) else { return };
        let model = &character.model;
        if joint >= model.skeleton.len() {
            return;
        }
        let Some(dynamics) = self.shown_dynamics() else { return };
        let chains = &mut dynamics.settings.chains;
        let at = match chains.iter().position(|chain| chain.joint == joint) {
            Some(at) => {
                chains[at].muted = false;
                at
            }
            None => {
                chains.push(chain_from(&model.skeleton, joint, metres));
                chains.len() - 1
            }
        };
        self.selection.chain = Some(at);
        self.selection.joint = Some(joint);
    }

    /// Adds a chain from each of `joints`. The character is shown first if it is not. The last chain is selected.
    pub(crate) fn make_all_dynamic(&mut self, character: Option<FileId>, joints: &[usize]) {
        joints.iter().for_each(|&joint| self.make_dynamic(character, joint));
    }

    /// Adds the likely chains of the shown character; adds a notice if there are none.
    pub(crate) fn make_likely_dynamic(&mut self) {
        let joints = self.opened().likely_chains(&self.selection.shown, self.selection.stage);
        if joints.is_empty() {
            let message = message!(
                "notice.no_likely_chains",
                "No hair, tail or cloth was found by name or shape. Select joints in the outliner and make them dynamic."
            );
            return self.notices.add(Severity::Info, message);
        }
        self.make_all_dynamic(None, &joints);
    }

    /// Replaces the chains and colliders of the shown take by the spring bones of its avatar, and deselects them. Wind and
    /// other settings stay. Adds a notice if the file has no spring bones.
    pub(crate) fn use_spring_bones(&mut self) {
        let file = self.selection.shown.character(&self.document);
        let Some(own) = file.and_then(|file| self.opened().spring_bones(file)) else {
            let message = message!("notice.no_spring_bones", "The file of this character has no spring bones.");
            return self.notices.add(Severity::Info, message);
        };
        let Some(dynamics) = self.shown_dynamics() else { return };
        (dynamics.settings.chains, dynamics.settings.colliders) = (own.chains, own.colliders);
        (self.selection.chain, self.selection.collider) = (None, None);
    }

    /// Adds a chain from the selected joint on, see [`Session::make_dynamic`]; adds a notice if none is selected.
    pub(crate) fn make_selected_dynamic(&mut self) {
        match self.selection.joint {
            Some(joint) => self.make_dynamic(None, joint),
            None => self.notices.add(Severity::Info, no_joint()),
        }
    }

    /// Adds a collider fitted to the body part of the selected joint; adds a notice if none is selected.
    pub(crate) fn fit_selected(&mut self) {
        match self.selection.joint {
            Some(joint) => self.add_collider(NewCollider::Fitted(joint)),
            None => self.notices.add(Severity::Info, no_joint()),
        }
    }

    /// Applies `preset` to the selected chain; adds a notice if none is selected.
    pub(crate) fn use_preset(&mut self, preset: Preset) {
        let (shown, selected) = (self.selection.shown.clone(), self.selection.chain);
        let chain = match shown {
            Shown::Take(id) => self.document.take_mut(id).and_then(|take| take.dynamics_mut(self.selection.stage)),
            _ => None,
        };
        match chain.zip(selected).and_then(|(dynamics, index)| dynamics.settings.chains.get_mut(index)) {
            Some(chain) => preset.apply(chain),
            None => {
                let message = message!("notice.no_chain", "No chain is selected. Select one in the list of chains.",);
                self.notices.add(Severity::Info, message);
            }
        }
    }

    /// Returns the dynamic bones of the shown take; adds them, and a take for a shown clip, if needed. A new take is shown
    /// and a new stage is opened. `None` if nothing is shown, or while a slow build is needed.
    fn shown_dynamics(&mut self) -> Option<&mut Dynamics> {
        let id = match self.selection.shown.clone() {
            Shown::Take(id) => id,
            Shown::Clip { character, file, clip } => self.add_dynamics_take(character, TakeSource::Clip { file, clip }),
            Shown::File(id) => {
                let clip = self.library.get(id).and_then(|loaded| loaded.model.clips.first());
                let source = match clip.map(|clip| clip.name.clone()) {
                    Some(clip) => TakeSource::Clip { file: id, clip },
                    None => TakeSource::Rest { seconds: REST_SECONDS },
                };
                self.add_dynamics_take(id, source)
            }
            Shown::Nothing => return None,
        };
        if self.document.take(id)?.dynamics(self.selection.stage).is_none() {
            let looping = self.clip_so_far_repeats(id)?;
            let dynamics = Dynamics { looping, ..Dynamics::default() };
            self.selection.stage = Some(self.document.take_mut(id)?.add_stage(StageKind::Dynamics(Box::new(dynamics))));
        }
        self.document.take_mut(id)?.dynamics_mut(self.selection.stage)
    }

    /// Adds a take of `source` without stages, named after it, and shows it. Returns its id.
    fn add_dynamics_take(&mut self, character: FileId, source: TakeSource) -> TakeId {
        let name = format!("{} swinging", source.title());
        let id =
            self.document.add_take(Take { id: TakeId(0), name, character, source, stages: Vec::new(), loops: None });
        self.selection.show(Shown::Take(id));
        id
    }

    /// True if the result of the take loops, false if it cannot be built. `None`, with a notice, while it would take long
    /// to build.
    fn clip_so_far_repeats(&mut self, id: TakeId) -> Option<bool> {
        let take = self.document.take(id).cloned()?;
        // Building now would block the window.
        let opened = OpenDocument { document: &self.document, library: &self.library };
        match self.evaluation.builds.quick(opened, &take) {
            Ok(None) => {
                let message = message!(
                    "notice.still_made_for_dynamics",
                    "%{take} is still being built. Add dynamic bones when it is shown.",
                    take = &take.name,
                );
                self.notices.add(Severity::Info, message);
                None
            }
            Ok(Some(built)) => Some(repeats(&built.character.model.skeleton, &built.clip)),
            Err(_) => Some(false),
        }
    }

    /// Removes the chain at index `chain` with its keys, and deselects it. Removes the stage if no chain or collider is
    /// left. Does nothing if out of range.
    pub(crate) fn remove_chain(&mut self, chain: usize) {
        let Shown::Take(id) = self.selection.shown else { return };
        let Some(take) = self.document.take_mut(id) else { return };
        let Some(stage) = take.dynamics_stage_mut(self.selection.stage) else { return };
        let (id, kind) = (stage.id, &mut stage.kind);
        let Some(settings) = kind.as_dynamics_mut().map(|dynamics| &mut dynamics.settings) else { return };
        if chain >= settings.chains.len() {
            return;
        }
        settings.chains.remove(chain);
        let is_empty = settings.chains.is_empty() && settings.colliders.is_empty();
        stage.keep_keys_of_chains(&|kept| kept != chain);
        if is_empty {
            take.stages.retain(|stage| stage.id != id);
        }
        self.selection.chain = None;
    }

    /// Adds mirrored copies of the chains and colliders of the shown take, by joint pairs. Adds a notice if nothing has a
    /// free counterpart.
    pub(crate) fn mirror_dynamics(&mut self) {
        let Some((file, character, metres)) = self.opened().shown_character(&self.selection.shown) else { return };
        let pairs = self.document.character(file).map(|character| character.roles.pairs.clone()).unwrap_or_default();
        let Shown::Take(id) = self.selection.shown else { return };
        let Some(dynamics) = self.document.take_mut(id).and_then(|take| take.dynamics_mut(self.selection.stage)) else {
            return;
        };
        let mirrored = dynamics::mirrored(&dynamics.settings, &character.model.skeleton, &pairs, metres);
        let is_unchanged = mirrored == dynamics.settings;
        dynamics.settings = mirrored;
        if is_unchanged {
            let message = message!(
                "notice.no_counterpart",
                "Nothing was mirrored: no chain or collider has a counterpart by name (such as ear.L and ear.R) that is \
                        still free."
            );
            self.notices.add(Severity::Info, message);
        }
    }

    /// Adds a collider to the dynamic bones of the shown take and selects it. Adds a notice if none can be fitted; does
    /// nothing without dynamic bones.
    pub(crate) fn add_collider(&mut self, wanted: NewCollider) {
        let Some((_, character, metres)) = self.opened().shown_character(&self.selection.shown) else { return };
        let Some(collider) = collider(&character.model, wanted, metres) else {
            let message = message!(
                "notice.no_body",
                "No collider was fitted: no part of the mesh follows this joint more than other joints. Select the joint of \
                        a body part, or add a sphere and size it by hand."
            );
            return self.notices.add(Severity::Warning, message);
        };
        let Shown::Take(id) = self.selection.shown else { return };
        let Some(dynamics) = self.document.take_mut(id).and_then(|take| take.dynamics_mut(self.selection.stage)) else {
            return;
        };
        dynamics.settings.colliders.push(collider);
        self.selection.collider = Some(dynamics.settings.colliders.len() - 1);
    }
}

impl OpenDocument<'_> {
    /// Returns the joints of the character of `shown` that likely begin a dynamic chain, by name and shape, apart from the
    /// chains of the stage `stage`. They are joint indices in order.
    pub fn likely_chains(self, shown: &Shown, stage: Option<StageId>) -> Vec<usize> {
        let Some((file, loaded, _)) = self.shown_character(shown) else { return Vec::new() };
        let unknown = Roles::default();
        let roles = self.document.character(file).map_or(&unknown, |character| &character.roles);
        let take = if let Shown::Take(id) = shown { self.document.take(*id) } else { None };
        let chains = take.and_then(|take| take.dynamics(stage)).map_or(&[][..], |dynamics| &dynamics.settings.chains);
        let skeleton = &loaded.model.skeleton;
        let overlaps =
            |a: usize, b: usize| b < skeleton.len() && (skeleton.is_within(a, b) || skeleton.is_within(b, a));
        let is_new = |joint: &usize| !chains.iter().any(|chain| overlaps(*joint, chain.joint));
        likely::likely_chains(&loaded.model, roles).into_iter().filter(is_new).collect()
    }

    /// Returns the id and the content of the character of `shown`, and its metres per unit. `None` if nothing is shown or
    /// the file is not loaded.
    pub(crate) fn shown_character(self, shown: &Shown) -> Option<(FileId, Asset<Loaded>, f64)> {
        let id = shown.character(self.document)?;
        let metres = self.document.file(id).map_or(1.0, |file| file.metres_per_unit);
        Some((id, self.library.get(id)?.clone(), metres))
    }
}

/// Returns the notice that no joint is selected.
fn no_joint() -> Message {
    message!("notice.no_joint", "No joint is selected. Click one in the viewport or in the list of joints.",)
}

/// Returns a chain from `joint` on with a preset chosen by its name. Its end is as long as the mean bone; `metres` is the
/// length of one unit.
fn chain_from(skeleton: &Skeleton, joint: usize, metres: f64) -> Chain {
    let name = skeleton.joints[joint].name.clone();
    let rest = Pose::rest(skeleton);
    let at = |joint: usize| rest.world_from_joint(skeleton, joint).translation * metres;
    let subtree = skeleton.subtree(joint);
    let bones = subtree.iter().filter(|&&each| each != joint);
    let lengths: Vec<f64> =
        bones.filter_map(|&each| Some(at(each).distance(at(skeleton.joints[each].parent?)))).collect();
    let mean = lengths.iter().sum::<f64>() / lengths.len().max(1) as f64;
    let end_length = if mean > 0.0 { mean } else { DEFAULT_END_LENGTH_M };
    let mut chain = Chain { name, joint, end_length, ..Chain::default() };
    preset_for(&chain.name).apply(&mut chain);
    chain
}

/// Returns the preset that fits the name of a joint; hair if no word is known.
fn preset_for(name: &str) -> Preset {
    let name = name.to_lowercase();
    let words: [(Preset, &[&str]); 4] = [
        (Preset::Tail, &["tail"]),
        (Preset::Cloth, &["cape", "cloth", "skirt", "coat", "sleeve", "ribbon", "scarf"]),
        (Preset::Antenna, &["antenna", "ear", "feather"]),
        (Preset::Chain, &["chain", "rope", "pendant"]),
    ];
    // A pony tail is hair.
    let is_hair = name.contains("hair") || name.contains("pony");
    let found = words.into_iter().find(|(_, words)| words.iter().any(|word| name.contains(word)));
    found.filter(|_| !is_hair).map_or(Preset::Hair, |(preset, _)| preset)
}

/// True if every joint ends with its start rotation, up to about 3.6°. Translations are ignored because walks travel. False
/// for a clip without duration.
fn repeats(skeleton: &Skeleton, clip: &Clip) -> bool {
    let (start, end) = (clip.pose_at(skeleton, 0.0), clip.pose_at(skeleton, clip.duration));
    clip.duration > 0.0 && start.locals.iter().zip(&end.locals).all(|(a, b)| a.rotation.dot(b.rotation).abs() > 0.9995)
}

/// Returns the wanted collider in metres; `None` if the joint does not exist or nothing of the mesh can be fitted. `metres`
/// is the length of one unit.
fn collider(model: &Model, wanted: NewCollider, metres: f64) -> Option<Collider> {
    let own_joint = match wanted {
        NewCollider::Fitted(joint) => Some(joint),
        NewCollider::Sphere(joint) | NewCollider::Capsule(joint) | NewCollider::Plane(joint) => joint,
    };
    if own_joint.is_some_and(|joint| joint >= model.skeleton.len()) {
        return None;
    }
    let (joint, shape) = match wanted {
        NewCollider::Fitted(joint) => {
            let body = joint_capsule(model, joint, metres)?;
            let (a, b, radius) = (body.a, body.b, body.radius);
            let shape = if a == b {
                ColliderShape::Sphere { center: a, radius }
            } else {
                ColliderShape::Capsule { a, b, radius }
            };
            (Some(joint), shape)
        }
        NewCollider::Sphere(joint) => (joint, ColliderShape::Sphere { center: DVec3::ZERO, radius: DEFAULT_RADIUS_M }),
        NewCollider::Capsule(joint) => {
            let b = joint.map_or(DVec3::Y * 0.3, |joint| longest_bone(&model.skeleton, joint, metres));
            (joint, ColliderShape::Capsule { a: DVec3::ZERO, b, radius: DEFAULT_RADIUS_M * 0.5 })
        }
        NewCollider::Plane(joint) => (joint, ColliderShape::Plane { point: DVec3::ZERO, normal: DVec3::Y }),
    };
    let name = joint.map_or_else(|| "world".to_owned(), |joint| model.skeleton.joints[joint].name.clone());
    Some(Collider { name, joint, shape })
}

/// Returns the vector from a joint to its farthest child, metres in joint space. Without one, it points up by
/// [`DEFAULT_END_LENGTH_M`].
fn longest_bone(skeleton: &Skeleton, joint: usize, metres: f64) -> DVec3 {
    let scale = Pose::rest(skeleton).world_from_joint(skeleton, joint).to_scale_rotation_translation().0 * metres;
    let bones = skeleton.children(joint).map(|child| skeleton.joints[child].rest.translation.as_dvec3() * scale);
    let longest = bones.max_by(|a, b| a.length().total_cmp(&b.length()));
    longest.filter(|bone| bone.length() > 0.0).unwrap_or(DVec3::Y * DEFAULT_END_LENGTH_M)
}
