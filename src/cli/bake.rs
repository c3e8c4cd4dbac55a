//! `portamento bake`: exports takes of a project.

use std::path::PathBuf;

use super::Failure;
use super::job::{JobFlags, PartFlags};
use crate::anim::Tolerance;
use crate::document::{Take, TakeId};
use crate::export::fbx;
use crate::session::variants::Index;
use crate::session::{
    ClipNames, Command, ExportFormat, ExportRequest, FileCommand, ImageFormat, Keep, MeshFormat, Preset, RouteFormat,
    Session, Sidecars,
};
use crate::systems::locomotion::Sign;

/// Exports the takes of a project.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The .portamento file.
    project: PathBuf,
    /// A take's name; may be given several times. All takes when absent.
    #[arg(long)]
    take: Vec<String>,
    /// Keys on every frame at this rate; the source's own keys when absent.
    #[arg(long, value_parser = super::rate)]
    fps: Option<f64>,
    /// With --fps, let clips end on a frame: loops a little faster or slower, others with their last pose held.
    #[arg(long)]
    whole_frames: bool,
    /// Write clips as an engine takes them: unreal, unity, godot, bevy or vrm; flags given besides go first.
    #[arg(long, value_name = "ENGINE", value_parser = Preset::parse)]
    preset: Option<Preset>,
    /// What becomes of the files' other clips: append (when absent), replace or alone.
    #[arg(long, value_parser = Keep::parse)]
    keep: Option<Keep>,
    /// Leave out keys without which no point 3 cm around a joint moves by more than this many millimetres.
    #[arg(long, value_name = "MM", value_parser = super::tolerance)]
    tolerance: Option<Tolerance>,
    /// What a folder gets of clips: glb (when absent), gltf, fbx or vrma.
    #[arg(long, value_parser = ExportFormat::parse)]
    format: Option<ExportFormat>,
    /// Write one file per character with the clips of all its takes, rather than one per take.
    #[arg(long, conflicts_with_all = ["resume", "parts", "job"])]
    per_character: bool,
    /// What clips and files are called; {take}, {clip} and {character} stand for their names.
    #[arg(long, value_name = "PATTERN")]
    clip_names: Option<String>,
    /// Let names of clips that repeat end in -loop.
    #[arg(long)]
    loop_suffix: bool,
    /// Keep spaces of takes' names in the names of files; they become underscores when absent.
    #[arg(long)]
    spaces: bool,
    /// Tell when feet stand, events come and loops close: in the file, and as JSON beside it.
    #[arg(long)]
    markers: bool,
    /// Lay import settings and a script for Godot 4 beside GLB files: loop flags, root motion track, key optimiser off.
    #[arg(long)]
    godot_import: bool,
    /// The unit of FBX files: cm (when absent) or m.
    #[arg(long, value_parser = fbx::LengthUnit::parse)]
    unit: Option<fbx::LengthUnit>,
    /// Leave joints that stand still above the root out of FBX files, so that the root is the topmost bone.
    #[arg(long)]
    root_on_top: bool,
    /// What a folder gets of meshes that move vertex by vertex: morphs, mdd, pc2, or textures as png or exr.
    #[arg(long, default_value = "morphs", value_parser = MeshFormat::parse)]
    meshes: MeshFormat,
    /// What a folder gets of images: png, exr, tga, gif, apng, webp or sheet.
    #[arg(long, default_value = "png", value_parser = ImageFormat::parse)]
    images: ImageFormat,
    #[command(flatten)]
    image_layout: super::image_layout::ImageFlags,
    /// Whether a loop's first frame comes once more at its end: true or false; as the format is usually read when absent.
    #[arg(long, value_name = "BOOL")]
    closing: Option<bool>,
    /// Write dynamic bones as VRMC_springBone too.
    #[arg(long)]
    springs: bool,
    /// Tree, joints and weight curves of blends as JSON beside them.
    #[arg(long)]
    weights: bool,
    /// The routes of walks beside them: json, csv or glb.
    #[arg(long, value_name = "FORMAT", value_parser = RouteFormat::parse)]
    routes: Option<RouteFormat>,
    /// The ground of walks as voxels beside them.
    #[arg(long)]
    voxels: bool,
    /// How far the stop clips of walks still go, counting down (positive) or up to 0 (negative), beside them.
    #[arg(long, value_name = "SIGN", value_parser = Sign::parse)]
    distance_curve: Option<Sign>,
    /// Which take has which of the settings that they do not share, how long it is and how far it goes, as index.json and
    /// index.csv beside them; the report of a job writes both.
    #[arg(long, conflicts_with_all = ["resume", "parts"])]
    index: bool,
    /// The folder to write to, one file per take; or one .glb, .gltf, .fbx or .vrma for all takes of one character.
    #[arg(short, long, required_unless_present = "job")]
    out: Option<PathBuf>,
    #[command(flatten)]
    job: JobFlags,
    #[command(flatten)]
    part: PartFlags,
    #[command(flatten)]
    force: super::Force,
    /// The report as JSON.
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub(super) fn run(self) -> Result<(), Failure> {
        let mut session = Session::inline();
        super::open_more(&mut session, &self.project)?;
        let takes = chosen(&session, &self.take)?;
        let sidecars = Sidecars {
            weights: self.weights,
            routes: self.routes,
            voxels: self.voxels,
            distance_curve: self.distance_curve,
            index: self.index,
        };
        let clip_format = self.preset.map(Preset::clip_format).unwrap_or_default();
        if let Some(preset) = self.preset.filter(|_| !self.json) {
            eprintln!("{}", preset.message());
        }
        let mut request = ExportRequest {
            takes,
            together: Vec::new(),
            destination: self.out.clone().unwrap_or_default(),
            per_character: self.per_character,
            format: self.format.unwrap_or(clip_format.format),
            meshes: self.meshes,
            images: self.images,
            image_layout: self.image_layout.into(),
            keep: self.keep.unwrap_or(clip_format.keep),
            fps: self.fps.or(clip_format.fps),
            whole_frames: self.whole_frames || clip_format.whole_frames,
            springs: self.springs,
            tolerance: self.tolerance.or(clip_format.tolerance),
            closing: self.closing.or(clip_format.closing),
            sidecars,
            measured: false,
            names: ClipNames {
                pattern: self.clip_names.unwrap_or(clip_format.names.pattern),
                loop_suffix: self.loop_suffix || clip_format.names.loop_suffix,
                spaces: self.spaces,
            },
            markers: self.markers || clip_format.markers,
            godot_import: self.godot_import || clip_format.godot_import,
            unit: self.unit.unwrap_or(clip_format.unit),
            root_on_top: self.root_on_top || clip_format.root_on_top,
            replace: self.force.into(),
        };
        if let Some(folder) = self.job.folder.job.clone() {
            let mut job = self.job;
            if std::mem::take(&mut request.sidecars.index) {
                job.index = Index::between(request.takes.iter().filter_map(|&id| session.document.take(id)));
            }
            return job.write(&mut session, request, folder, self.json);
        }
        if self.part.is_one_by_one() {
            return self.part.bake(&mut session, request, self.json);
        }
        bake(&mut session, request)?;
        super::print(&session.exports.reports().to_vec().into(), self.json)
    }
}

/// Exports what `request` says.
pub(super) fn bake(session: &mut Session, request: ExportRequest) -> Result<(), Failure> {
    super::perform(session, Command::File(FileCommand::Export(request)))
}

fn chosen(session: &Session, names: &[String]) -> Result<Vec<TakeId>, Failure> {
    if names.is_empty() {
        return Ok(session.document.takes.iter().map(|take| take.id).collect());
    }
    names.iter().map(|name| take_named(session, name).map(|take| take.id)).collect()
}

/// The take of that name.
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
    use crate::cli::tests::parsed;

    #[test]
    fn the_index_of_an_export_tells_takes_from_each_other() {
        let folder = tempfile::tempdir().unwrap();
        crate::samples::write_all(folder.path()).unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        let (project, out) = (at("samples.portamento"), at("out"));
        let words = [&*project, "--take", "leap to 5 m", "--take", "leap at the dummy", "--index", "--out", &out];
        parsed::<Arguments>(&words).and_then(Arguments::run).unwrap();
        let rows: Vec<serde_json::Value> =
            serde_json::from_slice(&std::fs::read(at("out/index.json")).unwrap()).unwrap();
        assert_eq!(rows.len(), 2);
        for row in &rows {
            let file = PathBuf::from(row["file"].as_str().unwrap());
            let model = crate::import::import(&file).unwrap().model;
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
