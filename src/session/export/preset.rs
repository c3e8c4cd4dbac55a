//! Export presets for engines.

use super::Keep;
use super::formats::ExportFormat;
use super::request::{ClipNames, ExportSettings};
use portamento_anim::Tolerance;
use portamento_base::message::{Message, message};
use portamento_formats::export::fbx;

/// An engine that imports the files without changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// FBX in centimetres, sampled keys, root as topmost bone, and a script that imports it.
    Unreal,
    /// FBX in metres.
    Unity,
    /// GLB with `-loop` names, import settings and a script.
    Godot,
    /// GLB with reduced keys, for programs that play glTF directly.
    Bevy,
    /// VRM animation for any avatar.
    Vrm,
}

portamento_base::named!(Preset { Unreal: "unreal", Unity: "unity", Godot: "godot", Bevy: "bevy", Vrm: "vrm" });

impl Preset {
    /// Returns the description of the output and of the settings needed in the engine.
    pub fn message(self) -> Message {
        match self {
            Self::Unreal => message!(
                "export.preset.unreal",
                "FBX in centimetres, +Y up; the importer converts the axes. Keys on every frame at 30 fps, including the last one: loops are retimed by up to half a frame, other clips hold their last pose. Loops are closed. Import onto the character's skeleton. Root motion is on the topmost joint; static joints above the root are omitted. A script next to each file imports it and sets loop, root motion, additive type, sync markers and curves: run it in the editor with a skeleton selected. Markers are written as JSON too.",
            ),
            Self::Unity => message!(
                "export.preset.unity",
                "FBX in metres: 1 unit is 1 m and no node is scaled. Keys of the source, loops closed. Enable Loop Time for clips that the JSON next to the file marks as loops; its markers are for animation events. For clip sets whose takes are all exported, an editor script does both and makes an Animator controller.",
            ),
            Self::Godot => message!(
                "export.preset.godot",
                "GLB with the keys of the source. Names of loops end in -loop: Godot loops such clips and removes the suffix. Import settings with the key optimizer off and an import script for loop flags and the root motion track are written next to it. Markers are added to the clips and written as JSON. For clip sets whose takes are all exported, the script fills a library, and an animation tree is written.",
            ),
            Self::Bevy => message!(
                "export.preset.bevy",
                "GLB with reduced keys: points 3 cm around a joint move by at most 0.1 mm. Loops are closed. Markers are in the animation's extras and in JSON next to the file. For Bevy, three.js and Babylon.js.",
            ),
            Self::Vrm => message!(
                "export.preset.vrm",
                "VRM animation (.vrma) for any avatar: rotations of the humanoid bones relative to a T-pose, and the hip position. Blend shapes and other bones are not exported.",
            ),
        }
    }

    /// Returns the settings of the preset.
    pub fn settings(self) -> ExportSettings {
        let named =
            |pattern: &str, loop_suffix| ClipNames { pattern: pattern.into(), loop_suffix, ..ClipNames::default() };
        let closed = ExportSettings {
            keep: Keep::Alone,
            closing: Some(true),
            markers: true,
            set_index: true,
            ..ExportSettings::default()
        };
        match self {
            Self::Unreal => ExportSettings {
                format: ExportFormat::Fbx,
                fps: Some(30.0),
                whole_frames: true,
                root_on_top: true,
                unreal_import: true,
                names: named("A_{character}_{take}", false),
                ..closed
            },
            Self::Unity => ExportSettings {
                format: ExportFormat::Fbx,
                unit: fbx::LengthUnit::Metres,
                unity_import: true,
                ..closed
            },
            Self::Godot => ExportSettings { names: named("{take}", true), godot_import: true, ..closed },
            Self::Bevy => ExportSettings { tolerance: Some(Tolerance::default()), ..closed },
            Self::Vrm => ExportSettings { format: ExportFormat::Vrma, set_index: false, ..closed },
        }
    }

    /// Returns the preset with these settings for clips; `None` if there is none. Settings for meshes, images and sidecars
    /// do not count.
    pub fn matching(settings: &ExportSettings) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| settings.with_clips_of(preset.settings()) == *settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ExportChoice;
    use crate::export::request::TakeNames;

    #[test]
    fn a_preset_is_recognised_until_a_setting_changes() {
        let mut choice = ExportChoice::default();
        assert_eq!(Preset::matching(&choice.settings), None);
        for preset in Preset::ALL {
            choice.set_clips(preset.settings());
            assert_eq!(Preset::matching(&choice.settings), Some(preset));
            assert_eq!(Preset::parse(preset.name()), Ok(preset));
        }
        choice.settings.markers = !choice.settings.markers;
        assert_eq!(Preset::matching(&choice.settings), None);
    }

    /// A take of the clip `go`.
    fn called<'a>(take: &'a str, character: &'a str) -> TakeNames<'a> {
        TakeNames { take, clip: "go", character }
    }

    #[test]
    fn a_pattern_may_contain_the_clip_instead_of_the_take() {
        let name = |pattern: &str| {
            let names = ClipNames { pattern: pattern.into(), ..ClipNames::default() };
            names.clip_name(called("go mended", "hero"), false)
        };
        assert_eq!((name("{clip}"), name("{character}_{clip}")), ("go".into(), "hero_go".into()));
        assert_eq!(name("{character}"), "hero_go mended");
    }

    #[test]
    fn names_follow_the_pattern_and_always_contain_the_take() {
        let names = Preset::Unreal.settings().names;
        assert_eq!(names.clip_name(called("walk", "hero"), true), "A_hero_walk");
        assert_eq!(Preset::Godot.settings().names.clip_name(called("walk", "hero"), true), "walk-loop");
        assert_eq!(Preset::Godot.settings().names.clip_name(called("walk", "hero"), false), "walk");
        assert_eq!(names.clip_name(called("flag", ""), true), "A_flag");
        for (pattern, name) in
            [("{take}-{character}", "flag"), ("{character}{take}", "flag"), ("x.{character}.{take}", "x.flag")]
        {
            let names = ClipNames { pattern: pattern.into(), ..ClipNames::default() };
            assert_eq!(names.clip_name(called("flag", ""), false), name, "{pattern}");
        }
        let literal = ClipNames { pattern: "anim".into(), ..ClipNames::default() };
        assert_eq!(literal.clip_name(called("walk", "hero"), false), "anim_walk");
        let blank = ClipNames { pattern: "  ".into(), ..ClipNames::default() };
        assert_eq!(blank.clip_name(called("walk", "hero"), false), "walk");
    }
}
