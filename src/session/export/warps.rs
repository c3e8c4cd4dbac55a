//! Windows of an exported clip in which engines move its root, so that it crosses another obstacle.

use super::level::crossings::kind_name;
use super::plan::OutputClip;
use portamento_anim::root_motion::world_at;
use portamento_formats::export::markers::WarpWindow;
use portamento_takes::evaluate::StageResult;
use portamento_walk::crossing::{Built, Obstacle};
use portamento_walk::locomotion::CrossingReport;
use portamento_walk::navigation::RouteCrossing;

/// Returns the windows between the contacts of each crossing: to the near edge, over the far edge, to the landing. Empty if later
/// stages change the times or the places.
pub(super) fn warps(output: &OutputClip) -> Vec<WarpWindow> {
    let OutputClip { built, clip, time_scale, .. } = output;
    let Some(root) = built.root else { return Vec::new() };
    let root_at = |time: f64| {
        world_at(&built.character.model.skeleton, clip, root.joint, time).translation * built.metres_per_unit
    };
    let mut windows = Vec::new();
    for (number, passage) in passages(output).into_iter().enumerate() {
        let kind = kind_name(passage.obstacle.kind);
        let name =
            |point: &str| if number == 0 { format!("{kind}_{point}") } else { format!("{kind}_{number}_{point}") };
        let [near, far] = passage.obstacle.passed();
        let [_, at_near, at_far, lands] = passage.moments;
        let ends = [("near", at_near, near), ("far", at_far, far), ("landing", lands, Some(passage.obstacle.landing))];
        let mut from = passage.begins;
        for (point, until, target) in ends {
            let Some(target) = target.filter(|_| until > from && until * time_scale <= clip.duration) else { continue };
            let [time, end] = [from, until].map(|time| time * time_scale);
            windows.push(WarpWindow { name: name(point), time, until: end, point: target, root: root_at(end) });
            from = until;
        }
    }
    windows
}

/// A crossing with its times, seconds.
struct Passage {
    obstacle: Obstacle,
    begins: f64,
    /// Take-off, near edge, far edge, landing.
    moments: [f64; 4],
}

/// Returns the crossings of a walk without stages, or that of a cross stage at the end, in order of time.
fn passages(output: &OutputClip) -> Vec<Passage> {
    let OutputClip { built, walk: settings, .. } = output;
    let last = built.stages.last().filter(|stage| stage.undone.is_none()).map(|stage| &stage.result);
    if let Some(StageResult::Cross(crossed)) = last {
        let of = |fitted: &Built| Passage { obstacle: crossed.obstacle, begins: 0.0, moments: fitted.report.moments };
        return crossed.fitted.as_ref().ok().map(of).into_iter().collect();
    }
    let walked = built.walked.as_ref().filter(|_| built.stages.is_empty());
    let parts = walked.and_then(|walked| Some((walked.walk.as_ref()?, walked.routes.as_ref()?, settings.as_ref()?)));
    let Some((walk, routes, settings)) = parts else { return Vec::new() };
    let links = routes.of_seed(settings.seed).into_iter().flat_map(|variant| &variant.route.crossings);
    let of = |(report, crossing): (&CrossingReport, &RouteCrossing)| {
        let obstacle = routes.links.get(crossing.link as usize)?.obstacle;
        Some(Passage { obstacle, begins: report.begins, moments: report.moments() })
    };
    walk.report.crossings.iter().zip(links).filter_map(of).collect()
}
