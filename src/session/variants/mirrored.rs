//! A take with left and right changed or not, as a setting of it: a stage after all others, or none.

use serde::Deserialize;
use serde_json::Value;

use super::Axis;
use crate::document::{Document, Stage, StageKind, Take, TakeSource};
use crate::message::{Message, Tell, message};
use crate::systems::mirror;

/// The place of the setting.
pub const MIRRORED: &str = "mirrored";

/// Why `take` is not offered with left and right changed.
pub fn unmirrored(document: &Document, take: &Take) -> Option<Message> {
    if let Some(stage) = take.stages.iter().position(is_mirror) {
        return Some(message!(
            "error.variants.mirrors",
            "The take changes left and right already. Vary whether that stage is applied: stages/%{stage}/on=false,true.",
            stage
        ));
    }
    match &take.source {
        TakeSource::Walk(_) => Some(message!(
            "error.variants.mirrored_walk",
            "A walk keeps to the ways of its level, which has no mirrored ones. Vary its seed for other ways."
        )),
        TakeSource::Vertices(_) | TakeSource::Images { .. } | TakeSource::Cloth(_) => Some(message!(
            "error.variants.mirrored_shape",
            "The take moves no joints, so it has no left and right that could change places. Vary the take of a character."
        )),
        _ => {
            let has_pairs = document.character(take.character).is_some_and(|known| !known.roles.pairs.is_empty());
            (!has_pairs).then(|| mirror::BuildError::NoPairs.message())
        }
    }
}

/// Adds the setting to `held`, which is `take` as its settings are looked up.
pub(super) fn offer(document: &Document, take: &Take, held: &mut Value) -> Result<(), Message> {
    unmirrored(document, take).map_or(Ok(()), Err)?;
    held[MIRRORED] = false.into();
    Ok(())
}

/// Whether `axis` is this setting.
pub(super) fn is_meant(axis: &Axis) -> bool {
    axis.place.trim_matches('/') == MIRRORED
}

/// Lets `take` follow the setting in `held`.
pub(super) fn follow(take: &mut Take, held: &Value) -> serde_json::Result<()> {
    if held.get(MIRRORED).map_or(Ok(false), bool::deserialize)? {
        take.add_stage(StageKind::Mirror(Box::default()));
    }
    Ok(())
}

/// `take` as projects hold it, with the setting in place of the stage that it stands for.
pub(super) fn told(take: &Take) -> Value {
    let mut take = take.clone();
    let is_mirrored = take.stages.last().is_some_and(|last| {
        let plain = Stage::new(last.id, StageKind::Mirror(Box::default()));
        *last == plain
    });
    if is_mirrored {
        take.stages.pop();
    }
    let mut told = super::setting::held(&take);
    told[MIRRORED] = is_mirrored.into();
    told
}

fn is_mirror(stage: &Stage) -> bool {
    matches!(stage.kind, StageKind::Mirror(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::Roles;
    use crate::document::{Character, FileId, TakeId, Walk};
    use crate::session::variants::{Index, settings, variants};

    const HERO: FileId = FileId(1);

    fn document() -> Document {
        let roles = Roles { pairs: vec![(3, 4)], ..Roles::default() };
        Document { characters: vec![Character { file: HERO, roles }], next_id: 7, ..Document::default() }
    }

    fn take(source: TakeSource, kinds: Vec<StageKind>) -> Take {
        Take { id: TakeId(2), name: "run".into(), character: HERO, source, stages: Stage::numbered(kinds) }
    }

    fn run() -> TakeSource {
        TakeSource::Clip { file: HERO, clip: "run".into() }
    }

    fn made(take: &Take, values: &str) -> Result<Vec<Take>, String> {
        let axes = [Axis::parse(&format!("mirrored={values}")).unwrap()];
        let made = variants(&mut document(), take, &axes, "{take} {1}").map_err(|error| error.to_string())?;
        Ok(made.into_iter().map(|variant| variant.take).collect())
    }

    #[test]
    fn a_mirrored_variant_ends_with_the_stage_that_does_it_and_the_plain_one_stays_as_it_is() {
        let take = take(run(), vec![StageKind::Retime(Box::default())]);
        let [plain, mirrored] = &made(&take, "false,true").unwrap()[..] else { panic!("two") };
        assert_eq!((&plain.stages, &*plain.name), (&take.stages, "run false"));
        let [retime, mirror] = &mirrored.stages[..] else { panic!("{mirrored:?}") };
        assert_eq!((retime, &mirror.kind), (&take.stages[0], &StageKind::Mirror(Box::default())));
        assert_ne!(retime.id, mirror.id);
        assert!(made(&take, "2").unwrap_err().contains("bool"));
        let index = Index::between([plain, mirrored].into_iter());
        assert_eq!(index.csv(), "clip,file,mirrored\nrun false,,false\nrun true,,true\n");
    }

    #[test]
    fn what_cannot_be_mirrored_is_not_offered_and_told() {
        let mirrors = vec![StageKind::Close(Box::default()), StageKind::Mirror(Box::default())];
        let images = TakeSource::Images { file: HERO, fps: None, sheet: None };
        let nobody = Take { character: FileId(9), ..take(run(), Vec::new()) };
        for (take, sentence) in [
            (take(run(), mirrors), "stages/1/on=false,true"),
            (take(TakeSource::Walk(Box::<Walk>::default()), Vec::new()), "ways of its level"),
            (take(images, Vec::new()), "moves no joints"),
            (nobody, "left and right"),
        ] {
            let told = made(&take, "false,true").unwrap_err();
            assert!(told.contains(sentence), "{told}");
            assert_eq!(unmirrored(&document(), &take).unwrap().to_string(), told);
            assert!(settings(&document(), &take).iter().all(|setting| setting.place != MIRRORED));
        }
        assert!(settings(&document(), &take(run(), Vec::new())).iter().any(|setting| setting.place == MIRRORED));
    }
}
