//! Random figures with all features that an FBX can store in nodes.

use portamento_anim::math::random::SplitMix64;

/// The content of a file, independent of the FBX version.
#[derive(Clone, Debug)]
pub(super) struct Figure {
    /// Up, front and right, each an axis (0 to 2) and a sign.
    pub axes: [[i32; 2]; 3],
    /// Centimetres per unit.
    pub unit: f64,
    pub parts: Vec<Part>,
    pub stacks: Vec<Stack>,
}

#[derive(Clone, Debug)]
pub(super) struct Part {
    pub name: String,
    pub parent: Option<usize>,
    /// A strip of polygons on the node. It is skinned if the figure is.
    pub surface: Option<Surface>,
    pub vectors: Vec<(&'static str, [f64; 3])>,
    pub choices: Vec<(&'static str, i32)>,
}

/// Polygons on a part.
#[derive(Clone, Debug)]
pub(super) struct Surface {
    pub points: Vec<[f64; 3]>,
    /// For each joint: vertices, weights, and the joint's position in the bind pose.
    pub clusters: Vec<Cluster>,
    /// The shapes of one channel.
    pub shapes: Vec<Shape>,
}

#[derive(Clone, Debug)]
pub(super) struct Shape {
    /// The channel weight at which it is fully applied, 100 for the last.
    pub full: f64,
    /// The offset of every point.
    pub offsets: Vec<[f64; 3]>,
}

#[derive(Clone, Debug)]
pub(super) struct Cluster {
    pub part: usize,
    pub vertices: Vec<i32>,
    pub weights: Vec<f64>,
    pub position: [f64; 3],
}

#[derive(Clone, Debug)]
pub(super) struct Stack {
    pub name: &'static str,
    pub range: [f64; 2],
    pub layers: Vec<Layer>,
}

/// Curves, and how they combine with those of the layers before.
#[derive(Clone, Debug, Default)]
pub(super) struct Layer {
    pub weight: Option<f64>,
    pub choices: Vec<(&'static str, i32)>,
    pub curves: Vec<CurveOf>,
}

#[derive(Clone, Debug)]
pub(super) struct CurveOf {
    pub part: usize,
    /// Offset, rotation, scale, or shape weight.
    pub property: usize,
    pub axis: usize,
    pub keys: Vec<Key>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    pub time: f64,
    pub value: f32,
    pub interpolation: KeyInterpolation,
}

/// Interpolation from a key to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum KeyInterpolation {
    Hold,
    Line,
    /// Slopes at this key and at the next one, per second.
    Bent([f32; 2]),
    /// Slopes, and the weights of the handles relative to the span.
    Weighted([f32; 2], [f32; 2]),
}

/// The features that a figure may have.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Traits {
    pub pivots: bool,
    pub orders: bool,
    /// Scale that is not inherited, or is applied along other axes.
    pub inherits: bool,
    pub geometric: bool,
    pub layers: bool,
    pub skin: bool,
    pub axes: bool,
    pub bends: bool,
    pub scales: bool,
    /// Non-uniform scale.
    pub uneven: bool,
}

/// All features except non-uniform scale, which shears below a rotation; readers without shear cannot show that.
pub(super) const ALL: Traits = Traits {
    pivots: true,
    orders: true,
    inherits: true,
    geometric: true,
    layers: true,
    skin: true,
    axes: true,
    bends: true,
    scales: true,
    uneven: false,
};

struct Lot(SplitMix64);

impl Lot {
    fn roll(&mut self, end: usize) -> usize {
        (self.0.unit() * end as f64) as usize
    }

    fn vector(&mut self, most: f64) -> [f64; 3] {
        // Rounded to few digits, as a person would type it.
        [(); 3].map(|()| ((2.0 * self.0.unit() - 1.0) * most * 100.0).round() / 100.0)
    }

    fn number(&mut self, most: f64) -> f32 {
        self.vector(most)[0] as f32
    }
}

impl Figure {
    /// Creates the figure of `seed` with the features in `traits`.
    pub fn drawn(seed: u64, traits: Traits) -> Self {
        let mut lot = Lot(SplitMix64::new(seed));
        let count = 4 + lot.roll(4);
        let mut parts: Vec<Part> = (0..count).map(|index| part(&mut lot, index, traits)).collect();
        parts.push(carrier(&mut lot, count, traits));
        let axes = if traits.axes { axes(&mut lot) } else { [[1, 1], [2, 1], [0, 1]] };
        let unit = if traits.axes { [1.0, 2.54, 100.0, 0.1][lot.roll(4)] } else { 1.0 };
        let stacks = ["first", "second"].map(|name| stack(&mut lot, name, &parts, traits));
        Self { axes, unit, parts, stacks: stacks.into() }
    }
}

/// Returns three axes in any order and direction, right-handed or left-handed.
fn axes(lot: &mut Lot) -> [[i32; 2]; 3] {
    let mut left = vec![0, 1, 2];
    [(); 3].map(|()| [left.remove(lot.roll(left.len())), [1, -1][lot.roll(2)]])
}

fn part(lot: &mut Lot, index: usize, traits: Traits) -> Part {
    let parent = index.checked_sub(1).map(|last| last - lot.roll(2).min(last));
    let mut part = Part {
        name: format!("joint{index}"),
        parent,
        surface: None,
        vectors: vec![("Lcl Translation", lot.vector(20.0)), ("Lcl Rotation", lot.vector(90.0))],
        choices: vec![("InheritType", if traits.inherits { lot.roll(3) as i32 } else { 1 })],
    };
    set_transform(lot, &mut part, traits);
    part
}

/// Returns the node of the mesh, with a geometry offset if `geometric`.
fn carrier(lot: &mut Lot, index: usize, traits: Traits) -> Part {
    let mut part = Part {
        name: "surface".into(),
        parent: None,
        surface: Some(surface(lot, index, traits)),
        vectors: vec![("Lcl Translation", lot.vector(20.0)), ("Lcl Rotation", lot.vector(90.0))],
        choices: vec![("InheritType", 1)],
    };
    set_transform(lot, &mut part, Traits { inherits: false, ..traits });
    if traits.geometric {
        part.vectors.push(("GeometricTranslation", lot.vector(5.0)));
        part.vectors.push(("GeometricRotation", lot.vector(90.0)));
        part.vectors.push(("GeometricScaling", lot.vector(0.4).map(|value| 1.0 + value)));
    }
    part
}

fn set_transform(lot: &mut Lot, part: &mut Part, traits: Traits) {
    if traits.scales {
        let sizes = lot.vector(0.3).map(|size| 1.0 + size);
        part.vectors.push(("Lcl Scaling", if traits.uneven { sizes } else { [sizes[0]; 3] }));
    }
    if traits.pivots {
        for name in ["RotationPivot", "RotationOffset", "ScalingPivot", "ScalingOffset"] {
            part.vectors.push((name, lot.vector(5.0)));
        }
    }
    if traits.orders {
        part.choices.push(("RotationActive", 1));
        part.choices.push(("RotationOrder", lot.roll(6) as i32));
        part.vectors.push(("PreRotation", lot.vector(180.0)));
        part.vectors.push(("PostRotation", lot.vector(180.0)));
    }
}

fn surface(lot: &mut Lot, joints: usize, traits: Traits) -> Surface {
    let points: Vec<[f64; 3]> = (0..8).map(|_| lot.vector(30.0)).collect();
    let clusters = if traits.skin { joints } else { 0 };
    let share = |part: usize, vertex: i32| 1.0 + f64::from((vertex * 7 + part as i32 * 3) % 5);
    let total = |vertex: i32| (0..clusters).map(|part| share(part, vertex)).sum::<f64>();
    let cluster = |part: usize| Cluster {
        part,
        vertices: (0..8).collect(),
        weights: (0..8).map(|vertex| share(part, vertex) / total(vertex)).collect(),
        position: lot.vector(20.0),
    };
    let clusters = (0..clusters).map(cluster).collect();
    let shapes = shapes(lot, &points);
    Surface { points, clusters, shapes }
}

/// Returns one to three shapes of one channel.
/// All but the last use a separate random generator, so that the rest of the figure is the same without them.
fn shapes(lot: &mut Lot, points: &[[f64; 3]]) -> Vec<Shape> {
    let mut own = Lot(SplitMix64::new(points[0][0].to_bits()));
    let before = [&[][..], &[50.0], &[-25.0], &[10.0, 40.0]][own.roll(4)];
    let shape = |full: f64, lot: &mut Lot| Shape { full, offsets: points.iter().map(|_| lot.vector(8.0)).collect() };
    let mut shapes: Vec<Shape> = before.iter().map(|&full| shape(full, &mut own)).collect();
    shapes.push(shape(100.0, lot));
    shapes
}

fn stack(lot: &mut Lot, name: &'static str, parts: &[Part], traits: Traits) -> Stack {
    let start = lot.roll(3) as f64 * 0.5;
    let range = [start, start + 1.0 + lot.roll(3) as f64 * 0.25];
    let layers = if traits.layers { 1 + lot.roll(3) } else { 1 };
    let layers = (0..layers).map(|index| layer(lot, index, range, parts, traits)).collect();
    Stack { name, range, layers }
}

fn layer(lot: &mut Lot, index: usize, range: [f64; 2], parts: &[Part], traits: Traits) -> Layer {
    let mut layer = Layer::default();
    if index > 0 {
        layer.weight = Some([100.0, 60.0, 25.0][lot.roll(3)]);
        layer.choices = vec![
            ("BlendMode", lot.roll(3) as i32),
            ("RotationAccumulationMode", lot.roll(2) as i32),
            ("ScaleAccumulationMode", lot.roll(2) as i32),
        ];
    }
    for (part, described) in parts.iter().enumerate() {
        let kinds = [(0, 10.0), (1, 120.0), (2, 0.3)];
        for (property, most) in kinds.into_iter().take(if traits.scales { 3 } else { 2 }) {
            if lot.roll(3) == 0 {
                continue;
            }
            layer.curves.extend(axis_curves(lot, part, property, most, range, traits));
        }
        if described.surface.is_some() && index == 0 {
            let keys = keys(lot, 50.0, range, traits).into_iter().map(|key| Key { value: key.value.abs(), ..key });
            layer.curves.push(CurveOf { part, property: 3, axis: 0, keys: keys.collect() });
        }
    }
    layer
}

/// Returns curves of one to three axes; of scale all three, equal unless it is non-uniform.
fn axis_curves(
    lot: &mut Lot,
    part: usize,
    property: usize,
    most: f64,
    range: [f64; 2],
    traits: Traits,
) -> Vec<CurveOf> {
    let curve = |axis: usize, keys: Vec<Key>| CurveOf { part, property, axis, keys };
    if property == 2 {
        let mut sizes = || -> Vec<Key> {
            keys(lot, most, range, traits).into_iter().map(|key| Key { value: 1.0 + key.value, ..key }).collect()
        };
        let first = sizes();
        let mut along = |axis: usize| if traits.uneven && axis > 0 { sizes() } else { first.clone() };
        return (0..3).map(|axis| curve(axis, along(axis))).collect();
    }
    let first = lot.roll(3);
    (first..3).map(|axis| curve(axis, keys(lot, most, range, traits))).collect()
}

fn keys(lot: &mut Lot, most: f64, [start, end]: [f64; 2], traits: Traits) -> Vec<Key> {
    let count = 2 + lot.roll(3);
    let mut key = |at: usize| {
        // Times that every version stores equally: multiples of 1/48 s.
        let time = start + ((end - start) * at as f64 / (count - 1) as f64 * 48.0).round() / 48.0;
        let slopes = [lot.number(3.0 * most), lot.number(3.0 * most)];
        let interpolation = match lot.roll(if traits.bends { 4 } else { 1 }) {
            0 => KeyInterpolation::Line,
            1 => KeyInterpolation::Hold,
            2 => KeyInterpolation::Bent(slopes),
            _ => KeyInterpolation::Weighted(slopes, [0.25, 0.5]),
        };
        Key { time, value: lot.number(most), interpolation }
    };
    (0..count).map(&mut key).collect()
}
