//! Tests of root motion.

use super::*;

#[test]
fn root_motion_is_transferred_to_the_root() {
    let hero = Figure::open("hero").unwrap();
    let (root, clip) = (hero.roles.root_motion.unwrap(), hero.clip("run"));
    let built = put_on(&hero, clip, &hero, &Settings::default());
    let travel = |clip: &Clip| {
        let ends = path(&hero.model.skeleton, clip, root, &[0.0, clip.duration]);
        ends[1] - ends[0]
    };
    let (expected, actual) = (travel(clip), travel(&built.clip));
    assert!(expected.length() > 0.5 && expected.distance(actual) < 0.01 * expected.length(), "{expected} {actual}");
}
