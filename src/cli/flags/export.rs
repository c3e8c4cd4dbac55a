//! Flags for the settings of exported files.

use super::image_layout::ImageFlags;
use portamento_anim::Tolerance;
use portamento_formats::export::fbx;
use portamento_session::{
    ClipNames, ExportFormat, ExportSettings, ImageFormat, Keep, MeshFormat, Preset, RouteFormat, Sidecars,
};
use portamento_walk::locomotion::Sign;

/// Flags for the settings of exported files.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ExportFlags {
    /// Sample keys on every frame at this rate. Default: the keys of the source.
    #[arg(long, value_parser = crate::rate)]
    fps: Option<f64>,
    /// With --fps, end clips on a frame: loops are retimed slightly, other clips hold their last pose.
    #[arg(long)]
    whole_frames: bool,
    /// Use an engine preset: unreal, unity, godot, bevy or vrm. Other flags override it.
    #[arg(long, value_name = "ENGINE", value_parser = Preset::parse)]
    preset: Option<Preset>,
    /// Clips already in the file: append to them (default), replace, write the takes alone, or motion: alone without mesh.
    #[arg(long, value_parser = Keep::parse)]
    keep: Option<Keep>,
    /// Reduce keys: points 3 cm around a joint may move by at most this many millimetres.
    #[arg(long, value_name = "MM", value_parser = crate::tolerance)]
    tolerance: Option<Tolerance>,
    /// Format of clips in a folder: glb (default), gltf, fbx or vrma.
    #[arg(long, value_parser = ExportFormat::parse)]
    format: Option<ExportFormat>,
    /// Name pattern of clips and files, with the placeholders {take}, {clip} and {character}.
    #[arg(long, value_name = "PATTERN")]
    clip_names: Option<String>,
    /// Append -loop to the names of looping clips.
    #[arg(long)]
    loop_suffix: bool,
    /// Keep spaces in file names. Default: spaces become underscores.
    #[arg(long)]
    spaces: bool,
    /// Write markers for foot contacts, events and seams: in the file, and as JSON next to it.
    #[arg(long)]
    markers: bool,
    /// Write an index of each clip set whose takes are all exported: members, phases, contacts, distance curves, blend space and
    /// transitions, as NAME.set.json.
    #[arg(long)]
    set_index: bool,
    /// Write import settings and a script for Godot 4 next to GLB files: loop flags, markers, root motion track, key optimizer off,
    /// and for each clip set a library and an animation tree.
    #[arg(long)]
    godot_import: bool,
    /// Write a script for Unity that imports the clip sets of FBX files: loops, root transforms, events, curves, Animator controllers.
    #[arg(long)]
    unity_import: bool,
    /// Write a script for Unreal next to FBX files: imports them and sets loop, root motion, additive type and sync markers.
    #[arg(long)]
    unreal_import: bool,
    /// Length unit of FBX files: cm (default) or m.
    #[arg(long, value_parser = fbx::LengthUnit::parse)]
    unit: Option<fbx::LengthUnit>,
    /// Omit static joints above the root from FBX files, so that the root is the topmost bone.
    #[arg(long)]
    root_on_top: bool,
    /// Format of vertex animations in a folder: morphs, mdd, pc2, or textures as png or exr.
    #[arg(long, default_value = "morphs", value_parser = MeshFormat::parse)]
    meshes: MeshFormat,
    /// Format of image takes in a folder: png, exr, tga, gif, apng, webp or sheet.
    #[arg(long, default_value = "png", value_parser = ImageFormat::parse)]
    images: ImageFormat,
    #[command(flatten)]
    image_layout: ImageFlags,
    /// Repeat a loop's first frame at its end: true or false. Default: as usual for the format.
    #[arg(long, value_name = "BOOL")]
    closing: Option<bool>,
    /// Also write dynamic bones as VRMC_springBone.
    #[arg(long)]
    pub springs: bool,
    /// Write tree, joints and weight curves of blends as JSON next to them.
    #[arg(long)]
    weights: bool,
    /// Write the routes of walks next to them: json, csv or glb.
    #[arg(long, value_name = "FORMAT", value_parser = RouteFormat::parse)]
    routes: Option<RouteFormat>,
    /// Write the walkable area of walks as voxels next to them.
    #[arg(long)]
    voxels: bool,
    /// Write the remaining distance of the stop clips of walks next to them, counting down (positive) or up to 0
    /// (negative).
    #[arg(long, value_name = "SIGN", value_parser = Sign::parse)]
    distance_curve: Option<Sign>,
}

impl ExportFlags {
    /// Prints what the engine preset does to standard error. Prints nothing without a preset or if the report is JSON.
    pub fn print_preset(&self, json: bool) {
        if let Some(preset) = self.preset.filter(|_| !json) {
            crate::warn(&preset.message().to_string());
        }
    }

    /// Returns the settings: those of the preset, overridden by the other flags.
    pub fn settings(self) -> ExportSettings {
        let preset = self.preset.map(Preset::settings).unwrap_or_default();
        ExportSettings {
            per_character: false,
            format: self.format.unwrap_or(preset.format),
            meshes: self.meshes,
            images: self.images,
            image_layout: self.image_layout.into(),
            keep: self.keep.unwrap_or(preset.keep),
            fps: self.fps.or(preset.fps),
            whole_frames: self.whole_frames || preset.whole_frames,
            tolerance: self.tolerance.or(preset.tolerance),
            closing: self.closing.or(preset.closing),
            sidecars: Sidecars {
                weights: self.weights,
                routes: self.routes,
                voxels: self.voxels,
                distance_curve: self.distance_curve,
                index: false,
            },
            names: ClipNames {
                pattern: self.clip_names.unwrap_or(preset.names.pattern),
                loop_suffix: self.loop_suffix || preset.names.loop_suffix,
                spaces: self.spaces,
            },
            markers: self.markers || preset.markers,
            set_index: self.set_index || preset.set_index,
            godot_import: self.godot_import || preset.godot_import,
            unity_import: self.unity_import || preset.unity_import,
            unreal_import: self.unreal_import || preset.unreal_import,
            unit: self.unit.unwrap_or(preset.unit),
            root_on_top: self.root_on_top || preset.root_on_top,
        }
    }
}
