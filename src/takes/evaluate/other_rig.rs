//! How a clip of another file gets onto the character: joint by joint, or by retargeting.

use crate::document::{Asset, Document, FileId, Library, Loaded};
use portamento_anim::rest_match::{RestBody, RestMatch};
use portamento_anim::rig::chains::{Chain, Limb, chains};
use portamento_anim::{Clip, Roles};

/// A rig with its roles and its unit.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rig {
    pub file: Asset<Loaded>,
    pub roles: Roles,
    pub metres_per_unit: f64,
}

impl Rig {
    /// Returns the rig of file `id`; `None` if it is not loaded. Roles that do not fit the skeleton are left out.
    pub fn of(document: &Document, library: &Library, id: FileId) -> Option<Self> {
        let file = library.get(id)?.clone();
        let roles = document.character(id).map(|known| known.roles.fitting(&file.model.skeleton)).unwrap_or_default();
        Some(Self { file, roles, metres_per_unit: document.file(id).map_or(1.0, |file| file.metres_per_unit) })
    }

    /// Returns the skeleton at rest with its unit.
    pub fn as_body(&self) -> RestBody<'_> {
        RestBody { skeleton: &self.file.model.skeleton, metres_per_unit: self.metres_per_unit }
    }
}

/// The questions answered before, newest first. The resolver asks them in every frame.
#[derive(Clone, Debug, Default)]
pub(super) struct RigAnswers(Vec<(Question, bool)>);

/// A motion of one rig and another rig that may take it.
#[derive(Clone, Debug, PartialEq)]
struct Question {
    from: Rig,
    /// The name of the clip; `None` for any motion of the rig.
    clip: Option<String>,
    to: Rig,
}

impl RigAnswers {
    /// Maximum number of answers kept: the clips of a large pack on several characters.
    const MAX: usize = 1024;

    /// Removes the answers about rigs of files which are not in `library`.
    pub fn retain_files_of(&mut self, library: &Library) {
        self.0.retain(|(question, _)| [&question.from, &question.to].iter().all(|rig| library.contains(&rig.file)));
    }

    /// True if `clip` of `from`, or any motion of it without a clip, has to be retargeted to `to`. The bodies then differ,
    /// and both rigs are known well enough.
    pub fn needs_retargeting(&mut self, from: &Rig, clip: Option<&Clip>, to: &Rig) -> bool {
        if from.file == to.file {
            return false;
        }
        let question = Question { from: from.clone(), clip: clip.map(|clip| clip.name.clone()), to: to.clone() };
        if let Some((_, answer)) = self.0.iter().find(|(known, _)| *known == question) {
            return *answer;
        }
        let answer = same_body(from, clip, to).is_none() && can_retarget(from, to);
        self.0.insert(0, (question, answer));
        self.0.truncate(Self::MAX);
        answer
    }
}

/// Returns the transfer of `clip`, or of any motion of `from` without one, that keeps its motion in the world; `None` if the bodies
/// differ or a limb would stand still. Fingers may stand still.
pub(super) fn same_body(from: &Rig, clip: Option<&Clip>, to: &Rig) -> Option<RestMatch> {
    let found = RestMatch::find(&from.as_body(), clip, &to.as_body())?;
    let is_left_out = |joint: usize| {
        let moves = |clip: &Clip| clip.tracks.get(joint).is_some_and(|tracks| !tracks.is_empty());
        clip.is_none_or(moves) && found.target(joint).is_none()
    };
    let left_out: Vec<usize> = (0..from.file.model.skeleton.len()).filter(|&joint| is_left_out(joint)).collect();
    if left_out.is_empty() {
        return Some(found);
    }
    let targets = limbs(to);
    let stands_still = |chain: &Chain| {
        let is_in_chain = |joint: &usize| chain.bones.iter().any(|bone| bone.joint == *joint);
        !matches!(chain.limb, Limb::Finger(..))
            && left_out.iter().any(is_in_chain)
            && targets.iter().any(|other| other.limb == chain.limb)
    };
    (!limbs(from).iter().any(stands_still)).then_some(found)
}

/// Returns the limbs of the rig as chains of joints.
fn limbs(rig: &Rig) -> Vec<Chain> {
    chains(&rig.file.model, &rig.roles)
}

/// True if both rigs have more than one limb in common.
fn can_retarget(from: &Rig, to: &Rig) -> bool {
    let [from, to] = [limbs(from), limbs(to)];
    to.iter().filter(|chain| from.iter().any(|other| other.limb == chain.limb)).count() > 1
}
