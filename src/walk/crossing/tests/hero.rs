//! The sample character with its clips, whose edges and frames are those of the sample's construction.

use portamento_anim::foot_shape::{SolePart, body_points};
use portamento_anim::rig::chains::{Chain, chains};
use portamento_anim::{Clip, RootMotion};
use portamento_base::progress::Progress;
use portamento_test_support::Figure;

use crate::crossing::{
    BuildError, Built, CrossingClip, CrossingKind, Input, Moments, Place, Settings, Shape, Support, build, cross,
};

/// Frames per second of the clips.
const FPS: f64 = 30.0;

/// A character whose clips are crossed.
pub struct Hero {
    figure: Figure,
    limbs: Vec<Chain>,
    mesh_joints: Vec<bool>,
    body: Vec<SolePart>,
}

impl Hero {
    pub fn open(name: &str) -> Option<Self> {
        let figure = Figure::open(name)?;
        let (limbs, body) = (chains(&figure.model, &figure.roles), body_points(&figure.model, &figure.roles));
        Some(Self { mesh_joints: figure.model.mesh_joints(), figure, limbs, body })
    }

    pub fn clip(&self, name: &str) -> &Clip {
        self.figure.model.clip(name).unwrap()
    }

    pub fn input<'a>(&'a self, clip: &'a Clip) -> Input<'a> {
        let skeleton = &self.figure.model.skeleton;
        Input {
            skeleton,
            clip,
            roles: &self.figure.roles,
            limbs: &self.limbs,
            root: RootMotion::find(skeleton, clip, &self.figure.roles).unwrap(),
            fps: FPS,
            metres_per_unit: self.figure.metres_per_unit,
            mesh_joints: &self.mesh_joints,
            body: &self.body,
        }
    }

    fn recognised(&self, name: &str) -> CrossingClip {
        CrossingClip::recognise(&self.input(self.clip(name)), &Moments::default(), None).unwrap()
    }

    fn fitted(&self, name: &str, settings: &Settings) -> Result<Built, BuildError> {
        cross(&self.input(self.clip(name)), settings, None, &Progress::new()).unwrap().fitted
    }
}

/// Half of a key and a frame, seconds.
const TOLERANCE: f64 = 1.6 / FPS;

fn is_near(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance
}

#[test]
fn the_moments_and_edges_of_the_sample_are_found() {
    let hero = Hero::open("hero").unwrap();
    let vault = hero.recognised("vault");
    assert_eq!(vault.kind, CrossingKind::Vault);
    for (found, frame) in vault.moments.iter().zip([16.0, 21.0, 26.0, 37.0]) {
        assert!(is_near(*found, frame / FPS, TOLERANCE), "{:?}", vault.moments);
    }
    assert!(is_near(vault.obstacle.near[0].y, 1.0, 0.03), "{:?}", vault.obstacle);
    assert!(is_near(vault.obstacle.near[0].z, 3.26, 0.15), "{:?}", vault.obstacle);
    assert!(vault.obstacle.far.unwrap()[0].z >= 3.66 - 0.1, "{:?}", vault.obstacle);
    let mantle = hero.recognised("mantle");
    assert_eq!(mantle.kind, CrossingKind::Mantle);
    assert!(is_near(mantle.moments[1], 14.0 / FPS, TOLERANCE), "{:?}", mantle.moments);
    assert!(is_near(mantle.obstacle.near[0].y, 1.0, 0.03) && is_near(mantle.obstacle.landing.y, 1.0, 0.03));
    let jump = hero.recognised("jump");
    assert_eq!(jump.kind, CrossingKind::JumpAcross);
    assert!(is_near(jump.moments[0], 16.0 / FPS, TOLERANCE) && is_near(jump.moments[3], 30.0 / FPS, TOLERANCE));
    let drop = hero.recognised("drop");
    assert_eq!(drop.kind, CrossingKind::DropDown);
    assert!(is_near(drop.obstacle.landing.y - drop.obstacle.start.y, -1.2, 0.03), "{:?}", drop.obstacle);
    assert!(is_near(drop.moments[0], 18.0 / FPS, TOLERANCE) && is_near(drop.moments[3], 32.0 / FPS, TOLERANCE));
    let run = CrossingClip::recognise(&hero.input(hero.clip("run")), &Moments::default(), None);
    assert!(matches!(run, Err(BuildError::NoCrossing { .. })), "{run:?}");
}

#[test]
fn the_sample_crosses_higher_walls_wider_gaps_and_deeper_ledges() {
    let hero = Hero::open("hero").unwrap();
    let wall = |height| Settings { shape: Shape::Box, height, depth: 0.4, ..Settings::default() };
    let gap = |width, rise| Settings { shape: Shape::Gap, depth: width, rise, ..Settings::default() };
    let cases = [
        ("vault", wall(0.9)),
        ("vault", wall(1.1)),
        ("mantle", wall(0.9)),
        ("mantle", wall(1.1)),
        ("jump", gap(2.4, None)),
        ("jump", gap(2.0, Some(-0.3))),
        ("drop", gap(1.0, Some(-1.0))),
        ("drop", gap(1.0, Some(-1.6))),
    ];
    for (name, settings) in cases {
        let built = hero.fitted(name, &settings);
        let report = built.as_ref().map(|built| &built.report);
        let report = report.unwrap_or_else(|error| panic!("{name} {settings:?}: {error}"));
        for contact in [&report.edge, &report.landing, &report.standing].into_iter().flatten() {
            assert!(contact.error <= 0.01, "{name}: {contact:?}");
        }
        assert!(report.gravity.is_none_or(|[_, after]| after <= 0.1), "{name}: {report:?}");
        assert_eq!(report.flipped, 0, "{name}: {report:?}");
        assert!(!report.penetrates(), "{name}: {report:?}");
    }
}

#[test]
fn the_sample_on_its_own_obstacle_stays_as_it_is() {
    let hero = Hero::open("hero").unwrap();
    for name in ["vault", "mantle", "jump", "drop"] {
        let (clip, input) = (hero.recognised(name), hero.input(hero.clip(name)));
        let built = build(&input, &clip, &clip.obstacle, false, &Progress::new()).unwrap();
        let mut worst: f64 = 0.0;
        for frame in 0..=(clip.seconds * FPS) as usize {
            let time = frame as f64 / FPS;
            let [own, new] = [input.clip, &built.clip].map(|clip| clip.pose_at(input.skeleton, time));
            for joint in 0..input.skeleton.len() {
                let [own, new] = [&own, &new].map(|pose| pose.world_from_joint(input.skeleton, joint).translation);
                worst = worst.max(own.distance(new));
            }
        }
        // Hands that drift while they hold are pinned to one point.
        let limit = if clip.contacts_on(Support::Obstacle).next().is_some() { 0.01 } else { 1e-4 };
        assert!(worst <= limit, "{name}: {worst}");
    }
}

#[test]
fn a_box_beside_the_path_is_approached_at_an_angle() {
    let hero = Hero::open("hero").unwrap();
    let settings = Settings {
        shape: Shape::Box,
        height: 1.0,
        depth: 0.4,
        place: Place::World,
        position: [0.3, 0.0, 3.5],
        ..Settings::default()
    };
    let built = hero.fitted("vault", &settings).unwrap();
    assert!(built.report.edge.unwrap().error <= 0.01);
}
