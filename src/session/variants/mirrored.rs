//! Mirroring as a setting of a take: true adds a final mirror stage.

use serde::Deserialize;
use serde_json::{Value, json};

use super::Axis;
use portamento_base::message::{Message, Tell, message};
use portamento_stretch::mirror;
use portamento_takes::document::keyed::INFLUENCE;
use portamento_takes::document::{Document, Stage, StageKind, Take, TakeSource};

/// Path of the setting.
pub const MIRRORED: &str = "mirrored";

/// Returns the JSON of `take`, without the influence of stages that cannot be applied partially.
pub(super) fn take_json(take: &Take) -> Value {
    let mut json = json!(take);
    for (at, stage) in take.stages.iter().enumerate() {
        if let Some(fields) = json["stages"][at].as_object_mut().filter(|_| !stage.kind.has_influence()) {
            fields.shift_remove(INFLUENCE);
        }
    }
    json
}

/// Returns the reason why `take` cannot be mirrored, if so.
pub fn reason_not_mirrorable(document: &Document, take: &Take) -> Option<Message> {
    if let Some(stage) = take.stages.iter().position(is_mirror) {
        return Some(message!(
            "error.variants.mirrors",
            "The take already has a mirror stage. Vary stages/%{stage}/on=false,true instead.",
            stage
        ));
    }
    match &take.source {
        TakeSource::Walk(_) => Some(message!(
            "error.variants.mirrored_walk",
            "A walk cannot be mirrored because its level is not mirrored. Vary its seed to get other routes."
        )),
        TakeSource::Vertices(_) | TakeSource::Images { .. } | TakeSource::Cloth(_) => Some(message!(
            "error.variants.mirrored_shape",
            "The take moves no joints, so it cannot be mirrored. Use a take of a character."
        )),
        _ => {
            let has_pairs = document.character(take.character).is_some_and(|known| !known.roles.pairs.is_empty());
            (!has_pairs).then(|| mirror::BuildError::NoPairs.message())
        }
    }
}

/// Adds the setting to `json`, the JSON of `take`, or returns the reason why it cannot be mirrored.
pub(super) fn offer(document: &Document, take: &Take, json: &mut Value) -> Result<(), Message> {
    reason_not_mirrorable(document, take).map_or(Ok(()), Err)?;
    json[MIRRORED] = false.into();
    Ok(())
}

/// True if `axis` is this setting.
pub(super) fn is_mirror_axis(axis: &Axis) -> bool {
    axis.place.trim_matches('/') == MIRRORED
}

/// Adds a mirror stage to `take` if the setting in `json` is true. Returns `Err` if the setting is no bool.
pub(super) fn follow(take: &mut Take, json: &Value) -> serde_json::Result<()> {
    if json.get(MIRRORED).map_or(Ok(false), bool::deserialize)? {
        take.add_stage(StageKind::Mirror(Box::default()));
    }
    Ok(())
}

/// Returns the JSON of `take` with the setting in place of a final default mirror stage.
pub(super) fn json_of(take: &Take) -> Value {
    let mut take = take.clone();
    let is_mirrored = take.stages.last().is_some_and(|last| {
        let plain = Stage::new(last.id, StageKind::Mirror(Box::default()));
        *last == plain
    });
    if is_mirrored {
        take.stages.pop();
    }
    let mut json = take_json(&take);
    json[MIRRORED] = is_mirrored.into();
    json
}

/// True if `stage` is a mirror stage, on or off.
fn is_mirror(stage: &Stage) -> bool {
    matches!(stage.kind, StageKind::Mirror(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variants::{Index, settings, variants};
    use portamento_anim::Roles;
    use portamento_takes::document::{Character, FileId, TakeId, Walk};

    const HERO: FileId = FileId(1);

    fn document() -> Document {
        let roles = Roles { pairs: vec![(3, 4)], ..Roles::default() };
        Document { characters: vec![Character { file: HERO, roles }], next_id: 7, ..Document::default() }
    }

    fn take(source: TakeSource, kinds: Vec<StageKind>) -> Take {
        Take { id: TakeId(2), name: "run".into(), character: HERO, source, stages: Stage::numbered(kinds), loops: None }
    }

    fn run() -> TakeSource {
        TakeSource::Clip { file: HERO, clip: "run".into() }
    }

    fn results(take: &Take, values: &str) -> Result<Vec<Take>, String> {
        let axes = [Axis::parse(&format!("mirrored={values}")).unwrap()];
        let results = variants(&mut document(), take, &axes, "{take} {1}").map_err(|error| error.to_string())?;
        Ok(results.into_iter().map(|variant| variant.take).collect())
    }

    #[test]
    fn a_mirrored_variant_ends_with_a_mirror_stage_and_the_other_is_unchanged() {
        let take = take(run(), vec![StageKind::Retime(Box::default())]);
        let [plain, mirrored] = &results(&take, "false,true").unwrap()[..] else { panic!("two") };
        assert_eq!((&plain.stages, &*plain.name), (&take.stages, "run false"));
        let [retime, mirror] = &mirrored.stages[..] else { panic!("{mirrored:?}") };
        assert_eq!((retime, &mirror.kind), (&take.stages[0], &StageKind::Mirror(Box::default())));
        assert_ne!(retime.id, mirror.id);
        assert!(results(&take, "2").unwrap_err().contains("bool"));
        let index = Index::between([plain, mirrored].into_iter());
        assert_eq!(index.csv(), "clip,file,mirrored\nrun false,,false\nrun true,,true\n");
    }

    #[test]
    fn takes_that_cannot_be_mirrored_are_not_offered_and_the_reason_is_given() {
        let mirrors = vec![StageKind::Close(Box::default()), StageKind::Mirror(Box::default())];
        let images = TakeSource::Images { file: HERO, fps: None, sheet: None, tag: None };
        let nobody = Take { character: FileId(9), ..take(run(), Vec::new()) };
        for (take, sentence) in [
            (take(run(), mirrors), "stages/1/on=false,true"),
            (take(TakeSource::Walk(Box::<Walk>::default()), Vec::new()), "level is not mirrored"),
            (take(images, Vec::new()), "moves no joints"),
            (nobody, "left/right joint pairs"),
        ] {
            let reason = results(&take, "false,true").unwrap_err();
            assert!(reason.contains(sentence), "{reason}");
            assert_eq!(reason_not_mirrorable(&document(), &take).unwrap().to_string(), reason);
            assert!(settings(&document(), &take).iter().all(|setting| setting.place != MIRRORED));
        }
        assert!(settings(&document(), &take(run(), Vec::new())).iter().any(|setting| setting.place == MIRRORED));
    }
}
