//! Crossings of obstacles and gaps for routes: the sizes that clips can cross, and the costs of kinds.

use std::path::Path;

use crate::Failure;
use portamento_base::regular_file;
use portamento_base::system_reason::system_reason;
use portamento_session::export::crossings;
use portamento_takes::document::CrossingRange;
use portamento_walk::crossing::CrossingKind;

/// Largest size of a file of crossings, bytes.
const MAX_BYTES: usize = 1 << 20;

/// Reads the clips of the file at `path`: a JSON array. Returns [`Failure::Usage`] if it cannot be read or is no such
/// array.
pub(super) fn read(path: &Path) -> Result<Vec<CrossingRange>, Failure> {
    let unreadable = |why: String| Failure::Usage(format!("{}: {why}", path.display()));
    let bytes = regular_file::beginning(path, MAX_BYTES as u64 + 1)
        .map_err(|error| unreadable(system_reason(&error).to_string()))?;
    if bytes.len() > MAX_BYTES {
        return Err(unreadable(format!("The file is larger than {MAX_BYTES} bytes.")));
    }
    let clips: Vec<CrossingRange> = portamento_base::json::parse(&bytes)
        .map_err(|error| unreadable(format!("The file has no list of crossings: {error}.")))?;
    if clips.is_empty() { Err(unreadable("The list of crossings is empty.".into())) } else { Ok(clips) }
}

/// Parses `KIND=FACTOR` with a factor of 0 or 0.1…10. Returns `Err` with what is allowed for any other text.
pub(super) fn cost(text: &str) -> Result<(CrossingKind, f64), String> {
    let kinds: Vec<&str> = CrossingKind::ALL.into_iter().map(crossings::kind_name).collect();
    let found = text.split_once('=').and_then(|(name, factor)| {
        let kind = CrossingKind::ALL.into_iter().find(|kind| crossings::kind_name(*kind) == name)?;
        let factor = factor.parse().ok().filter(|factor| *factor == 0.0 || (0.1..=10.0).contains(factor))?;
        Some((kind, factor))
    });
    found.ok_or_else(|| format!("write a kind ({}) and 0 or 0.1 to 10, for example mantle=2", kinds.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_clips_is_read_and_others_are_refused_with_a_sentence() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("clips.json");
        let read_text = |text: &str| {
            std::fs::write(&path, text).unwrap();
            read(&path).map_err(|failure| match failure {
                Failure::Usage(sentence) => sentence,
                _ => panic!("no usage"),
            })
        };
        let clip =
            r#"{"kind": "vault", "height": [0.4, 1.2], "run_up": [0.6, 2], "landing_room": 0.6, "seconds": 1.1}"#;
        assert_eq!(read_text(&format!("[{clip}, {clip}]")).unwrap().len(), 2);
        assert!(read_text("[]").unwrap_err().contains("is empty"));
        assert!(read_text(clip).unwrap_err().contains("no list of crossings"));
        assert!(read_text(&format!("[{clip}")).unwrap_err().contains("EOF"));
        assert!(read_text(&" ".repeat(MAX_BYTES + 1)).unwrap_err().contains("larger than"));
        assert!(read(&folder.path().join("missing.json")).is_err());
    }

    #[test]
    fn the_cost_of_a_kind_is_read_and_other_texts_are_refused() {
        assert_eq!(cost("mantle=2"), Ok((CrossingKind::Mantle, 2.0)));
        assert_eq!(cost("jump_across=0"), Ok((CrossingKind::JumpAcross, 0.0)));
        for wrong in ["mantle", "fly=1", "vault=0.05", "vault=11", "vault=x", "vault=NaN"] {
            assert!(cost(wrong).unwrap_err().contains("jump_across"), "{wrong}");
        }
    }

    /// A clip that jumps across a ditch.
    const CLIPS: &str = r#"[{"kind": "jump_across", "height": [-0.1, 0.1], "distance": [1, 3], "rise": [-0.5, 0.5],
        "run_up": [0.5, 2], "landing_room": 0.6, "seconds": 1.2}]"#;

    /// Returns an OBJ file of a floor of 12 m with a ditch across it, 2 m wide and 2 m deep.
    fn ditch() -> String {
        let heights = [(-6.0, 0.0), (-1.0, 0.0), (-1.0, -2.0), (1.0, -2.0), (1.0, 0.0), (6.0, 0.0)];
        let corners = heights.iter().flat_map(|(x, y)| [-6.0, 6.0].map(|z| format!("v {x} {y} {z}\n")));
        let faces = (0..5).map(|strip| 2 * strip + 1).map(|a| format!("f {a} {} {} {}\n", a + 1, a + 3, a + 2));
        corners.chain(faces).collect()
    }

    #[test]
    fn a_route_jumps_a_ditch_and_the_files_have_its_edges_and_links() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        std::fs::write(at("ditch.obj"), ditch()).unwrap();
        std::fs::write(at("clips.json"), CLIPS).unwrap();
        let out = at("route.json");
        let words = [&*at("ditch.obj"), "--from", "-4,0,0", "--to", "4,0,0", "--seed", "1..3", "-o", &out];
        let run = |words: &[&str]| crate::tests::parsed::<crate::walk::Arguments>(words)?.run();
        run(&[&words[..], &["--crossings", &at("clips.json")]].concat()).unwrap();
        let read = |name: &str| std::fs::read_to_string(at(name)).unwrap();
        let json = |name: &str| serde_json::from_str::<serde_json::Value>(&read(name)).unwrap();
        let (routes, crossings) = (json("route.json"), json("route.crossings.json"));
        let gaps: Vec<_> = crossings["edges"].as_array().unwrap().iter().filter(|edge| edge["kind"] == "gap").collect();
        assert_eq!(gaps.len(), 2);
        for gap in gaps {
            assert!(gap["line"].as_array().unwrap().iter().all(|end| end[0].as_f64().unwrap().abs() == 1.0), "{gap}");
            assert_eq!(
                (&gap["distances"], &gap["problem"]),
                (&serde_json::json!([2.0, 2.0]), &serde_json::Value::Null)
            );
        }
        let links = crossings["links"].as_array().unwrap();
        assert!(links.len() >= 40 && links.len() == crossings["offMeshConnections"].as_array().unwrap().len());
        assert_eq!(read("route.links.csv").lines().count(), links.len() + 1);
        assert_eq!(read("route.links.tscn").matches("NavigationLink3D").count(), links.len());
        assert!(read("route.links.py").contains("jump_across"));
        assert_eq!(read("route.edges.csv").lines().count(), crossings["edges"].as_array().unwrap().len() + 1);
        for route in routes["routes"].as_array().unwrap() {
            let crossing = &route["crossings"][0];
            let point = crossing["point"].as_u64().unwrap() as usize;
            let link = &links[crossing["link"].as_u64().unwrap() as usize];
            let connection = &crossings["offMeshConnections"][crossing["link"].as_u64().unwrap() as usize];
            for (end, [name, other]) in [["start", "start"], ["landing", "end"]].into_iter().enumerate() {
                let distance = |axis: usize| {
                    route["points"][point + end][axis].as_f64().unwrap() - link[name][axis].as_f64().unwrap()
                };
                assert!((0..3).all(|axis| distance(axis).abs() < 1e-6), "{route}");
                assert_eq!(link[name], connection[other]);
            }
        }
        let around = run(&[&words[..], &["--force"]].concat());
        assert!(around.is_ok() && json("route.json")["routes"][0].get("crossings").is_none());
        std::fs::write(at("clips.json"), CLIPS.replace("[1, 3]", "[3, 1]")).unwrap();
        let refused = run(&[&words[..], &["--force", "--crossings", &at("clips.json")]].concat());
        assert!(matches!(refused, Err(Failure::Failed(sentence)) if sentence.contains("Crossing 1: distance")));
    }

    #[test]
    fn crossings_with_damaged_structure_are_searched_or_refused_at_once() {
        use portamento_anim::math::random::{SplitMix64, spread};
        use portamento_test_support::{damaged_json, mutants};
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        std::fs::write(at("ditch.obj"), ditch()).unwrap();
        let (out, clips) = (at("route.json"), at("clips.json"));
        let words = [&*at("ditch.obj"), "--from", "-4,0,0", "--to", "4,0,0", "-o", &out, "--force"];
        let words = [&words[..], &["--crossings", &clips]].concat();
        let (count, mut found) = (mutants(40), 0);
        for number in 0..count {
            std::fs::write(&clips, damaged_json(CLIPS.as_bytes(), &mut SplitMix64::new(spread(number)))).unwrap();
            let begun = std::time::Instant::now();
            let run = crate::tests::parsed::<crate::walk::Arguments>(&words).and_then(crate::walk::Arguments::run);
            found += u64::from(run.is_ok());
            assert!(begun.elapsed().as_secs() < 10, "{number}: {:?}", begun.elapsed());
        }
        println!("{found} of {count} routes found");
        assert!(found > 0 && found < count, "{found} of {count}");
    }
}
