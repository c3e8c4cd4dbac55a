//! Everything a built take depends on.

use std::sync::LazyLock;

use super::TakeError;
use super::walk_source::WalkStage;
use crate::anim::Roles;
use crate::document::take::{Dynamics, Vertices};
use crate::document::{Asset, Document, FileId, Library, Loaded, Modifier, SceneObject, Take, TakeSource};
use crate::systems::cloth::ClothShape;

/// Everything a built take depends on; equal inputs give the same bits.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Inputs {
    /// What plays before any modifier.
    pub source: TakeSource,
    /// Applied in order.
    pub modifiers: Vec<Modifier>,
    /// The name of the result; `None` leaves it that of the source.
    pub name: Option<String>,
    /// The character's file.
    pub character: Asset<Loaded>,
    /// The files that may hold the source's clips, in the order they are searched.
    pub clip_files: Vec<Asset<Loaded>>,
    /// The character's joints by role.
    pub roles: Roles,
    /// Length of the file's unit.
    pub metres_per_unit: f64,
    /// How much of a walk is built; of no meaning for other sources.
    pub part: WalkStage,
    /// Length of the unit of a walk's level.
    pub level_unit: f64,
    /// Scene objects, where a modifier aims at one.
    pub objects: Vec<SceneObject>,
}

impl Inputs {
    pub fn of(document: &Document, library: &Library, take: &Take) -> Result<Self, TakeError> {
        let loaded = |id: FileId| library.get(id).cloned().ok_or_else(|| TakeError::NotLoaded(take.name.clone()));
        let clip_files = match &take.source {
            TakeSource::Clip { file, .. } => vec![loaded(*file)?],
            TakeSource::Scenario(blend) => {
                let ids = [take.character].into_iter().chain(blend.files.iter().copied());
                ids.map(loaded).collect::<Result<_, _>>()?
            }
            TakeSource::Vertices(Vertices { file, mesh, .. }) => {
                [*file].into_iter().chain(*mesh).map(loaded).collect::<Result<_, _>>()?
            }
            TakeSource::Images { file, .. } => vec![loaded(*file)?],
            TakeSource::Cloth(cloth) if cloth.shape == ClothShape::Mesh => vec![loaded(take.character)?],
            TakeSource::Cloth(_) => Vec::new(),
            TakeSource::Walk(walk) => vec![loaded(walk.level)?],
        };
        let (character, unit_of) = match (&take.source, clip_files.first()) {
            (TakeSource::Vertices(_) | TakeSource::Images { .. }, Some(file)) => (file.clone(), take.source.file()),
            (TakeSource::Cloth(_), Some(file)) => (file.clone(), Some(take.character)),
            (TakeSource::Cloth(_), None) => (NOBODY.clone(), None),
            (TakeSource::Walk(_), _) if document.file(take.character).is_none() => (NOBODY.clone(), None),
            _ => (loaded(take.character)?, Some(take.character)),
        };
        let roles = unit_of.and_then(|id| document.character(id));
        let roles = roles.map(|known| known.roles.fitting(&character.model.skeleton)).unwrap_or_default();
        let unit =
            |file: Option<FileId>| file.and_then(|id| document.file(id)).map_or(1.0, |file| file.metres_per_unit);
        Ok(Self {
            source: heard(&take.source),
            modifiers: take.modifiers.iter().filter_map(at_work).collect(),
            name: Some(take.name.clone()),
            character,
            clip_files,
            roles,
            metres_per_unit: unit(unit_of),
            part: WalkStage::Steps,
            level_unit: unit(take.walk().map(|walk| walk.level)),
            objects: if aims(&take.modifiers) { document.objects.clone() } else { Vec::new() },
        })
    }

    /// The same without its last step: the name, then one modifier after the other; `None` for a bare source.
    pub fn before(&self) -> Option<Self> {
        let mut before = self.clone();
        if before.name.take().is_some() {
            return Some(before);
        }
        if before.modifiers.pop().is_none() {
            return self.without_part();
        }
        if !aims(&before.modifiers) {
            before.objects.clear();
        }
        Some(before)
    }
}

impl Inputs {
    /// A walk without its last part.
    fn without_part(&self) -> Option<Self> {
        let TakeSource::Walk(walk) = &self.source else { return None };
        let part = self.part.before()?;
        Some(Self {
            source: TakeSource::Walk(Box::new(part.of(walk))),
            part,
            character: NOBODY.clone(),
            roles: Roles::default(),
            metres_per_unit: 1.0,
            ..self.clone()
        })
    }
}

/// The character of takes that have none: always the same, so that their inputs can be equal.
static NOBODY: LazyLock<Asset<Loaded>> = LazyLock::new(|| Asset::new(Loaded::default()));

/// The modifier as it counts; `None` where no joint is simulated.
fn at_work(modifier: &Modifier) -> Option<Modifier> {
    let Modifier::Dynamics(dynamics) = modifier else { return Some(modifier.clone()) };
    let settings = dynamics.active_settings();
    let simulates = !settings.chains.is_empty();
    simulates.then(|| Modifier::Dynamics(Box::new(Dynamics { settings, ..Dynamics::clone(dynamics) })))
}

/// Where nodes stand in the graph changes nothing, nor do the names of routes.
fn heard(source: &TakeSource) -> TakeSource {
    let mut source = source.clone();
    match &mut source {
        TakeSource::Scenario(blend) => blend.layout.clear(),
        TakeSource::Walk(walk) => **walk = WalkStage::Steps.of(walk),
        _ => {}
    }
    source
}

fn aims(modifiers: &[Modifier]) -> bool {
    modifiers.iter().filter_map(Modifier::as_stretch).any(|stretch| stretch.aim_at.is_some())
}
