//! Positions against those that NumPy computes (chains of Rodrigues' formula in double precision), and bad files.

use std::io::Write as _;
use std::path::Path;

use glam::Vec3;

use super::arrays::Arrays;
use super::{array, humanml, points, read_bytes};
use crate::import::{Imported, import_within};
use portamento_anim::geometry::UpAxis;
use portamento_base::budget::Budget;
use portamento_base::progress::Progress;

/// Returns the bytes of an `.npy` file.
pub(in crate::import) fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n");
    [array::MAGIC, &[1, 0], &(header.len() as u16).to_le_bytes(), header.as_bytes(), data].concat()
}

/// Returns the bytes of an `.npy` file with 32-bit numbers.
pub(in crate::import) fn floats(shape: &str, values: impl IntoIterator<Item = f32>) -> Vec<u8> {
    npy("'<f4'", shape, &values.into_iter().flat_map(f32::to_le_bytes).collect::<Vec<_>>())
}

/// Returns the bytes of an `.npz` file, packed or stored.
pub(in crate::import) fn npz(arrays: &[(&str, Vec<u8>)], is_packed: bool) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let method = if is_packed { zip::CompressionMethod::Deflated } else { zip::CompressionMethod::Stored };
    let options = zip::write::SimpleFileOptions::default().compression_method(method);
    for (name, bytes) in arrays {
        archive.start_file(format!("{name}.npy"), options).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// Returns the arrays of a SMPL-H motion with `frames` frames as AMASS stores it.
pub(in crate::import) fn amass(frames: usize) -> Vec<(&'static str, Vec<u8>)> {
    // A quarter turn about X raises the body from +Y to +Z.
    let pose = |index: usize| match index % 156 {
        0 => std::f32::consts::FRAC_PI_2,
        joint => 0.01 * (joint % 7) as f32,
    };
    vec![
        ("poses", floats(&format!("({frames}, 156)"), (0..frames * 156).map(pose))),
        ("trans", floats(&format!("({frames}, 3)"), (0..frames * 3).map(|index| [0.1, 0.2, 1.0][index % 3]))),
        ("mocap_framerate", npy("'<f8'", "()", &120_f64.to_le_bytes())),
        ("gender", npy("'|O'", "()", b"\x80\x04\x8c\x06female\x94.")),
    ]
}

fn fixture(name: &str) -> std::path::PathBuf {
    portamento_test_support::fixture("arrays").join(name)
}

fn open(name: &str) -> Imported {
    crate::import::import(&fixture(name)).unwrap()
}

fn sentence(bytes: &[u8]) -> String {
    read_bytes(Path::new("walk.npz"), bytes, &Progress::new()).unwrap_err().to_string()
}

/// Returns the positions of all joints in all frames of the only clip.
fn positions(imported: &Imported) -> Vec<Vec3> {
    let (skeleton, clip) = (&imported.model.skeleton, &imported.model.clips[0]);
    let times = &clip.tracks[0].translation.as_ref().unwrap().times;
    let mut world = Vec::new();
    let of_frame = |&time: &f32| {
        clip.pose_at(skeleton, f64::from(time)).world_from_joints(skeleton, &mut world);
        world.iter().map(|joint| Vec3::from(joint.translation)).collect::<Vec<_>>()
    };
    times.iter().flat_map(of_frame).collect()
}

/// Returns the positions of `array` in the file at `path`.
fn stored(name: &str, array: &str, joints: usize) -> Vec<Vec3> {
    let (path, progress) = (fixture(name), Progress::new());
    let bytes = std::fs::read(&path).unwrap();
    points::read(&Arrays::open(&path, &bytes, &progress).unwrap().read(array).unwrap(), joints).unwrap()
}

fn assert_near(actual: &[Vec3], expected: &[Vec3], tolerance: f32) {
    assert_eq!(actual.len(), expected.len());
    let farthest = actual.iter().zip(expected).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    assert!(farthest <= tolerance, "{farthest} m");
}

#[test]
fn smpl_h_of_amass_is_where_numpy_puts_it() {
    let amass = open("amass.npz");
    assert_near(&positions(&amass), &stored("amass.npz", "expected", 52), 1e-6);
    assert_eq!(
        (amass.up, amass.model.skeleton.len(), amass.model.clips[0].duration),
        (UpAxis::Z, 52, f64::from(4.0_f32 / 120.0))
    );
    assert!(amass.warnings.is_empty() && amass.guesses.is_empty(), "{:?} {:?}", amass.warnings, amass.guesses);
}

#[test]
fn smpl_x_in_parts_of_several_types_is_where_numpy_puts_it() {
    let parts = open("smplx_parts.npz");
    assert_near(&positions(&parts), &stored("smplx_parts.npz", "expected", 55), 1e-6);
    assert_eq!((parts.up, parts.model.clips[0].key_rate()), (UpAxis::Y, Some(60.0)));
}

#[test]
fn soma_stands_where_its_positions_are() {
    let soma = open("soma.npz");
    assert_near(&positions(&soma), &stored("soma.npz", "posed_joints", 77), 2e-6);
    let names: Vec<&str> = soma.model.skeleton.joints.iter().map(|joint| joint.name.as_str()).collect();
    assert_eq!((names[0], names[67], names[76]), ("Hips", "LeftLeg", "RightToeEnd"));
    assert!(soma.guesses[0].to_string().contains("30 frames per second"), "{:?}", soma.guesses);
}

#[test]
fn humanml_positions_and_features_are_met() {
    let figure = open("humanml.npy");
    assert_near(&positions(&figure), &stored("humanml.npy", "arr_0", 22), 3e-6);
    assert!((figure.model.clips[0].duration - 4.0 / 20.0).abs() < 1e-6);
    let (path, progress) = (fixture("features.npz"), Progress::new());
    let bytes = std::fs::read(&path).unwrap();
    let mut array = Arrays::open(&path, &bytes, &progress).unwrap().read("arr_0").unwrap();
    let from_features = humanml::features(&array).unwrap();
    assert_near(&from_features, &stored("features.npz", "expected", 22), 1e-6);
    // Normalized features have no height above the ground.
    array.values.iter_mut().for_each(|value| *value *= 0.1);
    assert!(humanml::features(&array).is_none());
    assert_eq!(positions(&open("features.npz"))[0], from_features[0]);
}

#[test]
fn a_body_without_bone_lengths_stands_on_the_ground() {
    let dance = open("dance.npz");
    let warnings: Vec<String> = dance.warnings.iter().map(ToString::to_string).collect();
    assert!(warnings[0].contains("no bone lengths"), "{warnings:?}");
    let lowest = positions(&dance)
        .chunks(24)
        .map(|frame| frame.iter().map(|joint| joint.y).fold(9.0, f32::min))
        .fold(9.0, f32::min);
    assert!(lowest.abs() < 0.1, "{lowest}");
    // The path is divided by the scale: 93 / 93.8 m.
    let pelvis = positions(&dance)[0];
    assert!((pelvis.y - 1.0).abs() < 0.35, "{pelvis}");
    assert_eq!(dance.model.clips[0].key_rate(), Some(60.0));
}

#[test]
fn the_upward_axis_follows_the_trunk_where_the_layout_does_not_fit() {
    let read = |pose: [f32; 3], with_rate: bool| {
        let mut arrays = amass(3);
        arrays[0].1 = floats("(3, 156)", (0..3 * 156).map(|index| pose.get(index % 156).copied().unwrap_or(0.0)));
        if !with_rate {
            arrays.remove(2);
        }
        read_bytes(Path::new("walk.npz"), &npz(&arrays, true), &Progress::new()).unwrap()
    };
    let quarter = std::f32::consts::FRAC_PI_2;
    let head = |imported: &Imported| {
        let all = positions(imported);
        (all[15] - all[0]).y
    };
    // AMASS with +Y up, others with +Z up, and a camera that looks along +Z with +Y down.
    for (pose, with_rate, up) in [
        ([0.0; 3], true, UpAxis::Y),
        ([quarter, 0.0, 0.0], true, UpAxis::Z),
        ([quarter, 0.0, 0.0], false, UpAxis::Z),
        ([2.0 * quarter, 0.0, 0.0], false, UpAxis::Y),
    ] {
        let imported = read(pose, with_rate);
        assert_eq!(imported.up, up, "{pose:?}");
        assert!(head(&imported) > 0.5, "{pose:?}: {}", head(&imported));
    }
}

#[test]
fn numbers_of_every_type_and_order_are_read() {
    let progress = Progress::new();
    let values = |descr: &str, shape: &str, data: &[u8]| {
        array::read("a", &npy(descr, shape, data), Path::new("a.npy"), &progress).unwrap().values
    };
    assert_eq!(values("'<f8'", "(2,)", &[1.5_f64.to_le_bytes(), (-2.0_f64).to_le_bytes()].concat()), [1.5, -2.0]);
    assert_eq!(values("'>f4'", "(1, 1)", &1.5_f32.to_be_bytes()), [1.5]);
    assert_eq!(values("'<f2'", "()", &[0x00, 0x3E]), [1.5]);
    assert_eq!(values("'>i2'", "(2L,)", &[0xFF, 0xFE, 0x01, 0x00]), [-2.0, 256.0]);
    assert_eq!(values("\"|u1\"", "[3]", &[0, 7, 255]), [0.0, 7.0, 255.0]);
    assert_eq!(values("'|b1'", "(2,)", &[0, 1]), [0.0, 1.0]);
    assert_eq!(values("'<i8'", "(1,)", &(-5_i64).to_le_bytes()), [-5.0]);
    let fortran = String::from_utf8(npy("'|u1'", "(2, 3)", b"")[10..].to_vec()).unwrap().replace("False", "True");
    for version in [2, 3] {
        let head = [array::MAGIC, &[version, 0], &(fortran.len() as u32).to_le_bytes(), fortran.as_bytes()].concat();
        let array =
            array::read("a", &[&head[..], &[1, 4, 2, 5, 3, 6]].concat(), Path::new("a.npy"), &progress).unwrap();
        assert_eq!(array.values, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    }
}

#[test]
fn bad_arrays_are_refused_with_a_sentence() {
    let with = |bytes: Vec<u8>| {
        let mut arrays = amass(2);
        arrays[0].1 = bytes;
        sentence(&npz(&arrays, false))
    };
    for (bytes, part) in [
        (floats("(2, 155)", vec![0.0; 310]), "has the shape 2 × 155"),
        (floats("(0, 156)", vec![]), "has no frames"),
        (floats("(2, 156)", (0..312).map(|i| if i == 200 { f32::NAN } else { 0.0 })), "value NaN in row 1"),
        (floats("(2, 156)", vec![f32::INFINITY; 312]), "value inf in row 0"),
        (floats("(1000000000, 156)", vec![0.0; 312]), "shape is 1000000000 × 156, but 1248 bytes"),
        (floats("(9999999999, 9999999999, 9999999999)", vec![]), "more numbers than any computer"),
        (floats("(-2, 156)", vec![]), "length \"-2\""),
        (floats("(3, 156)", vec![0.0; 468]), "has 2 frames, but \"poses\" has 3"),
        (npy("'|O'", "(2, 156)", b"\x80\x04N."), "pickled Python object"),
        (npy("'<U8'", "(2, 156)", &[0; 64]), "type \"<U8\""),
        (npy("'<c16'", "(2, 156)", &[0; 64]), "type \"<c16\""),
        (npy("[('a', '<f4')]", "(2, 156)", &[0; 64]), "holds records"),
        (npy("'<f4'", &"(".repeat(20_000), &[0; 64]), "header of"),
        (npy("'<f4'", &"(".repeat(5_000), &[0; 64]), "without a shape"),
        (b"\x93NUMPY\x09\x00\x10\x00".to_vec(), "version 9.0"),
        (b"\x93NUMPY\x02\x00\xFF\xFF\xFF\xFF".to_vec(), "header of 4294967295 bytes"),
        (b"\x93NUMPY\x01".to_vec(), "ends in its header"),
        (b"hello".to_vec(), "is no NumPy array"),
    ] {
        let sentence = with(bytes);
        assert!(
            sentence.starts_with("walk.npz cannot be read as a motion") && sentence.contains(part),
            "{part}: {sentence}"
        );
    }
}

#[test]
fn bad_archives_are_refused_with_a_sentence() {
    assert!(sentence(b"PK\x03\x04 nothing").contains("the archive cannot be opened"));
    assert!(sentence(&npz(&[], false)).contains("the archive has no arrays"));
    let other = npz(&[("vertices", floats("(1, 3)", [0.0; 3])), ("faces", floats("(1, 3)", [0.0; 3]))], false);
    assert!(sentence(&other).contains("are of no known layout: vertices, faces"), "{}", sentence(&other));
    let single =
        read_bytes(Path::new("a.npy"), &floats("(4, 7)", [0.0; 28]), &Progress::new()).unwrap_err().to_string();
    assert!(single.contains("has the shape 4 × 7"), "{single}");
    // A result of a generator that pickles a dictionary.
    let pickled =
        read_bytes(Path::new("results.npy"), &npy("'|O'", "()", b"\x80\x04}."), &Progress::new()).unwrap_err();
    assert!(pickled.to_string().contains("never opened"), "{pickled}");
}

#[test]
fn an_archive_cannot_unpack_to_more_than_the_budget() {
    let bomb = npz(&[("poses", floats("(100000, 156)", std::iter::repeat_n(0.0, 15_600_000)))], true);
    assert!(bomb.len() < 100_000, "{}", bomb.len());
    let error = read_bytes(Path::new("bomb.npz"), &bomb, &Progress::within(Budget::with_limit(50 << 20))).unwrap_err();
    assert!(error.to_string().starts_with("bomb.npz needs 60 MiB"), "{error}");
    // An entry that declares 3 GiB in the central directory and has a hundred bytes.
    let mut lie = npz(&[("poses", floats("(1, 3)", [0.0; 3]))], true);
    let central = lie.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
    lie[central + 24..central + 28].copy_from_slice(&(3_u32 << 30).to_le_bytes());
    let sentence = sentence(&lie);
    assert!(sentence.contains("declares 3221225472 bytes, more than its"), "{sentence}");
}

#[test]
fn hand_coefficients_are_left_out_with_a_warning() {
    let arrays = [
        ("global_orient", floats("(2, 3)", [0.0; 6])),
        ("body_pose", floats("(2, 63)", [0.1; 126])),
        ("left_hand_pose", floats("(2, 6)", [0.1; 12])),
    ];
    let imported = read_bytes(Path::new("a.npz"), &npz(&arrays, false), &Progress::new()).unwrap();
    assert_eq!(imported.model.skeleton.len(), 55);
    assert!(imported.warnings[0].to_string().contains("“left_hand_pose”"), "{:?}", imported.warnings);
}

#[test]
fn a_motion_survives_the_way_through_a_glb() {
    let amass = open("amass.npz");
    let glb = crate::export::gltf::from_model(&amass.model, None);
    let bytes = crate::export::gltf::to_glb_bytes(&glb).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("amass.glb");
    std::fs::write(&path, bytes).unwrap();
    let again = import_within(&path, &Progress::new()).unwrap();
    // A glTF lists its joints in another order.
    let order = amass.model.skeleton.joints.iter().map(|joint| again.model.skeleton.find(&joint.name).unwrap());
    let order: Vec<usize> = order.collect();
    let frames = positions(&again);
    let ordered: Vec<Vec3> = frames.chunks(52).flat_map(|frame| order.iter().map(|&joint| frame[joint])).collect();
    assert_near(&ordered, &positions(&amass), 1e-6);
}
