//! The identities of background jobs, with their names.

use std::path::PathBuf;

use crate::project::shown_name;
use portamento_base::message::{Message, message, messages};
use portamento_takes::document::FileId;

messages! {
/// The identity of a job: starting a job cancels the running job with the same key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobKey {
    /// Simulates the dynamic bones of the named take.
    Dynamics(take: String) => message!("job.dynamics", "Simulate bones of %{take}", take),
    /// Simulates the cloth of the named take.
    Cloth(take: String) => message!("job.simulate", "Simulate %{take}", take),
    /// Plans the walk of the named take.
    Walk(take: String) => message!("job.plan", "Plan %{take}", take),
    /// Retargets the clip of the named take.
    Retarget(take: String) => message!("job.retarget", "Retarget %{take}", take),
    /// Searches the loop of the named take.
    Loop(take: String) => message!("job.loop", "Loop %{take}", take),
    /// Builds the named take, which is large.
    Build(take: String) => message!("job.build", "Build %{take}", take),
    /// Compares all frames of the named clip for loop seams.
    CompareFrames(clip: String) => message!("job.compare", "Compare %{clip}", clip),
    /// Measures the seams of loop candidates.
    MeasureSeams => message!("job.measure", "Measure seams"),
    /// Measures the shown motion.
    MeasureMotion => message!("job.measure_take", "Measure the motion"),
    /// Measures the clips of the clip library.
    MeasureClips => message!("job.measure_clips", "Measure clips"),
    /// Measures the takes that fix clips of the clip library.
    MeasureMended => message!("job.measure_mended", "Measure mended clips"),
    /// Measures the sets of the document.
    MeasureSets => message!("job.measure_sets", "Measure sets"),
    /// Proposes sets from all clips.
    ProposeSets => message!("job.propose_sets", "Look for sets"),
    /// Adds members to a set.
    AddToSet => message!("job.add_to_set", "Add members to a set"),
    /// Brings a set to its contract.
    BringSet => message!("job.bring_set", "Repair a set"),
    /// Draws the thumbnails of the clip library.
    DrawClips => message!("job.draw_clips", "Draw clips"),
    /// Draws the previews of variants.
    DrawVariants => message!("job.draw_variants", "Draw variants"),
    /// Creates takes that fix the named clips.
    Mend(clips: Vec<(FileId, String)>) => mending(clips),
    /// Retargets the named clips.
    RetargetClips(clips: Vec<(FileId, String)>) => message!("job.retarget_clips", "Retarget %{count} %{count|clip|clips}", count = clips.len()),
    /// Finishes motions.
    Finish => message!("job.finish", "Finish motions"),
    /// Reads these files.
    Open(paths: Vec<PathBuf>) => opening(paths),
    /// Searches a folder for missing files.
    FindMissing => message!("job.find_missing", "Look for missing files"),
    /// Writes the sample project.
    WriteSamples => message!("job.samples", "Create samples"),
    /// Exports takes.
    Export => message!("job.export", "Export"),
    /// Answers the request of another program with that number.
    Remote(number: u64) => answering(number),
    /// Writes a recording.
    WriteFilm => message!("job.film", "Write the recording"),
    /// Changes all painted weights.
    PaintWeights => message!("job.paint", "Paint"),
    /// Indexes the surface of a mesh for the brush.
    IndexSurface => message!("job.index", "Prepare the brush"),
    /// Searches for settings that make a point of the ground walkable.
    FindWayIn => message!("job.way_in", "Look for a way in"),
}
}

/// Returns the name of a job that answers another program.
fn answering(_: &u64) -> Message {
    message!("job.remote", "Answer another program")
}

/// Returns the name of a job that fixes `clips`: the first clip and the number of the others.
fn mending(clips: &[(FileId, String)]) -> Message {
    let clip = clips.first().map_or("", |(_, clip)| clip);
    match clips.len() {
        0 | 1 => message!("job.mend", "Fix %{clip}", clip),
        count => message!("job.mend_several", "Fix %{clip} and %{count} more", clip, count = count - 1),
    }
}

/// Returns the name of a job that reads `paths`: the first file and the number of the others.
fn opening(paths: &[PathBuf]) -> Message {
    let file = paths.first().map(|path| shown_name(path)).unwrap_or_default();
    match paths.len() {
        0 | 1 => message!("job.open", "Open %{file}", file),
        count => message!("job.open_several", "Open %{file} and %{count} more", file, count = count - 1),
    }
}
