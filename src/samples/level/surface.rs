//! The surfaces of the yard.

use crate::hero::colours::Srgb;
use portamento_anim::geometry::Material;

/// A named surface with a flat colour. Walks can set a speed per surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LevelSurface {
    /// Grass, the default of the ground.
    Meadow,
    /// Trodden ground, where walking may be faster.
    Road,
    /// Wet ground, where walking may be slower.
    Mud,
    /// Banks and cliffs too steep to walk on.
    Rock,
    /// The cut sides of the yard.
    Earth,
    /// Walls, stairs, terrace.
    Stone,
    /// Bridge, gates, trunks.
    Wood,
    /// Wooden crates as obstacles.
    Crate,
    /// Crowns of trees.
    Leaves,
    /// Walls of the cottage.
    Plaster,
    /// Roof of the cottage.
    Roof,
    /// The ramp that is too steep.
    SteepRamp,
}

impl LevelSurface {
    /// Every surface, in the order of the file's materials.
    pub const ALL: [Self; 12] = [
        Self::Meadow,
        Self::Road,
        Self::Mud,
        Self::Rock,
        Self::Earth,
        Self::Stone,
        Self::Wood,
        Self::Crate,
        Self::Leaves,
        Self::Plaster,
        Self::Roof,
        Self::SteepRamp,
    ];

    /// Returns the name of the material.
    pub fn name(self) -> &'static str {
        self.name_and_colour().0
    }

    fn name_and_colour(self) -> (&'static str, Srgb) {
        match self {
            Self::Meadow => ("meadow", Srgb(0x6B, 0x8C, 0x6F)),
            Self::Road => ("road", Srgb(0xB5, 0xA3, 0x88)),
            Self::Mud => ("mud", Srgb(0x71, 0x5B, 0x4C)),
            Self::Rock => ("rock", Srgb(0x7C, 0x80, 0x8A)),
            Self::Earth => ("earth", Srgb(0x5A, 0x50, 0x4B)),
            Self::Stone => ("stone", Srgb(0x9C, 0xA3, 0xB0)),
            Self::Wood => ("wood", Srgb(0x8E, 0x6C, 0x4F)),
            Self::Crate => ("crate", Srgb(0xC0, 0x8F, 0x58)),
            Self::Leaves => ("leaves", Srgb(0x46, 0x78, 0x66)),
            Self::Plaster => ("plaster", Srgb(0xC9, 0xBF, 0xAE)),
            Self::Roof => ("roof", Srgb(0x8A, 0x55, 0x4C)),
            Self::SteepRamp => ("steep ramp", Srgb(0xB8, 0x6A, 0x4A)),
        }
    }

    /// Returns the material of the file.
    pub fn material(self) -> Material {
        let (name, colour) = self.name_and_colour();
        Material { name: name.into(), base_color: colour.linear(), ..Material::default() }
    }
}
