//! Access to the stages of a take.

use super::stage::{Dynamics, Layer, Loop, StageSettings, Stretch};
use super::{Stage, StageId, StageKind, Take};

/// Access to stages. Methods with a parameter `at` return the stage with that id, or else the first stage of the requested kind.
impl Take {
    /// Appends a stage and returns its id.
    pub fn add_stage(&mut self, kind: StageKind) -> StageId {
        let id = StageId(self.stages.iter().map(|stage| stage.id.0).max().unwrap_or(0) + 1);
        self.stages.push(Stage::new(id, kind));
        id
    }

    /// Returns the stage with this id.
    pub fn stage(&self, id: StageId) -> Option<&Stage> {
        self.stages.iter().find(|stage| stage.id == id)
    }

    /// Returns the stage with this id, mutably.
    pub fn stage_mut(&mut self, id: StageId) -> Option<&mut Stage> {
        self.stages.iter_mut().find(|stage| stage.id == id)
    }

    /// Returns a copy of the take with only the stages before `index`.
    pub fn before_stage(&self, index: usize) -> Self {
        Self { stages: self.stages[..index.min(self.stages.len())].to_vec(), ..self.clone() }
    }

    /// Returns the index of stage `id` among the active stages. `None` if it is muted or does not exist.
    pub fn built_index(&self, id: StageId) -> Option<usize> {
        let mut active = self.stages.iter().filter(|stage| stage.is_active());
        active.position(|stage| stage.id == id)
    }

    /// True if a stage makes the motion loop, or if a dynamics stage requires a looping motion.
    pub fn repeats(&self) -> bool {
        self.stages.iter().filter(|stage| stage.is_active()).any(|stage| match &stage.kind {
            StageKind::Loop(_) | StageKind::Close(_) => true,
            StageKind::Dynamics(dynamics) => dynamics.looping,
            _ => false,
        })
    }

    /// True if a stage fits the motion to an obstacle.
    pub fn crosses(&self) -> bool {
        self.stages.iter().any(|stage| stage.is_active() && matches!(stage.kind, StageKind::Cross(_)))
    }

    /// True if the motion is only a difference, which is added to another one. Its poses stand nowhere.
    pub fn is_difference(&self) -> bool {
        self.stages.iter().any(|stage| stage.is_active() && matches!(stage.kind, StageKind::Additive(_)))
    }

    /// Returns the selected layer, or the first one.
    pub fn layer(&self, at: Option<StageId>) -> Option<&Layer> {
        self.settings(at)
    }

    /// Returns the selected layer, or the first one, mutably.
    pub fn layer_mut(&mut self, at: Option<StageId>) -> Option<&mut Layer> {
        self.settings_mut(at)
    }

    /// Returns the selected stretch, or the first one.
    pub fn stretch(&self, at: Option<StageId>) -> Option<&Stretch> {
        self.settings(at)
    }

    /// Returns the selected stretch, or the first one, mutably.
    pub fn stretch_mut(&mut self, at: Option<StageId>) -> Option<&mut Stretch> {
        self.settings_mut(at)
    }

    /// Returns the selected dynamic bones, or the first ones.
    pub fn dynamics(&self, at: Option<StageId>) -> Option<&Dynamics> {
        self.settings(at)
    }

    /// Returns the selected dynamic bones, or the first ones, mutably.
    pub fn dynamics_mut(&mut self, at: Option<StageId>) -> Option<&mut Dynamics> {
        self.settings_mut(at)
    }

    /// Returns the stage of the selected dynamic bones, or of the first ones.
    pub fn dynamics_stage(&self, at: Option<StageId>) -> Option<&Stage> {
        self.stages.get(self.index_of_selected_or_first::<Dynamics>(at)?)
    }

    /// Returns the stage of the selected dynamic bones, or of the first ones, mutably.
    pub fn dynamics_stage_mut(&mut self, at: Option<StageId>) -> Option<&mut Stage> {
        let index = self.index_of_selected_or_first::<Dynamics>(at)?;
        self.stages.get_mut(index)
    }

    /// Returns the selected loop, or the first one.
    pub fn looped(&self, at: Option<StageId>) -> Option<&Loop> {
        self.settings(at)
    }

    /// Returns the selected loop, or the first one, mutably.
    pub fn looped_mut(&mut self, at: Option<StageId>) -> Option<&mut Loop> {
        self.settings_mut(at)
    }

    /// Returns the settings of the selected stage of this kind, or of the first one.
    pub fn settings<S: StageSettings>(&self, at: Option<StageId>) -> Option<&S> {
        S::of(&self.stages[self.index_of_selected_or_first::<S>(at)?].kind)
    }

    /// Returns the settings of the selected stage of this kind, or of the first one, mutably.
    pub fn settings_mut<S: StageSettings>(&mut self, at: Option<StageId>) -> Option<&mut S> {
        let index = self.index_of_selected_or_first::<S>(at)?;
        S::of_mut(&mut self.stages[index].kind)
    }

    /// Returns the index of the stage `at` if it has settings of this type, else of the first stage that has.
    fn index_of_selected_or_first<S: StageSettings>(&self, at: Option<StageId>) -> Option<usize> {
        let is_of_kind = |stage: &Stage| S::of(&stage.kind).is_some();
        let chosen = self.stages.iter().position(|stage| Some(stage.id) == at && is_of_kind(stage));
        chosen.or_else(|| self.stages.iter().position(is_of_kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{FileId, TakeId, TakeSource};
    use portamento_dynamics as dynamics;
    use portamento_stretch::{retime, trim};

    fn take(kinds: Vec<StageKind>) -> Take {
        let source = TakeSource::Clip { file: FileId(1), clip: "run".into() };
        Take {
            id: TakeId(2),
            name: "run".into(),
            character: FileId(1),
            source,
            stages: Stage::numbered(kinds),
            loops: None,
        }
    }

    fn trim() -> StageKind {
        StageKind::Trim(Box::default())
    }

    fn close() -> StageKind {
        StageKind::Close(Box::default())
    }

    #[test]
    fn a_new_stage_is_last_and_has_a_unique_id() {
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
    fn the_selected_stage_of_a_kind_is_returned_else_the_first() {
        let mut take = take(vec![close(), trim(), trim()]);
        let [other, first, second] = [0, 1, 2].map(|index| take.stages[index].id);
        take.settings_mut::<trim::Settings>(Some(second)).unwrap().from = 0.5;
        let start = |take: &Take, at| take.settings::<trim::Settings>(at).map(|trim| trim.from);
        let usual = trim::Settings::default().from;
        assert_eq!([None, Some(first), Some(other), Some(StageId(99))].map(|at| start(&take, at)), [Some(usual); 4]);
        assert_eq!(start(&take, Some(second)), Some(0.5));
        assert!(take.settings::<retime::Settings>(None).is_none() && take.stretch(Some(first)).is_none());
    }

    #[test]
    fn looping_dynamics_mark_the_motion_as_looping() {
        let settings = dynamics::Settings { chains: vec![dynamics::Chain::default()], ..Default::default() };
        let with_dynamics = |looping| {
            let dynamics = Dynamics { settings: settings.clone(), looping, ..Dynamics::default() };
            vec![StageKind::Dynamics(Box::new(dynamics))]
        };
        assert!(take(with_dynamics(true)).repeats() && !take(with_dynamics(false)).repeats());
    }

    #[test]
    fn an_active_cross_stage_marks_the_motion_as_one_that_goes_on() {
        let mut take = take(vec![StageKind::Cross(Box::default())]);
        assert!(take.crosses());
        take.stages[0].on = false;
        assert!(!take.crosses());
    }

    #[test]
    fn muted_stages_are_not_built_and_do_not_mark_the_motion_as_looping() {
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
