//! Resolution of clip names to clips of files and to takes used as clips.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::inputs::{Inputs, SourceRig, WalkStage};
use super::other_rig::{Rig, RigAnswers};
use super::{BuiltTake, TakeError};
use crate::document::clip_ref::{referred_take, take_ref};
use crate::document::{Asset, Document, FileId, Library, Loaded, Retarget, SourceFile, Take, TakeId, TakeSource};
use portamento_anim::Clip;
use portamento_anim::rest_match::RestBody;

/// The files and takes in which clip names are looked up.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct NamedClips {
    /// Files in search order.
    pub files: Vec<Asset<Loaded>>,
    /// Metres per unit of each file.
    pub metres_per_unit: Vec<f64>,
    /// Takes used as clips, and clips of other bodies, which are retargeted first.
    pub takes: Vec<TakeClip>,
}

impl NamedClips {
    /// Returns the clip called `name` of the first file that has it, or the clip that `FILE:NAME` names by the file's name
    /// without extension; `None` if there is none.
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

    /// Returns the body of `file`. Its unit is a metre if the file is not one of these.
    pub fn body<'a>(&self, file: &'a Asset<Loaded>) -> RestBody<'a> {
        let at = self.files.iter().position(|each| each == file);
        let metres_per_unit = at.and_then(|at| self.metres_per_unit.get(at).copied()).unwrap_or(1.0);
        RestBody { skeleton: &file.model.skeleton, metres_per_unit }
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
    /// Answers about pairs of rigs of earlier calls.
    rigs: &'a mut RigAnswers,
    /// The takes on the path to the current one.
    path: Vec<TakeId>,
    /// The inputs of the takes resolved so far.
    known: BTreeMap<TakeId, Arc<Inputs>>,
}

/// Maximum number of interned inputs. Tuned; no derivation recorded.
const MAX_INTERNED: usize = 256;

impl<'a> Resolver<'a> {
    /// Creates a resolver without known takes.
    pub fn new(
        document: &'a Document,
        library: &'a Library,
        interned: &'a mut Vec<Arc<Inputs>>,
        rigs: &'a mut RigAnswers,
    ) -> Self {
        Self { document, library, interned, rigs, path: Vec::new(), known: BTreeMap::new() }
    }

    /// Returns the inputs of `take`. Returns `Err` if a file is not loaded, a used take does not exist, or takes form a
    /// cycle. Returns `Err` too if the chain of used takes is too long.
    pub fn inputs(&mut self, take: &Take) -> Result<Inputs, TakeError> {
        if self.path.len() >= MAX_TAKE_DEPTH {
            return Err(TakeError::TooDeep(take.name.clone()));
        }
        self.path.push(take.id);
        let inputs = Inputs::resolve(self, take);
        self.path.pop();
        inputs
    }

    /// Returns the error for a take whose file `id` is not loaded.
    pub fn not_loaded(&self, take: &Take, id: FileId) -> TakeError {
        let name = |file: &SourceFile| file.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match self.document.removed_file(id) {
            Some(file) => TakeError::FileRemoved(take.name.clone(), name(file)),
            None => TakeError::NotLoaded(take.name.clone()),
        }
    }

    /// Returns the clips that `named` refer to, with `files` and the used takes. Clips of another body than that of `on` are
    /// retargeted to it. `rename` receives each take reference and its unique name. `take` is named in errors. Returns
    /// `Err` if a file or a used take is missing, or if takes form a cycle.
    pub fn clips(
        &mut self,
        take: &Take,
        named: &[&str],
        files: &[FileId],
        on: Option<FileId>,
        mut rename: impl FnMut(&str, &str),
    ) -> Result<NamedClips, TakeError> {
        let loaded = |&id: &FileId| self.library.get(id).cloned().ok_or_else(|| self.not_loaded(take, id));
        let unit = |&id: &FileId| self.document.file(id).map_or(1.0, |file| file.metres_per_unit);
        let mut clips = NamedClips {
            metres_per_unit: files.iter().map(unit).collect(),
            files: files.iter().map(loaded).collect::<Result<_, _>>()?,
            takes: Vec::new(),
        };
        let target = on.and_then(|id| Rig::of(self.document, self.library, id));
        let mut ids: Vec<TakeId> = named.iter().filter_map(|name| referred_take(name)).collect();
        ids.sort_unstable();
        ids.dedup();
        for id in ids {
            let used = self.document.take(id).ok_or_else(|| TakeError::NoTake(take.name.clone()))?;
            if self.path.contains(&id) {
                return Err(self.cycle(id));
            }
            let inputs = self.shared_inputs(used)?;
            let is_taken = |name: &String| {
                named.contains(&name.as_str()) || clips.takes.iter().any(|other: &TakeClip| other.name == *name)
            };
            let mut names = std::iter::successors(Some(used.name.clone()), |name| Some(format!("{name} (take)")));
            let name = names.find(|name| !is_taken(name)).unwrap_or_default();
            rename(&take_ref(id), &name);
            let plain = TakeClip { name, inputs, built: OnceLock::new() };
            let shown = used.source.shown_file(used.character).filter(|_| used.moves_joints());
            let retargeted =
                target.as_ref().zip(shown).and_then(|(target, file)| self.retargeted_take(&plain, file, target));
            clips.takes.push(retargeted.unwrap_or(plain));
        }
        if let Some(target) = &target {
            let foreign = named.iter().filter(|name| referred_take(name).is_none());
            let foreign: Vec<TakeClip> =
                foreign.filter_map(|name| self.retargeted_clip(&clips, files, name, target)).collect();
            clips.takes.extend(foreign);
        }
        Ok(clips)
    }

    /// Returns the clip that `name` means among `files`, retargeted to `target`; `None` if it needs no retargeting.
    fn retargeted_clip(&mut self, clips: &NamedClips, files: &[FileId], name: &str, target: &Rig) -> Option<TakeClip> {
        let (asset, clip) = clips.clip(name).filter(|(asset, _)| **asset != target.file)?;
        let at = clips.files.iter().position(|file| file == asset)?;
        let from = Rig::of(self.document, self.library, files[at])?;
        let needed = self.rigs.needs_retargeting(&from, Some(clip), target);
        needed.then(|| self.retargeted(name, files[at], from, Vec::new(), target))
    }

    /// Returns the take `used` of another character, shown by `file`, retargeted to `target`; `None` if it needs no retargeting.
    fn retargeted_take(&mut self, used: &TakeClip, file: FileId, target: &Rig) -> Option<TakeClip> {
        let from = Rig::of(self.document, self.library, file)?;
        let needed = self.rigs.needs_retargeting(&from, None, target);
        needed.then(|| self.retargeted(&used.name, file, from, vec![used.clone()], target))
    }

    /// Returns the clip `name` of `file`, or the only one of `takes`, as a clip that is retargeted from `from` to `target` with
    /// default settings.
    fn retargeted(&mut self, name: &str, file: FileId, from: Rig, takes: Vec<TakeClip>, target: &Rig) -> TakeClip {
        let source = Retarget { file, clip: name.to_owned(), settings: portamento_retarget::Settings::default() };
        let inputs = Inputs {
            source: TakeSource::Retarget(Box::new(source)),
            stages: Vec::new(),
            name: None,
            character: target.file.clone(),
            clips: NamedClips { files: vec![from.file], metres_per_unit: vec![from.metres_per_unit], takes },
            roles: target.roles.clone(),
            metres_per_unit: target.metres_per_unit,
            source_rig: Some(SourceRig { roles: from.roles, metres_per_unit: from.metres_per_unit }),
            walk_stage: WalkStage::Steps,
            crosser: None,
            level_unit: 1.0,
            objects: Vec::new(),
            obstacles: Vec::new(),
        };
        TakeClip { name: name.to_owned(), inputs: self.intern(inputs), built: OnceLock::new() }
    }

    /// Returns the shared inputs of a take used as a clip. Its name is not part of them. The take is resolved once per
    /// resolver. Returns `Err` as [`Self::inputs`] does.
    fn shared_inputs(&mut self, used: &Take) -> Result<Arc<Inputs>, TakeError> {
        if let Some(known) = self.known.get(&used.id) {
            return Ok(known.clone());
        }
        let inputs = Inputs { name: None, ..self.inputs(used)? };
        let shared = self.intern(inputs);
        self.known.insert(used.id, shared.clone());
        Ok(shared)
    }

    /// Returns the allocation of earlier inputs that equal `inputs`, or a new one.
    fn intern(&mut self, inputs: Inputs) -> Arc<Inputs> {
        let at = self.interned.iter().position(|interned| **interned == inputs);
        let shared = at.map_or_else(|| Arc::new(inputs), |at| self.interned.remove(at));
        self.interned.insert(0, shared.clone());
        self.interned.truncate(MAX_INTERNED);
        shared
    }

    /// Returns the error for the cycle from take `id` to itself.
    fn cycle(&self, id: TakeId) -> TakeError {
        let begins = self.path.iter().position(|&each| each == id).unwrap_or(0);
        let cycle_ids = self.path[begins..].iter().chain([&id]);
        let name = |&id: &TakeId| self.document.take(id).map_or_else(String::new, |take| take.name.clone());
        TakeError::Cycle(cycle_ids.map(name).collect())
    }
}
