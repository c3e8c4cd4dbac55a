//! The JSON Schema of recipes, derived from the types: default values give the fields, and the types report
//! the other allowed values.

use serde_json::{Map, Value, json};

use portamento_anim::math::key_curve::KeyEasing;
use portamento_blend as blend;
use portamento_blend::{
    BlendSpace, Drive, Interrupt, Link, Node, NodeKind, ParameterKey, Source, SpaceSample, SpeedDrive, State,
    StateEvent, StatePosition, StateWeight, Tree,
};
use portamento_dynamics::cloth;
use portamento_repair::pose::{Correction, Goal, PoseKey};
use portamento_retarget as retarget;
use portamento_session::recipe::{CLIP_SLOT, Expected};
use portamento_stretch::retime::{SpeedEase, SpeedKnot};
use portamento_takes::document::take::{Blend, Vertices};
use portamento_takes::document::{FileId, Retarget, Span, Stage, StageKind, StageType, TakeSource, Walk};

/// A text that is no valid value of any field.
const INVALID_TEXT: &str = "\u{1}";

/// Returns the schema with an example of every source and stage.
pub fn schema() -> Value {
    let mut sources =
        sources().into_iter().map(|source| described(&source, &RecipeSection::Source)).collect::<Vec<_>>();
    sources.push(json!({ "const": CLIP_SLOT, "description": "A stack: the take is created for every clip of --clips. \
        Joints are given by name. Clips named in stages are those of the clip's file, or slots: slot:NAME." }));
    let stages = stages().into_iter().map(|stage| described(&stage, &RecipeSection::Stage)).collect::<Vec<_>>();
    let text = || json!({ "type": "string" });
    let take = json!({
        "type": "object",
        "required": ["name", "source"],
        "properties": {
            "id": { "type": "integer", "description": "Id for references: other takes use `take:ID` in place of a clip. Default: its position in the list." },
            "name": { "type": "string", "description": "In a stack, {clip} and {file} are placeholders." },
            "character": { "type": "integer", "description": "Position of the character's file in `files`, from 1; not in a stack." },
            "source": { "oneOf": sources },
            "stages": { "type": "array", "items": { "oneOf": stages }, "description": "Joints may be given by name instead of number." },
        },
    });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Portamento recipe",
        "type": "object",
        "required": ["takes"],
        "additionalProperties": false,
        "properties": {
            "files": { "type": "array", "items": text(), "description": "Paths relative to the recipe." },
            "objects": { "type": "array", "items": { "type": "object", "properties": { "name": text(), "position": { "type": "array" } } } },
            "roles": { "type": "object", "additionalProperties": text(), "description": "Roles of the joints named in stages, such as hips, left shin, tail 2; used for rigs with other names." },
            "metres_per_unit": { "type": "number", "description": "Unit of targets in stacks, metres. Default: the unit of each clip's file." },
            "takes": { "type": "array", "items": take, "description": "The last one is written unless --take names another." },
        },
    })
}

/// The kind of an example in a recipe.
enum RecipeSection {
    Source,
    Stage,
}

/// Returns an example of every kind of source; blends have three.
fn sources() -> Vec<Value> {
    let all = [
        TakeSource::Clip { file: FileId(1), clip: "run".into() },
        TakeSource::Retarget(Box::new(Retarget {
            file: FileId(2),
            clip: "walk".into(),
            settings: retarget::Settings::default(),
        })),
        TakeSource::Rest { seconds: 4.0 },
        TakeSource::Scenario(Box::<Blend>::default()),
        TakeSource::Scenario(Box::new(Blend { settings: blend::Settings::Tree(gaits()), ..Blend::default() })),
        TakeSource::Scenario(Box::new(Blend { settings: blend::Settings::Tree(guard()), ..Blend::default() })),
        TakeSource::Walk(Box::<Walk>::default()),
        TakeSource::Vertices(Vertices { file: FileId(1), clip: None, mesh: None, fps: None }),
        TakeSource::Images { file: FileId(1), fps: None, sheet: None, tag: None },
        TakeSource::Cloth(Box::<cloth::Settings>::default()),
    ];
    all.iter().filter_map(|source| serde_json::to_value(source).ok()).collect()
}

/// Returns a tree with a state that restarts a clip, changes its weight, and moves the parameter of a blend space.
fn guard() -> Tree {
    let state = || "guard".to_owned();
    let mut tree = gaits();
    if let NodeKind::Space(space) = &mut tree.nodes[0].kind {
        space.drive = Drive::Speed(SpeedDrive { clip: "walk".into(), ..SpeedDrive::default() });
        space.in_states = vec![StatePosition { state: state(), at: [0.0, 0.0] }];
    }
    let shield = Source { clip: "shield".into(), restarts: vec![state()], ..Source::default() };
    let child = tree.add("Shield", NodeKind::Source(shield));
    let in_states = vec![StateWeight { state: state(), weight: 1.0 }];
    let shielded = Link { child, weight: 0.0, in_states, ..Link::default() };
    tree.root = tree.add("Mix", NodeKind::Blend(vec![shielded, Link::default()]));
    tree.states = vec![State { name: state(), ..State::default() }];
    tree.events = vec![StateEvent { time: 1.0, state: state(), ..StateEvent::default() }];
    tree.interrupt = Interrupt::Inertial;
    tree
}

/// Returns a tree with one blend space whose parameter changes over time.
fn gaits() -> Tree {
    let sample = |clip: &str, speed: f64| SpaceSample { clip: clip.into(), at: [speed, 0.0] };
    let keys = [(0.0, 1.5), (2.0, 4.0)].map(|(time, speed)| ParameterKey { time, at: [speed, 0.0] }).to_vec();
    let space = BlendSpace { samples: vec![sample("walk", 1.5), sample("run", 4.0)], keys, ..BlendSpace::default() };
    let node = Node { name: "Gaits".into(), kind: NodeKind::Space(Box::new(space)) };
    Tree { nodes: vec![node], ..Tree::default() }
}

/// Returns an example of every stage, with a span if its kind can have one.
fn stages() -> Vec<Value> {
    let example = |kind: &StageType| {
        let mut example = kind.default_kind();
        if let Some(span) = example.span_mut() {
            *span = Some(Span::soft(0.0, 1.0));
        }
        if let StageKind::Pose(pose) = &mut example {
            let joint = Correction { joint: "head".into(), turn: Some([0.0; 3]), translation: Some([0.0; 3]) };
            pose.keys = vec![PoseKey { time: 0.5, joints: vec![joint], ..PoseKey::default() }];
            pose.goals = vec![Goal { joint: "head".into(), ..Goal::default() }];
        }
        if let StageKind::Retime(retime) = &mut example {
            retime.knots = vec![SpeedKnot { time: 0.5, speed: 2.0, ease: SpeedEase::Eased }];
        }
        example
    };
    let all = StageType::ALL.iter().map(example).collect();
    Stage::numbered(all).iter().filter_map(|stage| serde_json::to_value(stage).ok()).collect()
}

/// Returns the schema of an example, without other properties. Stages with an influence also have keyed settings.
fn described(example: &Value, section: &RecipeSection) -> Value {
    let expected = match section {
        RecipeSection::Source => Expected::in_source,
        // Unknown stages parse as stages of a newer version, so the stage's kind is parsed separately.
        RecipeSection::Stage => Expected::in_stage,
    };
    let mut schema = schema_at(example, example, String::new(), expected);
    schema["additionalProperties"] = false.into();
    if let (RecipeSection::Stage, Some(fields)) = (section, schema["properties"].as_object_mut()) {
        fields.shift_remove("influence");
        if serde_json::from_value::<Stage>(example.clone()).is_ok_and(|stage| stage.kind.has_influence()) {
            fields.insert("influence".into(), influence());
            fields.insert("keys".into(), keys());
        }
    }
    schema
}

fn influence() -> Value {
    json!({ "type": "number", "minimum": 0, "maximum": 1, "default": 1, "description": "Influence of the stage on the motion." })
}

/// Returns the schema of keyed settings.
fn keys() -> Value {
    let setting = "influence, or a number of a dynamics stage by its path: settings/wind/strength, \
        settings/gravity/1, settings/chains/0/drag/value …";
    let key = json!({
        "type": "object",
        "required": ["time", "value"],
        "properties": {
            "time": { "type": "number", "description": "Seconds of the stage's input." },
            "value": { "type": "number", "description": "In the unit of the setting; held before the first key and after the last." },
            "easing": { "enum": KeyEasing::ALL.map(KeyEasing::name), "default": KeyEasing::default().name(), "description": "To the next key." },
        },
    });
    let setting = json!({
        "type": "object",
        "required": ["setting", "keys"],
        "properties": { "setting": { "type": "string", "description": setting }, "keys": { "type": "array", "items": key } },
    });
    json!({ "type": "array", "items": setting, "default": [], "description": "Settings that change over time." })
}

/// Returns the schema of `value` at the JSON pointer `at` of `example`. `expected` returns what a changed example fails on,
/// or `None` if it is valid.
fn schema_at(value: &Value, example: &Value, at: String, expected: fn(&Value) -> Option<Expected>) -> Value {
    let expected_for = |with: Value| {
        let mut changed = example.clone();
        *changed.pointer_mut(&at)? = with;
        expected(&changed)
    };
    match value {
        Value::Object(fields) => {
            let of_field = |(key, field): (&String, &Value)| {
                (
                    key.clone(),
                    schema_at(field, example, format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")), expected),
                )
            };
            let properties: Map<String, Value> = fields.iter().map(of_field).collect();
            let mut schema = json!({ "type": "object", "properties": properties });
            let others = expected_for(json!({ INVALID_TEXT: null })).map_or(&[][..], Expected::variants);
            if !others.is_empty() {
                schema["description"] = format!("One of: {}.", others.join(", ")).into();
            }
            schema
        }
        Value::Array(items) => {
            let items = items.first().map(|first| schema_at(first, example, format!("{at}/0"), expected));
            json!({ "type": "array", "items": items.unwrap_or_else(|| json!({})), "default": value })
        }
        Value::String(_) => {
            let others = expected_for(INVALID_TEXT.into()).map_or(&[][..], Expected::variants);
            let schema = json!({ "type": "string", "default": value });
            if others.is_empty() { schema } else { json!({ "enum": others, "default": value }) }
        }
        Value::Null => match expected_for(INVALID_TEXT.into()) {
            Some(Expected::Variants(others)) => {
                json!({ "description": format!("null or one of: {}.", others.join(", ")), "default": null })
            }
            None => json!({ "type": ["string", "null"], "default": null }),
            Some(Expected::Unknown) => {
                let samples = [("number", json!(0.5)), ("integer", 1.into()), ("boolean", true.into())];
                let kind = samples.into_iter().find(|(_, sample)| expected_for(sample.clone()).is_none());
                let unknown = || json!({ "default": null });
                kind.map_or_else(unknown, |(kind, _)| json!({ "type": [kind, "null"], "default": null }))
            }
        },
        Value::Bool(_) => json!({ "type": "boolean", "default": value }),
        Value::Number(number) if number.is_f64() => json!({ "type": "number", "default": value }),
        Value::Number(_) => json!({ "type": "integer", "default": value }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_contains_every_stage_with_fields_choices_and_defaults() {
        let schema = schema();
        let stages = schema.pointer("/properties/takes/items/properties/stages/items/oneOf").unwrap();
        let stage = |kind: &str| {
            let fits = |stage: &&Value| stage["properties"].get(kind).is_some();
            stages.as_array().unwrap().iter().find(fits).unwrap()["properties"][kind]["properties"].clone()
        };
        let stretch = &stage("stretch")["settings"]["properties"];
        assert_eq!(stretch["method"]["enum"], json!(["displacement", "uniform", "shear"]));
        assert_eq!((&stretch["max_ratio"]["type"][0], &stretch["feet"]["type"]), (&json!("number"), &json!("boolean")));
        assert!(stretch["target"]["description"].as_str().unwrap().contains("world, start"), "{stretch}");
        let keyed = stages.as_array().unwrap().iter().filter(|stage| stage["properties"].get("keys").is_some()).count();
        assert_eq!(keyed, 11, "all except stages that change the timing");
        let layer = &stage("layer")["settings"]["properties"];
        let span = stage("layer")["span"]["properties"].clone();
        assert_eq!((&span["start"]["type"], &span["fade_out"]["type"]), (&json!("number"), &json!("number")));
        assert!(stage("dynamics").get("span").is_some() && stage("ground").get("span").is_some());
        assert!(stage("close").get("span").is_none(), "a close stage has no span");
        assert_eq!(layer["mode"], json!({ "enum": ["override", "mesh_space", "additive"], "default": "override" }));
        let sources = schema.pointer("/properties/takes/items/properties/source/oneOf").unwrap();
        assert_eq!(sources.as_array().unwrap().len(), 11);
        assert_eq!(sources[10]["const"], "slot:clip");
        let tree = sources.pointer("/4/properties/scenario/properties/settings/properties/tree/properties").unwrap();
        let kind = &tree["nodes"]["items"]["properties"]["kind"];
        assert!(kind["description"].as_str().unwrap().contains("standard"), "{kind}");
        assert_eq!(kind["properties"]["space"]["properties"]["axes"]["enum"], json!(["one", "two"]), "{kind}");
        let guard = sources.pointer("/5/properties/scenario/properties/settings/properties/tree/properties").unwrap();
        let state = &guard["states"]["items"]["properties"];
        assert_eq!(state["trans_time"]["default"], json!(0.2), "{guard}");
        assert!(state["easing"]["enum"].as_array().unwrap().len() == 4 && guard["interrupt"]["enum"].is_array());
        let event = &guard["events"]["items"]["properties"];
        assert_eq!((&event["state"]["default"], &event["trans_time"]["type"][0]), (&json!("guard"), &json!("number")));
        let drive = &guard["nodes"]["items"]["properties"]["kind"]["properties"]["space"]["properties"]["drive"];
        assert!(drive["description"].as_str().unwrap().contains("keys"), "{drive}");
    }
}
