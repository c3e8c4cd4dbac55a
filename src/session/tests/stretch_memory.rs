//! Memory of a stretch: a long capture is opened, stretched and written.

use portamento_formats::export::{FileSet, gltf};
use portamento_session::Keep;
use portamento_test_support::allocations::{CountingAllocator, peak_bytes};
use stretch_capture::stretch;

#[path = "../../benches/shared/capture_model.rs"]
mod capture_model;
#[path = "../../benches/shared/stretch_capture.rs"]
mod stretch_capture;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Length of the capture; its file has 19 MB.
const SECONDS: usize = 240;
/// Most bytes in memory at one time, as multiples of the file.
const MAX_FILE_MULTIPLE: f64 = 4.5;

#[test]
fn a_stretch_takes_a_few_times_the_memory_of_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("capture.glb");
    let document = gltf::from_model(&capture_model::capture(SECONDS, 0), None);
    FileSet::write_now(|files| gltf::save(files, &path, &document)).unwrap();
    drop(document);
    let bytes = std::fs::metadata(&path).unwrap().len() as f64;
    for (keep, name) in [(Keep::Append, "append.glb"), (Keep::Alone, "alone.glb"), (Keep::Alone, "alone.gltf")] {
        let out = folder.path().join(name);
        let peak = peak_bytes(|| stretch(&path, &out, keep)) as f64;
        assert!(out.metadata().is_ok_and(|written| written.len() > 0), "{name} was not written");
        println!("{name}: {:.2} times the file", peak / bytes);
        assert!(peak <= MAX_FILE_MULTIPLE * bytes, "{name}: {:.2} times the file", peak / bytes);
    }
}
