//! Resolution of clip names to clips of files and to takes used as clips.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::inputs::Inputs;
use super::{BuiltTake, TakeError};
use crate::document::clip_ref::{referred_take, take_ref};
use crate::document::{Asset, Document, FileId, Library, Loaded, Take, TakeId};
use portamento_anim::Clip;

/// The files and takes in which clip names are looked up.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct NamedClips {
    /// Files in search order.
    pub files: Vec<Asset<Loaded>>,
    /// Takes used as clips.
    pub takes: Vec<TakeClip>,
}

impl NamedClips {
    /// Returns the clip called `name` of the first file that has it, or the clip that `FILE:NAME` names by the file's name without
    /// extension.
    pub fn clip(&self, name: &str) -> Option<(&Asset<Loaded>, &Clip)> {
        let exact = |name: &str| self.files.iter().find_map(|file| Some((file, file.model.clip(name)?)));
        let qualified = || {
            let splits = name.match_indices(':').map(|(at, _)| (&name[..at], &name[at + 1..]));
            splits.rev().find_map(|(title, clip)| {
                let files = self.files.iter().filter(|file| file.model.name == title);
                files.into_iter().find_map(|file| Some((file, file.model.clip(clip)?)))
            })
        };
        exact(name).or_else(qualified)
    }
}

/// A take used as a clip.
#[derive(Clone, Debug)]
pub(super) struct TakeClip {
    /// The name by which settings refer to it: the take's name, made unique among the named clips.
    pub name: String,
    /// The inputs of the take.
    pub inputs: Arc<Inputs>,
    /// The built take. It is set before any take that uses it is built.
    pub built: OnceLock<Arc<BuiltTake>>,
}

impl PartialEq for TakeClip {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && (Arc::ptr_eq(&self.inputs, &other.inputs) || self.inputs == other.inputs)
    }
}

/// Maximum length of a chain of takes that use takes as clips. Tuned; no derivation recorded.
const MAX_TAKE_DEPTH: usize = 32;

/// Resolves clip names to files and takes, recursively.
pub(super) struct Resolver<'a> {
    pub document: &'a Document,
    pub library: &'a Library,
    /// Interned inputs of earlier calls, newest first. Equal inputs become one allocation, so that comparing them is fast.
    interned: &'a mut Vec<Arc<Inputs>>,
    /// The takes on the path to the current one.
    path: Vec<TakeId>,
    known: BTreeMap<TakeId, Arc<Inputs>>,
}

/// Maximum number of interned inputs. Tuned; no derivation recorded.
const MAX_INTERNED: usize = 256;

impl<'a> Resolver<'a> {
    /// Creates a resolver without known takes.
    pub fn new(document: &'a Document, library: &'a Library, interned: &'a mut Vec<Arc<Inputs>>) -> Self {
        Self { document, library, interned, path: Vec::new(), known: BTreeMap::new() }
    }

    /// Returns the inputs of `take`. Returns `Err` if a file is not loaded, a used take does not exist, or takes form a cycle.
    pub fn inputs(&mut self, take: &Take) -> Result<Inputs, TakeError> {
        if self.path.len() >= MAX_TAKE_DEPTH {
            return Err(TakeError::TooDeep(take.name.clone()));
        }
        self.path.push(take.id);
        let inputs = Inputs::resolve(self, take);
        self.path.pop();
        inputs
    }

    /// Returns the clips that `named` refer to, with `files` and the used takes. `rename` receives each take reference and its
    /// unique name.
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
            let inputs = self.shared_inputs(used)?;
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

    /// Returns the shared inputs of a take used as a clip. Its name is not part of them.
    fn shared_inputs(&mut self, used: &Take) -> Result<Arc<Inputs>, TakeError> {
        if let Some(known) = self.known.get(&used.id) {
            return Ok(known.clone());
        }
        let inputs = Inputs { name: None, ..self.inputs(used)? };
        let at = self.interned.iter().position(|interned| **interned == inputs);
        let shared = at.map_or_else(|| Arc::new(inputs), |at| self.interned.remove(at));
        self.interned.insert(0, shared.clone());
        self.interned.truncate(MAX_INTERNED);
        self.known.insert(used.id, shared.clone());
        Ok(shared)
    }

    /// Returns the error for the cycle from take `id` to itself.
    fn cycle(&self, id: TakeId) -> TakeError {
        let begins = self.path.iter().position(|&each| each == id).unwrap_or(0);
        let cycle_ids = self.path[begins..].iter().chain([&id]);
        let name = |&id: &TakeId| self.document.take(id).map_or_else(String::new, |take| take.name.clone());
        TakeError::Cycle(cycle_ids.map(name).collect())
    }
}
