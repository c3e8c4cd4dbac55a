//! Why a level cannot become ground.

use crate::message::{Message, message, tell};
use crate::progress::Cancelled;

/// Why a level cannot become ground: what is wrong and what to do.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum VoxelError {
    /// No faces at all.
    Empty,
    /// A corner is not a number, or infinite.
    NotFinite {
        /// Name of the mesh with that corner.
        mesh: String,
    },
    /// A face refers to a corner that is not there.
    MissingCorner {
        /// Name of the mesh with that face.
        mesh: String,
    },
    /// Less than a cell wide.
    TooSmall {
        /// Metres along x.
        wide: f64,
        /// Metres along z.
        deep: f64,
        /// Metres of a cell.
        cell: f64,
    },
    /// Beyond even the largest voxels.
    TooLarge {
        /// Metres, the longest side.
        size: f64,
        /// Metres of the largest voxel.
        most: f64,
    },
    /// More columns than fit.
    TooWide {
        /// Metres along x.
        wide: f64,
        /// Metres along z.
        deep: f64,
        /// Metres of a cell.
        cell: f64,
        /// The smallest cell that works.
        fits: f64,
    },
    /// More voxels upwards than fit.
    TooTall {
        /// Height of the level, metres.
        tall: f64,
        /// Metres of a voxel.
        cell_height: f64,
        /// The smallest height that works.
        fits: f64,
    },
    /// More floors above one another than fit.
    TooManyFloors {
        /// Floors in the worst column.
        floors: usize,
        /// The most that fit.
        most: usize,
        /// World x of the worst column, metres.
        x: f64,
        /// World z of the worst column, metres.
        z: f64,
    },
    /// More spans than fit.
    TooManySpans {
        /// The most that fit.
        most: usize,
        /// Metres of a cell.
        cell: f64,
    },
    /// A setting that makes no sense.
    Setting {
        /// Name of the refused setting.
        name: Message,
        /// What is wrong, as the rest of the sentence.
        reason: Box<Message>,
        /// What to do, a sentence.
        remedy: Box<Message>,
    },
    /// Stopped on request.
    Cancelled(#[from] Cancelled),
}

tell!(VoxelError {
    Self::Empty => message!(
        "error.voxels.empty",
        "The level has no faces, so there is no ground. Open a file with triangles."
    ),
    Self::NotFinite { mesh } => message!(
        "error.voxels.not_finite",
        "A corner of \"%{mesh}\" is not a finite number. Repair that mesh and export the level again.",
        mesh
    ),
    Self::MissingCorner { mesh } => message!(
        "error.voxels.missing_corner",
        "A face of \"%{mesh}\" refers to a corner that does not exist. Export the level again.",
        mesh
    ),
    Self::TooSmall { wide, deep, cell } => message!(
        "error.voxels.too_small",
        "The level is only %{wide} m by %{deep} m, less than one cell of %{cell} m. Check the unit of the file and which \
         axis is up, or make the cells smaller.",
        wide = format!("{wide:.3}"), deep = format!("{deep:.3}"), cell = format!("{cell:.3}")
    ),
    Self::TooLarge { size, most } => message!(
        "error.voxels.too_large",
        "The level reaches over %{size}, too far for the largest voxels of %{most} m. Check the unit of the file, or remove \
         corners that lie far out.",
        size = kilometres(*size), most = format!("{most:.0}")
    ),
    Self::TooWide { wide, deep, cell, fits } => message!(
        "error.voxels.too_wide",
        "The level is %{wide} m by %{deep} m; cells of %{cell} m would be too many. Check the unit of the file, make the \
         cells at least %{fits} m, or cut the level into parts.",
        wide = format!("{wide:.0}"), deep = format!("{deep:.0}"), cell = format!("{cell:.2}"), fits = format!("{fits:.2}")
    ),
    Self::TooTall { tall, cell_height, fits } => message!(
        "error.voxels.too_tall",
        "The level is %{tall} m tall; voxels %{cell_height} m high would be too many. Check the unit of the file, or make \
         the voxels at least %{fits} m high.",
        tall = format!("{tall:.0}"), cell_height = format!("{cell_height:.2}"), fits = format!("{fits:.2}")
    ),
    Self::TooManyFloors { floors, most, x, z } => message!(
        "error.voxels.too_many_floors",
        "There are %{floors} floors above one another near x %{x} m, z %{z} m; at most %{most} fit. Cut the level into \
         parts by height, or remove what nobody walks on.",
        floors, x = format!("{x:.1}"), z = format!("{z:.1}"), most
    ),
    Self::TooManySpans { most, cell } => message!(
        "error.voxels.too_many_spans",
        "The level makes more than %{most} voxel spans with cells of %{cell} m. Make the cells larger, or cut the level \
         into parts.",
        most, cell = format!("{cell:.2}")
    ),
    Self::Setting { name, reason, remedy } => message!(
        "error.voxels.setting",
        "The %{name} %{reason}. %{remedy}",
        name = name, reason = &**reason, remedy = &**remedy
    ),
    Self::Cancelled(error) => error.message(),
});

fn kilometres(metres: f64) -> String {
    let kilometres = metres / 1000.0;
    if kilometres < 1e6 { format!("{kilometres:.0} km") } else { format!("{kilometres:.0e} km") }
}
