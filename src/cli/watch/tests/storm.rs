//! Random edits at random moments while the watch runs and another thread reads every output.

use super::*;

/// The files that are edited.
const FILES: [&str; 4] = ["a.glb", "b.glb", "c.glb", "recipe.json"];
/// Number of contents of each file.
const VERSIONS: usize = 4;

/// A sequence of numbers that looks random.
struct Random(u64);

impl Random {
    fn up_to(&mut self, end: usize) -> usize {
        // Xorshift by Marsaglia, 2003.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap()
    }

    fn pause(&mut self, max_milliseconds: usize) {
        sleep(Duration::from_millis(self.up_to(max_milliseconds) as u64));
    }
}

/// Saves `bytes` to `path` as one of many programs does.
fn save(path: &Path, bytes: &[u8], random: &mut Random) {
    let temporary = path.with_extension("part");
    match random.up_to(7) {
        0 => std::fs::write(path, bytes).unwrap(),
        1 => {
            std::fs::write(&temporary, bytes).unwrap();
            random.pause(30);
            std::fs::rename(&temporary, path).unwrap();
        }
        2 => {
            std::fs::remove_file(path).unwrap();
            random.pause(80);
            std::fs::write(path, bytes).unwrap();
        }
        3 => {
            std::fs::write(path, &bytes[..random.up_to(bytes.len())]).unwrap();
            random.pause(150);
            std::fs::write(path, bytes).unwrap();
        }
        4 => {
            // An old copy is renamed away first, as some programs do for their backups.
            std::fs::rename(path, path.with_extension("bak")).unwrap();
            random.pause(40);
            std::fs::write(path, bytes).unwrap();
        }
        5 => {
            // The content changes twice within one step of the clock, the first time to one of equal length.
            let mut other = bytes.to_vec();
            other.reverse();
            std::fs::write(path, other).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        _ => {
            // An old file is moved here, with its old time.
            std::fs::write(&temporary, bytes).unwrap();
            let file = std::fs::File::options().write(true).open(&temporary).unwrap();
            file.set_modified(std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000)).unwrap();
            std::fs::rename(&temporary, path).unwrap();
        }
    }
}

/// Panics if `bytes` are not a whole GLB.
fn check_whole(name: &str, bytes: &[u8]) {
    let word = |at: usize| bytes.get(at..at + 4).map(|four| u32::from_le_bytes(four.try_into().unwrap()) as usize);
    assert!(
        bytes.starts_with(b"glTF") && word(8) == Some(bytes.len()),
        "{name} is half a file of {} bytes",
        bytes.len()
    );
    let end = 20 + word(12).unwrap();
    assert!(serde_json::from_slice::<serde_json::Value>(&bytes[20..end]).is_ok(), "{name}");
}

/// Reads all outputs until `is_over`. Returns the number of contents seen.
fn read_all_the_time(out: &Path, is_over: &AtomicBool) -> usize {
    let (mut names, mut seen) = (BTreeSet::new(), BTreeSet::new());
    while !is_over.load(Ordering::Relaxed) {
        let all = outputs(out);
        for (name, bytes) in &all {
            check_whole(name, bytes);
            seen.insert(portamento_base::fingerprint::fingerprint(bytes));
        }
        let missing: Vec<&String> = names.iter().filter(|name| !all.contains_key(*name)).collect();
        assert!(missing.is_empty(), "{missing:?} was missing for a moment");
        names.extend(all.into_keys());
        sleep(Duration::from_millis(2));
    }
    seen.len()
}

/// Returns the files of an export to the new folder `out` by a session that has opened the recipe now.
fn fresh_export(input: &str, out: &str) -> BTreeMap<String, Vec<u8>> {
    let recipe = portamento_session::recipe::Recipe::read(Path::new(input)).unwrap();
    let mut session = portamento_session::Session::inline();
    crate::make::open(&recipe, &mut session, Path::new(input), &[]).unwrap();
    let arguments = parsed::<Arguments>(&[input, "--out", out, "--keep", "alone"]).unwrap();
    let request = portamento_session::ExportRequest {
        takes: bake::take_ids(&session, &[]).unwrap(),
        destination: arguments.out.clone(),
        settings: arguments.export.clone().settings(),
        ..Default::default()
    };
    bake::bake(&mut session, request).unwrap();
    outputs(Path::new(out))
}

/// Saves files at random moments, `bursts` times `edits` of them. After each burst the output becomes that of a fresh export.
fn endure(bursts: usize, edits: usize, seed: u64) {
    let folder = Folder::new();
    let heroes: Vec<Vec<u8>> = (0..VERSIONS).map(|version| hero(version as f32 * 0.1)).collect();
    let sources = &FILES[..3];
    let content = |file: usize, version: usize| match file {
        3 => recipe(sources, 5.0 + version as f64).into_bytes(),
        _ => heroes[version].clone(),
    };
    (0..FILES.len()).for_each(|file| folder.write(FILES[file], content(file, 0)));
    let (input, out) = (folder.at("recipe.json"), folder.at("out"));
    let running = Running::start(&[&*input, "--out", &out, "--keep", "alone"]);
    wait_for("the first export", || folder.exported().len() == sources.len());
    let is_over = AtomicBool::new(false);
    let seen = std::thread::scope(|scope| {
        let reader = scope.spawn(|| read_all_the_time(Path::new(&out), &is_over));
        let mut random = Random(seed);
        for burst in 0..bursts {
            for _ in 0..edits {
                let (file, version) = (random.up_to(FILES.len()), random.up_to(VERSIONS));
                save(Path::new(&folder.at(FILES[file])), &content(file, version), &mut random);
                let pause = if random.up_to(6) == 0 { 900 } else { 60 };
                random.pause(pause);
            }
            let fresh = fresh_export(&input, &folder.at(&format!("fresh {burst}")));
            assert_eq!(fresh.len(), sources.len());
            wait_for("the output of a fresh export", || folder.exported() == fresh);
            sleep(Duration::from_millis(1500));
            assert!(folder.exported() == fresh, "the output changed without an edit");
        }
        is_over.store(true, Ordering::Relaxed);
        reader.join().unwrap()
    });
    running.stop().unwrap();
    assert!(seen > sources.len(), "only {seen} contents were exported");
}

#[test]
fn after_a_hundred_random_edits_the_output_is_that_of_a_fresh_export_and_no_file_was_ever_half() {
    endure(2, 50, 0x9e37_79b9_7f4a_7c15);
}

#[test]
#[ignore = "takes several minutes"]
fn after_a_thousand_random_edits_the_output_is_that_of_a_fresh_export() {
    endure(25, 40, 0x2545_f491_4f6c_dd1d);
}
