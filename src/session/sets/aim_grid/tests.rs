use super::*;
use crate::clip_library::Stack;
use crate::{Command, ExportRequest, ExportSettings, FileCommand};
use glam::Quat;
use portamento_anim::{Clip, Curve};
use portamento_formats::export::Replace;
use portamento_formats::import::import;
use serde_json::Value;

/// A session with the hero whose head looks along a path through the grid −60, 0, 60 × −30, 0, 30 over 9 s, a direction a second.
fn looking() -> Option<(tempfile::TempDir, Session, TakeId)> {
    let folder = tempfile::tempdir().unwrap();
    let portamento_test_support::Figure { model, roles, .. } = portamento_test_support::Figure::open("hero")?;
    let (skeleton, head) = (&model.skeleton, roles.head?);
    let parent = portamento_anim::root_motion::rest_at(skeleton, skeleton.joints[head].parent?);
    let parent = Quat::from_mat3(&parent.matrix3.as_mat3());
    let rest = skeleton.joints[head].rest.rotation;
    let turned = |frame: usize| {
        let cell = |at: usize| [(at % 3) as f32 - 1.0, (at / 3) as f32 - 1.0];
        let (from, to, share) = (cell(frame / 30 % 9), cell((frame / 30 + 1).min(8)), (frame % 30) as f32 / 30.0);
        let [yaw, pitch] = [0, 1].map(|axis| from[axis] + share * (to[axis] - from[axis]));
        let [yaw, pitch] = [(60.0 * yaw).to_radians(), (30.0 * pitch).to_radians()];
        let world = Quat::from_rotation_y(-yaw) * Quat::from_rotation_x(-pitch);
        (parent.inverse() * world * parent * rest).normalize()
    };
    let times: Vec<f32> = (0..=240).map(|frame| frame as f32 / 30.0).collect();
    let values = (0..=240).map(turned).collect();
    let mut clip = Clip { name: "look".into(), duration: 8.0, tracks: vec![Default::default(); skeleton.len()] };
    clip.tracks[head].rotation = Some(Curve::linear(times, values));
    let model = portamento_anim::Model { clips: vec![clip], ..model };
    let source = portamento_formats::export::gltf::from_model(&model, None);
    let path = folder.path().join("hero.glb");
    std::fs::write(&path, portamento_formats::export::gltf::to_glb_bytes(&source).unwrap()).unwrap();
    let mut session = Session::inline();
    session.perform(Command::File(FileCommand::Open(vec![path])));
    session.update(0.0, true);
    let stack = Stack { name: "look".into(), kinds: Vec::new() };
    let take = session.document.add_take(stack.over(session.document.files[0].id, "look"));
    Some((folder, session, take))
}

fn request(take: TakeId, yaw: &[f64]) -> AimGridRequest {
    AimGridRequest { take, yaw: yaw.into(), pitch: vec![-30.0, 0.0, 30.0], joint: None, space: Space::Local }
}

#[test]
fn a_take_that_looks_to_all_sides_becomes_a_grid_of_additive_poses() {
    let (folder, mut session, take) = looking().unwrap();
    let grid = session.add_aim_grid(&request(take, &[-60.0, 0.0, 60.0])).unwrap();
    let takes = session.takes_of_set(grid);
    assert_eq!(takes.len(), 9);
    let out = folder.path().join("out");
    let settings = ExportSettings { set_index: true, ..ExportSettings::default() };
    let export =
        ExportRequest { takes, destination: out.clone(), settings, replace: Replace::Allow, ..Default::default() };
    session.perform(Command::File(FileCommand::Export(export)));
    let name = session.document.sets[grid].name.replace(' ', "_");
    let index: Value = serde_json::from_slice(&std::fs::read(out.join(format!("{name}.set.json"))).unwrap()).unwrap();
    assert_eq!(
        (index["kind"].as_str(), index["blend_space"]["axes"][1]["name"].as_str()),
        (Some("aim_grid"), Some("pitch"))
    );
    let samples = index["blend_space"]["samples"].as_array().unwrap();
    assert_eq!(samples.len(), 9);
    for (at, sample) in samples.iter().enumerate() {
        let wanted = [60.0 * (at % 3) as f64 - 60.0, 30.0 * (at / 3) as f64 - 30.0];
        let found = [0, 1].map(|axis| sample["position"][axis].as_f64().unwrap());
        assert!(found.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() < 0.2), "{found:?} {wanted:?}");
        let member = &index["members"][at];
        assert_eq!(member["additive"]["reference"], "clip");
        let model = import(&out.join(member["file"].as_str().unwrap())).unwrap().model;
        let clip = model.clip(member["clip"].as_str().unwrap()).unwrap();
        assert!(clip.key_times().all(|times| times.len() == 1), "{member:#}");
    }
    // The middle pose is its own reference, so it adds nothing.
    let middle = session.takes_of_set(grid)[4];
    let middle = session.document.take(middle).unwrap().clone();
    let built = session.built(&middle).unwrap();
    let skeleton = &built.character.model.skeleton;
    let rest = portamento_anim::Pose::rest(skeleton);
    let apart = built
        .clip
        .pose_at(skeleton, 0.0)
        .locals
        .iter()
        .zip(&rest.locals)
        .map(|(a, b)| a.rotation.dot(b.rotation).abs())
        .fold(1.0, f32::min);
    assert!(apart > 1.0 - 1e-5, "{apart}");
}

#[test]
fn directions_to_which_a_take_never_aims_are_named() {
    let (_folder, mut session, take) = looking().unwrap();
    session.notices.take_new();
    let grid = session.add_aim_grid(&request(take, &[-60.0, 0.0, 60.0, 120.0])).unwrap();
    assert_eq!(session.document.sets[grid].members.len(), 9);
    let warnings: Vec<String> = session.notices.take_new().into_iter().map(|notice| notice.text()).collect();
    assert!(warnings.iter().any(|text| text.contains("right 120 up 30")), "{warnings:?}");
    let refused = session.add_aim_grid(&request(take, &[120.0])).unwrap_err().to_string();
    assert!(refused.contains("right 120"), "{refused}");
    let unknown = AimGridRequest { joint: Some("none".into()), ..request(take, &[0.0]) };
    assert!(session.add_aim_grid(&unknown).unwrap_err().to_string().contains("no such joint"));
    let many = AimGridRequest { pitch: vec![0.0; 300], ..request(take, &[0.0]) };
    assert!(session.add_aim_grid(&many).unwrap_err().to_string().contains("225"));
}
