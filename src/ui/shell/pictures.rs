//! Moving drawings of the lessons, 108 × 56 units. The time `t` runs from 0 to 1 and then begins again.

use std::f32::consts::{PI, TAU};

use crate::widgets::canvas::{CAST, Canvas, LAND, LEAP, Posture, RUN, STAND, soft};

/// A drawing at a time.
pub(crate) type Draw = fn(&Canvas, f32);

/// Y coordinate of the ground.
const GROUND_Y: f32 = 48.0;

/// Draws the line of the ground.
fn ground(canvas: &Canvas) {
    canvas.line(&[(0.0, GROUND_Y), (108.0, GROUND_Y)], 1.0, canvas.tokens.line);
}

/// Returns the posture of a run at `phase`, in cycles.
fn running(phase: f32) -> Posture {
    RUN.towards(&RUN.mirrored(), 0.5 - 0.5 * (phase * TAU).cos())
}

/// Draws a leap whose target is dragged farther, then the leap.
pub(crate) fn stretch(canvas: &Canvas, t: f32) {
    let tokens = &canvas.tokens;
    ground(canvas);
    let end = 56.0 + 32.0 * soft(t, 0.05, 0.3);
    let height = |x: f32, to: f32| 40.0 - 18.0 * (PI * (x - 14.0) / (to - 14.0)).sin().max(0.0);
    let grey = canvas.faint(tokens.source, 0.5);
    canvas.curve([14.0, 56.0], 1.0, grey, |x| height(x, 56.0));
    canvas.figure(&LAND, (56.0, GROUND_Y), 25.0, grey);
    canvas.curve([14.0, end], 1.6, tokens.accent, |x| height(x, end));
    for share in [0.0, 0.07, 0.2, 0.38, 0.46, 0.5, 0.54, 0.64, 0.8, 0.93, 1.0] {
        let x = 14.0 + (end - 14.0) * share;
        canvas.dot((x, height(x, end)), 1.7, tokens.accent);
    }
    canvas.arc((end, GROUND_Y), [13.0, 3.6], [0.0, 1.0], (1.3, tokens.target));
    canvas.arrow((end + 3.0, GROUND_Y), (end + 18.0, GROUND_Y), 1.2, tokens.target);
    canvas.figure(&RUN, (14.0, GROUND_Y), 25.0, canvas.faint(tokens.text, 0.75));
    canvas.figure(&LAND, (end, GROUND_Y), 25.0, canvas.faint(tokens.accent, 0.45));
    let leap = soft(t, 0.35, 0.8);
    let x = 14.0 + (end - 14.0) * leap;
    let pose = RUN.towards(&LEAP, soft(leap, 0.0, 0.35)).towards(&LAND, soft(leap, 0.65, 1.0));
    canvas.figure(&pose, (x, height(x, end) + 8.0), 25.0, tokens.accent);
}

/// Draws a run that fades into a cast.
pub(crate) fn blend(canvas: &Canvas, t: f32) {
    let tokens = &canvas.tokens;
    let (base, top) = (52.0, 36.0);
    let weight = |x: f32| soft(x, 38.0, 70.0);
    let cast = |x: f32| base - (base - top) * weight(x);
    canvas.area([6.0, 102.0], base, canvas.faint(tokens.source, 0.35), |_| top);
    canvas.area([6.0, 102.0], base, canvas.faint(tokens.accent, 0.55), cast);
    canvas.curve([6.0, 102.0], 1.4, tokens.accent, cast);
    let at = 6.0 + 96.0 * t;
    let pose = running(t * 5.0).towards(&CAST, weight(at));
    canvas.figure(&running(t * 5.0), (18.0, 31.0), 22.0, canvas.faint(tokens.source, 0.7));
    canvas.figure(&CAST, (90.0, 31.0), 22.0, canvas.faint(tokens.accent, 0.4));
    canvas.figure(&pose, (54.0, 31.0), 26.0, tokens.accent);
    canvas.line(&[(at, 36.0), (at, 54.0)], 1.2, tokens.playhead);
    canvas.head((at, 32.0), (at, 38.0), 4.0, tokens.playhead);
}

/// Draws hair in the wind and a collider.
pub(crate) fn hair(canvas: &Canvas, t: f32) {
    let tokens = &canvas.tokens;
    let head = (40.0, 21.0);
    canvas.line(&[(40.0, 31.0), (40.0, 56.0)], 15.0, canvas.faint(tokens.source, 0.45));
    canvas.dot(head, 10.0, canvas.faint(tokens.source, 0.7));
    canvas.ring(head, 11.5, 1.1, tokens.ok);
    for (row, start) in [(0.0, (43.0, 10.5)), (1.0, (49.0, 14.0)), (2.0, (51.5, 20.5))] {
        let strand = |i: u8| {
            let along = f32::from(i) / 4.0;
            let wave = (along * 4.6 + row - 2.0 * TAU * t).sin() * 3.4 * along;
            (start.0 + along * (46.0 - 5.0 * row), start.1 + along * (4.0 + 8.0 * row) + wave)
        };
        let points: Vec<(f32, f32)> = (0..=4).map(strand).collect();
        canvas.line(&points, 1.8, tokens.accent);
        points.iter().for_each(|&point| canvas.dot(point, 2.1, tokens.accent));
    }
    let gust = 3.0 * (TAU * t).sin();
    for (y, length) in [(12.0, 14.0), (22.0, 19.0), (32.0, 12.0)] {
        canvas.arrow((6.0, y), (6.0 + length + gust, y), 1.1, tokens.target);
    }
}

/// Draws a section of a motion whose end meets its start.
pub(crate) fn looped(canvas: &Canvas, t: f32) {
    let tokens = &canvas.tokens;
    let wave = |x: f32| 36.0 - 9.0 * (x / 28.0 * TAU).sin();
    canvas.area([26.0, 82.0], 52.0, canvas.faint(tokens.accent, 0.16), |_| 20.0);
    canvas.curve([4.0, 104.0], 1.3, canvas.faint(tokens.source, 0.7), wave);
    canvas.curve([26.0, 82.0], 2.0, tokens.accent, wave);
    for x in [26.0, 82.0] {
        canvas.line(&[(x, 20.0), (x, 52.0)], 1.2, tokens.accent);
        canvas.dot((x, wave(x)), 2.6, tokens.accent);
    }
    canvas.arc((54.0, 18.0), [28.0, 11.0], [0.02, -0.48], (1.4, tokens.target));
    canvas.head((27.4, 11.0), (26.0, 18.5), 5.5, tokens.target);
    let x = 26.0 + 56.0 * (2.0 * t).fract();
    canvas.line(&[(x, 22.0), (x, 52.0)], 1.2, tokens.playhead);
    canvas.dot((x, wave(x)), 2.6, tokens.playhead);
}

/// Draws a figure on a route around obstacles and an alternative route.
pub(crate) fn walk(canvas: &Canvas, t: f32) {
    let tokens = &canvas.tokens;
    for (from, to) in [((26.0, 4.0), (46.0, 30.0)), ((60.0, 26.0), (78.0, 56.0)), ((8.0, 8.0), (16.0, 20.0))] {
        canvas.block(from, to, 2.0, tokens.raised, tokens.line);
    }
    let other = |x: f32| 46.0 - 38.0 * soft(x, 36.0, 60.0) + 3.0 * soft(x, 60.0, 96.0);
    canvas.curve([12.0, 97.0], 1.1, canvas.faint(tokens.source, 0.6), other);
    let route = |x: f32| 46.0 - 28.0 * soft(x, 34.0, 66.0) - 7.0 * soft(x, 66.0, 98.0);
    canvas.curve([12.0, 97.0], 1.8, tokens.accent, route);
    let at = 12.0 + 85.0 * soft(t, 0.0, 0.9);
    for (step, x) in (0_u8..).zip([20.0, 28.0, 36.0, 43.0, 50.0, 57.0, 64.0, 72.0, 80.0, 88.0]) {
        let side = if step % 2 == 0 { 2.8 } else { -2.8 };
        if x < at {
            canvas.dot((x, route(x) + side), 1.3, canvas.faint(tokens.text, 0.8));
        }
    }
    for at in [(12.0, 46.0), (97.0, route(97.0))] {
        canvas.dot(at, 3.4, tokens.window);
        canvas.ring(at, 3.4, 1.6, tokens.target);
    }
    let pose = STAND.towards(&running(t * 6.0), 0.6 * (soft(t, 0.0, 0.1) - soft(t, 0.8, 0.9)));
    canvas.figure(&pose, (at, route(at) + 1.0), 19.0, tokens.accent);
}

/// Draws a recording that lies and has an outlier: it is set upright, fixed and retargeted.
pub(crate) fn mocap(canvas: &Canvas, t: f32) {
    let tokens = &canvas.tokens;
    ground(canvas);
    let upright = soft(t, 0.1, 0.3);
    let lying = (1.0 - upright) * 0.5 * PI;
    let is_fixed = t > 0.58;
    // The hand jumps in single frames until it is fixed.
    let jumps = !is_fixed && (t * 24.0).fract() < 0.35;
    let pose = running(t * 4.0);
    let pose = if jumps { pose.with_hand((0.05, 1.05)) } else { pose };
    let grey = canvas.faint(tokens.source, 0.8);
    // A lying figure rests on the ground with half its width.
    let base = (34.0 - 14.0 * lying.sin(), GROUND_Y - 9.0 * lying.sin());
    canvas.turned_figure(&pose, base, (34.0, lying), grey);
    if jumps {
        let (sin, cos) = lying.sin_cos();
        let hand = (base.0 + 34.0 * (0.05 * cos + 1.05 * sin), base.1 - 34.0 * (1.05 * cos - 0.05 * sin));
        canvas.ring(hand, 4.0, 1.2, tokens.error);
    }
    let share = soft(t, 0.6, 0.75);
    if share > 0.0 {
        canvas.arrow((48.0, 30.0), (48.0 + 14.0 * share, 30.0), 1.2, tokens.target);
        canvas.figure(&pose, (82.0, GROUND_Y), 38.0, canvas.faint(tokens.accent, share));
    }
}
