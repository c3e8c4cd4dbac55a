//! Export file formats.

use serde::{Deserialize, Serialize};

use portamento_formats::export::sprite_sheet::SheetLayout;

/// File formats for clips.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExportFormat {
    /// Binary glTF.
    #[default]
    Glb,
    /// JSON glTF with a `.bin` file.
    Gltf,
    /// Autodesk FBX with its images next to it.
    Fbx,
    /// VRM animation: humanoid motion for any avatar.
    Vrma,
}

/// File formats for vertex animations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MeshFormat {
    /// glTF with one morph target per frame.
    #[default]
    Morphs,
    /// LightWave point cache (MDD), big-endian.
    Mdd,
    /// 3ds Max point cache (PC2), little-endian.
    Pc2,
    /// Vertex animation textures, 16-bit PNG.
    Png,
    /// Vertex animation textures, EXR.
    Exr,
}

/// File formats for image takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImageFormat {
    /// Numbered PNG files in a folder.
    #[default]
    Png,
    /// Numbered EXR files in a folder.
    Exr,
    /// Numbered TGA files in a folder.
    Tga,
    /// Animated GIF with 256 colours.
    Gif,
    /// Animated PNG with alpha.
    Apng,
    /// Lossless animated WebP with alpha.
    Webp,
    /// Sprite sheet with a description.
    Sheet,
}

portamento_base::named!(ExportFormat { Glb: "glb", Gltf: "gltf", Fbx: "fbx", Vrma: "vrma" });

impl ExportFormat {
    /// Returns the file extension without a dot.
    pub fn extension(self) -> &'static str {
        self.name()
    }
}

portamento_base::named!(MeshFormat { Morphs: "morphs", Mdd: "mdd", Pc2: "pc2", Png: "png", Exr: "exr" });

portamento_base::named!(ImageFormat {
    Png: "png",
    Exr: "exr",
    Tga: "tga",
    Gif: "gif",
    Apng: "apng",
    Webp: "webp",
    Sheet: "sheet"
});

/// Numbering and sheet layout of image files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ImageLayout {
    /// The first file number.
    pub first: u32,
    /// The layout of sprite sheets.
    pub sheet: SheetLayout,
}

impl ImageLayout {
    /// Returns the command-line flags for all non-default values, each with its value, if it has one.
    pub fn flags(self) -> Vec<(&'static str, Option<String>)> {
        let SheetLayout { columns, padding, power_of_two } = self.sheet;
        let number = |flag, number: Option<u32>| number.map(|number| (flag, Some(number.to_string())));
        let numbers = [
            number("--first-number", Some(self.first).filter(|&first| first > 0)),
            number("--columns", columns),
            number("--padding", Some(padding).filter(|&padding| padding > 0)),
        ];
        numbers.into_iter().flatten().chain(power_of_two.then_some(("--power-of-two", None))).collect()
    }
}
