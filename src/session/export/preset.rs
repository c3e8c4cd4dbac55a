//! How clips are written for an engine.

use super::choice::ExportChoice;
use super::clip_format::ClipFormat;
use super::formats::ExportFormat;
use super::request::{ClipNames, Keep};
use crate::anim::Tolerance;
use crate::export::fbx;
use crate::message::{Message, message};

/// An engine that takes the files as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// FBX in centimetres, a key on every frame, the root on top.
    Unreal,
    /// FBX in metres.
    Unity,
    /// GLB whose loops are called `-loop`, with import settings and a script beside it.
    Godot,
    /// GLB with few keys, for programs that play glTF itself.
    Bevy,
    /// A VRM animation for any avatar.
    Vrm,
}

impl Preset {
    /// Every preset, in menu order.
    pub const ALL: [Self; 5] = [Self::Unreal, Self::Unity, Self::Godot, Self::Bevy, Self::Vrm];

    /// The word used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unreal => "unreal",
            Self::Unity => "unity",
            Self::Godot => "godot",
            Self::Bevy => "bevy",
            Self::Vrm => "vrm",
        }
    }

    /// The preset of that name.
    pub fn parse(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|preset| preset.name() == name);
        found.ok_or_else(|| "use unreal, unity, godot, bevy or vrm".into())
    }

    /// What it writes and what the engine has to be told.
    pub fn message(self) -> Message {
        match self {
            Self::Unreal => message!(
                "export.preset.unreal",
                "FBX in centimetres, +Y up, which the importer turns. Keys on every frame at 30 per second, the last one too: loops are played up to half a frame faster or slower for that, other clips hold their last pose. Loops closed. Import into the skeleton of the character; root motion is that of its top joint, which is the root: what stands still above it and carries nothing is left out. Markers as JSON beside it for notifies.",
            ),
            Self::Unity => message!(
                "export.preset.unity",
                "FBX in metres, so that 1 unit is 1 m and no node is scaled. The source's keys, loops closed. Tick Loop Time where the JSON beside it says loop; its markers are for animation events.",
            ),
            Self::Godot => message!(
                "export.preset.godot",
                "GLB with the source's keys. Names of loops end in -loop, which makes Godot repeat them and is cut off there. Beside it import settings with the key optimiser off, and a script that sets loop flags and the root motion track. Markers as JSON for method tracks.",
            ),
            Self::Bevy => message!(
                "export.preset.bevy",
                "GLB with keys left out where that moves no point 3 cm around a joint by more than 0.1 mm. Loops closed, markers in the animation's extras and as JSON beside it. For Bevy, three.js and Babylon.js.",
            ),
            Self::Vrm => message!(
                "export.preset.vrm",
                "VRM animation (.vrma) for any avatar: turns of a person's bones from a T-pose, and the way of the hips. Blend shapes and what is no part of a person are left out.",
            ),
        }
    }

    /// How it writes clips.
    pub fn clip_format(self) -> ClipFormat {
        let named =
            |pattern: &str, loop_suffix| ClipNames { pattern: pattern.into(), loop_suffix, ..ClipNames::default() };
        let closed = ClipFormat { keep: Keep::Alone, closing: Some(true), markers: true, ..ClipFormat::default() };
        match self {
            Self::Unreal => ClipFormat {
                format: ExportFormat::Fbx,
                fps: Some(30.0),
                whole_frames: true,
                root_on_top: true,
                names: named("A_{character}_{take}", false),
                ..closed
            },
            Self::Unity => ClipFormat { format: ExportFormat::Fbx, unit: fbx::LengthUnit::Metres, ..closed },
            Self::Godot => ClipFormat { names: named("{take}", true), godot_import: true, ..closed },
            Self::Bevy => ClipFormat { tolerance: Some(Tolerance::default()), ..closed },
            Self::Vrm => ClipFormat { format: ExportFormat::Vrma, ..closed },
        }
    }

    /// The preset that writes as is chosen; `None` where none does.
    pub fn matching(choice: &ExportChoice) -> Option<Self> {
        let clip_format = choice.clip_format();
        Self::ALL.into_iter().find(|preset| preset.clip_format() == clip_format)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::export::request::TakeNames;

    #[test]
    fn a_chosen_preset_is_known_again_until_something_else_is_chosen() {
        let mut choice = ExportChoice::default();
        assert_eq!(Preset::matching(&choice), None);
        for preset in Preset::ALL {
            choice.set_clip_format(preset.clip_format());
            assert_eq!(Preset::matching(&choice), Some(preset));
            assert_eq!(Preset::parse(preset.name()), Ok(preset));
        }
        choice.markers = !choice.markers;
        assert_eq!(Preset::matching(&choice), None);
    }

    /// A take of the clip `go`.
    fn called<'a>(take: &'a str, character: &'a str) -> TakeNames<'a> {
        TakeNames { take, clip: "go", character }
    }

    #[test]
    fn a_pattern_may_hold_the_clip_for_the_take() {
        let name = |pattern: &str| {
            let names = ClipNames { pattern: pattern.into(), ..ClipNames::default() };
            names.clip_name(called("go mended", "hero"), false)
        };
        assert_eq!((name("{clip}"), name("{character}_{clip}")), ("go".into(), "hero_go".into()));
        assert_eq!(name("{character}"), "hero_go mended");
    }

    #[test]
    fn names_follow_the_pattern_and_always_hold_the_take() {
        let names = Preset::Unreal.clip_format().names;
        assert_eq!(names.clip_name(called("walk", "hero"), true), "A_hero_walk");
        assert_eq!(Preset::Godot.clip_format().names.clip_name(called("walk", "hero"), true), "walk-loop");
        assert_eq!(Preset::Godot.clip_format().names.clip_name(called("walk", "hero"), false), "walk");
        assert_eq!(names.clip_name(called("flag", ""), true), "A_flag");
        for (pattern, name) in
            [("{take}-{character}", "flag"), ("{character}{take}", "flag"), ("x.{character}.{take}", "x.flag")]
        {
            let names = ClipNames { pattern: pattern.into(), ..ClipNames::default() };
            assert_eq!(names.clip_name(called("flag", ""), false), name, "{pattern}");
        }
        let bare = ClipNames { pattern: "anim".into(), ..ClipNames::default() };
        assert_eq!(bare.clip_name(called("walk", "hero"), false), "anim_walk");
        let blank = ClipNames { pattern: "  ".into(), ..ClipNames::default() };
        assert_eq!(blank.clip_name(called("walk", "hero"), false), "walk");
    }
}
