//! Key times of an animation stack.

use std::collections::BTreeMap;

use ufbx::{AnimStack, Node};

use super::keyframe_fit::KeyTime;
use super::properties::PROPERTIES;

/// Longest stack that is read, in seconds: two days. Tuned; no derivation recorded.
const MAX_STACK_SECONDS: f64 = 172_800.0;

/// The range of a stack and its key times by property.
pub(super) struct StackTimes {
    pub begin: f64,
    end: f64,
    /// Absolute key times of each element's property. The list is empty if the property has no key.
    of_property: BTreeMap<(u32, String), Vec<f64>>,
    /// Absolute key times of layer weights, which affect every property.
    of_layers: Vec<f64>,
}

impl StackTimes {
    /// Reads the key times of `stack`. Returns `None` if nothing is animated.
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

    pub(super) fn length(&self) -> f32 {
        ((self.end - self.begin) as f32).max(0.0)
    }

    /// Returns the number of keys.
    pub(super) fn count(&self) -> usize {
        self.of_property.values().map(Vec::len).sum()
    }

    /// True if the element's property has curves in the stack.
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

    /// Returns the key times of any of `properties` from the stack's beginning, with both ends; empty if none is animated.
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

    /// Converts an absolute `time` to a key time from the stack's beginning.
    pub(super) fn key_time(&self, time: f64) -> KeyTime {
        let exact = time - self.begin;
        let rounded = exact as f32;
        // The last key is at the end of the clip, even if that is rounded up.
        let is_late = f64::from(rounded) > exact && time < self.end;
        let written = if is_late { rounded.next_down().max(0.0) } else { rounded };
        KeyTime { written: written.min(self.length()), exact }
    }
}
