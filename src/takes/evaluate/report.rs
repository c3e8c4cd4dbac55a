//! The figures of a take, as reports print them.

use serde_json::{Value, json};

use super::stages::checks::stop_error;
use super::{BlendFigures, Blended, BuiltTake, LevelRoutes, Retargeted, TakeError, Walked};
use portamento_anim::Skeleton;
use portamento_anim::rig::chains::Limb;
use portamento_base::message::Message;
use portamento_base::progress::Progress;
use portamento_retarget::Link;
use portamento_walk::locomotion;
use portamento_walk::navigation::RouteVariant;

impl BuiltTake {
    /// Returns the figures of the take and its stages, for reports. Times are in seconds; other keys name their unit. The
    /// figures of a blend are measured on the first call, which is slow.
    pub fn report(&self) -> Value {
        let mut stages = Vec::new();
        let mut report = json!({
            "clip": self.clip.name,
            "source": self.clip_name,
            "seconds": self.clip.duration,
            "fps": self.fps,
            "events": self.events,
            "warnings": self.warnings.iter().map(Message::to_string).collect::<Vec<_>>(),
        });
        if let Some(blended) = &self.blended
            && let Ok(figures) = blended.measured(&Progress::new())
        {
            report["blend"] = blend(self, blended, figures);
        }
        if let Some(retargeted) = &self.retargeted {
            report["retarget"] = retarget(self, retargeted);
        }
        if let Some(walked) = &self.walked {
            report["walk"] = walk(self, walked);
        }
        for stage in &self.stages {
            let (kind, mut figures) = (stage.result.name(), stage.result.outcome().figures(self, &stage.clip));
            if let Some(effect) = &stage.undone {
                figures["undone"] = effect.to_string().into();
            }
            // The first stage of a kind is also stored under the name of its kind, which is enough for the short commands.
            if report.get(kind).is_none() {
                report[kind] = figures.clone();
            }
            stages.push(json!({ kind: figures }));
        }
        report["stages"] = stages.into();
        report
    }
}

/// Returns the figures of a blend: pops with and without transitions, leg differences during a running cast, and weights of every
/// frame. Angles are in radians, times in seconds.
fn blend(take: &BuiltTake, blended: &Blended, figures: &BlendFigures) -> Value {
    let joint = |joint: usize| take.character.model.skeleton.joints[joint].name.as_str();
    let worst = figures.nearest_to_a_pop();
    json!({
        "frames": figures.steps.len() + 1,
        "pop_count": figures.pops(),
        "hard_cut_pop_count": figures.cut_pops(),
        "nearest_to_a_pop": worst.map(|worst| json!({
            "time": worst.time,
            "joint": joint(worst.joint),
            "step_radians": worst.step,
            "bound_radians": worst.bound,
        })),
        "legs_during_running_cast": figures.legs,
        "faults": blended.faults.iter().map(TakeError::to_string).collect::<Vec<_>>(),
        "weights": blended.weights,
        "pop_meter": figures.steps,
    })
}

/// Returns the figures of a retarget: the joint mapping, bone directions and foot contacts.
fn retarget(take: &BuiltTake, retargeted: &Retargeted) -> Value {
    let name = |skeleton: &Skeleton, joint: usize| skeleton.joints[joint].name.clone();
    let (own, other) = (&take.character.model.skeleton, &retargeted.source.model.skeleton);
    let link = |link: &Link| {
        json!({
            "joint": name(own, link.joint), "limb": link.limb.map(Limb::name), "from": name(other, link.from),
            "to": name(other, link.to), "share": link.share,
        })
    };
    json!({ "report": retargeted.built.report, "links": retargeted.built.links.iter().map(link).collect::<Vec<_>>() })
}

/// Returns the figures of a walk: the routes of all seeds and the accuracy of the stop at the goal.
fn walk(take: &BuiltTake, walked: &Walked) -> Value {
    let mut report = json!({
        "cells": walked.ground.map.ground.cells.len(),
        "missing": walked.missing.as_ref().map(ToString::to_string),
    });
    if let Some(routes) = &walked.routes {
        report["routes"] = level_routes(routes);
    }
    if let Some(walk) = &walked.walk {
        report["steps"] = steps(walk);
        report["steps"]["stop_error_mm"] = millimetres(stop_error(take, &take.source)).into();
        if !take.stages.is_empty() {
            report["steps"]["stop_error_after_stages_mm"] = millimetres(stop_error(take, &take.clip)).into();
        }
    }
    report
}

/// Converts metres to millimetres.
fn millimetres(metres: Option<f64>) -> Option<f64> {
    metres.map(|metres| metres * 1e3)
}

/// Returns the figures of the routes of all seeds, seconds and metres.
fn level_routes(routes: &LevelRoutes) -> Value {
    let compared = &routes.compared;
    let variant = |variant: &RouteVariant| {
        let mut figures = json!({
            "seed": variant.seed, "seconds": variant.route.seconds, "metres": variant.route.length, "overlap": variant.overlap,
            "changes": variant.route.changes,
            "extra_time": variant.extra, "bound": variant.route.bound,
        });
        if !routes.links.is_empty() {
            figures["crossings"] = variant.route.crossings.len().into();
        }
        figures
    };
    let mut report = json!({
        "distinct": compared.distinct, "overlap": compared.overlap, "extra_time": compared.extra, "one_corridor": compared.one_corridor,
        "quickest_seconds": compared.quickest.seconds, "quickest_metres": compared.quickest.length, "notices": routes.notices.iter().map(Message::to_string).collect::<Vec<_>>(),
        "seeds": routes.variants().map(variant).collect::<Vec<_>>(),
    });
    if !routes.links.is_empty() {
        report["links"] = routes.links.len().into();
    }
    report
}

/// Returns the figures of a walk along its route. Their keys name the units; times are seconds.
fn steps(walk: &locomotion::Walk) -> Value {
    let report = &walk.report;
    let stop = &report.stop;
    let engine = |stop: &locomotion::EngineStop| {
        json!({
            "hertz": stop.rate, "by_closed_form_mm": stop.by_closed_form * 1e3, "by_own_steps_mm": stop.by_own_steps * 1e3,
            "recorded_mm": stop.recorded * 1e3,
        })
    };
    let mut figures = json!({
        "seconds": walk.duration, "fps": walk.fps, "idle": report.idle, "gaits": report.gaits,
        "start_clip": report.start, "start_stretched_metres": report.start_stretched, "stop_clip": stop.clip,
        "plan": report.plan, "off_slopes_seconds": report.off_slopes,
        "slide_cm_per_s": report.slide_after, "slide_unmatched_cm_per_s": report.slide_before,
        "stop_predicted_metres": stop.predicted, "stop_begins": stop.begins, "stop_ends": stop.ends,
        "slide_walking_cm_per_s": report.slide_walking, "slide_turning_cm_per_s": report.slide_turning,
        "turns": report.turns, "contact_drift_mm": [report.drift.worst * 1e3, report.drift.mean * 1e3],
        "knee_step_radians": report.knee_step, "feet": report.feet, "pop": report.pop,
        "largest_turn": report.largest_turn, "thrown": report.thrown,
        "entry_seconds": stop.entry_time, "entry_frame": stop.entry_time.map(|time| (time * walk.fps).round()),
        "way_stretch": stop.stretch, "stop_stretched_metres": stop.stretched, "stop_play_rates": stop.rates,
        "leg_too_short_metres": report.leg_too_short, "too_fast_seconds": report.too_fast,
        "engines": stop.engines.iter().map(engine).collect::<Vec<_>>(),
    });
    if !report.crossings.is_empty() {
        figures["crossings"] = json!(report.crossings);
    }
    figures
}
