//! Making bones dynamic, and what they must not enter.

use glam::DVec3;

use super::{Level, NewCollider, Session, Shown};
use crate::anim::{Clip, Model, Pose, Skeleton, fit};
use crate::document::take::Dynamics;
use crate::document::{Asset, FileId, Loaded, Modifier, Take, TakeId, TakeSource};
use crate::systems::dynamics::{self, Chain, Collider, Preset, Shape};

/// Length of the bone added after a chain's last joint, metres, where the chain itself gives no measure.
const END: f64 = 0.1;
/// Radius of a new ball or capsule, metres.
const RADIUS: f64 = 0.1;

impl Session {
    /// The character that is shown, with its unit in metres.
    fn shown_character(&self) -> Option<(FileId, Asset<Loaded>, f64)> {
        let id = match &self.selection.shown {
            Shown::Nothing => return None,
            Shown::File(id) | Shown::Clip { character: id, .. } => *id,
            Shown::Take(id) => self.document.take(*id)?.character,
        };
        let metres = self.document.file(id).map_or(1.0, |file| file.metres_per_unit);
        Some((id, self.library.get(id)?.clone(), metres))
    }

    pub(super) fn make_dynamic(&mut self, character: Option<FileId>, joint: usize) {
        let shown = self.shown_character();
        let is_shown = |id: FileId| shown.as_ref().zip(self.library.get(id)).is_some_and(|(shown, it)| shown.1 == *it);
        if let Some(other) = character.filter(|&id| !is_shown(id)) {
            self.selection.show(Shown::File(other));
        }
        let Some((_, character, metres)) = self.shown_character() else { return };
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

    /// The dynamic bones of the shown take; made, with a take for the shown clip where there is none yet.
    fn shown_dynamics(&mut self) -> Option<&mut Dynamics> {
        let id = match self.selection.shown.clone() {
            Shown::Take(id) => id,
            Shown::Clip { character, file, clip } => self.add_swinging_take(character, file, &clip),
            Shown::File(id) => {
                let clip = self.library.get(id).and_then(|loaded| loaded.model.clips.first());
                let Some(clip) = clip.map(|clip| clip.name.clone()) else {
                    let text = "There is no clip to swing to: this file has none. Open one that has, then choose a clip of it.";
                    self.notices.say(Level::Warning, text);
                    return None;
                };
                self.add_swinging_take(id, id, &clip)
            }
            Shown::Nothing => return None,
        };
        if self.document.take(id)?.dynamics().is_none() {
            let looping = self.shown_clip_repeats(id);
            let dynamics = Dynamics { looping, ..Dynamics::default() };
            self.document.take_mut(id)?.modifiers.push(Modifier::Dynamics(Box::new(dynamics)));
        }
        self.document.take_mut(id)?.dynamics_mut()
    }

    fn add_swinging_take(&mut self, character: FileId, file: FileId, clip: &str) -> TakeId {
        let id = TakeId(self.document.fresh_id());
        let source = TakeSource::Clip { file, clip: clip.to_owned() };
        let name = self.document.free_take_name(&format!("{clip} swinging"));
        self.document.takes.push(Take { id, name, character, source, modifiers: Vec::new() });
        self.selection.show(Shown::Take(id));
        id
    }

    /// Whether the take's clip so far ends as it starts.
    fn shown_clip_repeats(&mut self, id: TakeId) -> bool {
        let Some(take) = self.document.take(id).cloned() else { return false };
        self.built(&take).is_ok_and(|built| repeats(&built.character.model.skeleton, &built.clip))
    }

    pub(super) fn remove_chain(&mut self, chain: usize) {
        let Shown::Take(id) = self.selection.shown else { return };
        let Some(take) = self.document.take_mut(id) else { return };
        let Some(dynamics) = take.dynamics_mut().filter(|dynamics| chain < dynamics.settings.chains.len()) else {
            return;
        };
        dynamics.settings.chains.remove(chain);
        if dynamics.settings.chains.is_empty() && dynamics.settings.colliders.is_empty() {
            take.modifiers.retain(|modifier| modifier.as_dynamics().is_none());
        }
        self.selection.chain = None;
    }

    pub(super) fn mirror_swing(&mut self) {
        let Some((file, character, metres)) = self.shown_character() else { return };
        let pairs = self.document.character(file).map(|character| character.roles.pairs.clone()).unwrap_or_default();
        let Shown::Take(id) = self.selection.shown else { return };
        let Some(dynamics) = self.document.take_mut(id).and_then(|take| take.dynamics_mut()) else { return };
        let mirrored = dynamics::mirrored(&dynamics.settings, &character.model.skeleton, &pairs, metres);
        let nothing = mirrored == dynamics.settings;
        dynamics.settings = mirrored;
        if nothing {
            let text = "Nothing was mirrored: no chain or collider has a counterpart by name (such as ear.L and ear.R) that is \
                        still free.";
            self.notices.say(Level::Info, text);
        }
    }

    pub(super) fn add_collider(&mut self, wanted: NewCollider) {
        let Some((_, character, metres)) = self.shown_character() else { return };
        let Some(collider) = collider(&character.model, wanted, metres) else {
            let text = "No body was fitted: that joint moves no part of the mesh more than other joints do. Choose the joint of \
                        a body part, or add a sphere and size it by hand.";
            return self.notices.say(Level::Warning, text);
        };
        let Shown::Take(id) = self.selection.shown else { return };
        let Some(dynamics) = self.document.take_mut(id).and_then(|take| take.dynamics_mut()) else { return };
        dynamics.settings.colliders.push(collider);
        self.selection.collider = Some(dynamics.settings.colliders.len() - 1);
    }
}

/// A chain from `joint` on, as its name suggests.
fn chain_from(skeleton: &Skeleton, joint: usize, metres: f64) -> Chain {
    let name = skeleton.joints[joint].name.clone();
    let rest = Pose::rest(skeleton);
    let at = |joint: usize| rest.world_from_joint(skeleton, joint).translation * metres;
    let below = skeleton.subtree(joint);
    let bones = below.iter().filter(|&&each| each != joint);
    let lengths: Vec<f64> =
        bones.filter_map(|&each| Some(at(each).distance(at(skeleton.joints[each].parent?)))).collect();
    let mean = lengths.iter().sum::<f64>() / lengths.len().max(1) as f64;
    let end_length = if mean > 0.0 { mean } else { END };
    let mut chain = Chain { name, joint, end_length, ..Chain::default() };
    preset_for(&chain.name).apply(&mut chain);
    chain
}

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

/// Whether every joint but the ones that travel ends turned as it starts.
fn repeats(skeleton: &Skeleton, clip: &Clip) -> bool {
    let (start, end) = (clip.pose_at(skeleton, 0.0), clip.pose_at(skeleton, clip.duration));
    clip.duration > 0.0 && start.locals.iter().zip(&end.locals).all(|(a, b)| a.rotation.dot(b.rotation).abs() > 0.9995)
}

fn collider(model: &Model, wanted: NewCollider, metres: f64) -> Option<Collider> {
    let (joint, shape) = match wanted {
        NewCollider::Fitted(joint) => {
            let body = fit::capsule_around(model, joint, metres)?;
            let (a, b, radius) = (body.a, body.b, body.radius);
            let shape = if a == b { Shape::Sphere { center: a, radius } } else { Shape::Capsule { a, b, radius } };
            (Some(joint), shape)
        }
        NewCollider::Sphere(joint) => (joint, Shape::Sphere { center: DVec3::ZERO, radius: RADIUS }),
        NewCollider::Capsule(joint) => {
            let b = joint.map_or(DVec3::Y * 0.3, |joint| bone(&model.skeleton, joint, metres));
            (joint, Shape::Capsule { a: DVec3::ZERO, b, radius: RADIUS * 0.5 })
        }
        NewCollider::Plane(joint) => (joint, Shape::Plane { point: DVec3::ZERO, normal: DVec3::Y }),
    };
    let name = joint.map_or_else(|| "world".to_owned(), |joint| model.skeleton.joints[joint].name.clone());
    Some(Collider { name, joint, shape })
}

/// From a joint to its farthest child, metres in the joint's axes.
fn bone(skeleton: &Skeleton, joint: usize, metres: f64) -> DVec3 {
    let scale = Pose::rest(skeleton).world_from_joint(skeleton, joint).to_scale_rotation_translation().0 * metres;
    let ways = skeleton.children(joint).map(|child| skeleton.joints[child].rest.translation.as_dvec3() * scale);
    let far = ways.max_by(|a, b| a.length().total_cmp(&b.length()));
    far.filter(|way| way.length() > 0.0).unwrap_or(DVec3::Y * END)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{Command, EditCommand, FileCommand, SwingMode};

    fn with_clip(clip: &str) -> (tempfile::TempDir, Session) {
        let folder = tempfile::tempdir().unwrap();
        crate::samples::write_all(folder.path()).unwrap();
        let mut session = Session::inline();
        session.perform(Command::File(FileCommand::Open(vec![folder.path().join("hero.glb")])));
        let file = session.document.files[0].id;
        session.selection.shown = Shown::Clip { character: file, file, clip: clip.into() };
        session.update(0.0, true);
        (folder, session)
    }

    fn joint(session: &Session, name: &str) -> usize {
        session.shown_character().unwrap().1.model.skeleton.find(name).unwrap()
    }

    fn edit(session: &mut Session, edit: EditCommand) {
        session.perform(Command::Edit(edit));
        session.update(1.0 / 60.0, true);
    }

    #[test]
    fn a_joint_made_dynamic_swings_in_a_new_take_and_undo_takes_it_back() {
        let (_folder, mut session) = with_clip("run");
        let hair = joint(&session, "hair.1");
        edit(&mut session, EditCommand::MakeDynamic { character: None, joint: hair });
        let take = session.shown_take().unwrap();
        let dynamics = take.dynamics().unwrap();
        assert!(dynamics.looping, "a run repeats");
        assert!(dynamics.settings.chains[0].end_length > 0.0);
        assert!(session.frame().unwrap().built.as_ref().unwrap().dynamics().is_some());
        assert!(!session.frame().unwrap().swing.as_ref().unwrap().bones.is_empty());
        edit(&mut session, EditCommand::MakeDynamic { character: None, joint: hair });
        assert_eq!(session.shown_take().unwrap().dynamics().unwrap().settings.chains.len(), 1);
        edit(&mut session, EditCommand::Undo);
        assert!(session.document.takes.is_empty());
    }

    #[test]
    fn a_body_is_fitted_to_the_chest_and_nothing_to_a_joint_without_flesh() {
        let (_folder, mut session) = with_clip("idle");
        let hair = joint(&session, "hair.1");
        let head = joint(&session, "head");
        edit(&mut session, EditCommand::MakeDynamic { character: None, joint: hair });
        edit(&mut session, EditCommand::AddCollider(NewCollider::Fitted(head)));
        let colliders =
            |session: &Session| session.shown_take().unwrap().dynamics().unwrap().settings.colliders.clone();
        let radius = match colliders(&session)[0].shape {
            Shape::Sphere { radius, .. } | Shape::Capsule { radius, .. } => radius,
            other => panic!("{other:?}"),
        };
        assert!((0.05..0.25).contains(&radius), "{radius}");
        let root = session.shown_character().unwrap().1.model.skeleton.roots().next().unwrap();
        edit(&mut session, EditCommand::AddCollider(NewCollider::Fitted(root)));
        assert_eq!(colliders(&session).len(), 1);
    }

    #[test]
    fn a_change_while_it_swings_keeps_the_swing_and_off_shows_the_animation() {
        let (_folder, mut session) = with_clip("run");
        let hair = joint(&session, "hair.1");
        edit(&mut session, EditCommand::MakeDynamic { character: None, joint: hair });
        session.swinging.mode = SwingMode::Live;
        session.playback.playing = true;
        (0..30).for_each(|_| session.update(1.0 / 60.0, true));
        let tip = |session: &Session| session.frame().unwrap().swing.as_ref().unwrap().bones.last().unwrap().tip;
        let before = tip(&session);
        let Shown::Take(id) = session.selection.shown else { panic!() };
        session.document.take_mut(id).unwrap().dynamics_mut().unwrap().settings.chains[0].stiffness.value += 1.0;
        session.update(1.0 / 240.0, true);
        assert!(tip(&session).distance(before) < 0.05, "{} {before}", tip(&session));
        session.swinging.mode = SwingMode::Off;
        session.update(0.0, true);
        let frame = session.frame().unwrap();
        assert!(frame.swing.is_none());
        let source = frame.built.as_ref().unwrap().source.pose_at(&frame.character.model.skeleton, frame.time);
        assert_eq!(frame.pose.locals[hair], source.locals[hair]);
    }

    #[test]
    fn pulling_the_character_shakes_its_hair_and_letting_go_brings_it_back() {
        let (_folder, mut session) = with_clip("idle");
        let hair = joint(&session, "hair.1");
        edit(&mut session, EditCommand::MakeDynamic { character: None, joint: hair });
        session.swinging.mode = SwingMode::Live;
        (0..900).for_each(|_| session.update(1.0 / 60.0, true));
        let apart = |session: &Session| {
            let bone = session.frame().unwrap().swing.as_ref().unwrap().bones.last().unwrap().clone();
            bone.tip.distance(bone.head + (bone.rest_tip - bone.head))
        };
        let calm = apart(&session);
        (session.swinging.held, session.swinging.pull) = (true, DVec3::X * 0.3);
        session.update(1.0 / 30.0, true);
        assert!((apart(&session) - calm).abs() > 1e-3, "{calm} {}", apart(&session));
        session.swinging.held = false;
        (0..900).for_each(|_| session.update(1.0 / 60.0, true));
        assert!(session.swinging.pull.length() < 1e-6);
        assert!((apart(&session) - calm).abs() < 1e-2, "{calm} {}", apart(&session));
    }

    #[test]
    fn a_long_build_runs_aside_can_be_stopped_and_begun_again() {
        let (_folder, mut session) = with_clip("idle");
        let hair = joint(&session, "hair.1");
        edit(&mut session, EditCommand::MakeDynamic { character: None, joint: hair });
        session.jobs = crate::session::Jobs::default();
        let Shown::Take(id) = session.selection.shown else { panic!() };
        let dynamics = |session: &mut Session, pre_roll: f64| {
            let dynamics = session.document.take_mut(id).unwrap().dynamics_mut().unwrap();
            dynamics.looping = false;
            dynamics.settings.pre_roll = pre_roll;
        };
        let old = session.frame().unwrap().built.clone().unwrap();
        dynamics(&mut session, 600.0);
        session.playback.time = 0.5;
        session.update(0.0, true);
        let frame = session.frame().unwrap();
        assert!(std::sync::Arc::ptr_eq(frame.built.as_ref().unwrap(), &old), "the old result stays");
        assert_eq!(frame.time, 0.5);
        session.jobs.running().for_each(|job| job.progress.cancel());
        session.update(0.0, true);
        assert!(session.failure().unwrap().contains("Stopped"), "{:?}", session.failure());
        dynamics(&mut session, 0.0);
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
        while std::sync::Arc::ptr_eq(session.frame().unwrap().built.as_ref().unwrap(), &old) {
            assert!(std::time::Instant::now() < deadline, "it was not begun again");
            session.update(0.0, true);
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        assert_eq!(session.failure(), None);
    }

    #[test]
    fn muting_the_only_chain_leaves_the_animation() {
        let (_folder, mut session) = with_clip("run");
        let hair = joint(&session, "hair.1");
        edit(&mut session, EditCommand::MakeDynamic { character: None, joint: hair });
        let Shown::Take(id) = session.selection.shown else { panic!() };
        session.document.take_mut(id).unwrap().dynamics_mut().unwrap().settings.chains[0].muted = true;
        session.update(0.0, true);
        assert_eq!(session.failure(), None);
        assert!(session.frame().unwrap().built.as_ref().unwrap().dynamics().is_none());
        edit(&mut session, EditCommand::RemoveChain(0));
        assert!(session.shown_take().unwrap().modifiers.is_empty());
    }
}
