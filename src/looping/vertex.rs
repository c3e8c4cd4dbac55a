//! Loops of meshes: the unit is a vertex.

use std::sync::Arc;

use glam::Vec3;
use rayon::prelude::*;

use super::crossfade::{Crossfade, Pair};
use super::energy::Energy;
use super::fade::FadeWeights;
use super::meter::{self, EdgeStretch, Measured, SeamReport};
use super::rigid::RigidPieces;
use super::{BuildError, CycleWindow, Settings, Source, Warning};
use portamento_anim::media::VertexClip;
use portamento_base::progress::Progress;

/// Number of vertices per parallel task: with their weights they stay in the cache.
const CHUNK: usize = 2048;

/// A mesh loop: the unchanged source and the weights of its two cycles. Frames are computed on demand.
#[derive(Clone, Debug, PartialEq)]
pub struct VertexLoop {
    clip: Arc<VertexClip>,
    window: CycleWindow,
    weights: FadeWeights,
    rigid: Option<RigidPieces>,
    energy: Option<Energy<3>>,
    report: SeamReport,
    warnings: Vec<Warning>,
}

/// Validates `settings` against `clip` and prepares the loop.
///
/// Returns `Err` if
/// - the window or the weights are invalid ([`super::window`], [`FadeWeights::new`]);
/// - `progress` is cancelled.
pub fn build(clip: &Arc<VertexClip>, settings: &Settings, progress: &Progress) -> Result<VertexLoop, BuildError> {
    let window = super::window(settings, &clip.name, clip.frames())?;
    let weights = FadeWeights::new(settings, clip.vertices, &clip.name)?;
    progress.step(0, 1)?;
    let mut warnings = super::fade_warnings(&weights, clip.vertices);
    if settings.rigid && clip.faces.is_empty() {
        warnings.push(Warning::NoFaces);
    }
    let rigid = (settings.rigid && !clip.faces.is_empty()).then(|| RigidPieces::new(clip, window));
    let report = SeamReport::default();
    let mut built = VertexLoop { clip: clip.clone(), window, weights, rigid, energy: None, report, warnings };
    if settings.keep_energy {
        built.energy = Some(measure_energy(&built, progress)?);
    }
    let Measured { report, mean_change } = built.measure_seam(progress)?;
    built.report = report;
    let source = Source { name: &clip.name, frames: clip.frames() };
    let read = |frame: usize, out: &mut Vec<f32>| {
        flatten(clip.frame(frame), out);
        Ok(())
    };
    built.warnings.extend(super::closing_warning(source, window, mean_change, read)?);
    progress.step(1, 1)?;
    Ok(built)
}

/// Measures the stretch of every frame, without changing the loop. Returns `Err` if `progress` is cancelled.
fn measure_energy(built: &VertexLoop, progress: &Progress) -> Result<Energy<3>, BuildError> {
    let arrays = |points: &[Vec3], out: &mut Vec<[f32; 3]>| {
        out.clear();
        out.extend(points.iter().map(|point| point.to_array()));
    };
    let mut mixed = Vec::new();
    let read = |frame: usize, out: &mut Vec<[f32; 3]>| -> Result<(), BuildError> {
        arrays(built.clip.frame(frame), out);
        Ok(())
    };
    let mix = |k: usize, out: &mut Vec<[f32; 3]>| -> Result<(), BuildError> {
        built.cycle_frame(k, &mut mixed);
        arrays(&mixed, out);
        Ok(())
    };
    Energy::measure(built.window, &built.weights, read, mix, progress)
}

/// Writes the coordinates of all points as one list.
fn flatten(points: &[Vec3], out: &mut Vec<f32>) {
    out.clear();
    out.extend(points.iter().flat_map(|point| point.to_array()));
}

impl VertexLoop {
    /// Returns the number of frames in the loop, X.
    pub fn frames(&self) -> usize {
        self.window.length
    }

    /// Returns the number of vertices in every frame.
    pub fn units(&self) -> usize {
        self.clip.vertices
    }

    /// Returns the duration of one cycle, X/fps, seconds.
    pub fn duration(&self) -> f64 {
        self.window.length as f64 / self.clip.fps
    }

    /// Returns the measurements of the seam.
    pub fn report(&self) -> &SeamReport {
        &self.report
    }

    /// Returns the warnings for the user.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Writes frame `index` (any number, modulo X) to `out`, resized to fit. Normals are computed by the caller, with
    /// [`portamento_anim::geometry::shading`].
    pub fn frame(&self, index: usize, out: &mut Vec<Vec3>) {
        self.cycle_frame(index % self.window.length, out);
    }

    /// Writes frame `k` of 0 … X to `out`. Frame X equals the first one bit for bit and is dropped from the loop.
    pub(super) fn cycle_frame(&self, k: usize, out: &mut Vec<Vec3>) {
        let CycleWindow { start, length } = self.window;
        let (a, b) = (self.clip.frame(start + k), self.clip.frame(start + length + k));
        // Copies, so that the closing frame equals the first bit for bit.
        if k == 0 || k >= length {
            out.clear();
            out.extend_from_slice(if k == 0 { b } else { self.clip.frame(start + length) });
            return;
        }
        out.resize(self.clip.vertices, Vec3::ZERO);
        let new_buffer = || vec![0.0; CHUNK];
        out.par_chunks_mut(CHUNK).enumerate().for_each_init(new_buffer, |buffer, (piece, out)| {
            let first = piece * CHUNK;
            let weights = self.weights.at(k, first, &mut buffer[..out.len()]);
            let pair = Pair { outgoing: b, incoming: a }.part(first, out.len());
            match &self.rigid {
                Some(rigid) => rigid.crossfade(k, first, pair, weights, out),
                None => Vec3::crossfade(pair, weights, (), out),
            }
            if let Some(energy) = &self.energy {
                for (vertex, point) in (first..).zip(out) {
                    *point = energy.stretch(k, vertex, point.to_array()).into();
                }
            }
        });
    }

    /// Writes the mesh at `time` seconds to `out`, interpolated linearly between frames. Any time is valid; the loop
    /// repeats. `scratch` is a buffer for the next frame, so that repeated calls allocate nothing.
    pub fn sample(&self, time: f64, scratch: &mut Vec<Vec3>, out: &mut Vec<Vec3>) {
        let super::LoopPosition { frame, fraction } = super::frame_at(time, self.clip.fps, self.window.length);
        self.frame(frame, out);
        if fraction > 0.0 {
            self.frame(frame + 1, scratch);
            out.iter_mut().zip(scratch).for_each(|(here, next)| *here += (*next - *here) * fraction);
        }
    }

    /// Returns the loop as a clip of X frames, or X + 1 if `closing` adds the dropped one.
    pub fn to_clip(&self, closing: bool) -> VertexClip {
        let mut frame = Vec::new();
        let mut positions = Vec::with_capacity((self.frames() + usize::from(closing)) * self.clip.vertices);
        for k in 0..self.frames() + usize::from(closing) {
            self.cycle_frame(k, &mut frame);
            positions.extend_from_slice(&frame);
        }
        let VertexClip { name, fps, vertices, faces, .. } = &*self.clip;
        VertexClip { name: name.clone(), fps: *fps, vertices: *vertices, positions, faces: faces.clone() }
    }

    /// Measures the seam over all vertices, in the file's unit, and the stretch of edges over a sample. Returns `Err` if
    /// `progress` is cancelled.
    fn measure_seam(&self, progress: &Progress) -> Result<Measured, BuildError> {
        let (mut points, length) = (Vec::new(), self.window.length);
        let mut read = |k: usize, out: &mut Vec<f32>| -> Result<(), BuildError> {
            progress.step(k, length)?;
            self.frame(k, &mut points);
            flatten(&points, out);
            Ok(())
        };
        let seam = meter::seam(length, &mut read)?;
        let source = |index: usize, out: &mut Vec<f32>| -> Result<(), BuildError> {
            flatten(self.clip.frame(self.window.start + index), out);
            Ok(())
        };
        let [dip, source_dip] = meter::dips(2 * length + 1, source, length, read)?;
        let (mut first, mut last) = (Vec::new(), Vec::new());
        self.cycle_frame(0, &mut first);
        self.cycle_frame(length, &mut last);
        let value_gap = first.iter().zip(&last).map(|(a, b)| f64::from(a.distance(*b))).fold(0.0, f64::max);
        let report = SeamReport { value_gap, dip, source_dip, edges: self.edge_stretch(), ..seam.report };
        Ok(Measured { report, ..seam })
    }

    /// Returns the 1st and 99th percentile of edge lengths relative to the weighted mean of both cycles, sampled over about 16
    /// frames and 20 000 faces; `None` without edges.
    fn edge_stretch(&self) -> Option<EdgeStretch> {
        let faces = self.clip.faces.as_chunks::<3>().0;
        // A sample is sufficient for a percentile, and large meshes have millions of edges.
        let (face_step, frame_step) = ((faces.len() / 20_000).max(1), (self.frames() / 16).max(1));
        let (mut out, mut ratios) = (Vec::new(), Vec::new());
        let CycleWindow { start, length } = self.window;
        for k in (0..length).step_by(frame_step) {
            self.frame(k, &mut out);
            let (a, b) = (self.clip.frame(start + k), self.clip.frame(start + length + k));
            for face in faces.iter().step_by(face_step) {
                let (i, j) = (face[0] as usize, face[1] as usize);
                let weight = self.weights.of_unit(k, i);
                let (from_b, from_a) = (b[i].distance(b[j]), a[i].distance(a[j]));
                // Relative to the interpolated length of the edge in both cycles: meshes that really stretch are no
                // error.
                let source = f64::from(from_b + (from_a - from_b) * weight);
                if source > 0.0 {
                    ratios.push(f64::from(out[i].distance(out[j])) / source);
                }
            }
        }
        ratios.sort_by(f64::total_cmp);
        let at = |part: f64| ratios.get(((ratios.len().max(1) - 1) as f64 * part).round() as usize).copied();
        Some(EdgeStretch { low: at(0.01)?, high: at(0.99)? })
    }
}
