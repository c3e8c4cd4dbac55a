//! Figures with everything that an FBX can say of a node, drawn by lot.

use crate::math::random::SplitMix64;

/// What a file is made of, in no version's words.
#[derive(Clone, Debug)]
pub(super) struct Figure {
    /// Up, front and right, each an axis (0 to 2) and a sign.
    pub axes: [[i32; 2]; 3],
    /// Centimetres in a unit.
    pub unit: f64,
    pub parts: Vec<Part>,
    pub stacks: Vec<Stack>,
}

#[derive(Clone, Debug)]
pub(super) struct Part {
    pub name: String,
    pub parent: Option<usize>,
    /// Whether a strip of polygons hangs on it; it is skinned where that is said of the figure.
    pub surface: Option<Surface>,
    pub vectors: Vec<(&'static str, [f64; 3])>,
    pub choices: Vec<(&'static str, i32)>,
}

/// Polygons on a part.
#[derive(Clone, Debug)]
pub(super) struct Surface {
    pub points: Vec<[f64; 3]>,
    /// For each joint: vertices, weights, and where the joint is when nothing is bent.
    pub clusters: Vec<Cluster>,
    /// The shapes of one channel.
    pub shapes: Vec<Shape>,
}

#[derive(Clone, Debug)]
pub(super) struct Shape {
    /// The channel's weight at which it is reached, a hundred for the last.
    pub full: f64,
    /// How far it moves every point.
    pub offsets: Vec<[f64; 3]>,
}

#[derive(Clone, Debug)]
pub(super) struct Cluster {
    pub part: usize,
    pub vertices: Vec<i32>,
    pub weights: Vec<f64>,
    pub place: [f64; 3],
}

#[derive(Clone, Debug)]
pub(super) struct Stack {
    pub name: &'static str,
    pub range: [f64; 2],
    pub layers: Vec<Layer>,
}

/// Curves, and how they go with those of the layers below.
#[derive(Clone, Debug, Default)]
pub(super) struct Layer {
    pub weight: Option<f64>,
    pub choices: Vec<(&'static str, i32)>,
    pub curves: Vec<CurveOf>,
}

#[derive(Clone, Debug)]
pub(super) struct CurveOf {
    pub part: usize,
    /// Offset, rotation, scale, or the weight of its shape.
    pub property: usize,
    pub axis: usize,
    pub keys: Vec<Key>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    pub time: f64,
    pub value: f32,
    pub way: Way,
}

/// How a curve goes on from a key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Way {
    Hold,
    Line,
    /// Slopes out of this key and into the next, per second.
    Bent([f32; 2]),
    /// Slopes, and how much of the span the handles take.
    Weighted([f32; 2], [f32; 2]),
}

/// What a figure may have.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Traits {
    pub pivots: bool,
    pub orders: bool,
    /// Scale that is not inherited, or is along other axes.
    pub inherits: bool,
    pub geometric: bool,
    pub layers: bool,
    pub skin: bool,
    pub axes: bool,
    pub bends: bool,
    pub scales: bool,
    /// Scale that differs by axis.
    pub uneven: bool,
}

/// All of them but scale that differs by axis: below a turn it shears, which readers without shear cannot show.
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
    fn below(&mut self, end: usize) -> usize {
        (self.0.unit() * end as f64) as usize
    }

    fn vector(&mut self, most: f64) -> [f64; 3] {
        // As short as a person would type it.
        [(); 3].map(|()| ((2.0 * self.0.unit() - 1.0) * most * 100.0).round() / 100.0)
    }

    fn number(&mut self, most: f64) -> f32 {
        self.vector(most)[0] as f32
    }
}

impl Figure {
    /// The figure of `seed` that has what `traits` say.
    pub fn drawn(seed: u64, traits: Traits) -> Self {
        let mut lot = Lot(SplitMix64::new(seed));
        let count = 4 + lot.below(4);
        let mut parts: Vec<Part> = (0..count).map(|index| part(&mut lot, index, traits)).collect();
        parts.push(carrier(&mut lot, count, traits));
        let axes = if traits.axes { axes(&mut lot) } else { [[1, 1], [2, 1], [0, 1]] };
        let unit = if traits.axes { [1.0, 2.54, 100.0, 0.1][lot.below(4)] } else { 1.0 };
        let stacks = ["first", "second"].map(|name| stack(&mut lot, name, &parts, traits));
        Self { axes, unit, parts, stacks: stacks.into() }
    }
}

/// All three axes in any order, each either way, right-handed or left-handed.
fn axes(lot: &mut Lot) -> [[i32; 2]; 3] {
    let mut left = vec![0, 1, 2];
    [(); 3].map(|()| [left.remove(lot.below(left.len())), [1, -1][lot.below(2)]])
}

fn part(lot: &mut Lot, index: usize, traits: Traits) -> Part {
    let parent = index.checked_sub(1).map(|last| last - lot.below(2).min(last));
    let mut part = Part {
        name: format!("joint{index}"),
        parent,
        surface: None,
        vectors: vec![("Lcl Translation", lot.vector(20.0)), ("Lcl Rotation", lot.vector(90.0))],
        choices: vec![("InheritType", if traits.inherits { lot.below(3) as i32 } else { 1 })],
    };
    place(lot, &mut part, traits);
    part
}

/// The node that carries the surface, off its own origin where `geometric`.
fn carrier(lot: &mut Lot, index: usize, traits: Traits) -> Part {
    let mut part = Part {
        name: "surface".into(),
        parent: None,
        surface: Some(surface(lot, index, traits)),
        vectors: vec![("Lcl Translation", lot.vector(20.0)), ("Lcl Rotation", lot.vector(90.0))],
        choices: vec![("InheritType", 1)],
    };
    place(lot, &mut part, Traits { inherits: false, ..traits });
    if traits.geometric {
        part.vectors.push(("GeometricTranslation", lot.vector(5.0)));
        part.vectors.push(("GeometricRotation", lot.vector(90.0)));
        part.vectors.push(("GeometricScaling", lot.vector(0.4).map(|value| 1.0 + value)));
    }
    part
}

fn place(lot: &mut Lot, part: &mut Part, traits: Traits) {
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
        part.choices.push(("RotationOrder", lot.below(6) as i32));
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
        place: lot.vector(20.0),
    };
    let clusters = (0..clusters).map(cluster).collect();
    let shapes = shapes(lot, &points);
    Surface { points, clusters, shapes }
}

/// One to three shapes of one channel; all but the last by a lot of their own, so that the rest of the figure is as without them.
fn shapes(lot: &mut Lot, points: &[[f64; 3]]) -> Vec<Shape> {
    let mut own = Lot(SplitMix64::new(points[0][0].to_bits()));
    let before = [&[][..], &[50.0], &[-25.0], &[10.0, 40.0]][own.below(4)];
    let shape = |full: f64, lot: &mut Lot| Shape { full, offsets: points.iter().map(|_| lot.vector(8.0)).collect() };
    let mut shapes: Vec<Shape> = before.iter().map(|&full| shape(full, &mut own)).collect();
    shapes.push(shape(100.0, lot));
    shapes
}

fn stack(lot: &mut Lot, name: &'static str, parts: &[Part], traits: Traits) -> Stack {
    let start = lot.below(3) as f64 * 0.5;
    let range = [start, start + 1.0 + lot.below(3) as f64 * 0.25];
    let layers = if traits.layers { 1 + lot.below(3) } else { 1 };
    let layers = (0..layers).map(|index| layer(lot, index, range, parts, traits)).collect();
    Stack { name, range, layers }
}

fn layer(lot: &mut Lot, index: usize, range: [f64; 2], parts: &[Part], traits: Traits) -> Layer {
    let mut layer = Layer::default();
    if index > 0 {
        layer.weight = Some([100.0, 60.0, 25.0][lot.below(3)]);
        layer.choices = vec![
            ("BlendMode", lot.below(3) as i32),
            ("RotationAccumulationMode", lot.below(2) as i32),
            ("ScaleAccumulationMode", lot.below(2) as i32),
        ];
    }
    for (part, described) in parts.iter().enumerate() {
        let kinds = [(0, 10.0), (1, 120.0), (2, 0.3)];
        for (property, most) in kinds.into_iter().take(if traits.scales { 3 } else { 2 }) {
            if lot.below(3) == 0 {
                continue;
            }
            layer.curves.extend(three(lot, part, property, most, range, traits));
        }
        if described.surface.is_some() && index == 0 {
            let keys = keys(lot, 50.0, range, traits).into_iter().map(|key| Key { value: key.value.abs(), ..key });
            layer.curves.push(CurveOf { part, property: 3, axis: 0, keys: keys.collect() });
        }
    }
    layer
}

/// Curves of one to three axes; of scale all, alike where it stays even.
fn three(lot: &mut Lot, part: usize, property: usize, most: f64, range: [f64; 2], traits: Traits) -> Vec<CurveOf> {
    let curve = |axis: usize, keys: Vec<Key>| CurveOf { part, property, axis, keys };
    if property == 2 {
        let mut sizes = || -> Vec<Key> {
            keys(lot, most, range, traits).into_iter().map(|key| Key { value: 1.0 + key.value, ..key }).collect()
        };
        let first = sizes();
        let mut along = |axis: usize| if traits.uneven && axis > 0 { sizes() } else { first.clone() };
        return (0..3).map(|axis| curve(axis, along(axis))).collect();
    }
    let first = lot.below(3);
    (first..3).map(|axis| curve(axis, keys(lot, most, range, traits))).collect()
}

fn keys(lot: &mut Lot, most: f64, [start, end]: [f64; 2], traits: Traits) -> Vec<Key> {
    let count = 2 + lot.below(3);
    let mut key = |at: usize| {
        // Times that every version writes alike: multiples of 1/48 s.
        let time = start + ((end - start) * at as f64 / (count - 1) as f64 * 48.0).round() / 48.0;
        let slopes = [lot.number(3.0 * most), lot.number(3.0 * most)];
        let way = match lot.below(if traits.bends { 4 } else { 1 }) {
            0 => Way::Line,
            1 => Way::Hold,
            2 => Way::Bent(slopes),
            _ => Way::Weighted(slopes, [0.25, 0.5]),
        };
        Key { time, value: lot.number(most), way }
    };
    (0..count).map(&mut key).collect()
}
