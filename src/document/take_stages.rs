//! Stages of a take.

use super::stage::{Dynamics, Ground, Layer, Loop, Stretch};
use super::{Stage, StageId, StageKind, Take};
use crate::systems::{cleanup, close, mirror, retime, root, trim};

/// Stages of a take. Of several of one kind the one with id `at` is meant, else the first.
impl Take {
    /// Adds a stage at the end and gives its id.
    pub fn add_stage(&mut self, kind: StageKind) -> StageId {
        let id = StageId(self.stages.iter().map(|stage| stage.id.0).max().unwrap_or(0) + 1);
        self.stages.push(Stage::new(id, kind));
        id
    }

    /// The stage of that id.
    pub fn stage(&self, id: StageId) -> Option<&Stage> {
        self.stages.iter().find(|stage| stage.id == id)
    }

    /// The stage of that id, to edit.
    pub fn stage_mut(&mut self, id: StageId) -> Option<&mut Stage> {
        self.stages.iter_mut().find(|stage| stage.id == id)
    }

    /// The take up to and without the stage at `index`.
    pub fn before_stage(&self, index: usize) -> Self {
        Self { stages: self.stages[..index.min(self.stages.len())].to_vec(), ..self.clone() }
    }

    /// The place of stage `id` among those that are built.
    pub fn built_index(&self, id: StageId) -> Option<usize> {
        let mut active = self.stages.iter().filter(|stage| stage.is_active());
        active.position(|stage| stage.id == id)
    }

    /// Whether a stage makes its end run on into its start, or lets bones swing as in a motion that does.
    pub fn repeats(&self) -> bool {
        self.stages.iter().filter(|stage| stage.is_active()).any(|stage| match &stage.kind {
            StageKind::Loop(_) | StageKind::Close(_) => true,
            StageKind::Dynamics(dynamics) => dynamics.looping,
            _ => false,
        })
    }

    /// The layer at hand.
    pub fn layer(&self, at: Option<StageId>) -> Option<&Layer> {
        self.at_hand(at, StageKind::as_layer)
    }

    /// The layer at hand, to edit.
    pub fn layer_mut(&mut self, at: Option<StageId>) -> Option<&mut Layer> {
        self.at_hand_mut(at, StageKind::as_layer_mut)
    }

    /// The stretch at hand.
    pub fn stretch(&self, at: Option<StageId>) -> Option<&Stretch> {
        self.at_hand(at, StageKind::as_stretch)
    }

    /// The stretch at hand, to edit.
    pub fn stretch_mut(&mut self, at: Option<StageId>) -> Option<&mut Stretch> {
        self.at_hand_mut(at, StageKind::as_stretch_mut)
    }

    /// The dynamic bones at hand.
    pub fn dynamics(&self, at: Option<StageId>) -> Option<&Dynamics> {
        self.at_hand(at, StageKind::as_dynamics)
    }

    /// The dynamic bones at hand, to edit.
    pub fn dynamics_mut(&mut self, at: Option<StageId>) -> Option<&mut Dynamics> {
        self.at_hand_mut(at, StageKind::as_dynamics_mut)
    }

    /// The stage of the dynamic bones at hand.
    pub fn dynamics_stage(&self, at: Option<StageId>) -> Option<&Stage> {
        self.stages.get(self.place_at_hand(at, |kind| kind.as_dynamics().is_some())?)
    }

    /// The stage of the dynamic bones at hand, to edit.
    pub fn dynamics_stage_mut(&mut self, at: Option<StageId>) -> Option<&mut Stage> {
        let place = self.place_at_hand(at, |kind| kind.as_dynamics().is_some())?;
        self.stages.get_mut(place)
    }

    /// The loop at hand.
    pub fn looped(&self, at: Option<StageId>) -> Option<&Loop> {
        self.at_hand(at, StageKind::as_loop)
    }

    /// The loop at hand, to edit.
    pub fn looped_mut(&mut self, at: Option<StageId>) -> Option<&mut Loop> {
        self.at_hand_mut(at, StageKind::as_loop_mut)
    }

    /// What is cleaned up at hand, to edit.
    pub fn cleanup_mut(&mut self, at: Option<StageId>) -> Option<&mut cleanup::Settings> {
        self.at_hand_mut(at, |kind| if let StageKind::Cleanup(cleanup) = kind { Some(&mut **cleanup) } else { None })
    }

    /// The close at hand, to edit.
    pub fn close_mut(&mut self, at: Option<StageId>) -> Option<&mut close::Settings> {
        self.at_hand_mut(at, |kind| if let StageKind::Close(close) = kind { Some(&mut **close) } else { None })
    }

    /// The retime at hand, to edit.
    pub fn retime_mut(&mut self, at: Option<StageId>) -> Option<&mut retime::Settings> {
        self.at_hand_mut(at, |kind| if let StageKind::Retime(retime) = kind { Some(&mut **retime) } else { None })
    }

    /// The trim at hand, to edit.
    pub fn trim_mut(&mut self, at: Option<StageId>) -> Option<&mut trim::Settings> {
        self.at_hand_mut(at, |kind| if let StageKind::Trim(trim) = kind { Some(&mut **trim) } else { None })
    }

    /// The ground at hand, to edit.
    pub fn ground_mut(&mut self, at: Option<StageId>) -> Option<&mut Ground> {
        self.at_hand_mut(at, |kind| if let StageKind::Ground(ground) = kind { Some(&mut **ground) } else { None })
    }

    /// The mirror at hand, to edit.
    pub fn mirror_mut(&mut self, at: Option<StageId>) -> Option<&mut mirror::Settings> {
        self.at_hand_mut(at, |kind| if let StageKind::Mirror(mirror) = kind { Some(&mut **mirror) } else { None })
    }

    /// The root stage at hand, to edit.
    pub fn root_mut(&mut self, at: Option<StageId>) -> Option<&mut root::Settings> {
        self.at_hand_mut(at, |kind| if let StageKind::Root(root) = kind { Some(&mut **root) } else { None })
    }

    /// The place of the stage `at`, if it is one `is_meant`, else of the first that is.
    fn place_at_hand(&self, at: Option<StageId>, is_meant: impl Fn(&StageKind) -> bool) -> Option<usize> {
        let chosen = self.stages.iter().position(|stage| Some(stage.id) == at && is_meant(&stage.kind));
        chosen.or_else(|| self.stages.iter().position(|stage| is_meant(&stage.kind)))
    }

    fn at_hand<'t, T>(&'t self, at: Option<StageId>, kind: fn(&'t StageKind) -> Option<&'t T>) -> Option<&'t T> {
        let chosen = at.and_then(|id| self.stage(id)).and_then(|stage| kind(&stage.kind));
        chosen.or_else(|| self.stages.iter().find_map(|stage| kind(&stage.kind)))
    }

    fn at_hand_mut<T>(&mut self, at: Option<StageId>, kind: fn(&mut StageKind) -> Option<&mut T>) -> Option<&mut T> {
        let is_chosen = |stage: &mut Stage| Some(stage.id) == at && kind(&mut stage.kind).is_some();
        let chosen = self.stages.iter_mut().position(is_chosen);
        let first = || self.stages.iter_mut().position(|stage| kind(&mut stage.kind).is_some());
        let index = chosen.or_else(first)?;
        kind(&mut self.stages[index].kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{FileId, TakeId, TakeSource};
    use crate::systems::dynamics;

    fn take(kinds: Vec<StageKind>) -> Take {
        let source = TakeSource::Clip { file: FileId(1), clip: "run".into() };
        Take { id: TakeId(2), name: "run".into(), character: FileId(1), source, stages: Stage::numbered(kinds) }
    }

    fn trim() -> StageKind {
        StageKind::Trim(Box::default())
    }

    fn close() -> StageKind {
        StageKind::Close(Box::default())
    }

    #[test]
    fn a_new_stage_stands_last_under_an_id_that_no_other_has() {
        let mut take = take(vec![trim(), close(), trim()]);
        let [first, second, third] = [0, 1, 2].map(|index| take.stages[index].id);
        take.stages.remove(1);
        let added = take.add_stage(close());
        assert!(added != first && added != third && take.stages[2].id == added && take.stages[2].on);
        assert!(take.stage(second).is_none() || second == added);
        take.stage_mut(third).unwrap().on = false;
        assert!(!take.stage(third).unwrap().on && take.stage(StageId(99)).is_none());
    }

    #[test]
    fn of_several_stages_of_a_kind_the_named_one_is_at_hand_else_the_first() {
        let mut take = take(vec![close(), trim(), trim()]);
        let [other, first, second] = [0, 1, 2].map(|index| take.stages[index].id);
        take.trim_mut(Some(second)).unwrap().from = 0.5;
        let start = |take: &mut Take, at| take.trim_mut(at).map(|trim| trim.from);
        let usual = trim::Settings::default().from;
        assert_eq!(
            [None, Some(first), Some(other), Some(StageId(99))].map(|at| start(&mut take, at)),
            [Some(usual); 4]
        );
        assert_eq!(start(&mut take, Some(second)), Some(0.5));
        assert!(take.retime_mut(None).is_none() && take.stretch(Some(first)).is_none());
    }

    #[test]
    fn bones_that_swing_in_a_cycle_say_that_the_motion_is_one() {
        let settings = dynamics::Settings { chains: vec![dynamics::Chain::default()], ..Default::default() };
        let swings = |looping| {
            let dynamics = Dynamics { settings: settings.clone(), looping, ..Dynamics::default() };
            vec![StageKind::Dynamics(Box::new(dynamics))]
        };
        assert!(take(swings(true)).repeats() && !take(swings(false)).repeats());
    }

    #[test]
    fn muted_stages_are_neither_built_nor_do_they_make_a_motion_repeat() {
        let mut take = take(vec![trim(), close(), trim()]);
        let [first, closing, last] = [0, 1, 2].map(|index| take.stages[index].id);
        assert!(take.repeats());
        assert_eq!([first, closing, last].map(|id| take.built_index(id)), [Some(0), Some(1), Some(2)]);
        take.stage_mut(closing).unwrap().on = false;
        assert!(!take.repeats());
        assert_eq!([first, closing, last].map(|id| take.built_index(id)), [Some(0), None, Some(1)]);
        let ids = |take: Take| take.stages.iter().map(|stage| stage.id).collect::<Vec<_>>();
        assert_eq!([0, 2, 9].map(|index| ids(take.before_stage(index)).len()), [0, 2, 3]);
        assert_eq!(ids(take.before_stage(2)), [first, closing]);
    }
}
