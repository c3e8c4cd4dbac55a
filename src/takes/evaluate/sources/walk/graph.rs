//! The search graph of a walk: the ground, with links over what its clips cross.

use std::sync::Arc;

use super::crosser::cannot_walk;
use crate::document::Walk as WalkTake;
use crate::evaluate::built::Crosser;
use crate::evaluate::inputs::Inputs;
use crate::evaluate::{LevelGraph, LevelGround, TakeError};
use portamento_base::message::message;
use portamento_base::progress::Progress;
use portamento_walk::crossing::ClipRange;
use portamento_walk::navigation::links::{Link, cheapest, largest_count, links};
use portamento_walk::navigation::{Ground, SearchGraph};

/// Memory of the search for edges per triangle, bytes: three sides, the normal and the nodes of the tree.
const EDGE_BYTES_PER_TRIANGLE: usize = 140;

/// Builds the search graph of `walk`, with links if it crosses. The clips of the character replace listed sizes. Returns `Err` if a
/// clip that settings name crosses nothing, a listed size or a preference is invalid, or on a cancel.
pub(super) fn build(
    inputs: &Inputs,
    ground: &LevelGround,
    walk: &WalkTake,
    progress: &Progress,
) -> Result<LevelGraph, TakeError> {
    let crosser = crosser(inputs)?;
    let mut notices = Vec::new();
    if crosser.as_ref().is_some_and(|crosser| crosser.motions.is_empty()) {
        notices.push(message!(
            "warning.walk.nothing_crosses",
            "No clip of the character crosses obstacles or gaps, so routes follow the ground. Choose clips that jump, climb or \
             vault."
        ));
    }
    let listed = || walk.crossings.iter().map(ClipRange::from).collect();
    let clips: Vec<ClipRange> = crosser.as_ref().map_or_else(listed, |crosser| crosser.ranges.clone());
    let search = if clips.is_empty() {
        SearchGraph::new(Arc::new(ground.map.ground.clone()))
    } else {
        let links = found(ground, &clips, crosser.as_deref(), progress)?;
        with_links(Arc::new(ground.map.ground.clone()), walk, links)?
    };
    Ok(LevelGraph { search, crosser, notices, fits: Arc::default() })
}

/// Returns the character if it crosses with its own clips. One that cannot walk crosses nothing. Returns `Err` if a named clip
/// crosses nothing.
fn crosser(inputs: &Inputs) -> Result<Option<Arc<Crosser>>, TakeError> {
    let built = inputs.crosser.as_ref().and_then(|crosser| crosser.built.get());
    match built.and_then(|built| built.crosser.clone()) {
        Some(Ok(crosser)) => Ok(Some(crosser)),
        Some(Err(error)) if !cannot_walk(&error) => Err(error),
        _ => Ok(None),
    }
}

/// Returns the links of `clips` in a level. Those that a `crosser` cannot do are left out.
fn found(
    ground: &LevelGround,
    clips: &[ClipRange],
    crosser: Option<&Crosser>,
    progress: &Progress,
) -> Result<Vec<Link>, TakeError> {
    let what = || format!("“{}”", ground.scenery.file.model.name);
    let search = ground.level.triangles.len().saturating_mul(EDGE_BYTES_PER_TRIANGLE);
    let edges = {
        let _reservation = progress.budget().reserve(search as u64, &what)?;
        ground.edges(&progress.share(0.6))?
    };
    let most = largest_count(edges, clips).saturating_mul(size_of::<Link>());
    let _reservation = progress.budget().reserve(most as u64, &what)?;
    let links = links(edges, clips, &ground.map, &progress.share(0.2))?;
    Ok(match crosser {
        Some(crosser) => cheapest(links, |link| crosser.cost(link)),
        None => links,
    })
}

/// Returns the ground as a search graph with `links`, weighed by the preferences of `walk`.
pub(super) fn with_links(ground: Arc<Ground>, walk: &WalkTake, links: Vec<Link>) -> Result<SearchGraph, TakeError> {
    Ok(SearchGraph::with_links(ground, links.into(), &walk.own_crossings.preferences())?)
}
