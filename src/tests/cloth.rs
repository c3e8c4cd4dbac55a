//! Cloth workflows: a mesh of a file with painted pins is looped, exported and imported.

use std::path::Path;
use std::sync::Arc;

use portamento::anim::{Footage, Model};
use portamento::document::{Document, Take, TakeSource, file};
use portamento::evaluate::{Content, FrameContent};
use portamento::export::{FileSet, gltf};
use portamento::geometry::{Mesh, MeshInstance, Primitive};
use portamento::import;
use portamento::media::VertexClip;
use portamento::progress::Progress;
use portamento::session::looping::cloth::Cut;
use portamento::session::painting::{PaintLayer, PaintTarget, WeightOp};
use portamento::session::{Command, EditCommand, Session};
use portamento::systems::looping::vertex;
use portamento::systems::{cloth, looping};

use super::{corpus, export, frames, opened, without_errors};

/// Returns a square of `side` × `side` points at distance 10, row by row from the top, with counter-clockwise
/// triangles.
fn square(side: usize) -> (Vec<glam::Vec3>, Vec<u32>) {
    let position = |i: usize| glam::Vec3::new((i % side) as f32 * 10.0, 90.0 - (i / side) as f32 * 10.0, 0.0);
    let corners = (0..side * (side - 1)).filter(|i| i % side + 1 < side).map(|i| i as u32);
    let down = side as u32;
    (
        (0..side * side).map(position).collect(),
        corners.flat_map(|i| [i, i + down, i + 1, i + 1, i + down, i + down + 1]).collect(),
    )
}

/// Reduces frames and steps to save time.
fn shorten(take: &mut Take) {
    let TakeSource::Cloth(cloth) = &mut take.source else { panic!("{take:?}") };
    (cloth.frames, cloth.steps, cloth.pre_roll) = (31, 8, 0.5);
    let settings = &mut take.looped_mut(None).unwrap().settings;
    (settings.start, settings.length) = (2, 12);
}

#[test]
fn a_mesh_of_a_file_with_painted_pins_is_looped_and_exported() {
    let folder = tempfile::tempdir().unwrap();
    let (points, faces) = square(7);
    let corner = |face: &[u32]| format!("f {} {} {}\n", face[0] + 1, face[1] + 1, face[2] + 1);
    let lines = points.iter().map(|point| format!("v {} {} {}\n", point.x, point.y, point.z));
    let text: String = lines.chain(faces.chunks(3).map(corner)).collect();
    std::fs::write(folder.path().join("banner.obj"), text).unwrap();
    let mut session = opened(&[folder.path().join("banner.obj")]);
    session.document.files[0].metres_per_unit = 0.01;
    session.perform(Command::Edit(EditCommand::HangMesh));
    shorten(session.document.takes.last_mut().unwrap());
    session.update(0.0, true);
    without_errors(&session);
    session.selection.painting.layer = PaintLayer::Pins;
    let seen = |session: &Session| match &session.frame().unwrap().content {
        FrameContent::Vertices { positions, .. } => positions.to_vec(),
        other => panic!("{other:?}"),
    };
    assert_ne!(seen(&session), points, "it has fallen");
    session.selection.painting.toggle(PaintTarget::Weights);
    session.update(0.0, true);
    assert_eq!(seen(&session), points, "pins are painted on it before it falls");
    session.selection.painting.toggle(PaintTarget::Weights);
    session.update(0.0, true);
    assert_ne!(seen(&session), points);
    let is_top: Vec<f32> = (0..49).map(|i| if i < 7 { 1.0 } else { 0.0 }).collect();
    assert_eq!(session.canvas().weights(49).unwrap(), is_top);
    let is_left: Vec<f32> = (0..49).map(|i| if i % 7 == 0 { 0.6 } else { 0.4 }).collect();
    session.easel().paint(is_left);
    session.update(0.0, true);
    without_errors(&session);
    for name in ["banner.mdd", "banner.glb"] {
        export(&mut session, &folder.path().join(name));
    }
    let written = frames(&folder.path().join("banner.mdd"));
    assert_eq!((written.frames(), written.vertices), (12, 49));
    let morphs = import::import(&folder.path().join("banner.glb")).unwrap().model;
    let part = &morphs.meshes[0].primitives[0];
    assert_eq!((part.positions.len(), &part.indices, part.morphs.len()), (49, &faces, 11));
    for (i, rest) in points.iter().enumerate() {
        let still = (0..12).all(|frame| written.frame(frame)[i] == *rest);
        let still_again = part.morphs.iter().all(|target| target.positions[i] == glam::Vec3::ZERO);
        assert_eq!((still, still_again), (i % 7 == 0, i % 7 == 0), "vertex {i}");
    }
    let path = Path::new("/x/banner.portamento");
    let again: Document = file::from_bytes(&file::to_bytes(&session.document, path), path).unwrap();
    assert_eq!(again.takes, session.document.takes);
    session.easel().apply(WeightOp::Fill(0.0));
    session.update(0.0, true);
    assert!(
        session.evaluation.failure().is_some_and(|sentence| sentence.to_string().contains("This cloth has no pins"))
    );
    session.easel().apply(WeightOp::Clear);
    session.update(0.0, true);
    assert!(session.evaluation.failure().is_none() && session.canvas().weights(49).unwrap() == is_top);
}

#[test]
fn one_mesh_of_several_is_simulated_with_its_texture_coordinates() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = |side: usize| {
        let (positions, indices) = square(side);
        let positions: Vec<_> = positions.iter().map(|point| *point * 0.01).collect();
        let uvs = positions.iter().map(|point| point.truncate()).collect();
        let normals = vec![glam::Vec3::Z; positions.len()];
        let part = Primitive { positions, normals, uvs, indices, ..Primitive::default() };
        Mesh { name: format!("rag {side}"), primitives: vec![part], ..Mesh::default() }
    };
    let mut model =
        Model { meshes: vec![mesh(4), mesh(6)], ..Footage::Vertices(VertexClip::default().into()).model().unwrap() };
    // A node carries at most one mesh.
    let node = model.skeleton.joints[0].clone();
    model.skeleton.joints.push(portamento::anim::Joint { node: 1, ..node });
    model.instances = [0, 1].map(|mesh| MeshInstance { joint: mesh, mesh, skin: None }).to_vec();
    let rags = folder.path().join("rags.glb");
    FileSet::write_now(|files| gltf::save(files, &rags, &gltf::from_model(&model, None))).unwrap();
    let mut session = opened(&[folder.path().join("rags.glb")]);
    session.document.files[0].metres_per_unit = 1.0;
    let names: Vec<String> = session.opened().hangable().into_iter().map(|(_, name)| name).collect();
    assert_eq!(names, ["rags.glb", "rags.glb: rag 4", "rags.glb: rag 6"]);
    session.perform(Command::Edit(EditCommand::HangMesh));
    shorten(&mut session.document.takes[0]);
    let all = session.document.takes[0].clone();
    let vertices = |session: &mut Session, take: &Take| match &session.built(take).unwrap().content {
        Content::Vertices(vertices) => vertices.clip.vertices,
        _ => 0,
    };
    assert_eq!(vertices(&mut session, &all), 16 + 36);
    let (second, _) = session.opened().hangable().swap_remove(2);
    second.hang(&mut session.document.takes[0]);
    assert_eq!(Cut::from_take(&session.document.takes[0]), Some(second));
    session.update(0.0, true);
    export(&mut session, &folder.path().join("rag.glb"));
    let written = import::import(&folder.path().join("rag.glb")).unwrap().model;
    assert_eq!(written.meshes[0].primitives[0].uvs, mesh(6).primitives[0].uvs);
    let TakeSource::Cloth(cloth) = &mut session.document.takes[0].source else { panic!("no cloth") };
    cloth.instance = Some(2);
    let take = session.document.takes[0].clone();
    assert!(session.built(&take).unwrap_err().to_string().contains("No mesh is chosen"));
}

#[test]
fn a_character_is_simulated_in_its_rest_pose() {
    let Some(fox) = corpus("characters/fox.glb") else { return };
    let mut session = opened(&[fox]);
    session.perform(Command::Edit(EditCommand::HangMesh));
    shorten(&mut session.document.takes[0]);
    let take = session.document.takes[0].clone();
    let built = session.built(&take).unwrap();
    assert_eq!(built.looped(None).unwrap().report().value_gap, 0.0);
}

#[test]
fn the_seam_of_a_flag_loop_is_as_smooth_as_the_rest() {
    let settings = cloth::Settings { columns: 12, rows: 8, frames: 241, pre_roll: 1.0, ..cloth::Settings::default() };
    let clip = Arc::new(cloth::build(&settings, None, &Progress::new()).unwrap().clip);
    // A single seam may fall on a snap of the flag; on average the seam is as smooth as the rest.
    let ratio = |start: usize| {
        let settings = looping::Settings { start, length: 60, ..looping::Settings::default() };
        let built = vertex::build(&clip, &settings, &Progress::new()).unwrap();
        assert_eq!(built.report().value_gap, 0.0);
        built.report().ratio.unwrap()
    };
    let ratios: Vec<f64> = (0..=120).step_by(12).map(ratio).collect();
    println!("seam ratios of a flag: {ratios:.2?}");
    assert!(ratios.iter().sum::<f64>() / ratios.len() as f64 <= 1.2, "{ratios:.2?}");
}
