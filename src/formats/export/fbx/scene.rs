//! Builds the objects of a file and their connections.

use glam::{Affine3A, DAffine3, DVec3, Vec3};

use super::Options;
use super::bind_offsets;
use super::geometry::{self, MergedMesh, matrix, to_f64};
use super::objects::{Bones, ROOT, Scene};
use super::record::{Property, Record};
use super::rest_scale::Unscaled;
use super::rotation_order::RotationOrder;
use super::stacks::{self, Targets, ticks};
use portamento_anim::math::Transform;
use portamento_anim::{Model, Pose};

/// Returns all records of the file. `figure` is in the unit of `options`; joints in `is_left_out` are omitted.
pub(super) fn records(figure: &Unscaled, is_left_out: &[bool], images: &[String], options: &Options) -> Vec<Record> {
    let Unscaled { model, sizes } = figure;
    let mut scene = Scene::default();
    let orders = RotationOrder::of_joints(model);
    let joints = skeleton(&mut scene, model, &orders, is_left_out);
    let bones = Bones { ids: &joints, bind_offsets: &bind_offsets::bind_offsets(model), sizes };
    let materials: Vec<i64> = model
        .materials
        .iter()
        .map(|material| {
            let image = material.maps.color.and_then(|map| images.get(map.texture)).map(String::as_str);
            geometry::material(&mut scene, material, image)
        })
        .collect();
    let mut channels = vec![Vec::new(); joints.len()];
    let placed = meshes(&mut scene, model, &bones, &materials, &mut channels);
    bind_pose(&mut scene, model, &bones, &placed);
    let always = bind_offsets::bound_off_rest(model);
    let targets =
        Targets { joints: &joints, orders: &orders, channels: &channels, always: &always, markers: &options.markers };
    stacks::add(&mut scene, model, &targets);
    let mut records = header();
    records.push(settings(model, options.unit.centimetres()));
    records.push(Record::new("Documents").children([
        Record::of("Count", 1),
        Record::of("Document", 1_000_000_i64).with("").with("Scene").child(Record::of("RootNode", ROOT)),
    ]));
    records.push(Record::new("References"));
    records.push(definitions(&scene.objects));
    records.push(Record::new("Objects").children(scene.objects));
    records.push(Record::new("Connections").children(scene.connections));
    records.push(takes(model));
    records
}

/// Returns a model object: a joint or the node of a mesh. `kind` is its class, `LimbNode` or `Mesh`, and `local` its
/// transform relative to the parent.
fn model_object(id: i64, name: &str, kind: &str, local: &Transform, order: RotationOrder) -> Record {
    let turn = order.angles(local.rotation.as_dquat().normalize(), None);
    let settings = Record::settings([
        // Scale inheritance as in glTF.
        Record::setting(["InheritType", "enum", "", ""]).with(1),
        Record::setting(["RotationActive", "bool", "", ""]).with(1),
        Record::setting(["RotationOrder", "enum", "", ""]).with(order.number),
        Record::vector(["Lcl Translation", "Lcl Translation", "", "A"], local.translation.as_dvec3()),
        Record::vector(["Lcl Rotation", "Lcl Rotation", "", "A"], turn),
        Record::vector(["Lcl Scaling", "Lcl Scaling", "", "A"], local.scale.as_dvec3()),
    ]);
    Record::object("Model", id, name, kind).child(Record::of("Version", 232)).child(settings).children([
        Record::of("MultiLayer", 0),
        Record::of("MultiTake", 0),
        Record::of("Culling", "CullingOff"),
    ])
}

/// Adds every joint that is not left out. Returns their objects, with [`ROOT`] for omitted joints.
fn skeleton(scene: &mut Scene, model: &Model, orders: &[RotationOrder], is_left_out: &[bool]) -> Vec<i64> {
    let mut ids = Vec::with_capacity(model.skeleton.len());
    for (index, joint) in model.skeleton.joints.iter().enumerate() {
        if is_left_out.get(index) == Some(&true) {
            ids.push(ROOT);
            continue;
        }
        let (id, attribute) = (scene.id(), scene.id());
        scene.add(Record::object("NodeAttribute", attribute, &joint.name, "LimbNode").children([
            Record::settings([Record::setting(["Size", "double", "Number", ""]).with(1.0)]),
            Record::of("TypeFlags", "Skeleton"),
        ]));
        scene.add(model_object(id, &joint.name, "LimbNode", &joint.rest, orders[index]));
        scene.connect(id, joint.parent.map_or(ROOT, |parent| ids[parent]));
        scene.connect(attribute, id);
        ids.push(id);
    }
    ids
}

/// Adds the node of every mesh instance with its geometry, skin and blend shapes. Returns the id of each node with its
/// world transform, and adds the ids of its blend shapes to the `channels` of its joint.
///
/// A skinned mesh is at the top of the scene, at its transform at bind time.
fn meshes(
    scene: &mut Scene,
    model: &Model,
    bones: &Bones,
    materials: &[i64],
    channels: &mut [Vec<Vec<i64>>],
) -> Vec<(i64, DAffine3)> {
    let mut world = Vec::new();
    Pose::rest(&model.skeleton).world_from_joints(&model.skeleton, &mut world);
    let mut placed = Vec::new();
    for instance in &model.instances {
        let mesh = &model.meshes[instance.mesh];
        let merged = MergedMesh::new(mesh);
        let (carrier, shape) = (scene.id(), scene.id());
        let skin = instance.skin.and_then(|skin| model.skins.get(skin)).filter(|skin| !skin.joints.is_empty());
        let (local, parent, mesh_world) = match skin {
            // Skinned meshes are placed by their skin at rest, regardless of their node.
            Some(skin) => {
                let mesh_world = to_f64(&(world[skin.joints[0]] * skin.inverse_bind[0]));
                let (scale, rotation, translation) = mesh_world.to_scale_rotation_translation();
                let local = Transform {
                    translation: translation.as_vec3(),
                    rotation: rotation.normalize().as_quat(),
                    scale: scale.as_vec3(),
                };
                (local, ROOT, local.to_affine_f64())
            }
            None => {
                let scale = Vec3::splat(bones.sizes[instance.joint]);
                let mesh_world = to_f64(&world[instance.joint]) * DAffine3::from_scale(scale.as_dvec3());
                (Transform { scale, ..Transform::IDENTITY }, bones.ids[instance.joint], mesh_world)
            }
        };
        scene.add(model_object(carrier, &mesh.name, "Mesh", &local, RotationOrder::default()));
        scene.connect(carrier, parent);
        scene.add(merged.geometry(shape, &mesh.name));
        scene.connect(shape, carrier);
        for material in merged.materials() {
            scene.connect(materials[material], carrier);
        }
        if let Some(skin) = skin {
            geometry::skin(scene, shape, &merged, skin, mesh_world, bones);
        }
        let joint = &model.skeleton.joints[instance.joint];
        let weights = &model.skeleton.rest_morphs[joint.first_morph..joint.first_morph + joint.morph_count];
        channels[instance.joint].push(geometry::shapes(scene, shape, &merged, weights));
        placed.push((carrier, mesh_world));
    }
    placed
}

/// Adds the bind pose: the world transforms of joints and meshes.
fn bind_pose(scene: &mut Scene, model: &Model, bones: &Bones, placed: &[(i64, DAffine3)]) {
    let mut world = Vec::new();
    Pose::rest(&model.skeleton).world_from_joints(&model.skeleton, &mut world);
    let bound = |(world, offset): (&Affine3A, &DVec3)| DAffine3::from_translation(*offset) * to_f64(world);
    let of_joints = bones.ids.iter().copied().zip(world.iter().zip(bones.bind_offsets).map(bound));
    let of_joints = of_joints.filter(|(id, _)| *id != ROOT);
    let nodes: Vec<(i64, DAffine3)> = of_joints.chain(placed.iter().copied()).collect();
    let id = scene.id();
    let count = nodes.len() as i32;
    let node = |(id, transform): (i64, DAffine3)| {
        Record::new("PoseNode").children([Record::of("Node", id), Record::of("Matrix", matrix(&transform))])
    };
    scene.add(
        Record::object("Pose", id, "BindPose", "BindPose")
            .children([Record::of("Type", "BindPose"), Record::of("Version", 100), Record::of("NbPoseNodes", count)])
            .children(nodes.into_iter().map(node)),
    );
}

/// Returns the header records of the file.
fn header() -> Vec<Record> {
    const CREATOR: &str = concat!("Portamento ", env!("CARGO_PKG_VERSION"));
    /// Belongs to the creation time below. Autodesk's readers compare both with the file's footer.
    const FILE_ID: [u8; 16] =
        [0x28, 0xB3, 0x2A, 0xEB, 0xB6, 0x24, 0xCC, 0xC2, 0xBF, 0xC8, 0xB0, 0x2A, 0xA9, 0x2B, 0xFC, 0xF1];
    vec![
        Record::new("FBXHeaderExtension").children([
            Record::of("FBXHeaderVersion", 1003),
            Record::of("FBXVersion", 7400),
            Record::of("EncryptionType", 0),
            Record::of("Creator", CREATOR),
        ]),
        Record::of("FileId", Property::Raw(FILE_ID.to_vec())),
        Record::of("CreationTime", "1970-01-01 10:00:00:000"),
        Record::of("Creator", CREATOR),
    ]
}

/// Returns the global settings. `unit` is the length of a unit in centimetres. The file's time span is that of the longest
/// clip.
fn settings(model: &Model, unit: f64) -> Record {
    let int = |name: &str, value: i32| Record::setting([name, "int", "Integer", ""]).with(value);
    let double = |name: &str, value: f64| Record::setting([name, "double", "Number", ""]).with(value);
    let time = |name: &str, seconds: f64| Record::setting([name, "KTime", "Time", ""]).with(ticks(seconds));
    let longest = model.clips.iter().map(|clip| clip.duration).fold(0.0, f64::max);
    Record::new("GlobalSettings").child(Record::of("Version", 1000)).child(Record::settings([
        int("UpAxis", 1),
        int("UpAxisSign", 1),
        int("FrontAxis", 2),
        int("FrontAxisSign", 1),
        int("CoordAxis", 0),
        int("CoordAxisSign", 1),
        int("OriginalUpAxis", -1),
        int("OriginalUpAxisSign", 1),
        double("UnitScaleFactor", unit),
        double("OriginalUnitScaleFactor", unit),
        time("TimeSpanStart", 0.0),
        time("TimeSpanStop", longest),
        // Time mode 14: custom frame rate, given next.
        Record::setting(["TimeMode", "enum", "", ""]).with(14),
        double("CustomFrameRate", stacks::rate(model)),
    ]))
}

/// Returns the record `Definitions` with the number of objects per class. The global settings count as one object.
fn definitions(objects: &[Record]) -> Record {
    let mut classes: Vec<(&'static str, i32)> = vec![("GlobalSettings", 1)];
    for object in objects {
        match classes.iter_mut().find(|(class, _)| *class == object.name()) {
            Some((_, count)) => *count += 1,
            None => classes.push((object.name(), 1)),
        }
    }
    let total: i32 = classes.iter().map(|(_, count)| count).sum();
    let of = |(class, count): (&'static str, i32)| Record::of("ObjectType", class).child(Record::of("Count", count));
    Record::new("Definitions")
        .children([Record::of("Version", 100), Record::of("Count", total)])
        .children(classes.into_iter().map(of))
}

/// Returns the stacks as takes, for older readers.
fn takes(model: &Model) -> Record {
    let take = |clip: &portamento_anim::Clip| {
        let range = |name: &'static str| Record::of(name, 0_i64).with(ticks(clip.duration));
        Record::of("Take", clip.name.as_str()).children([
            Record::of("FileName", format!("{}.tak", clip.name).as_str()),
            range("LocalTime"),
            range("ReferenceTime"),
        ])
    };
    let current = model.clips.first().map_or("", |clip| clip.name.as_str());
    Record::new("Takes").child(Record::of("Current", current)).children(model.clips.iter().map(take))
}
