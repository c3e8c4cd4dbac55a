//! Arguments of `portamento dynamics`: colliders and presets.

use std::path::{Path, PathBuf};

use glam::DVec3;

use crate::Failure;
use portamento_anim::Model;
use portamento_base::system_reason::system_reason;
use portamento_dynamics::{Chain, Collider, ColliderShape, Preset};

/// A collider argument: `JOINT:RADIUS` or `JOINT:RADIUS:X,Y,Z` for a sphere, `JOINT:RADIUS:X,Y,Z:X,Y,Z` for a
/// capsule. `world` means no joint.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ColliderArgument {
    joint: String,
    shape: ColliderShape,
}

impl ColliderArgument {
    /// Parses the argument; joint names may contain colons. Lengths are in metres. Returns `Err` with the expected form.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut rest = text;
        let mut points = Vec::new();
        while let Some((before, last)) = rest.rsplit_once(':').filter(|(_, last)| last.contains(',')) {
            points.insert(0, crate::point(last)?);
            rest = before;
        }
        let rule = "give JOINT:RADIUS, JOINT:RADIUS:X,Y,Z or JOINT:RADIUS:X,Y,Z:X,Y,Z in metres, for example head:0.12:0,0.1,0";
        let (joint, radius) = rest.rsplit_once(':').ok_or(rule)?;
        let radius: f64 = radius.trim().parse().map_err(|_| rule)?;
        if !(radius.is_finite() && radius >= 0.0) || joint.is_empty() {
            return Err(rule.into());
        }
        let shape = match points[..] {
            [] => ColliderShape::Sphere { center: DVec3::ZERO, radius },
            [center] => ColliderShape::Sphere { center, radius },
            [a, b] => ColliderShape::Capsule { a, b, radius },
            _ => return Err(rule.into()),
        };
        Ok(Self { joint: joint.to_owned(), shape })
    }

    /// Returns the collider on the joint of `model`. `world` is the scene, unless a joint has that name. Returns `Err` if
    /// there is no such joint.
    pub(crate) fn on(&self, model: &Model) -> Result<Collider, Failure> {
        let joint = match self.joint.as_str() {
            "world" if model.skeleton.find("world").is_none() => None,
            name => Some(crate::joint(model, name)?),
        };
        Ok(Collider { name: self.joint.clone(), joint, shape: self.shape })
    }
}

/// Chain settings: a preset by name, or a JSON file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PresetArgument {
    /// A built-in preset.
    Preset(Preset),
    /// Drag, stiffness, gravity, radius and limit of the chain in a file.
    File {
        /// Path of the file.
        path: PathBuf,
        /// Its settings.
        chain: Box<Chain>,
    },
}

impl PresetArgument {
    /// Returns the preset of that name, or reads the file of that name. Returns `Err` if there is neither, or if the file
    /// is no chain.
    pub fn parse(text: &str) -> Result<Self, String> {
        if let Ok(preset) = Preset::parse(text) {
            return Ok(Self::Preset(preset));
        }
        if !Path::new(text).exists() {
            let names = Preset::ALL.map(Preset::name).join(", ");
            return Err(format!("there is no preset or file of that name; use {names} or a JSON file"));
        }
        let read =
            portamento_base::regular_file::all(Path::new(text)).map_err(|error| system_reason(&error).to_string())?;
        let chain = portamento_base::json::parse(&read);
        let rule = "the file must contain an object with any of drag, stiffness, gravity, radius and limit";
        chain
            .map(|chain| Self::File { path: text.into(), chain: Box::new(chain) })
            .map_err(|error| format!("{rule}: {error}"))
    }

    /// Returns the file that was read. `None` for a built-in preset.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Preset(_) => None,
            Self::File { path, .. } => Some(path),
        }
    }

    /// Applies the settings to a chain; joint, name, exclusions, end and overrides are kept.
    pub fn apply(&self, chain: &mut Chain) {
        match self {
            Self::Preset(preset) => preset.apply(chain),
            Self::File { chain: wanted, .. } => {
                chain.drag.clone_from(&wanted.drag);
                chain.stiffness.clone_from(&wanted.stiffness);
                chain.gravity.clone_from(&wanted.gravity);
                chain.radius.clone_from(&wanted.radius);
                chain.limit = wanted.limit;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spheres_and_capsules_are_parsed_also_on_joints_with_colons() {
        let shape = |text: &str| ColliderArgument::parse(text).map(|parsed| (parsed.joint, parsed.shape));
        let ball = |center, radius| ColliderShape::Sphere { center, radius };
        assert_eq!(shape("head:0.12"), Ok(("head".into(), ball(DVec3::ZERO, 0.12))));
        assert_eq!(shape("mixamorig:Head:0.12:0,0.1,0"), Ok(("mixamorig:Head".into(), ball(DVec3::Y * 0.1, 0.12))));
        let capsule = ColliderShape::Capsule { a: DVec3::ZERO, b: DVec3::X, radius: 1.0 };
        assert_eq!(shape("a b:1:0,0,0:1,0,0"), Ok(("a b".into(), capsule)));
        for wrong in ["head", "head:-1", "head:x", "head:1:0,0", ":1", "h:1:0,0,0:0,0,0:0,0,0", "h:inf", ""] {
            assert!(shape(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_preset_is_a_name_or_a_file() {
        assert_eq!(PresetArgument::parse("hair"), Ok(PresetArgument::Preset(Preset::Hair)));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("rope.json");
        std::fs::write(&file, r#"{"drag": {"value": 0.25, "curve": []}, "joint": 7}"#).unwrap();
        let mut chain = Chain { joint: 3, ..Chain::default() };
        PresetArgument::parse(&file.display().to_string()).unwrap().apply(&mut chain);
        assert_eq!((chain.joint, chain.drag.value), (3, 0.25));
        std::fs::write(&file, "[1]").unwrap();
        assert!(PresetArgument::parse(&file.display().to_string()).is_err());
        assert!(PresetArgument::parse("plank").unwrap_err().contains("no preset"));
    }
}
