//! Writes the edges of a level and the links over them, for other programs.
//!
//! Lengths are metres, angles degrees, +Y up. The JSON file has the edges, the links with the indices of their edge and
//! clip, and the links as off-mesh connections of Detour. Godot gets them as a scene, Unreal as a script.

use std::path::{Path, PathBuf};

use glam::DVec3;
use serde_json::{Value, json};

use portamento_base::message::Tell;
use portamento_base::progress::Progress;
use portamento_formats::export::nav_link::NavLink;
use portamento_formats::export::{ExportError, FileSet, csv, godot, unreal};
use portamento_takes::evaluate::Walked;
use portamento_walk::crossing::{CrossingKind, Obstacle};
use portamento_walk::navigation::edges::{Edge, EdgeKind};
use portamento_walk::navigation::links::Link;
use portamento_walk::navigation::voxels::VoxelMap;

/// Adds the edges of a level and the links of its routes to `files`. They are named like `path`, with `.crossings.json`, `.edges.csv`,
/// `.links.csv`, `.links.tscn` and `.links.py` in place of its ending. Returns the paths; none without links or routes. Returns `Err` if
/// a file cannot be written or `progress` is cancelled.
pub fn write(
    files: &mut FileSet,
    path: &Path,
    walked: &Walked,
    progress: &Progress,
) -> Result<Vec<PathBuf>, ExportError> {
    let Some(routes) = walked.routes.as_ref() else { return Ok(Vec::new()) };
    let (edges, links) = (walked.ground.edges(progress)?, &routes.links[..]);
    let VoxelMap { ground, settings, .. } = &walked.ground.map;
    let speed = ground.cells.iter().map(|cell| cell.speed(0.0)).fold(0.0, f64::max);
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let nav: Vec<NavLink> = links.iter().map(|link| nav_link(link, speed)).collect();
    let texts = [
        ("crossings.json", format!("{:#}\n", to_json(edges, links, settings.radius))),
        ("edges.csv", edges_csv(edges)),
        ("links.csv", links_csv(links)),
        (godot::LINKS_ENDING, godot::links(&nav)),
        (unreal::LINKS_ENDING, unreal::links(&name, &nav)),
    ];
    let mut written = Vec::new();
    for (ending, text) in texts {
        let path = path.with_extension(ending);
        files.write(&path, text.as_bytes())?;
        written.push(path);
    }
    Ok(written)
}

/// Returns a link for engines. `speed` is that of walking on level ground, m/s.
fn nav_link(link: &Link, speed: f64) -> NavLink {
    let Obstacle { kind, start, landing, .. } = link.obstacle;
    NavLink {
        kind: kind_name(kind).to_owned(),
        layer: flags(kind).ilog2(),
        clip: link.clip,
        start,
        landing,
        seconds: link.seconds,
        metres: speed * link.seconds,
    }
}

/// Returns the edges, the links, and the links as off-mesh connections.
fn to_json(edges: &[Edge], links: &[Link], radius: f64) -> Value {
    let areas: Vec<Value> =
        KINDS.iter().map(|(kind, name)| json!({ "name": name, "area": area(*kind), "flags": flags(*kind) })).collect();
    json!({
        "unit": "metre",
        "up": "+Y",
        "edges": edges.iter().map(edge_json).collect::<Vec<_>>(),
        "links": links.iter().map(link_json).collect::<Vec<_>>(),
        "offMeshAreas": areas,
        "offMeshConnections": links.iter().enumerate().map(|(id, link)| off_mesh(id, link, radius)).collect::<Vec<_>>(),
    })
}

fn edge_json(edge: &Edge) -> Value {
    json!({
        "kind": edge_kind(edge.kind),
        "line": edge.line.map(|end| end.to_array()),
        "heading": edge.heading.to_array(),
        "heights": edge.heights,
        "far": edge.far.map(|far| far.map(|end| end.to_array())),
        "distances": edge.distances(),
        "farHeights": edge.far_heights,
        "slope": edge.slope,
        "roomAbove": edge.room_above,
        "roomBehind": edge.room_behind,
        "width": edge.width,
        "problem": edge.problem.map(|problem| problem.message().to_string()),
    })
}

fn link_json(link: &Link) -> Value {
    json!({
        "kind": kind_name(link.obstacle.kind),
        "clip": link.clip,
        "edge": link.edge,
        "start": link.obstacle.start.to_array(),
        "landing": link.obstacle.landing.to_array(),
        "seconds": link.seconds,
    })
}

/// Returns a link as the arrays of `dtNavMeshCreateParams` have it. A link leads in one direction: `direction` is 0.
fn off_mesh(id: usize, link: &Link, radius: f64) -> Value {
    json!({
        "start": link.obstacle.start.to_array(),
        "end": link.obstacle.landing.to_array(),
        "radius": radius,
        "direction": 0,
        "area": area(link.obstacle.kind),
        "flags": flags(link.obstacle.kind),
        "id": id,
    })
}

/// Returns one line per edge.
fn edges_csv(edges: &[Edge]) -> String {
    let mut text = String::from(
        "edge,kind,ax_m,ay_m,az_m,bx_m,by_m,bz_m,heading_x,heading_z,height_a_m,height_b_m,distance_a_m,distance_b_m,slope_deg,\
         room_above_m,room_behind_m,width_m,problem\n",
    );
    for (index, edge) in edges.iter().enumerate() {
        let pair = |values: Option<[f64; 2]>| values.map_or(",".to_owned(), |[a, b]| format!("{a},{b}"));
        let problem = edge.problem.map(|problem| problem.message().to_string()).unwrap_or_default();
        text += &format!(
            "{index},{},{},{},{},{},{},{},{},{},{},{}\n",
            edge_kind(edge.kind),
            edge.line.map(coordinates).join(","),
            edge.heading.x,
            edge.heading.y,
            pair(edge.heights),
            pair(edge.distances()),
            edge.slope,
            edge.room_above,
            edge.room_behind,
            edge.width,
            csv::field(&problem)
        );
    }
    text
}

/// Returns one line per link.
fn links_csv(links: &[Link]) -> String {
    let mut text =
        String::from("link,kind,clip,edge,start_x_m,start_y_m,start_z_m,landing_x_m,landing_y_m,landing_z_m,time_s\n");
    for (index, link) in links.iter().enumerate() {
        let ends = [link.obstacle.start, link.obstacle.landing].map(coordinates).join(",");
        let kind = kind_name(link.obstacle.kind);
        text += &format!("{index},{kind},{},{},{ends},{}\n", link.clip, link.edge, link.seconds);
    }
    text
}

fn coordinates(at: DVec3) -> String {
    format!("{},{},{}", at.x, at.y, at.z)
}

/// The ways to cross with their names, in the order of their area numbers.
const KINDS: [(CrossingKind, &str); 5] = [
    (CrossingKind::Vault, "vault"),
    (CrossingKind::Mantle, "mantle"),
    (CrossingKind::HopUp, "hop_up"),
    (CrossingKind::JumpAcross, "jump_across"),
    (CrossingKind::DropDown, "drop_down"),
];

fn position(kind: CrossingKind) -> usize {
    KINDS.iter().position(|(known, _)| *known == kind).unwrap_or(0)
}

/// Returns the name of a kind in files.
pub fn kind_name(kind: CrossingKind) -> &'static str {
    KINDS[position(kind)].1
}

/// Returns the area of an off-mesh connection: 1 for a vault, counted up in the order of the kinds. Detour's ground is 63.
fn area(kind: CrossingKind) -> usize {
    1 + position(kind)
}

/// Returns the flags of an off-mesh connection: one bit per kind, from the second on. Detour's ground usually has the first.
fn flags(kind: CrossingKind) -> u32 {
    2 << position(kind)
}

fn edge_kind(kind: EdgeKind) -> &'static str {
    match kind {
        EdgeKind::LedgeUp => "ledge_up",
        EdgeKind::LedgeDown => "ledge_down",
        EdgeKind::Gap => "gap",
    }
}
