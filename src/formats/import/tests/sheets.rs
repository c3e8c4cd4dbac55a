//! Descriptions of sprite sheets whose values lie.

use super::*;
use image::{ImageFormat, Rgba, RgbaImage};
use portamento_test_support::{damaged_json, mutants};
use serde_json::{Value, json};

/// Returns a description as Aseprite and TexturePacker write it, of four frames of 8 × 6 pixels with two tags.
fn description() -> Value {
    let frame = |index: usize| {
        json!({
            "filename": format!("hero {index}.png"),
            "frame": { "x": 8 * index, "y": 0, "w": 8, "h": 6 },
            "rotated": false,
            "trimmed": true,
            "spriteSourceSize": { "x": 1, "y": 2, "w": 8, "h": 6 },
            "sourceSize": { "w": 12, "h": 10 },
            "duration": 100,
        })
    };
    json!({
        "frames": (0..4).map(frame).collect::<Vec<_>>(),
        "meta": {
            "image": "sheet.png",
            "size": { "w": 32, "h": 6 },
            "frameTags": [
                { "name": "idle", "from": 0, "to": 1, "direction": "pingpong" },
                { "name": "walk", "from": 2, "to": 3, "direction": "forward" },
            ],
        },
    })
}

#[test]
fn no_description_of_a_sheet_with_damaged_structure_panics_or_hangs() {
    let folder = TempDir::new().unwrap();
    let picture = RgbaImage::from_pixel(32, 6, Rgba([9, 50, 90, 255]));
    picture.save_with_format(folder.path().join("sheet.png"), ImageFormat::Png).unwrap();
    let path = folder.path().join("sheet.json");
    let seed = description().to_string();
    std::fs::write(&path, &seed).unwrap();
    opened(&path).unwrap();
    let (count, mut accepted) = (mutants(400), 0);
    for number in 0..count {
        std::fs::write(&path, damaged_json(seed.as_bytes(), &mut SplitMix64::new(spread(number)))).unwrap();
        let begun = Clock::now();
        accepted += u64::from(opened(&path).is_ok());
        assert!(begun.elapsed().as_secs() < 5, "{number} took {:?}", begun.elapsed());
    }
    println!("{accepted} of {count} opened");
    assert!(accepted > 0 && accepted < count, "{accepted} of {count}");
}
