//! What the numbers in settings measure, by the names they have in project files.

use super::Unit;

/// A setting's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// In a unit of its own.
    In(Unit),
    /// A length in the unit of the character's file.
    FileLength,
}

/// What the number at `path` in the settings of a stage or source of this `kind` measures; `None` where that is not known. Places in
/// lists may be counted from 0 or from 1.
pub fn measure_of<N: AsRef<str>>(kind: &str, path: &[N]) -> Option<Measure> {
    let of_all = ("", EVERYWHERE);
    let tables = TABLES.iter().filter(|(of, _)| *of == kind).chain([&of_all]);
    let mut rows = tables.flat_map(|(_, rows)| rows.iter());
    rows.find(|(pattern, _)| begins_with(path, pattern)).map(|(_, measure)| *measure)
}

/// Whether `pattern` names what `path` leads to or something around it; `*` stands for any name, `**` for any number of them.
fn begins_with<N: AsRef<str>>(path: &[N], pattern: &str) -> bool {
    if let Some(inner) = pattern.strip_prefix("**/") {
        return (0..path.len()).any(|at| begins_with(&path[at..], inner));
    }
    let mut names = path.iter().map(AsRef::as_ref);
    pattern.split('/').all(|wanted| names.next().is_some_and(|name| wanted == "*" || wanted == name))
}

/// Names from the outside in, and what all numbers there measure.
type Row = (&'static str, Measure);

const PLAIN: Measure = Measure::In(Unit::Plain);
const METRES: Measure = Measure::In(Unit::Metres);
const DEGREES: Measure = Measure::In(Unit::Degrees);
const RADIANS: Measure = Measure::In(Unit::Radians);
const SECONDS: Measure = Measure::In(Unit::Seconds);
const SPEED: Measure = Measure::In(Unit::Speed);
const ACCELERATION: Measure = Measure::In(Unit::Acceleration);

/// What stages of several kinds have.
const EVERYWHERE: &[Row] = &[("span", SECONDS), ("influence", PLAIN), ("files", PLAIN), ("root/joint", PLAIN)];

/// The numbers of each kind; the first row that fits counts.
const TABLES: &[(&str, &[Row])] = &[
    ("stretch", STRETCH),
    ("dynamics", DYNAMICS),
    (
        "layer",
        &[
            ("events/*/midpoint", PLAIN),
            ("events", SECONDS),
            ("run_speeds", SPEED),
            ("blend_times", PLAIN),
            ("upper", PLAIN),
        ],
    ),
    ("loop", &[("start", PLAIN), ("length", PLAIN), ("fade", PLAIN), ("outgoing", PLAIN)]),
    ("close", &[("seam", SECONDS)]),
    ("retime", &[("knots/*/time", SECONDS), ("knots/*/speed", PLAIN), ("length", SECONDS)]),
    ("trim", &[("from", SECONDS), ("to", SECONDS)]),
    ("ground", &[("softness", SECONDS), ("sole", METRES)]),
    ("mirror", &[("angle", DEGREES), ("tilt", DEGREES), ("offset", METRES)]),
    ("root", &[("evened", SECONDS)]),
    ("cleanup", &[("spread", SECONDS), ("rate", PLAIN), ("reduce/millimetres", Measure::In(Unit::Millimetres))]),
    ("retarget", &[("file", PLAIN), ("scale", PLAIN), ("corrections", DEGREES)]),
    ("rest", &[("seconds", SECONDS)]),
    ("blend", BLEND),
    ("vertices", &[("*", PLAIN)]),
    ("images", &[("*", PLAIN)]),
    ("cloth", CLOTH),
    ("walk", WALK),
];

const STRETCH: &[Row] = &[
    ("target", Measure::FileLength),
    ("windows/*/target", Measure::FileLength),
    ("windows/*/facing", RADIANS),
    ("windows", SECONDS),
    ("facing", RADIANS),
    ("dead_zone", SPEED),
    ("aligner", PLAIN),
    ("plants/*/foot", PLAIN),
    ("plants", SECONDS),
    ("max_ratio", PLAIN),
];

const DYNAMICS: &[Row] = &[
    ("chains/*/stiffness/curve", PLAIN),
    ("chains/*/stiffness", ACCELERATION),
    ("chains/*/radius/curve", PLAIN),
    ("chains/*/radius", METRES),
    ("chains/*/limit/hinge/axis", PLAIN),
    ("chains/*/limit", RADIANS),
    ("chains/*/end_length", METRES),
    ("chains/*/overrides/*/stiffness", ACCELERATION),
    ("chains/*/overrides/*/radius", METRES),
    ("chains/*/overrides/*/limit/hinge/axis", PLAIN),
    ("chains/*/overrides/*/limit", RADIANS),
    ("chains", PLAIN),
    ("colliders/*/joint", PLAIN),
    ("colliders/*/shape/plane/normal", PLAIN),
    ("colliders", METRES),
    ("gravity", ACCELERATION),
    ("wind/strength", ACCELERATION),
    ("wind/period", SECONDS),
    ("wind", PLAIN),
    ("scale", PLAIN),
    ("slerp_buffer", PLAIN),
    ("smoothing", SECONDS),
    ("teleport/speed", SPEED),
    ("teleport/turn", RADIANS),
    ("pre_roll", SECONDS),
    ("fps", PLAIN),
];

const BLEND: &[Row] = &[
    ("length", SECONDS),
    ("**/events/*/midpoint", PLAIN),
    ("**/events", SECONDS),
    ("**/source/offset", SECONDS),
    ("*", PLAIN),
];

const CLOTH: &[Row] = &[
    ("width", METRES),
    ("height", METRES),
    ("top", METRES),
    ("gravity", ACCELERATION),
    ("wind", SPEED),
    ("pre_roll", SECONDS),
    ("*", PLAIN),
];

const WALK: &[Row] = &[
    ("voxels/slope_limit", DEGREES),
    ("voxels/speed_up", PLAIN),
    ("voxels/speed_down", PLAIN),
    ("voxels/volumes/*/effect", PLAIN),
    ("voxels/surfaces", PLAIN),
    ("voxels", METRES),
    ("stops", METRES),
    ("routes/radius", METRES),
    ("routes", PLAIN),
    ("clips", DEGREES),
    ("acceleration", ACCELERATION),
    ("braking/deceleration", ACCELERATION),
    ("turning_radius", METRES),
    ("start_facing", DEGREES),
    ("goal_facing", DEGREES),
    ("turn_speed", Measure::In(Unit::DegreesPerSecond)),
    ("corner", DEGREES),
    ("sideways", ACCELERATION),
    ("match_time", SECONDS),
    ("release", SECONDS),
    ("rest", SECONDS),
    ("*", PLAIN),
];

#[cfg(test)]
mod tests {
    use glam::DVec3;
    use serde_json::Value;

    use super::*;
    use crate::document::stage::{Dynamics, Ground, Layer, Loop, Stretch};
    use crate::document::take::{Blend, Retarget};
    use crate::document::{FileId, Span, Stage, StageKind, TakeSource, Walk};
    use crate::systems::dynamics::{AngleLimit, Chain, Collider, ColliderShape, JointOverride, Wind};
    use crate::systems::stretch::{Facing, FootPlants, PlantSpan, Target, Window};
    use crate::systems::{cleanup, locomotion, retime, trim};

    fn stretch() -> StageKind {
        let mut stretch = Stretch::default();
        let settings = &mut stretch.settings;
        settings.target = Some(Target::Start(DVec3::ONE));
        settings.facing = Facing::Heading(1.0);
        settings.windows =
            vec![Window { start: 0.0, end: 1.0, target: Target::World(DVec3::ONE), facing: Facing::Heading(1.0) }];
        settings.aligner = Some(1);
        settings.plants = vec![FootPlants { foot: 1, spans: vec![PlantSpan { start: 0.0, end: 1.0 }] }];
        settings.max_ratio = Some(2.0);
        StageKind::Stretch(Box::new(stretch))
    }

    fn dynamics() -> StageKind {
        let hinge = AngleLimit::Hinge { axis: DVec3::X, low: -1.0, high: 1.0 };
        let (center, radius) = (DVec3::X, 0.1);
        let shapes = [
            ColliderShape::Sphere { center, radius },
            ColliderShape::InsideCapsule { a: center, b: center, radius },
            ColliderShape::Plane { point: center, normal: center },
        ];
        let mut chain = Chain { limit: AngleLimit::Cone { angle: 1.0 }, excluded: vec![2], ..Chain::default() };
        chain.stiffness.curve = vec![(0.0, 1.0)];
        chain.radius.curve = vec![(0.0, 1.0)];
        chain.overrides = vec![JointOverride {
            drag: Some(0.1),
            stiffness: Some(0.1),
            gravity: Some(0.1),
            radius: Some(0.1),
            limit: Some(hinge),
            ..JointOverride::default()
        }];
        (chain.ignored_colliders, chain.center) = (vec![0], Some(1));
        let mut dynamics = Dynamics { fps: Some(60.0), ..Dynamics::default() };
        dynamics.settings.chains = vec![chain, Chain { limit: hinge, ..Chain::default() }];
        dynamics.settings.colliders =
            shapes.into_iter().map(|shape| Collider { name: String::new(), joint: Some(0), shape }).collect();
        dynamics.settings.wind = Wind::default();
        StageKind::Dynamics(Box::new(dynamics))
    }

    fn stages() -> Vec<StageKind> {
        let span = Some(Span::default());
        let mut layer = Layer { span, files: vec![FileId(1)], ..Layer::default() };
        layer.settings.events = vec![crate::systems::blend::Event { midpoint: 0.2, ..Default::default() }];
        layer.settings.blend_times = vec![Default::default()];
        let mut looped = Loop::default();
        looped.settings.outgoing = Some(Default::default());
        let knots = vec![retime::SpeedKnot { time: 0.0, speed: 1.0, ease: Default::default() }];
        let mut ground = Ground { span, ..Ground::default() };
        ground.settings.sole = Some(0.1);
        vec![
            stretch(),
            dynamics(),
            StageKind::Layer(Box::new(layer)),
            StageKind::Loop(Box::new(looped)),
            StageKind::Close(Box::default()),
            StageKind::Retime(Box::new(retime::Settings { knots, length: Some(2.0) })),
            StageKind::Trim(Box::new(trim::Settings { from: 0.0, to: Some(1.0) })),
            StageKind::Ground(Box::new(ground)),
            StageKind::Mirror(Box::default()),
            StageKind::Root(Box::default()),
            StageKind::Cleanup(Box::new(cleanup::Settings {
                rate: Some(30.0),
                reduce: Some(Default::default()),
                ..Default::default()
            })),
        ]
    }

    fn sources() -> Vec<TakeSource> {
        let mut blend = Blend { length: Some(2.0), layout: vec![[0.0; 2]], ..Blend::default() };
        blend.settings.standard_mut().unwrap().events = vec![Default::default()];
        let mut free = blend.clone();
        free.free();
        let mut walk = Walk { stops: vec![DVec3::ONE], pins: vec![Default::default()], ..Walk::default() };
        walk.settings = locomotion::Settings {
            start_facing: Some(0.0),
            goal_facing: Some(0.0),
            engine_rate: Some(60.0),
            ..Default::default()
        };
        let settings = crate::systems::retarget::Settings { scale: Some(1.0), ..Default::default() };
        vec![
            TakeSource::Retarget(Box::new(Retarget { file: FileId(1), clip: String::new(), settings })),
            TakeSource::Rest { seconds: 2.0 },
            TakeSource::Scenario(Box::new(blend)),
            TakeSource::Scenario(Box::new(free)),
            TakeSource::Images { file: FileId(1), fps: Some(30.0), sheet: None },
            TakeSource::Cloth(Box::default()),
            TakeSource::Walk(Box::new(walk)),
        ]
    }

    /// Where the numbers within `value` stand, by the names that changes of settings have.
    fn numbers(value: &Value, at: &[String], found: &mut Vec<Vec<String>>) {
        let inner = |name: String| [at, &[name]].concat();
        match value {
            Value::Number(_) => found.push(at.to_vec()),
            Value::Object(all) => all.iter().for_each(|(name, part)| match name.as_str() {
                "settings" => numbers(part, at, found),
                _ => numbers(part, &inner(name.clone()), found),
            }),
            Value::Array(all) => {
                all.iter().enumerate().for_each(|(i, part)| numbers(part, &inner((i + 1).to_string()), found));
            }
            _ => {}
        }
    }

    #[test]
    fn it_is_known_what_every_number_of_every_kind_measures() {
        let stages = stages().into_iter().map(|kind| (kind.name(), serde_json::to_value(&kind).unwrap()));
        let sources =
            sources().into_iter().map(|source| (source.name().unwrap(), serde_json::to_value(&source).unwrap()));
        let (mut unknown, mut known) = (Vec::new(), 0);
        for (kind, value) in stages.chain(sources) {
            let mut found = Vec::new();
            numbers(&value, &[], &mut found);
            for path in found.iter().map(|path| &path[1..]) {
                match measure_of(kind, path) {
                    Some(_) => known += 1,
                    None => unknown.push(format!("{kind}: {}", path.join("/"))),
                }
            }
        }
        assert!(unknown.is_empty(), "{unknown:#?}");
        assert!(known > 150, "only {known} numbers were looked at");
    }

    #[test]
    fn the_first_row_that_fits_counts() {
        let of = |kind, path: &str| measure_of(kind, &path.split('/').collect::<Vec<_>>());
        assert_eq!(of("stretch", "target/world/z"), Some(Measure::FileLength));
        assert_eq!(of("stretch", "windows/2/end"), Some(SECONDS));
        assert_eq!(of("stretch", "windows/2/target/world/x"), Some(Measure::FileLength));
        assert_eq!(of("dynamics", "chains/1/radius/value"), Some(METRES));
        assert_eq!(of("dynamics", "chains/1/radius/curve/1/2"), Some(PLAIN));
        assert_eq!(of("dynamics", "chains/1/limit/hinge/low"), Some(RADIANS));
        assert_eq!(of("blend", "tree/nodes/3/standard/events/1/time"), Some(SECONDS));
        assert_eq!(of("blend", "tree/nodes/3/source/offset"), Some(SECONDS));
        assert_eq!(of("ground", "span/fade_in"), Some(SECONDS));
        assert_eq!(of("ground", "nothing"), None);
        let keyed = Stage::new(crate::document::StageId(1), dynamics());
        assert_eq!(of(keyed.kind.name(), "gravity/1"), Some(ACCELERATION), "places counted from 0");
    }
}
