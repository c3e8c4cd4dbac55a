//! Finds the joints that carry the whole character.

use super::Input;

/// Returns the lowest joint at or above the root-motion joint that has every mesh joint in its subtree. If the mesh is bound to
/// several trees, returns the roots of these trees, which are moved together.
pub fn carriers(input: &Input) -> Vec<usize> {
    let (skeleton, root) = (input.skeleton, input.root.joint);
    let meshed = || (0..skeleton.len()).filter(|&joint| input.mesh_joints.get(joint).is_some_and(|&meshed| meshed));
    let carries_all = |carrier: &usize| meshed().all(|joint| skeleton.is_within(joint, *carrier));
    if let Some(carrier) = skeleton.ancestors(root).find(carries_all) {
        return vec![carrier];
    }
    let tree = |joint: usize| skeleton.ancestors(joint).last().unwrap_or(joint);
    let mut trees: Vec<usize> = meshed().chain([root]).map(tree).collect();
    trees.sort_unstable();
    trees.dedup();
    trees
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_anim::{Clip, Roles, RootKind, RootMotion};
    use portamento_test_support::skeleton_of;

    #[test]
    fn the_lowest_ancestor_of_the_whole_mesh_is_the_carrier() {
        let rows = [
            ("rig", None),
            ("root", Some(0)),
            ("body", Some(1)),
            ("arm", Some(2)),
            ("foot", Some(1)),
            ("hat", None),
            ("camera", None),
        ];
        let skeleton = skeleton_of(&rows);
        let (clip, roles) = (Clip::default(), Roles::default());
        let carriers_of = |joint: usize, meshed: &[usize]| {
            let mesh_joints: Vec<bool> = (0..rows.len()).map(|joint| meshed.contains(&joint)).collect();
            let root = RootMotion { joint, kind: RootKind::Root };
            let (skeleton, clip, roles, mesh_joints) = (&skeleton, &clip, &roles, &mesh_joints[..]);
            carriers(&Input { skeleton, clip, roles, root, fps: 30.0, metres_per_unit: 1.0, mesh_joints })
        };
        assert_eq!(carriers_of(2, &[]), [2]);
        assert_eq!(carriers_of(2, &[2, 3]), [2]);
        assert_eq!(carriers_of(2, &[3, 4]), [1]);
        assert_eq!(carriers_of(1, &[3, 4]), [1]);
        assert_eq!(carriers_of(2, &[3, 5]), [0, 5]);
    }
}
