//! What carries the character.

use super::*;

#[test]
fn what_the_root_of_the_source_travels_the_root_of_the_character_travels() {
    let hero = Figure::open("hero").unwrap();
    let (root, clip) = (hero.roles.root_motion.unwrap(), hero.clip("run"));
    let built = put_on(&hero, clip, &hero, &Settings::default());
    let way = |clip: &Clip| {
        let ends = path(&hero.model.skeleton, clip, root, &[0.0, clip.duration]);
        ends[1] - ends[0]
    };
    let (was, is) = (way(clip), way(&built.clip));
    assert!(was.length() > 0.5 && was.distance(is) < 0.01 * was.length(), "{was} {is}");
}
