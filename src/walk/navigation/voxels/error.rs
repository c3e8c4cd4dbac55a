//! Errors of the conversion from a level to ground.

use portamento_base::message::{Message, message, messages};
use portamento_base::progress::Cancelled;

messages! {
/// Reason why a level cannot become ground.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum VoxelError {
    /// The level has no faces.
    Empty => message!(
        "error.voxels.empty",
        "The level has no faces. Open a file with triangles."
    ),
    /// A vertex is NaN or infinite.
    NotFinite {
        /// Name of the mesh with that vertex.
        mesh: String,
    } => message!(
        "error.voxels.not_finite",
        "A vertex of \"%{mesh}\" is not a finite number. Repair that mesh and export the level again.",
        mesh
    ),
    /// A face refers to a vertex that does not exist.
    MissingCorner {
        /// Name of the mesh with that face.
        mesh: String,
    } => message!(
        "error.voxels.missing_corner",
        "A face of \"%{mesh}\" refers to a vertex that does not exist. Export the level again.",
        mesh
    ),
    /// The level is narrower than one voxel.
    TooSmall {
        /// Size along x, metres.
        wide: f64,
        /// Size along z, metres.
        deep: f64,
        /// Voxel size, metres.
        cell: f64,
    } => message!(
        "error.voxels.too_small",
        "The level is only %{wide} m × %{deep} m, smaller than one voxel of %{cell} m. Check the unit and the up axis of the \
         file, or reduce the voxel size.",
        wide = format!("{wide:.3}"), deep = format!("{deep:.3}"), cell = format!("{cell:.3}")
    ),
    /// The level is too large even for the largest voxels.
    TooLarge {
        /// Longest side, metres.
        size: f64,
        /// Largest voxel size, metres.
        most: f64,
    } => message!(
        "error.voxels.too_large",
        "The level spans %{size}, which is too large even for voxels of %{most} m. Check the unit of the file, or remove \
         distant vertices.",
        size = kilometres(*size), most = format!("{most:.0}")
    ),
    /// The level has too many columns.
    TooWide {
        /// Size along x, metres.
        wide: f64,
        /// Size along z, metres.
        deep: f64,
        /// Voxel size, metres.
        cell: f64,
        /// Smallest voxel size that works, metres.
        fits: f64,
    } => message!(
        "error.voxels.too_wide",
        "The level of %{wide} m × %{deep} m has too many voxels of %{cell} m. Check the unit of the file, set the voxel \
         size to at least %{fits} m, or split the level.",
        wide = format!("{wide:.0}"), deep = format!("{deep:.0}"), cell = format!("{cell:.2}"), fits = format!("{fits:.2}")
    ),
    /// The level has too many voxels along its height.
    TooTall {
        /// Height of the level, metres.
        tall: f64,
        /// Voxel height, metres.
        cell_height: f64,
        /// Smallest voxel height that works, metres.
        fits: f64,
    } => message!(
        "error.voxels.too_tall",
        "The level is %{tall} m tall, which is too much for a voxel height of %{cell_height} m. Check the unit of the file, or \
         set the voxel height to at least %{fits} m.",
        tall = format!("{tall:.0}"), cell_height = format!("{cell_height:.2}"), fits = format!("{fits:.2}")
    ),
    /// A column has too many floors.
    TooManyFloors {
        /// Floors in that column.
        floors: usize,
        /// Largest allowed number of floors.
        most: usize,
        /// World x of the column, metres.
        x: f64,
        /// World z of the column, metres.
        z: f64,
    } => message!(
        "error.voxels.too_many_floors",
        "There are %{floors} floors on top of each other near x %{x} m, z %{z} m; at most %{most} are possible. Split the \
         level by height, or remove geometry that is not walked on.",
        floors, x = format!("{x:.1}"), z = format!("{z:.1}"), most
    ),
    /// The level has too many spans.
    TooManySpans {
        /// Largest allowed number of spans.
        most: usize,
        /// Voxel size, metres.
        cell: f64,
    } => message!(
        "error.voxels.too_many_spans",
        "With a voxel size of %{cell} m the level has more than %{most} voxel spans. Increase the voxel size, or split the \
         level.",
        most, cell = format!("{cell:.2}")
    ),
    /// A setting is invalid.
    Setting {
        /// Name of the setting.
        name: Message,
        /// The problem, as the rest of a sentence.
        reason: Box<Message>,
        /// The remedy, as a sentence.
        remedy: Box<Message>,
    } => message!(
        "error.voxels.setting",
        "The %{name} %{reason}. %{remedy}",
        name = name, reason = &**reason, remedy = &**remedy
    ),
    /// Cancelled on request.
    Cancelled(#[from] error: Cancelled) => error.message(),
}
}

/// Formats a length in kilometres.
fn kilometres(metres: f64) -> String {
    let kilometres = metres / 1000.0;
    if kilometres < 1e6 { format!("{kilometres:.0} km") } else { format!("{kilometres:.0e} km") }
}
