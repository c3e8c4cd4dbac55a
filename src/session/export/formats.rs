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
