//! Writes a figure in FBX version 6: objects with names, and takes instead of stacks.

use super::figure::{CurveOf, Figure, Key, KeyInterpolation, Part, Stack, Surface};
use super::seven::{definitions, moved, polygons, ticks};
use super::tree::{Record, Value};

/// Returns the records of a file of version 6.1 with `figure`, as far as that version can store it: the first layer of each stack.
pub(super) fn records(figure: &Figure) -> Vec<Record> {
    let mut objects: Vec<Record> = figure.parts.iter().map(model).collect();
    let mut links: Vec<Record> = Vec::new();
    for part in &figure.parts {
        let parent = part.parent.map_or("Scene".to_owned(), |parent| figure.parts[parent].name.clone());
        links.push(link(["Model", "Model"], &part.name, &parent));
        if let Some(surface) = &part.surface {
            deformers(part, surface, figure, &mut objects, &mut links);
        }
    }
    objects.push(settings(figure));
    let takes = figure.stacks.iter().map(|stack| take(stack, figure));
    let head = [Record::of("FBXHeaderVersion", 1003), Record::of("FBXVersion", 6100)];
    vec![
        Record::new("FBXHeaderExtension").children(head),
        definitions(&objects),
        Record::new("Objects").children(objects),
        Record::new("Connections").children(links),
        Record::new("Takes").children([Record::of("Current", figure.stacks[0].name)]).children(takes),
    ]
}

fn property(name: &str, kind: &str, flags: &str) -> Record {
    Record::of("Property", name).with(kind).with(flags)
}

fn settings(figure: &Figure) -> Record {
    let axes = ["UpAxis", "FrontAxis", "CoordAxis"].into_iter().zip(figure.axes).flat_map(|(name, [axis, sign])| {
        [property(name, "int", "").with(axis), property(&format!("{name}Sign"), "int", "").with(sign)]
    });
    let unit = property("UnitScaleFactor", "double", "").with(figure.unit);
    let properties = Record::new("Properties60").children(axes.chain([unit]));
    Record::new("GlobalSettings").children([Record::of("Version", 1000), properties])
}

fn named(kind: &'static str, class: &'static str, name: &str) -> Record {
    Record::new(kind).with(Value::Object(class, name.to_owned()))
}

fn link([class, kind_of_parent]: [&'static str; 2], name: &str, parent: &str) -> Record {
    let object = |class, name: &str| Value::Object(class, name.to_owned());
    Record::of("Connect", "OO").with(object(class, name)).with(object(kind_of_parent, parent))
}

fn model(part: &Part) -> Record {
    let choices = part
        .choices
        .iter()
        .map(|(name, value)| property(name, if *name == "RotationActive" { "bool" } else { "enum" }, "").with(*value));
    let vectors = part.vectors.iter().map(|(name, values)| {
        let [kind, flags] = if name.starts_with("Lcl") { [*name, "A+"] } else { ["Vector3D", ""] };
        property(name, kind, flags).values(values.map(Value::Real))
    });
    // In version 6 the weight of a shape is a property of the node.
    let weight = part.surface.as_ref().map(|_| property("bulge", "Number", "A+").with(0.0));
    let properties = Record::new("Properties60").children(choices.chain(vectors).chain(weight));
    let model = named("Model", "Model", &part.name);
    let Some(surface) = &part.surface else {
        let limb = model.with("LimbNode").children([Record::of("Version", 232), properties]);
        return limb.children([Record::of("TypeFlags", "Skeleton")]);
    };
    let points: Vec<f64> = surface.points.iter().flatten().copied().collect();
    // In version 6 a channel has only one shape.
    let shape = surface.shapes.last().map(|shape| {
        Record::of("Shape", "bulge").children([
            Record::of("Indexes", (0..shape.offsets.len() as i32).collect::<Vec<i32>>()),
            Record::of("Vertices", shape.offsets.iter().flatten().copied().collect::<Vec<f64>>()),
        ])
    });
    model
        .with("Mesh")
        .children([
            Record::of("Version", 232),
            properties,
            Record::of("Vertices", points),
            Record::of("PolygonVertexIndex", polygons(surface.points.len())),
            Record::of("GeometryVersion", 124),
        ])
        .children(shape)
}

fn deformers(part: &Part, surface: &Surface, figure: &Figure, objects: &mut Vec<Record>, links: &mut Vec<Record>) {
    if surface.clusters.is_empty() {
        return;
    }
    objects.push(named("Deformer", "Deformer", "skin").with("Skin").children([Record::of("Type", "Skin")]));
    links.push(link(["Deformer", "Model"], "skin", &part.name));
    for cluster in &surface.clusters {
        let joint = &figure.parts[cluster.part].name;
        let name = format!("of {joint}");
        objects.push(named("Deformer", "SubDeformer", &name).with("Cluster").children([
            Record::of("Version", 100),
            Record::of("Type", "Cluster"),
            Record::of("Indexes", cluster.vertices.clone()),
            Record::of("Weights", cluster.weights.clone()),
            Record::of("Transform", moved(cluster.position.map(|value| -value))),
            Record::of("TransformLink", moved(cluster.position)),
        ]));
        links.push(link(["SubDeformer", "Deformer"], &name, "skin"));
        links.push(link(["Model", "SubDeformer"], joint, &name));
    }
}

fn take(stack: &Stack, figure: &Figure) -> Record {
    let times = |name| Record::of(name, ticks(stack.range[0])).with(ticks(stack.range[1]));
    let moved = figure.parts.iter().enumerate().filter_map(|(index, part)| moved_part(index, part, stack));
    Record::of("Take", stack.name)
        .children([Record::of("FileName", ""), times("LocalTime"), times("ReferenceTime")])
        .children(moved)
}

fn moved_part(index: usize, part: &Part, stack: &Stack) -> Option<Record> {
    let curves = |property: usize| {
        let of = move |curve: &&CurveOf| curve.part == index && curve.property == property;
        stack.layers[0].curves.iter().filter(of).collect::<Vec<_>>()
    };
    let properties: Vec<Record> = (0..3)
        .filter_map(|property| {
            let curves = curves(property);
            (!curves.is_empty()).then(|| channels(property, part, &curves))
        })
        .collect();
    let shape = curves(3).first().map(|curve| Record::of("Channel", "bulge").children(keys(&curve.keys, 0.0)));
    let transform = (!properties.is_empty()).then(|| Record::of("Channel", "Transform").children(properties));
    let channels: Vec<Record> = transform.into_iter().chain(shape).collect();
    let model = named("Model", "Model", &part.name).children([Record::of("Version", 1.1)]);
    (!channels.is_empty()).then(|| model.children(channels))
}

/// Returns one property of a part on three axes. Axes without curves keep their rest value.
fn channels(property: usize, part: &Part, curves: &[&CurveOf]) -> Record {
    let name = ["Lcl Translation", "Lcl Rotation", "Lcl Scaling"][property];
    let rest = part.vectors.iter().find(|(other, _)| *other == name);
    let rest = rest.map_or([if property == 2 { 1.0 } else { 0.0 }; 3], |(_, values)| *values);
    let axis = |(axis, name): (usize, &str)| {
        let keys = curves.iter().find(|curve| curve.axis == axis).map_or(&[][..], |curve| &curve.keys);
        Record::of("Channel", name).children(self::keys(keys, rest[axis]))
    };
    let axes = ["X", "Y", "Z"].into_iter().enumerate().map(axis);
    let layer = Record::of("LayerType", property as i32 + 1);
    Record::of("Channel", ["T", "R", "S"][property]).children(axes.chain([layer]))
}

fn keys(keys: &[Key], rest: f64) -> Vec<Record> {
    let mut records = vec![Record::of("Default", rest)];
    if !keys.is_empty() {
        let values = keys.iter().flat_map(key).collect::<Vec<Value>>();
        let count = Record::of("KeyCount", keys.len() as i32);
        records.extend([Record::of("KeyVer", 4005), count, Record::new("Key").values(values)]);
    }
    records
}

/// Returns time, value and interpolation of a key.
fn key(key: &Key) -> Vec<Value> {
    let mut values = vec![Value::Long(ticks(key.time)), Value::Real(f64::from(key.value))];
    let letters = |letters: &[char]| letters.iter().copied().map(Value::Letter).collect::<Vec<_>>();
    let numbers = |numbers: [f32; 2]| numbers.map(|number| Value::Real(f64::from(number)));
    match key.interpolation {
        KeyInterpolation::Hold => values.extend(letters(&['C', 's'])),
        KeyInterpolation::Line => values.extend(letters(&['L'])),
        KeyInterpolation::Bent(slopes) => {
            values.extend(letters(&['U', 's']));
            values.extend(numbers(slopes));
            values.extend(letters(&['n']));
        }
        KeyInterpolation::Weighted(slopes, weights) => {
            values.extend(letters(&['U', 's']));
            values.extend(numbers(slopes));
            values.extend(letters(&['a']));
            values.extend(numbers(weights));
        }
    }
    values
}
