//! The clips of a delivery with their plans, built and measured.

use rayon::prelude::*;

use super::plan::Plan;
use crate::background::in_background;
use crate::clip_library::{OpenFiles, with_input, with_stages};
use portamento_base::message::{Message, Tell, message};
use portamento_base::progress::{Cancelled, Progress};
use portamento_sets::{ClipName, Member};
use portamento_takes::document::clip_ref::take_ref;
use portamento_takes::document::{Document, Library, Take, TakeId};
use portamento_takes::evaluate::{Content, TakeCache};

/// A clip of a delivery and the take that shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// Its name in reports and contracts.
    pub name: ClipName,
    /// The take. Its id is 0 if the document has no such take.
    pub take: Take,
}

/// A clip with the stages that repair it.
pub(crate) struct Repairing {
    pub name: ClipName,
    /// The take without the stages of the plan.
    pub take: Take,
    pub plan: Plan,
    /// The figures with the plan.
    pub member: Member,
    /// Keys per second before the repair.
    pub rate: Option<f64>,
    /// Length before the repair, seconds.
    seconds: f64,
    /// The plan that was measured last.
    measured: Plan,
    /// The reason why the last plan was not applied.
    pub failure: Option<Message>,
    cache: TakeCache,
}

/// The clips of a delivery on their way to the contract.
pub(crate) struct Bench {
    open: OpenFiles,
    pub clips: Vec<Repairing>,
}

impl Bench {
    /// Builds and measures `subjects`. Those that do not move joints or cannot be built are left out. Takes that `document`
    /// does not have get an id in the copy of the bench.
    ///
    /// Returns `Err` if `progress` is cancelled.
    pub fn new(
        document: &Document,
        library: &Library,
        subjects: Vec<Subject>,
        progress: &Progress,
    ) -> Result<Self, Cancelled> {
        let mut open = OpenFiles { document: document.clone(), library: library.clone() };
        let mut clips = Vec::new();
        for Subject { name, mut take } in subjects {
            if document.take(take.id).is_none() {
                take.id = open.document.add_take(take.clone());
            }
            clips.push((name, take));
        }
        let measure = |(name, take): (ClipName, Take)| {
            let mut cache = TakeCache::default();
            let part = progress.part();
            let measured = measure(&open, &take, &name, &mut cache, &part);
            part.finish()?;
            Ok(measured.ok().flatten().map(|(member, _)| {
                let quality = member.figures.as_ref().map(|figures| &figures.quality);
                let (rate, seconds) = quality.map_or((None, 0.0), |quality| (quality.key_rate, quality.seconds));
                let (plan, failure) = (Plan::default(), None);
                Repairing { name, take, measured: plan.clone(), plan, member, rate, seconds, failure, cache }
            }))
        };
        let found: Result<Vec<_>, Cancelled> = in_background(|| clips.into_par_iter().map(measure).collect());
        let clips = found?.into_iter().flatten().collect();
        Ok(Self { open, clips })
    }

    /// Returns all clips with their figures.
    pub fn members(&self) -> Vec<Member> {
        self.clips.iter().map(|clip| clip.member.clone()).collect()
    }

    /// Returns the clip of that name; `None` if there is none.
    pub fn clip_mut(&mut self, name: &ClipName) -> Option<&mut Repairing> {
        self.clips.iter_mut().find(|clip| clip.name == *name)
    }

    /// Returns the clip of that name; `None` if there is none.
    pub fn clip(&self, name: &ClipName) -> Option<&Repairing> {
        self.clips.iter().find(|clip| clip.name == *name)
    }

    /// Returns the text by which a stage of `user` refers to the clip `used`; `None` if `used` depends on `user`. Also
    /// `None` if the bench lacks one of them.
    pub fn reference(&self, user: &ClipName, used: &ClipName) -> Option<String> {
        let [user, used] = [user, used].map(|name| self.clip(name).map(|clip| clip.take.id));
        let (user, used) = (user?, used?);
        self.open.document.may_use(user, used).then(|| take_ref(used))
    }

    /// Builds and measures all clips whose plans have changed, and those that take poses from other clips. A plan that cannot be
    /// built is not applied. Returns true if anything changed.
    ///
    /// Returns `Err` if `progress` is cancelled.
    pub fn measure(&mut self, progress: &Progress) -> Result<bool, Cancelled> {
        let is_changed = self.clips.iter().any(|clip| clip.plan != clip.measured);
        if !is_changed {
            return Ok(false);
        }
        let Self { open, clips } = self;
        for clip in clips.iter() {
            open.document.take_mut(clip.take.id).into_iter().for_each(|take| take.stages = clip.result().stages);
        }
        let measure = |clip: &mut Repairing| -> Result<(), Cancelled> {
            if clip.plan == clip.measured && clip.plan.align.is_none() {
                return Ok(());
            }
            let part = progress.part();
            let measured = measure(open, &clip.result(), &clip.name, &mut clip.cache, &part);
            part.finish()?;
            match measured {
                Ok(Some((member, None))) => (clip.member, clip.measured) = (member, clip.plan.clone()),
                Ok(Some((_, Some(why)))) => (clip.plan, clip.failure) = (clip.measured.clone(), Some(why)),
                Ok(None) => clip.plan = clip.measured.clone(),
                Err(why) => (clip.plan, clip.failure) = (clip.measured.clone(), Some(why)),
            }
            Ok(())
        };
        in_background(|| clips.par_iter_mut().map(measure).collect::<Result<Vec<()>, Cancelled>>())?;
        Ok(true)
    }
}

impl Repairing {
    /// Returns the take with the stages of the plan.
    pub fn result(&self) -> Take {
        with_stages(&self.take, self.plan.kinds(self.seconds))
    }

    /// True if the measured plan takes a pose from the clip of this reference.
    pub fn is_aligned_with(&self, reference: &str) -> bool {
        let settings = self.measured.align.as_ref().map(|align| &align.settings);
        settings.is_some_and(|settings| [&settings.begin, &settings.end].into_iter().any(|name| name == reference))
    }

    /// Returns the id of the take in the document of the bench.
    pub fn id(&self) -> TakeId {
        self.take.id
    }
}

/// Builds and measures `take`; `None` for takes without joints. The message is the reason why a stage was not applied.
fn measure(
    open: &OpenFiles,
    take: &Take,
    name: &ClipName,
    cache: &mut TakeCache,
    progress: &Progress,
) -> Result<Option<(Member, Option<Message>)>, Message> {
    let built = cache.take(&open.document, &open.library, take, progress).map_err(|error| error.message())?;
    if !matches!(built.content, Content::Joints) {
        return Ok(None);
    }
    let member = with_input(&built, |input| Member::measure(name.clone(), input, progress));
    let undone = built.stages.iter().find_map(|stage| stage.undone.as_ref()).map(|effect| {
        message!(
            "repair.undone",
            "A stage was not applied, because it would make the motion worse: %{effect}.",
            effect = effect.message()
        )
    });
    member.map(|member| Some((member, undone))).map_err(|cancelled| cancelled.message())
}
