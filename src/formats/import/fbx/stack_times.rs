//! Key times of an animation stack.

use std::collections::BTreeMap;

use ufbx::{AnimStack, Node};

use super::keyframe_fit::KeyTime;
use super::properties::PROPERTIES;

/// Longest stack that is read, in seconds: two days. Tuned; no derivation recorded.
const MAX_STACK_SECONDS: f64 = 172_800.0;

/// Lowest frame rate of a clip: 24, or 23.976 of NTSC film. Sparser keys lie on a multiple of their own rate.
const MIN_FPS: f64 = 23.9;
/// Highest frame rate that FBX names, frames per second.
const MAX_FPS: f64 = 1000.0;
/// Frame rates of films and games, the most usual first.
const USUAL_FPS: [f64; 9] = [30.0, 24.0, 25.0, 48.0, 50.0, 60.0, 90.0, 100.0, 120.0];
/// Largest distance of a key on a frame from it, in frames.
const ON_FRAME: f64 = 0.02;
/// Share of keys that must lie on frames. Animators move single keys between frames.
const KEYS_ON_FRAMES: f64 = 0.9;

/// The range of a stack and its key times by property. Absolute times are in seconds, as in the file.
pub(super) struct StackTimes {
    /// Absolute time at which the clip begins.
    pub begin: f64,
    /// Absolute time at which the clip ends.
    end: f64,
    /// Absolute key times of each element's property. The list is empty if the property has no key.
    of_property: BTreeMap<(u32, String), Vec<f64>>,
    /// Absolute key times of layer weights, which affect every property.
    of_layers: Vec<f64>,
}

impl StackTimes {
    /// Reads the range and the key times of `stack`. Returns `None` if no property has a key at a finite time.
    pub(super) fn read(stack: &AnimStack) -> Option<Self> {
        let mut of_property: BTreeMap<(u32, String), Vec<f64>> = BTreeMap::new();
        let mut of_layers = Vec::new();
        for layer in &stack.layers {
            for property in &layer.anim_props {
                let curves = property.anim_value.curves.iter().flatten();
                let keys = curves.flat_map(|curve| curve.keyframes.iter().map(|key| key.time));
                if property.element.type_ == ufbx::ElementType::AnimLayer {
                    of_layers.extend(keys);
                } else {
                    let key = (property.element.element_id, property.prop_name.to_string());
                    of_property.entry(key).or_default().extend(keys);
                }
            }
        }
        let all = || of_property.values().flatten().copied().filter(|time| time.is_finite());
        let (first, last) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
        let (begin, end) = (stack.time_begin, stack.time_end);
        let is_sound = begin.is_finite() && end.is_finite() && end > begin;
        // Some exporters leave the stack's range empty or outdated. The range of the keys then replaces it.
        let (begin, end) = if is_sound && first <= end && last >= begin { (begin, end) } else { (first, last) };
        let end = end.min(begin + MAX_STACK_SECONDS);
        (!of_property.is_empty() && begin.is_finite() && end.is_finite()).then_some(Self {
            begin,
            end,
            of_property,
            of_layers,
        })
    }

    /// Returns the frame rate of the clip, at least [`MIN_FPS`]. It is the lowest whole part of the file's own rate
    /// `file_fps` on whose frames the keys lie. Else it is the first of [`USUAL_FPS`] on whose frames they lie, else
    /// 30.
    pub(super) fn frame_rate(&self, file_fps: f64) -> f64 {
        let mut times: Vec<f64> = self.of_property.values().flatten().map(|time| time - self.begin).collect();
        times.retain(|time| time.is_finite());
        let is_on_frame = |time: f64, fps: f64| (time * fps - (time * fps).round()).abs() <= ON_FRAME;
        let fits = |fps: f64| {
            let on_frames = times.iter().filter(|&&time| is_on_frame(time, fps)).count();
            on_frames as f64 >= KEYS_ON_FRAMES * times.len() as f64
        };
        let is_usable = (1.0..=MAX_FPS).contains(&file_fps);
        let raised = if file_fps < MIN_FPS { file_fps * (MIN_FPS / file_fps).ceil() } else { file_fps };
        if is_usable && fits(file_fps) {
            let parts = (1..=(raised / MIN_FPS) as u32).rev().map(|part| raised / f64::from(part));
            return parts.into_iter().find(|&fps| fits(fps)).unwrap_or(raised);
        }
        let usual = USUAL_FPS.into_iter().find(|&fps| fits(fps));
        // Clips whose keys lie on no frames play at this rate.
        usual.unwrap_or(USUAL_FPS[0])
    }

    /// Returns the length of the clip, seconds.
    pub(super) fn length(&self) -> f32 {
        ((self.end - self.begin) as f32).max(0.0)
    }

    /// Returns the number of keys of all properties, without those of layer weights.
    pub(super) fn count(&self) -> usize {
        self.of_property.values().map(Vec::len).sum()
    }

    /// True if the element's property has curves in the stack. `element` is its id in the scene.
    pub(super) fn moves(&self, element: u32, property: &str) -> bool {
        self.of_property.contains_key(&(element, property.to_owned()))
    }

    /// Returns the absolute key times of the node's own scale, in order.
    pub(super) fn of_scale(&self, node: &Node) -> Vec<f64> {
        let Some(own) = self.of_property.get(&(node.element.element_id, PROPERTIES[2].to_owned())) else {
            return Vec::new();
        };
        let mut times: Vec<f64> = own.iter().chain(&self.of_layers).copied().filter(|time| time.is_finite()).collect();
        times.sort_by(f64::total_cmp);
        times
    }

    /// Returns the key times of any of `properties` in seconds from the stack's beginning, with both ends; empty if none is
    /// animated.
    pub(super) fn at(&self, properties: &[(u32, &str)]) -> Vec<KeyTime> {
        let keys = properties.iter().filter_map(|&(element, name)| self.of_property.get(&(element, name.to_owned())));
        let mut times: Vec<f64> = Vec::new();
        let mut is_moved = false;
        keys.for_each(|more| {
            is_moved = true;
            times.extend(more);
        });
        if !is_moved {
            return Vec::new();
        }
        let inside = times.iter().chain(&self.of_layers).filter(|time| (self.begin..=self.end).contains(*time));
        let mut times: Vec<KeyTime> = inside.chain([&self.begin, &self.end]).map(|&time| self.key_time(time)).collect();
        times.sort_by(|a, b| a.written.total_cmp(&b.written).then(b.exact.total_cmp(&a.exact)));
        times.dedup_by_key(|time| time.written);
        times
    }

    /// Converts the absolute `time`, seconds, to a key time in seconds from the stack's beginning. `written` is at most the length
    /// of the clip.
    pub(super) fn key_time(&self, time: f64) -> KeyTime {
        let exact = time - self.begin;
        let rounded = exact as f32;
        // The last key is at the end of the clip, even if that is rounded up.
        let is_late = f64::from(rounded) > exact && time < self.end;
        let written = if is_late { rounded.next_down().max(0.0) } else { rounded };
        KeyTime { written: written.min(self.length()), exact }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(keys: impl Iterator<Item = f64>, file_fps: f64) -> f64 {
        let keys: Vec<f64> = keys.collect();
        let (begin, end) = (keys[0], keys[keys.len() - 1]);
        let of_property = BTreeMap::from([((0, PROPERTIES[0].to_owned()), keys)]);
        StackTimes { begin, end, of_property, of_layers: Vec::new() }.frame_rate(file_fps)
    }

    #[test]
    fn the_rate_is_that_of_the_file_and_its_keys_and_at_least_24() {
        let every = |seconds: f64| (0..40).map(move |key| f64::from(key) * seconds);
        for (spacing, file_fps, expected) in [
            (1.0 / 30.0, 30.0, 30.0),
            (1.0 / 24.0, 24.0, 24.0),
            (1.0 / 30.0, 60.0, 30.0),
            (1.0 / 60.0, 60.0, 60.0),
            (1.0 / 30.0, 120.0, 30.0),
            (1.0 / 30.0, 24.0, 30.0),
            (1.0 / 24.0, 30.0, 24.0),
            (0.5, 30.0, 30.0),
            (0.5, 24.0, 24.0),
            (1.0 / 12.0, 12.0, 24.0),
            (1.0 / 15.0, 15.0, 30.0),
            (1001.0 / 30_000.0, 30_000.0 / 1001.0, 30_000.0 / 1001.0),
            (1001.0 / 24_000.0, 24_000.0 / 1001.0, 24_000.0 / 1001.0),
            (0.012_34, 24.0, 30.0),
            (1.0 / 30.0, 0.0, 30.0),
        ] {
            let found = rate(every(spacing), file_fps);
            assert!((found - expected).abs() < 1e-9, "{spacing} s at {file_fps}: {found}");
            assert_eq!(rate(every(spacing).map(|time| time + 7.3), file_fps), found, "{spacing} s from 7.3 s");
        }
        let one_between = every(1.0 / 30.0).chain([1.31]);
        assert_eq!(rate(one_between, 30.0), 30.0);
    }
}
