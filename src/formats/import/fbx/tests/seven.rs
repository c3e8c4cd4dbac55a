//! Writes a figure in FBX version 7: objects with ids and connections between them.

use super::figure::{CurveOf, Figure, Key, KeyInterpolation, Layer, Part, Shape, Stack, Surface};
use super::tree::{Record, Value};

/// FBX time units per second.
pub(super) const TICKS_PER_SECOND: f64 = 46_186_158_000.0;
/// Names of the animated properties, in the order of a curve's `property`.
const PROPERTY_NAMES: [&str; 4] = ["Lcl Translation", "Lcl Rotation", "Lcl Scaling", "DeformPercent"];

/// Returns the records of a file of `version` with `figure`.
pub(super) fn records(figure: &Figure, version: u32) -> Vec<Record> {
    scene(Scene::default(), figure, version)
}

/// As [`records`], but in every layer another element is placed between the curves of any two joints.
pub(super) fn records_apart(figure: &Figure, version: u32) -> Vec<Record> {
    scene(Scene { is_apart: true, ..Scene::default() }, figure, version)
}

fn scene(mut scene: Scene, figure: &Figure, version: u32) -> Vec<Record> {
    figure.parts.iter().enumerate().for_each(|(index, part)| scene.part(index, part));
    for (index, part) in figure.parts.iter().enumerate() {
        if let Some(surface) = &part.surface {
            scene.surface(index, surface);
        }
    }
    figure.stacks.iter().enumerate().for_each(|(index, stack)| scene.stack(index, stack, figure));
    let head = [Record::of("FBXHeaderVersion", 1003), Record::of("FBXVersion", version as i32)];
    vec![
        Record::new("FBXHeaderExtension").children(head),
        Record::new("GlobalSettings").children([Record::of("Version", 1000), settings(figure)]),
        definitions(&scene.objects),
        Record::new("Objects").children(scene.objects),
        Record::new("Connections").children(scene.links),
    ]
}

/// Returns the number of objects of each kind. Some readers ignore kinds that are not listed.
pub(super) fn definitions(objects: &[Record]) -> Record {
    let mut kinds: Vec<(&str, i32)> = Vec::new();
    for object in objects {
        match kinds.iter_mut().find(|(name, _)| *name == object.name()) {
            Some((_, count)) => *count += 1,
            None => kinds.push((object.name(), 1)),
        }
    }
    let kind = |(name, count): &(&str, i32)| Record::of("ObjectType", *name).children([Record::of("Count", *count)]);
    let count = Record::of("Count", objects.len() as i32);
    Record::new("Definitions").children([Record::of("Version", 100), count]).children(kinds.iter().map(kind))
}

fn settings(figure: &Figure) -> Record {
    let axes = ["UpAxis", "FrontAxis", "CoordAxis"].into_iter().zip(figure.axes).flat_map(|(name, [axis, sign])| {
        [choice(name.to_owned(), "int", axis), choice(format!("{name}Sign"), "int", sign)]
    });
    let unit = choice("UnitScaleFactor".into(), "double", figure.unit);
    Record::new("Properties70").children(axes.chain([unit]))
}

fn choice(name: String, kind: &str, value: impl Into<Value>) -> Record {
    Record::of("P", name).with(kind).with("").with("").with(value)
}

fn vector(name: &str, values: [f64; 3]) -> Record {
    let [kind, label, flags] = if name.starts_with("Lcl") { [name, "", "A"] } else { ["Vector3D", "Vector", ""] };
    Record::of("P", name).with(kind).with(label).with(flags).values(values.map(Value::Real))
}

#[derive(Default)]
struct Scene {
    objects: Vec<Record>,
    links: Vec<Record>,
    is_apart: bool,
}

/// Returns the id of a joint's attribute.
fn attribute(part: usize) -> i64 {
    1500 + part as i64
}

/// Returns the id of a part's node.
fn node(part: usize) -> i64 {
    1000 + part as i64
}

/// Returns the id of the channel of a part's shape.
fn channel(part: usize) -> i64 {
    3000 + part as i64
}

impl Scene {
    fn object(&mut self, kind: &'static str, class: &'static str, id: i64, name: &str, sort: &str) -> &mut Record {
        self.objects.push(Record::of(kind, id).with(Value::Object(class, name.to_owned())).with(sort));
        let last = self.objects.len() - 1;
        &mut self.objects[last]
    }

    fn link(&mut self, child: i64, parent: i64) {
        self.links.push(Record::of("C", "OO").with(child).with(parent));
    }

    fn link_to(&mut self, child: i64, parent: i64, property: &str) {
        self.links.push(Record::of("C", "OP").with(child).with(parent).with(property));
    }

    fn part(&mut self, index: usize, part: &Part) {
        let vectors = part.vectors.iter().map(|(name, values)| vector(name, *values));
        let choices = part.choices.iter().map(|(name, value)| {
            choice((*name).to_owned(), if *name == "RotationActive" { "bool" } else { "enum" }, *value)
        });
        let properties = Record::new("Properties70").children(choices.chain(vectors));
        let sort = if part.surface.is_some() { "Mesh" } else { "LimbNode" };
        let model = self.object("Model", "Model", node(index), &part.name, sort);
        *model = model.clone().children([Record::of("Version", 232), properties]);
        self.link(node(index), part.parent.map_or(0, node));
        if part.surface.is_none() {
            let id = attribute(index);
            let bone = self.object("NodeAttribute", "NodeAttribute", id, "", "LimbNode");
            *bone = bone.clone().children([Record::of("TypeFlags", "Skeleton")]);
            self.link(id, node(index));
        }
    }

    fn surface(&mut self, index: usize, surface: &Surface) {
        let (mesh, skin) = (2000 + index as i64, 4000);
        let points: Vec<f64> = surface.points.iter().flatten().copied().collect();
        let geometry = self.object("Geometry", "Geometry", mesh, "strip", "Mesh");
        *geometry = geometry.clone().children([
            Record::of("Vertices", points),
            Record::of("PolygonVertexIndex", polygons(surface.points.len())),
            Record::of("GeometryVersion", 124),
        ]);
        self.link(mesh, node(index));
        if !surface.clusters.is_empty() {
            self.object("Deformer", "Deformer", skin, "", "Skin");
            self.link(skin, mesh);
        }
        for cluster in &surface.clusters {
            let id = skin + 1 + cluster.part as i64;
            let record = self.object("Deformer", "SubDeformer", id, "", "Cluster");
            *record = record.clone().children([
                Record::of("Version", 100),
                Record::of("Indexes", cluster.vertices.clone()),
                Record::of("Weights", cluster.weights.clone()),
                Record::of("Transform", moved(cluster.position.map(|value| -value))),
                Record::of("TransformLink", moved(cluster.position)),
            ]);
            self.link(id, skin);
            self.link(node(cluster.part), id);
        }
        self.shapes(index, mesh, &surface.shapes);
    }

    fn shapes(&mut self, index: usize, mesh: i64, shapes: &[Shape]) {
        let blend = 5000 + index as i64;
        self.object("Deformer", "Deformer", blend, "", "BlendShape");
        let record = self.object("Deformer", "SubDeformer", channel(index), "bulge", "BlendShapeChannel");
        let full: Vec<f64> = shapes.iter().map(|shape| shape.full).collect();
        *record = record.clone().children([
            Record::of("Version", 100),
            Record::of("DeformPercent", 0.0),
            Record::of("FullWeights", full),
        ]);
        self.link(blend, mesh);
        self.link(channel(index), blend);
        for (place, shape) in shapes.iter().enumerate() {
            let id = 5500 + 10 * index as i64 + place as i64;
            let record = self.object("Geometry", "Geometry", id, "bulge", "Shape");
            *record = record.clone().children([
                Record::of("Version", 100),
                Record::of("Indexes", (0..shape.offsets.len() as i32).collect::<Vec<i32>>()),
                Record::of("Vertices", shape.offsets.iter().flatten().copied().collect::<Vec<f64>>()),
            ]);
            self.link(id, channel(index));
        }
    }

    fn stack(&mut self, index: usize, stack: &Stack, figure: &Figure) {
        let id = 10_000 * (index as i64 + 1);
        let time =
            |name: &str, seconds: f64| Record::of("P", name).with("KTime").with("Time").with("").with(ticks(seconds));
        let [start, end] = stack.range;
        let range = Record::new("Properties70").children([time("LocalStart", start), time("LocalStop", end)]);
        let record = self.object("AnimationStack", "AnimStack", id, stack.name, "");
        *record = record.clone().children([range]);
        for (place, layer) in stack.layers.iter().enumerate() {
            let layer_id = id + 1 + place as i64;
            self.layer(layer_id, layer, figure);
            self.link(layer_id, id);
        }
    }

    fn layer(&mut self, id: i64, layer: &Layer, figure: &Figure) {
        let weight =
            layer.weight.map(|weight| Record::of("P", "Weight").with("Number").with("").with("A").with(weight));
        let choices = layer.choices.iter().map(|(name, value)| choice((*name).to_owned(), "enum", *value));
        let properties = Record::new("Properties70").children(weight.into_iter().chain(choices));
        let record = self.object("AnimationLayer", "AnimLayer", id, "layer", "");
        *record = record.clone().children([properties]);
        for part in 0..figure.parts.len() {
            for property in 0..PROPERTY_NAMES.len() {
                let of = |curve: &&CurveOf| curve.part == part && curve.property == property;
                let curves: Vec<&CurveOf> = layer.curves.iter().filter(of).collect();
                if !curves.is_empty() {
                    self.moved(id, &curves, figure);
                }
            }
            if self.is_apart && figure.parts[part].surface.is_none() {
                let node = 1_000_000 * id + 100 * part as i64 + 90;
                self.object("AnimationCurveNode", "AnimCurveNode", node, "A", "");
                self.link(node, id);
                self.link_to(node, attribute(part), "A");
            }
        }
    }

    /// Adds one property of one part with its curves.
    fn moved(&mut self, layer: i64, curves: &[&CurveOf], figure: &Figure) {
        let &CurveOf { part, property, .. } = curves[0];
        let id = 1_000_000 * layer + 100 * part as i64 + 10 * property as i64;
        let names: &[&str] = if property == 3 { &["d|DeformPercent"] } else { &["d|X", "d|Y", "d|Z"] };
        let rest = figure.parts[part].vectors.iter().find(|(name, _)| *name == PROPERTY_NAMES[property]);
        let rest = rest.map_or([if property == 2 { 1.0 } else { 0.0 }; 3], |(_, values)| *values);
        let number = |(name, value): (&&str, f64)| Record::of("P", *name).with("Number").with("").with("A").with(value);
        let record =
            self.object("AnimationCurveNode", "AnimCurveNode", id, ["T", "R", "S", "DeformPercent"][property], "");
        *record = record.clone().children([Record::new("Properties70").children(names.iter().zip(rest).map(number))]);
        self.link(id, layer);
        let target = if property == 3 { channel(part) } else { node(part) };
        self.link_to(id, target, PROPERTY_NAMES[property]);
        for curve in curves {
            let curve_id = id + 1 + curve.axis as i64;
            let record = self.object("AnimationCurve", "AnimCurve", curve_id, "", "");
            *record = record.clone().children(keys(&curve.keys));
            self.link_to(curve_id, id, names[curve.axis]);
        }
    }
}

/// Returns quads and triangles through all points.
pub(super) fn polygons(points: usize) -> Vec<i32> {
    let quads = (0..points as i32 - 3).step_by(2).flat_map(|at| [at, at + 1, at + 3, -(at + 2) - 1]);
    quads.collect()
}

/// Returns a translation matrix.
pub(super) fn moved([x, y, z]: [f64; 3]) -> Vec<f64> {
    vec![1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, x, y, z, 1.0]
}

pub(super) fn ticks(seconds: f64) -> i64 {
    (seconds * TICKS_PER_SECOND).round() as i64
}

fn keys(keys: &[Key]) -> Vec<Record> {
    let flags = |key: &Key| match key.interpolation {
        KeyInterpolation::Hold => 0x2,
        KeyInterpolation::Line => 0x4,
        // Cubic, with separate slopes.
        KeyInterpolation::Bent(_) => 0x8 | 0x400 | 0x800,
        KeyInterpolation::Weighted(..) => 0x8 | 0x400 | 0x800 | 0x0100_0000 | 0x0200_0000,
    };
    let data = |key: &Key| -> [f32; 4] {
        let third = packed_weights([1.0 / 3.0; 2]);
        match key.interpolation {
            KeyInterpolation::Bent([out, into]) => [out, into, third, 0.0],
            KeyInterpolation::Weighted([out, into], weights) => [out, into, packed_weights(weights), 0.0],
            _ => [0.0, 0.0, third, 0.0],
        }
    };
    vec![
        Record::of("Default", 0.0),
        Record::of("KeyVer", 4008),
        Record::new("KeyTime").with(Value::Longs(keys.iter().map(|key| ticks(key.time)).collect())),
        Record::new("KeyValueFloat").with(Value::Singles(keys.iter().map(|key| key.value).collect())),
        Record::of("KeyAttrFlags", keys.iter().map(flags).collect::<Vec<i32>>()),
        Record::new("KeyAttrDataFloat").with(Value::KeyData(keys.iter().map(data).collect())),
        Record::of("KeyAttrRefCount", vec![1; keys.len()]),
    ]
}

/// Packs two weights into the halves of one number's bits.
fn packed_weights([out, into]: [f32; 2]) -> f32 {
    let half = |weight: f32| (weight * 9999.0).round() as u32;
    f32::from_bits(half(out) | half(into) << 16)
}
