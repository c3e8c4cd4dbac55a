//! `portamento loop`: seamless loops of caches, images and clips.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::Failure;
use portamento_anim::Footage;
use portamento_anim::math::easing::Easing;
use portamento_anim::media::{ImageClip, Pixels, SheetGrid};
use portamento_base::progress::Progress;
use portamento_base::system_reason::system_reason;
use portamento_looping::finder::{FoundLoops, Search};
use portamento_looping::{Fade, FadeCurve, LoopTravel, Settings};
use portamento_session::export::TakeReport;
use portamento_session::{ExportRequest, ExportSettings, Session};
use portamento_takes::document::stage::Loop;
use portamento_takes::document::take::Vertices;
use portamento_takes::document::{Asset, FileId, Loaded, StageKind, Take, TakeId, TakeSource};
use portamento_takes::evaluate::BuiltTake;

/// Creates a seamless loop of a cache, of images or of a clip.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// MDD, PC2, one OBJ or image of a numbered sequence, GIF, APNG, WebP, a sprite sheet or its JSON, glTF, BVH; or
    /// a folder of numbered files.
    file: PathBuf,
    /// Mesh for a cache without faces: OBJ or glTF.
    #[arg(long, value_name = "FILE")]
    mesh: Option<PathBuf>,
    /// Clip of a file with joints, or animation of a sprite sheet. Default for a sheet: its first.
    #[arg(long, visible_alias = "tag")]
    clip: Option<String>,
    /// Loop the vertices that the clip moves instead of its joints.
    #[arg(long, requires = "clip")]
    vertices: bool,
    /// The image is a sprite sheet with this many columns and rows, such as 8x4. Not needed if its JSON is next to
    /// it.
    #[arg(long, value_name = "COLSxROWS", value_parser = grid)]
    sheet: Option<SheetGrid>,
    /// Number of frames used in the sheet. Default: all.
    #[arg(long, value_name = "N", requires = "sheet")]
    frames: Option<usize>,
    /// First frame of the first cycle, counted from 0. Default: the best one found.
    #[arg(long, value_name = "Z")]
    start: Option<usize>,
    /// Loop length in frames; two cycles of this length are blended. Default: the best one found.
    #[arg(long, value_name = "X")]
    length: Option<usize>,
    /// Search for the best loops and list them.
    #[arg(long)]
    find: bool,
    /// Minimum loop length in the search, frames.
    #[arg(long, value_name = "X", default_value_t = 8)]
    shortest: usize,
    /// Maximum loop length in the search, frames.
    #[arg(long, value_name = "X")]
    longest: Option<usize>,
    /// Fade curve: linear, smoothstep, smoother or raised-cosine.
    #[arg(long, default_value = "smoothstep", value_parser = fade)]
    fade: Easing,
    /// Fade length relative to the loop: 0 (hard) … 1 (whole loop).
    #[arg(long, default_value_t = 1.0)]
    softness: f32,
    /// Painted fade position, 0 (early) … 1 (late): an image of the frame size, or one number per vertex, pixel or
    /// joint.
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Restore the motion that is lost by blending different cycles.
    #[arg(long)]
    keep_energy: bool,
    /// Rotate rigid pieces of a mesh instead of interpolating their vertices linearly.
    #[arg(long)]
    rigid: bool,
    /// Blend images in linear light.
    #[arg(long)]
    linear_light: bool,
    /// Root motion of the loop: onward, in-place or ordinary.
    #[arg(long, default_value = "onward", value_parser = travel)]
    travel: LoopTravel,
    /// Frame rate. Default: the file's rate.
    #[arg(long, value_parser = super::rate)]
    fps: Option<f64>,
    /// Repeat the first frame at the end: true or false. Default: as usual for the format.
    #[arg(long, value_name = "BOOL")]
    closing: Option<bool>,
    #[command(flatten)]
    image_layout: super::flags::image_layout::ImageFlags,
    /// Name of the loop.
    #[arg(long)]
    name: Option<String>,
    /// File to write: .glb .gltf .mdd .pc2, .png or .exr textures for a mesh; .gif .apng .webp .json (sprite sheet),
    /// .png .exr .tga or a folder (numbered) for images.
    #[arg(short, long)]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: super::Force,
    /// The report as JSON.
    #[arg(long)]
    json: bool,
}

impl Arguments {
    /// Searches for loops if requested, exports the loop and prints the report. Returns `Err` without an output file and a
    /// search, or if no loop is found.
    pub(super) fn run(self) -> Result<(), Failure> {
        let (mut session, file, asset) = super::open_with(&self.file, self.mesh.as_deref())?;
        let source = self.source(&session, file, &asset)?;
        let mut take = Take {
            id: TakeId(session.document.fresh_id()),
            name: self.name.clone().unwrap_or_else(|| format!("{} loop", self.stem())),
            character: file,
            source,
            stages: Vec::new(),
            loops: None,
        };
        let unmodified = session.built(&take).map_err(|error| Failure::Failed(error.to_string()))?;
        let found = self.found(&unmodified)?;
        let mut report = json!({});
        if let Some(found) = found.as_deref().filter(|_| self.find) {
            report["found"] = listed(found);
        }
        self.weights.iter().for_each(|weights| session.read.protect(weights));
        if let Some(out) = self.out.clone() {
            let settings = self.settings(found.as_deref(), &asset)?;
            take.add_stage(StageKind::Loop(Box::new(Loop { settings })));
            let (takes, image_layout) = (vec![take.id], self.image_layout.into());
            session.document.takes.push(take);
            let request = ExportRequest {
                takes,
                destination: out,
                settings: ExportSettings { closing: self.closing, image_layout, ..Default::default() },
                replace: self.force.into(),
                ..ExportRequest::default()
            };
            super::bake::bake(&mut session, request)?;
            let exported = session.exports.reports().first();
            exported.iter().flat_map(|exported| &exported.takes).for_each(warn_of);
            report["exported"] = json!(exported);
        } else if !self.find {
            return Err(Failure::Usage("Give an output file with -o, or use --find to search only.".into()));
        }
        super::print(&report, self.json)
    }

    /// Returns the name of the clip, else the file's name without extension.
    fn stem(&self) -> String {
        let stem = || self.file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        self.clip.clone().unwrap_or_else(stem)
    }

    /// Returns the source that the file and the flags ask for: images, vertices or a clip. Returns `Err` if the clip or
    /// animation does not exist, or if one of several must be chosen.
    fn source(&self, session: &Session, file: FileId, asset: &Asset<Loaded>) -> Result<TakeSource, Failure> {
        let fps = self.fps;
        if let Some(Footage::Images(images)) = &asset.footage {
            let sheet = self.sheet.map(|grid| SheetGrid { frames: self.frames, ..grid });
            return Ok(TakeSource::Images { file, fps, sheet, tag: self.tag(images)? });
        }
        if let Some(name) = &self.clip {
            super::check_clip(&asset.model, name)?;
            let clip = Some(name.clone());
            return Ok(if self.vertices {
                TakeSource::Vertices(Vertices { file, clip, mesh: None, fps })
            } else {
                TakeSource::Clip { file, clip: name.clone() }
            });
        }
        match &asset.footage {
            Some(_) => {
                let mesh = self.mesh.as_ref().and(session.document.files.last()).map(|mesh| mesh.id);
                Ok(TakeSource::Vertices(Vertices { file, clip: None, mesh, fps }))
            }
            None => {
                let known: Vec<&str> = asset.model.clips.iter().map(|clip| clip.name.as_str()).collect();
                Err(Failure::Usage(format!("Choose a clip of the file with --clip. {}", super::it_has(&known))))
            }
        }
    }

    /// Returns the animation of a sprite sheet to loop: the named one, else the first, or `Ok(None)` if the sheet has none.
    fn tag(&self, images: &ImageClip) -> Result<Option<String>, Failure> {
        let known: Vec<&str> = images.tags.iter().map(|tag| tag.name.as_str()).collect();
        match &self.clip {
            Some(name) if !known.contains(&name.as_str()) => {
                let has = super::it_has(&known);
                Err(Failure::Usage(format!("{} has no animation “{name}”. {has}", images.name)))
            }
            Some(name) => Ok(Some(name.clone())),
            None => Ok(known.first().map(|name| (*name).to_owned())),
        }
    }

    /// Searches for loops if requested, or if start or length is not given; otherwise returns `Ok(None)`. Returns `Err` if
    /// the search fails. Finding none is no `Err`.
    fn found(&self, unmodified: &BuiltTake) -> Result<Option<std::sync::Arc<FoundLoops>>, Failure> {
        if !self.find && self.start.is_some() && self.length.is_some() {
            return Ok(None);
        }
        let (shortest, longest) = match self.length {
            Some(length) if !self.find => (length, length),
            _ => (self.shortest, self.longest.unwrap_or(usize::MAX)),
        };
        // A short source is still searched.
        let most = (unmodified.frames().max(1) - 1) / 2;
        let shortest = if self.length.is_none() { shortest.min(most.max(1)) } else { shortest };
        let search = Search { shortest, longest, ..Search::default() };
        let found = unmodified.find_loops(&search, &Progress::new());
        found.map(Some).map_err(|error| Failure::Failed(error.to_string()))
    }

    /// Returns the settings of the loop. Start and length that flags do not give are those of the best loop found. Returns
    /// `Err` if none was found, or if painted weights cannot be read.
    fn settings(&self, found: Option<&FoundLoops>, asset: &Loaded) -> Result<Settings, Failure> {
        let best = found.and_then(|found| {
            found.candidates.iter().find(|candidate| self.length.is_none_or(|x| x == candidate.length))
        });
        let no_loop = || Failure::Failed("No loop was found. Give --start and --length.".into());
        let timing = self.weights.as_deref().map(|path| weights(path, asset)).transpose()?.unwrap_or_default();
        let fade = Fade {
            curve: FadeCurve::Named(self.fade),
            softness: self.softness,
            timing: timing.into(),
            ..Fade::default()
        };
        Ok(Settings {
            start: self.start.or(best.map(|best| best.start)).ok_or_else(no_loop)?,
            length: self.length.or(best.map(|best| best.length)).ok_or_else(no_loop)?,
            fade,
            keep_energy: self.keep_energy,
            rigid: self.rigid,
            linear_light: self.linear_light,
            travel: self.travel,
            ..Settings::default()
        })
    }
}

/// Prints the warnings of an exported take, such as that its source loops already.
fn warn_of(take: &TakeReport) {
    let warnings = take.motion["warnings"].as_array().into_iter().flatten();
    warnings.filter_map(Value::as_str).for_each(|warning| super::warn(&format!("warning: {warning}")));
}

/// Returns the loops that were found as a JSON list, ranked from 1. Starts and lengths are frames.
fn listed(found: &FoundLoops) -> Value {
    let row = |(rank, candidate): (usize, &portamento_looping::finder::Candidate)| {
        json!({
            "rank": rank + 1,
            "start": candidate.start,
            "length": candidate.length,
            "cost": candidate.cost,
            "value_gap": candidate.value_gap,
            "speed_gap": candidate.speed_gap,
            "acceleration_gap": candidate.acceleration_gap,
        })
    };
    found.candidates.iter().enumerate().map(row).collect()
}

/// Reads painted weights from an image (brightness), a JSON list, or text. Their number is not checked here. For images,
/// the brightness counts, and the picture must have the size of the frames. Returns `Err` if there are no numbers.
fn weights(path: &Path, asset: &Loaded) -> Result<Vec<f32>, Failure> {
    let unusable = |reason: String| Failure::Usage(format!("{} contains no weights: {reason}.", path.display()));
    if let Some(Footage::Images(clip)) = &asset.footage
        && let Ok(picture) = portamento_formats::import::images::still(path)
    {
        let (info, pixels) = picture;
        if (info.width, info.height) != (clip.info.width, clip.info.height) {
            let (width, height) = (clip.info.width, clip.info.height);
            return Err(unusable(format!("it must be {width} × {height} pixels, like the frames")));
        }
        return Ok(brightness(&pixels));
    }
    let text =
        portamento_base::regular_file::text(path).map_err(|error| unusable(system_reason(&error).to_string()))?;
    let numbers: Result<Vec<f32>, _> = portamento_base::json::parse(text.as_bytes());
    numbers.or_else(|_| {
        let words = text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
        words.map(|word| word.parse().map_err(|_| unusable(format!("“{word}” is not a number")))).collect()
    })
}

/// Returns the mean of red, green and blue of each pixel, 0…1. Alpha is ignored.
fn brightness(pixels: &Pixels) -> Vec<f32> {
    let grey = |[r, g, b, _]: [f32; 4]| (r + g + b) / 3.0;
    match pixels {
        Pixels::U8(pixels) => {
            pixels.iter().map(|pixel| grey(pixel.map(|channel| f32::from(channel) / 255.0))).collect()
        }
        Pixels::U16(pixels) => {
            pixels.iter().map(|pixel| grey(pixel.map(|channel| f32::from(channel) / 65_535.0))).collect()
        }
        Pixels::F32(pixels) => pixels.iter().map(|&pixel| grey(pixel).clamp(0.0, 1.0)).collect(),
    }
}

/// Parses the name of a fade curve: `linear`, `smoothstep`, `smoother` or `raised-cosine`. Returns `Err` with what is
/// allowed for any other text.
fn fade(name: &str) -> Result<Easing, String> {
    let found = Easing::ALL.into_iter().find(|easing| easing.name().replace('_', "-") == name);
    found.ok_or_else(|| "use linear, smoothstep, smoother or raised-cosine".into())
}

/// Parses columns and rows above 0, such as `8x4` or `8×4`. Returns `Err` with what is allowed for any other text.
fn grid(text: &str) -> Result<SheetGrid, String> {
    let numbers =
        text.split_once(['x', '×']).and_then(|(columns, rows)| Some((columns.parse().ok()?, rows.parse().ok()?)));
    match numbers {
        Some((columns, rows)) if columns > 0 && rows > 0 => Ok(SheetGrid { columns, rows, frames: None }),
        _ => Err("give columns and rows above 0, as 8x4".into()),
    }
}

/// Parses the root motion of a loop: `onward`, `in-place` or `ordinary`. Returns `Err` with what is allowed for any
/// other text.
fn travel(name: &str) -> Result<LoopTravel, String> {
    match name {
        "onward" => Ok(LoopTravel::Onward),
        "in-place" => Ok(LoopTravel::InPlace),
        "ordinary" => Ok(LoopTravel::Ordinary),
        _ => Err("use onward, in-place or ordinary".into()),
    }
}

#[cfg(test)]
mod tests {
    use portamento_anim::math::random::{SplitMix64, spread};
    use portamento_test_support::{damaged_json, mutants};

    #[test]
    fn a_single_image_is_looped_as_a_sprite_sheet() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        image::RgbaImage::new(8, 6).save(path("sheet.png")).unwrap();
        let run = |sheet: &str, frames: &str| {
            let words =
                ["portamento", "loop", &path("sheet.png"), "--sheet", sheet, "--frames", frames, "-o", &path("out")];
            let read = <crate::Arguments as clap::Parser>::try_parse_from(words).map_err(|error| error.to_string())?;
            let Some(crate::Subcommands::Loop(arguments)) = read.command else { panic!("loop") };
            arguments.run().map_err(|failure| format!("{failure:?}"))
        };
        run("4x3", "11").unwrap();
        assert!(std::fs::read_dir(path("out")).unwrap().count() > 0);
        assert!(run("3x3", "9").unwrap_err().contains("cannot be divided into 3 × 3"));
        assert!(run("4x3", "13").unwrap_err().contains("room for 12 frames"));
        for grid in ["4", "0x3", "4x-1", "axb"] {
            assert!(run(grid, "3").unwrap_err().contains("as 8x4"), "{grid}");
        }
    }

    #[test]
    fn weights_with_damaged_structure_are_read_or_refused_at_once() {
        let (_, _, images) = crate::open(&portamento_test_support::asset("flame.apng")).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("weights.json");
        let seed = serde_json::to_vec(&vec![0.5; 64]).unwrap();
        let (count, mut accepted) = (mutants(400), 0);
        for number in 0..count {
            std::fs::write(&path, damaged_json(&seed, &mut SplitMix64::new(spread(number)))).unwrap();
            let begun = std::time::Instant::now();
            accepted += u64::from(super::weights(&path, &images).is_ok());
            assert!(begun.elapsed().as_secs() < 5, "{number}: {:?}", begun.elapsed());
        }
        println!("{accepted} of {count} accepted");
        assert!(accepted > 0 && accepted < count, "{accepted} of {count}");
    }
}
