//! The law of automatic corrections: no figure of any character gets worse, measured from the mesh and the joints alone.

use std::path::{Path, PathBuf};

use glam::{DVec3, Vec3};
use portamento::anim::{Clip, Model, Pose, Roles, skinning};
use portamento::document::{FileId, Stage, StageKind, StageType, Take, TakeId, TakeSource};
use portamento::math::random::{SplitMix64, spread};
use portamento::session::{Command, FileCommand, Session};
use portamento::systems::stretch;

/// The stages that compute a correction from the motion.
const STAGES: [StageType; 3] = [StageType::Ground, StageType::Close, StageType::Cleanup];
/// The stages before an automatic one.
const BEFORE: [StageType; 5] =
    [StageType::Stretch, StageType::Ground, StageType::Close, StageType::Cleanup, StageType::Trim];
/// Maximum number of compared frames of a clip.
const MAX_FRAMES: usize = 60;
/// Additional depth and height of the mesh that is not seen, as a fraction of the body size.
const HEIGHT_TOLERANCE: f64 = 0.03;
/// Share of the frames with a knee on the other side that is not seen.
const FLIPPED_SHARE: f64 = 0.3;
/// Jump of a joint beyond the neighbouring frames that is not seen: fraction of the body size in a thirtieth of a second.
const JUMP_TOLERANCE: f64 = 0.035;

/// Figures of a motion at equal times.
struct Figures {
    /// Height of the lowest vertex of all frames, or of the lowest joint without a mesh, metres.
    lowest: f64,
    /// Per leg and frame, the side of the knee in the space of the hips; zero if it is nearly straight.
    knees: Vec<Vec<DVec3>>,
    /// The largest step of each joint beyond the two steps on either side, metres.
    jumps: Vec<f64>,
    size: f64,
}

impl Figures {
    fn new(model: &Model, roles: &Roles, unit: f64, clip: &Clip, times: &[f64]) -> Self {
        let skeleton = &model.skeleton;
        let mut figures =
            Self { lowest: f64::INFINITY, knees: vec![Vec::new(); roles.legs.len()], jumps: Vec::new(), size: 0.0 };
        let mut paths: Vec<Vec<DVec3>> = vec![Vec::new(); skeleton.len()];
        for &time in times {
            let pose = clip.pose_at(skeleton, time);
            let mut world = Vec::new();
            pose.world_from_joints(skeleton, &mut world);
            let points = vertices(model, &pose, &world);
            let at = |joint: usize| world[joint].translation.as_dvec3() * unit;
            let heights = points.iter().map(|point| f64::from(point.y) * unit);
            // A Biped has a marker on the ground that hangs from the hips and is no part of the body.
            let is_body = |joint: &usize| points.is_empty() && !skeleton.joints[*joint].name.ends_with("Footsteps");
            let joints = (0..skeleton.len()).filter(is_body).map(|joint| at(joint).y);
            figures.lowest = heights.chain(joints).fold(figures.lowest, f64::min);
            let span = (0..skeleton.len())
                .map(at)
                .fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |[low, high], point| [low.min(point), high.max(point)]);
            figures.size = figures.size.max((span[1] - span[0]).max_element());
            paths.iter_mut().enumerate().for_each(|(joint, path)| path.push(at(joint)));
            for (leg, sides) in roles.legs.iter().zip(&mut figures.knees) {
                let [hip, knee, foot] = [leg.thigh, leg.shin, leg.foot].map(at);
                let off = (knee - hip).reject_from((foot - hip).normalize_or(DVec3::Y));
                let hips = roles.hips.map_or(glam::DQuat::IDENTITY, |hips| {
                    pose.world_from_joint(skeleton, hips).to_scale_rotation_translation().1
                });
                let is_bent = off.length() > 0.2 * (knee - hip).length();
                sides.push(if is_bent { hips.inverse() * off.normalize() } else { DVec3::ZERO });
            }
        }
        figures.jumps = paths.iter().map(|path| largest_jump(path)).collect();
        figures
    }

    /// Returns the number of frames in which a knee is on the other side of `usual`, for the worst leg.
    fn flipped(&self, before: &Self) -> usize {
        let count = |sides: &[DVec3], usual: DVec3| sides.iter().filter(|side| side.dot(usual) < 0.0).count();
        let more = |(after, before): (&Vec<DVec3>, &Vec<DVec3>)| {
            let usual: DVec3 = before.iter().sum();
            count(after, usual).saturating_sub(count(before, usual))
        };
        self.knees.iter().zip(&before.knees).map(more).max().unwrap_or(0)
    }
}

/// Returns the positions of all vertices that joints move.
fn vertices(model: &Model, pose: &Pose, world: &[glam::Affine3A]) -> Vec<Vec3> {
    let (mut all, mut palette, mut normals) = (Vec::new(), Vec::new(), Vec::new());
    for instance in &model.instances {
        let Some(skin) = instance.skin else { continue };
        skinning::palette(&model.skins[skin], world, &mut palette);
        let morphs = skinning::morphs_of(model, instance, &pose.morphs);
        for part in &model.meshes[instance.mesh].primitives {
            let mut points = Vec::new();
            skinning::deform(part, skinning::MeshTransform::Skinned(&palette), morphs, &mut points, &mut normals);
            all.extend(points);
        }
    }
    all
}

fn largest_jump(path: &[DVec3]) -> f64 {
    let steps: Vec<f64> = path.windows(2).map(|pair| pair[0].distance(pair[1])).collect();
    let beyond = |five: &[f64]| five[2] - five[0].max(five[1]).max(five[3]).max(five[4]);
    steps.windows(5).map(beyond).fold(0.0, f64::max)
}

/// Returns what is worse in `after` than in `before`, if anything.
fn worse(before: &Figures, after: &Figures, frames: usize, step_seconds: f64) -> Option<String> {
    let size = before.size;
    let depths = [before, after].map(|figures| (-figures.lowest).max(0.0));
    if depths[1] > depths[0] + HEIGHT_TOLERANCE * size {
        return Some(format!("sinks from {:.3} m to {:.3} m", depths[0], depths[1]));
    }
    if after.lowest > before.lowest.max(0.2 * size) + HEIGHT_TOLERANCE * size {
        return Some(format!("floats at {:.3} m instead of {:.3} m", after.lowest, before.lowest));
    }
    let flipped = after.flipped(before);
    if flipped as f64 > FLIPPED_SHARE * frames as f64 {
        return Some(format!("a knee is on the other side in {flipped} of {frames} frames"));
    }
    let unseen = JUMP_TOLERANCE * size * (30.0 * step_seconds).max(1.0);
    let jumps = after.jumps.iter().zip(&before.jumps).map(|(after, before)| after - 1.5 * before);
    let (jump, joint) = jumps.zip(0..).max_by(|a, b| a.0.total_cmp(&b.0))?;
    (jump > unseen).then(|| format!("joint {joint} jumps by {jump:.3} m"))
}

/// Counts of the tried stages and their outcomes.
#[derive(Default)]
struct Tried {
    stages: usize,
    undone: Vec<String>,
    violations: Vec<String>,
}

/// Applies each automatic stage to the first `clips` clips of `file`.
fn try_file(file: &Path, clips: usize, tried: &mut Tried) {
    let mut session = Session::inline();
    session.perform(Command::File(FileCommand::Open(vec![file.to_owned()])));
    let Some(id) = session.document.files.first().map(|file| file.id) else { return };
    let model = session.library.get(id).map(|loaded| loaded.model.clone()).unwrap();
    for clip in model.clips.iter().filter(|clip| clip.duration > 0.2).take(clips) {
        for stage in STAGES {
            let befores = BEFORE.iter().filter(|before| **before != stage).map(|before| vec![*before, stage]);
            for stack in std::iter::once(vec![stage]).chain(befores) {
                try_stack(&mut session, id, clip, &stack, file, tried);
            }
        }
    }
}

/// Returns a stage with its default settings; a stretch goes a third further, and a trim leaves out both ends of `clip`.
fn kind_of(stage: StageType, clip: &Clip) -> StageKind {
    let mut kind = stage.default_kind();
    match &mut kind {
        StageKind::Stretch(stretch) => {
            stretch.settings.target = Some(stretch::Target::Start(DVec3::Z * 1e4));
            stretch.settings.max_ratio = Some(1.33);
        }
        StageKind::Trim(trim) => (trim.from, trim.to) = (0.12 * clip.duration, Some(0.91 * clip.duration)),
        _ => {}
    }
    kind
}

/// Returns the take of `clip` with the stages `stack`.
fn take_of(id: FileId, clip: &Clip, stack: &[StageType]) -> Take {
    let source = TakeSource::Clip { file: id, clip: clip.name.clone() };
    let kinds: Vec<StageKind> = stack.iter().map(|stage| kind_of(*stage, clip)).collect();
    Take { id: TakeId(0), name: clip.name.clone(), character: id, source, stages: Stage::numbered(kinds), loops: None }
}

fn try_stack(session: &mut Session, id: FileId, clip: &Clip, stack: &[StageType], file: &Path, tried: &mut Tried) {
    let Some((_, before)) = stack.split_last() else { return };
    // A stage that refuses the clip changes nothing.
    let Ok(incoming) = session.built(&take_of(id, clip, before)) else { return };
    let Ok(built) = session.built(&take_of(id, clip, stack)) else { return };
    tried.stages += 1;
    let name = format!(
        "{} {} {}",
        file.display(),
        clip.name,
        stack.iter().map(|stage| stage.name()).collect::<Vec<_>>().join(" ")
    );
    if let Some(undone) = &built.stages[before.len()].undone {
        tried.undone.push(format!("{name}: {undone}"));
        let is_reported = built.warnings.iter().any(|warning| warning.to_string().contains("was not applied"));
        if *built.clip != *incoming.clip || !is_reported {
            tried.violations.push(format!("{name}: undone without a word, or not undone"));
        }
        return;
    }
    let seconds = built.clip.duration.min(clip.duration);
    let count = ((seconds * built.fps).round() as usize).clamp(6, MAX_FRAMES);
    let times: Vec<f64> = (0..=count).map(|i| seconds.min(i as f64 / built.fps)).collect();
    let figures = |clip: &Clip| Figures::new(&built.character.model, &built.roles, built.metres_per_unit, clip, &times);
    let [before, after] = [figures(&incoming.clip), figures(&built.clip)];
    let found = worse(&before, &after, times.len(), 1.0 / built.fps);
    tried.violations.extend(found.map(|found| format!("{name}: {found}")));
}

/// A joint of a random person: its name, its offset from its parent in centimetres, and its children.
struct Bone(&'static str, [f64; 3], Vec<Bone>);

impl Bone {
    /// Appends the joint to the hierarchy of a BVH file, and its name to `names`.
    fn write(&self, depth: usize, text: &mut String, names: &mut Vec<&'static str>) {
        let Self(name, [x, y, z], children) = self;
        let (pad, word) = ("\t".repeat(depth), if depth == 0 { "ROOT" } else { "JOINT" });
        let channels = if depth == 0 { "6 Xposition Yposition Zposition" } else { "3" };
        *text += &format!("{pad}{word} {name}\n{pad}{{\n{pad}\tOFFSET {x} {y} {z}\n");
        *text += &format!("{pad}\tCHANNELS {channels} Zrotation Xrotation Yrotation\n");
        names.push(name);
        children.iter().for_each(|child| child.write(depth + 1, text, names));
        if children.is_empty() {
            *text += &format!("{pad}\tEnd Site\n{pad}\t{{\n{pad}\t\tOFFSET 0 0 5\n{pad}\t}}\n");
        }
        *text += &format!("{pad}}}\n");
    }
}

/// Returns a person with random lengths of limbs.
fn random_body(between: &mut impl FnMut(f64, f64) -> f64, [thigh, shin]: [f64; 2]) -> Bone {
    let [foot, width, trunk, arm] = [(8.0, 25.0), (8.0, 20.0), (15.0, 40.0), (20.0, 45.0)].map(|(a, b)| between(a, b));
    let splay = between(0.0, 20.0);
    let arm_of = |names: [&'static str; 3], side: f64| {
        let hand = Bone(names[2], [side * arm, 0.0, 0.0], Vec::new());
        Bone(names[0], [side * width, 0.8 * trunk, 0.0], vec![Bone(names[1], [side * arm, 0.0, 0.0], vec![hand])])
    };
    let leg_of = |names: [&'static str; 4], side: f64| {
        let toe = Bone(names[3], [0.0, -5.0, foot], Vec::new());
        let shin = Bone(names[1], [side * splay, -thigh, 2.0], vec![Bone(names[2], [0.0, -shin, -2.0], vec![toe])]);
        Bone(names[0], [side * width, -5.0, 0.0], vec![shin])
    };
    let head = Bone("Head", [0.0, trunk, 0.0], Vec::new());
    let arms =
        [arm_of(["LeftArm", "LeftForeArm", "LeftHand"], 1.0), arm_of(["RightArm", "RightForeArm", "RightHand"], -1.0)];
    let chest = Bone("Chest", [0.0, trunk, 0.0], std::iter::once(head).chain(arms).collect());
    let legs = [
        leg_of(["LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToeBase"], 1.0),
        leg_of(["RightUpLeg", "RightLeg", "RightFoot", "RightToeBase"], -1.0),
    ];
    let spine = Bone("Spine", [0.0, trunk, 0.0], vec![chest]);
    Bone("Hips", [0.0; 3], std::iter::once(spine).chain(legs).collect())
}

/// Writes a random person as BVH: random lengths of limbs, stride, noise, and height above or below the ground.
fn random_person(folder: &Path, seed: u64) -> PathBuf {
    const FRAMES: usize = 45;
    let mut random = SplitMix64::new(spread(seed));
    let mut between = |low: f64, high: f64| low + (high - low) * random.unit();
    let [thigh, shin, rise] = [(30.0, 60.0), (30.0, 60.0), (-30.0, 30.0)].map(|(low, high)| between(low, high));
    let (mut text, mut names) = (String::from("HIERARCHY\n"), Vec::new());
    random_body(&mut between, [thigh, shin]).write(0, &mut text, &mut names);
    let [stride, swing, bend, noise] =
        [(0.0, 4.0), (10.0, 45.0), (5.0, 70.0), (0.0, 1.5)].map(|(low, high)| between(low, high));
    text += &format!("MOTION\nFrames: {FRAMES}\nFrame Time: 0.0333333\n");
    for frame in 0..FRAMES {
        let phase = frame as f64 * 0.28;
        let mut row = vec![0.0, thigh + shin + 10.0 + rise + 2.0 * (2.0 * phase).sin(), stride * frame as f64];
        for name in &names {
            let half = if name.starts_with("Left") { 0.0 } else { std::f64::consts::PI };
            let turn = match *name {
                "LeftUpLeg" | "RightUpLeg" => -swing * (phase + half).sin(),
                "LeftLeg" | "RightLeg" => bend * (0.5 + 0.5 * (phase + half).cos()),
                _ => 0.0,
            };
            row.extend([between(-noise, noise), turn + between(-noise, noise), between(-noise, noise)]);
        }
        text += &row.iter().map(|value| format!("{value:.5}")).collect::<Vec<_>>().join(" ");
        text.push('\n');
    }
    let path = folder.join(format!("person{seed}.bvh"));
    std::fs::write(&path, text).unwrap();
    path
}

/// Returns the characters of the corpus and of the samples.
fn characters() -> Vec<PathBuf> {
    let mut files = vec![portamento_test_support::asset("hero.glb")];
    for folder in ["characters", "wild", "mocap", "pack"].into_iter().filter_map(portamento_test_support::corpus) {
        let found = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let is_character = |path: &PathBuf| {
            path.extension().is_some_and(|end| ["glb", "vrm", "fbx", "bvh"].iter().any(|known| end == *known))
        };
        files.extend(found.filter(is_character));
    }
    files.sort();
    files
}

fn law(clips: usize, persons: u64) {
    let folder = tempfile::tempdir().unwrap();
    let mut tried = Tried::default();
    characters().iter().for_each(|file| try_file(file, clips, &mut tried));
    (0..persons).for_each(|seed| try_file(&random_person(folder.path(), seed), 1, &mut tried));
    let Tried { stages, undone, violations } = tried;
    println!("{stages} stages, {} worse, undone: {undone:#?}", violations.len());
    assert!(violations.is_empty(), "{violations:#?}");
    assert!(stages as u64 > 2 * persons, "{stages}");
}

#[test]
fn no_automatic_stage_makes_any_character_or_random_person_worse() {
    law(2, 20);
}

#[test]
#[ignore = "minutes: all clips of all characters, and 500 random persons"]
fn no_automatic_stage_makes_any_clip_or_random_person_worse() {
    law(100, 500);
}
