//! Export file formats.

/// File formats for clips.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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

impl ExportFormat {
    /// Every choice, in menu order.
    pub const ALL: [Self; 4] = [Self::Glb, Self::Gltf, Self::Fbx, Self::Vrma];

    /// Returns the format of that extension; `Err` lists the valid ones.
    pub fn parse(extension: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|format| format.extension() == extension);
        found.ok_or_else(|| "use glb, gltf, fbx or vrma".into())
    }

    /// Returns the file extension without a dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Glb => "glb",
            Self::Gltf => "gltf",
            Self::Fbx => "fbx",
            Self::Vrma => "vrma",
        }
    }
}

impl MeshFormat {
    /// Every choice, in menu order.
    pub const ALL: [Self; 5] = [Self::Morphs, Self::Mdd, Self::Pc2, Self::Png, Self::Exr];

    /// The word used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Morphs => "morphs",
            Self::Mdd => "mdd",
            Self::Pc2 => "pc2",
            Self::Png => "png",
            Self::Exr => "exr",
        }
    }

    /// Returns the format of that name; `Err` lists the valid ones.
    pub fn parse(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|format| format.name() == name);
        found.ok_or_else(|| "use morphs, mdd, pc2, png or exr".into())
    }
}

impl ImageFormat {
    /// Every choice, in menu order.
    pub const ALL: [Self; 7] = [Self::Png, Self::Exr, Self::Tga, Self::Gif, Self::Apng, Self::Webp, Self::Sheet];

    /// The word used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Exr => "exr",
            Self::Tga => "tga",
            Self::Gif => "gif",
            Self::Apng => "apng",
            Self::Webp => "webp",
            Self::Sheet => "sheet",
        }
    }

    /// Returns the format of that name; `Err` lists the valid ones.
    pub fn parse(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|format| format.name() == name);
        found.ok_or_else(|| "use png, exr, tga, gif, apng, webp or sheet".into())
    }
}
