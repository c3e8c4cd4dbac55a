//! Clips by name: of files, and takes that stand where a clip is named.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::inputs::Inputs;
use super::{BuiltTake, TakeError};
use crate::document::clip_ref::{referred_take, take_ref};
use crate::document::{Asset, Document, FileId, Library, Loaded, Take, TakeId};

/// Where clips are found by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct NamedClips {
    /// Files that may hold them, in the order they are searched.
    pub files: Vec<Asset<Loaded>>,
    /// Takes that stand for clips.
    pub takes: Vec<TakeClip>,
}

/// A take that stands for a clip.
#[derive(Clone, Debug)]
pub(super) struct TakeClip {
    /// The name by which settings mean it here: that of the take, apart from all clips named beside it.
    pub name: String,
    /// What it depends on.
    pub inputs: Arc<Inputs>,
    /// The take itself, once it is there; before any of its users is built.
    pub built: OnceLock<Arc<BuiltTake>>,
}

impl PartialEq for TakeClip {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && (Arc::ptr_eq(&self.inputs, &other.inputs) || self.inputs == other.inputs)
    }
}

/// Takes may be made from takes so many times over.
const DEEPEST: usize = 32;

/// Follows names to files and takes, through takes that are made from takes.
pub(super) struct Resolver<'a> {
    pub document: &'a Document,
    pub library: &'a Library,
    /// Inputs met in earlier calls, newest first. Equal ones become one, so that comparing them ends at once.
    met: &'a mut Vec<Arc<Inputs>>,
    /// The takes on the way to the one at hand.
    path: Vec<TakeId>,
    known: BTreeMap<TakeId, Arc<Inputs>>,
}

/// Inputs kept to be shared.
const MET: usize = 256;

impl<'a> Resolver<'a> {
    /// Starts with nothing known.
    pub fn new(document: &'a Document, library: &'a Library, met: &'a mut Vec<Arc<Inputs>>) -> Self {
        Self { document, library, met, path: Vec::new(), known: BTreeMap::new() }
    }

    /// What `take` depends on. Errors where a file is not loaded, a take is gone or would be made from itself.
    pub fn inputs(&mut self, take: &Take) -> Result<Inputs, TakeError> {
        if self.path.len() >= DEEPEST {
            return Err(TakeError::TooDeep(take.name.clone()));
        }
        self.path.push(take.id);
        let inputs = Inputs::resolve(self, take);
        self.path.pop();
        inputs
    }

    /// The clips that `named` mean, in `files` and among the takes; `rename` is told what each take is called here.
    pub fn clips(
        &mut self,
        take: &Take,
        named: &[&str],
        files: &[FileId],
        mut rename: impl FnMut(&str, &str),
    ) -> Result<NamedClips, TakeError> {
        let loaded =
            |&id: &FileId| self.library.get(id).cloned().ok_or_else(|| TakeError::NotLoaded(take.name.clone()));
        let files = files.iter().map(loaded).collect::<Result<_, _>>()?;
        let mut ids: Vec<TakeId> = named.iter().filter_map(|name| referred_take(name)).collect();
        ids.sort_unstable();
        ids.dedup();
        let mut takes: Vec<TakeClip> = Vec::new();
        for id in ids {
            let used = self.document.take(id).ok_or_else(|| TakeError::NoTake(take.name.clone()))?;
            if self.path.contains(&id) {
                return Err(self.cycle(id));
            }
            let inputs = self.of_used(used)?;
            let is_taken = |name: &String| {
                named.contains(&name.as_str()) || takes.iter().any(|other: &TakeClip| other.name == *name)
            };
            let mut names = std::iter::successors(Some(used.name.clone()), |name| Some(format!("{name} (take)")));
            let name = names.find(|name| !is_taken(name)).unwrap_or_default();
            rename(&take_ref(id), &name);
            takes.push(TakeClip { name, inputs, built: OnceLock::new() });
        }
        Ok(NamedClips { files, takes })
    }

    /// The inputs of a take that another one uses; its name does not matter.
    fn of_used(&mut self, used: &Take) -> Result<Arc<Inputs>, TakeError> {
        if let Some(known) = self.known.get(&used.id) {
            return Ok(known.clone());
        }
        let inputs = Inputs { name: None, ..self.inputs(used)? };
        let at = self.met.iter().position(|met| **met == inputs);
        let shared = at.map_or_else(|| Arc::new(inputs), |at| self.met.remove(at));
        self.met.insert(0, shared.clone());
        self.met.truncate(MET);
        self.known.insert(used.id, shared.clone());
        Ok(shared)
    }

    /// The way round from take `id` to itself.
    fn cycle(&self, id: TakeId) -> TakeError {
        let begins = self.path.iter().position(|&each| each == id).unwrap_or(0);
        let round = self.path[begins..].iter().chain([&id]);
        let name = |&id: &TakeId| self.document.take(id).map_or_else(String::new, |take| take.name.clone());
        TakeError::Cycle(round.map(name).collect())
    }
}
