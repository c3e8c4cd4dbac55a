//! `portamento bake`: exports takes of a project.

use std::path::PathBuf;

use super::Failure;
use super::job::{JobFlags, PartFlags};
use portamento_anim::Tolerance;
use portamento_formats::export::fbx;
use portamento_session::variants::Index;
use portamento_session::{
    ClipNames, Command, ExportFormat, ExportRequest, ExportSettings, FileCommand, ImageFormat, Keep, MeshFormat,
    Preset, RouteFormat, Session, Sidecars,
};
use portamento_takes::document::{Take, TakeId};
use portamento_walk::locomotion::Sign;

/// Exports the takes of a project.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The .portamento file.
    project: PathBuf,
    /// Name of a take; may be given several times. Default: all takes.
    #[arg(long)]
    take: Vec<String>,
    /// Sample keys on every frame at this rate. Default: the keys of the source.
    #[arg(long, value_parser = super::rate)]
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
    #[arg(long, value_name = "MM", value_parser = super::tolerance)]
    tolerance: Option<Tolerance>,
    /// Format of clips in a folder: glb (default), gltf, fbx or vrma.
    #[arg(long, value_parser = ExportFormat::parse)]
    format: Option<ExportFormat>,
    /// Write one file per character with the clips of all its takes, instead of one per take.
    #[arg(long, conflicts_with_all = ["resume", "parts", "job"])]
    per_character: bool,
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
    /// Write import settings and a script for Godot 4 next to GLB files: loop flags, root motion track, key optimizer
    /// off.
    #[arg(long)]
    godot_import: bool,
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
    image_layout: super::flags::image_layout::ImageFlags,
    /// Repeat a loop's first frame at its end: true or false. Default: as usual for the format.
    #[arg(long, value_name = "BOOL")]
    closing: Option<bool>,
    /// Also write dynamic bones as VRMC_springBone.
    #[arg(long)]
    springs: bool,
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
    /// Write index.json and index.csv with the settings in which the takes differ, their duration and travel. The
    /// report of a job writes both.
    #[arg(long, conflicts_with_all = ["resume", "parts"])]
    index: bool,
    /// Folder to write to, one file per take; or a .glb, .gltf, .fbx or .vrm file for all takes of one character.
    #[arg(short, long, required_unless_present = "job")]
    out: Option<PathBuf>,
    #[command(flatten)]
    job: JobFlags,
    #[command(flatten)]
    part: PartFlags,
    #[command(flatten)]
    force: super::Force,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub(super) fn run(self) -> Result<(), Failure> {
        let mut session = Session::inline();
        super::open_more(&mut session, &self.project)?;
        let takes = chosen(&session, &self.take)?;
        let preset = self.preset.map(Preset::settings).unwrap_or_default();
        if let Some(preset) = self.preset.filter(|_| !self.json) {
            crate::warn(&preset.message().to_string());
        }
        let settings = ExportSettings {
            per_character: self.per_character,
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
                index: self.index,
            },
            names: ClipNames {
                pattern: self.clip_names.unwrap_or(preset.names.pattern),
                loop_suffix: self.loop_suffix || preset.names.loop_suffix,
                spaces: self.spaces,
            },
            markers: self.markers || preset.markers,
            godot_import: self.godot_import || preset.godot_import,
            unreal_import: self.unreal_import || preset.unreal_import,
            unit: self.unit.unwrap_or(preset.unit),
            root_on_top: self.root_on_top || preset.root_on_top,
        };
        let (destination, springs) = (self.out.clone().unwrap_or_default(), self.springs);
        let replace = self.force.into();
        let mut request = ExportRequest { takes, destination, springs, settings, replace, ..Default::default() };
        if let Some(folder) = self.job.folder.job.clone() {
            let mut job = self.job;
            if std::mem::take(&mut request.settings.sidecars.index) {
                job.index = Index::between(request.takes.iter().filter_map(|&id| session.document.take(id)));
            }
            return job.write(&mut session, request, folder, self.json);
        }
        if self.part.is_one_by_one() {
            return self.part.bake(&mut session, request, self.json);
        }
        bake(&mut session, request)?;
        super::print(&serde_json::json!(session.exports.reports()), self.json)
    }
}

/// Exports `request`.
pub(super) fn bake(session: &mut Session, request: ExportRequest) -> Result<(), Failure> {
    super::perform(session, Command::File(FileCommand::Export(request)))
}

fn chosen(session: &Session, names: &[String]) -> Result<Vec<TakeId>, Failure> {
    if names.is_empty() {
        return Ok(session.document.takes.iter().map(|take| take.id).collect());
    }
    names.iter().map(|name| take_named(session, name).map(|take| take.id)).collect()
}

/// Returns the take of that name, or a usage error that lists all takes.
pub(super) fn take_named<'s>(session: &'s Session, name: &str) -> Result<&'s Take, Failure> {
    let takes = &session.document.takes;
    takes.iter().find(|take| take.name == name).ok_or_else(|| {
        let known: Vec<&str> = takes.iter().map(|take| take.name.as_str()).collect();
        Failure::Usage(format!("The project has no take “{name}”. {}", super::it_has(&known)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::parsed;

    #[test]
    fn the_index_of_an_export_lists_the_settings_in_which_takes_differ() {
        let folder = tempfile::tempdir().unwrap();
        portamento_session::samples::write_all(folder.path()).unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        let (project, out) = (at("samples.portamento"), at("out"));
        let words = [&*project, "--take", "leap to 5 m", "--take", "leap at the dummy", "--index", "--out", &out];
        parsed::<Arguments>(&words).and_then(Arguments::run).unwrap();
        let rows: Vec<serde_json::Value> =
            serde_json::from_slice(&std::fs::read(at("out/index.json")).unwrap()).unwrap();
        assert_eq!(rows.len(), 2);
        for row in &rows {
            let file = PathBuf::from(row["file"].as_str().unwrap());
            let model = portamento_formats::import::import(&file).unwrap().model;
            let clip = model.clip(row["clip"].as_str().unwrap()).unwrap();
            assert!((row["seconds"].as_f64().unwrap() - clip.duration).abs() < 1e-5, "{row}");
            assert!(row["travel_m"].as_f64().unwrap() > 1.0, "{row}");
        }
        let far = (rows[0]["travel_m"].as_f64().unwrap() - 5.0).abs();
        assert!(far < 1e-3, "{rows:?}");
        let aims: Vec<&serde_json::Value> = rows.iter().map(|row| &row["aim_at"]).collect();
        assert_eq!(aims, [&serde_json::Value::Null, &"target dummy".into()], "settings that differ are columns");
        assert_eq!(std::fs::read_to_string(at("out/index.csv")).unwrap().lines().count(), 3);
    }
}
