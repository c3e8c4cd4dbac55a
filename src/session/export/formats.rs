//! The file formats that takes are exported in.

/// The file formats for clips.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExportFormat {
    /// One binary file.
    #[default]
    Glb,
    /// JSON with a `.bin` beside it.
    Gltf,
    /// Autodesk's, with its images beside it.
    Fbx,
    /// A VRM animation: the motion of a person for any avatar.
    Vrma,
}

/// Files of a mesh that moves vertex by vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MeshFormat {
    /// A glTF with a morph target per frame.
    #[default]
    Morphs,
    /// LightWave's point cache, big-endian.
    Mdd,
    /// 3ds Max's point cache, little-endian.
    Pc2,
    /// Textures for shaders, 16-bit PNG.
    Png,
    /// Textures for shaders, EXR.
    Exr,
}

/// Files of images.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ImageFormat {
    /// Numbered PNG in a folder of their own.
    #[default]
    Png,
    /// Numbered EXR in a folder of their own.
    Exr,
    /// Numbered TGA in a folder of their own.
    Tga,
    /// One animated GIF of 256 colours.
    Gif,
    /// One animated PNG with alpha.
    Apng,
    /// One animated WebP with alpha, lossless.
    Webp,
    /// One image with all frames, and its description.
    Sheet,
}

impl ExportFormat {
    /// Every choice, in menu order.
    pub const ALL: [Self; 4] = [Self::Glb, Self::Gltf, Self::Fbx, Self::Vrma];

    /// The format of that extension.
    pub fn parse(extension: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|format| format.extension() == extension);
        found.ok_or_else(|| "use glb, gltf, fbx or vrma".into())
    }

    /// Without the dot.
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

    /// The format of that name.
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

    /// The format of that name.
    pub fn parse(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|format| format.name() == name);
        found.ok_or_else(|| "use png, exr, tga, gif, apng, webp or sheet".into())
    }
}
