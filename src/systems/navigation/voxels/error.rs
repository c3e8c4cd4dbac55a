//! Why a level cannot become ground.

use crate::progress::Cancelled;

/// Why a level cannot become ground: what is wrong and what to do.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum VoxelError {
    /// No faces at all.
    #[error("The level has no faces, so there is no ground. Open a file with triangles.")]
    Empty,
    /// A corner is not a number, or infinite.
    #[error("A corner of \"{mesh}\" is not a finite number. Repair that mesh and export the level again.")]
    NotFinite {
        /// The mesh.
        mesh: String,
    },
    /// A face refers to a corner that is not there.
    #[error("A face of \"{mesh}\" refers to a corner that does not exist. Export the level again.")]
    MissingCorner {
        /// The mesh.
        mesh: String,
    },
    /// Less than a cell wide.
    #[error(
        "The level is only {wide:.3} m by {deep:.3} m, less than one cell of {cell:.3} m. Check the unit of the file and which axis is up, or make the cells smaller."
    )]
    TooSmall {
        /// Metres along x.
        wide: f64,
        /// Metres along z.
        deep: f64,
        /// Metres of a cell.
        cell: f64,
    },
    /// Beyond even the largest voxels.
    #[error(
        "The level reaches over {}, too far for the largest voxels of {most:.0} m. Check the unit of the file, or remove corners that lie far out.",
        kilometres(*size)
    )]
    TooLarge {
        /// Metres, the longest side.
        size: f64,
        /// Metres of the largest voxel.
        most: f64,
    },
    /// More columns than fit.
    #[error(
        "The level is {wide:.0} m by {deep:.0} m; cells of {cell:.2} m would be too many. Check the unit of the file, make the cells at least {fits:.2} m, or cut the level into parts."
    )]
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
    #[error(
        "The level is {tall:.0} m tall; voxels {cell_height:.2} m high would be too many. Check the unit of the file, or make the voxels at least {fits:.2} m high."
    )]
    TooTall {
        /// Metres.
        tall: f64,
        /// Metres of a voxel.
        cell_height: f64,
        /// The smallest height that works.
        fits: f64,
    },
    /// More floors above one another than fit.
    #[error(
        "There are {floors} floors above one another near x {x:.1} m, z {z:.1} m; at most {most} fit. Cut the level into parts by height, or remove what nobody walks on."
    )]
    TooManyFloors {
        /// Floors in the worst column.
        floors: usize,
        /// The most that fit.
        most: usize,
        /// Where, metres.
        x: f64,
        /// Where, metres.
        z: f64,
    },
    /// More spans than fit.
    #[error(
        "The level makes more than {most} voxel spans with cells of {cell:.2} m. Make the cells larger, or cut the level into parts."
    )]
    TooManySpans {
        /// The most that fit.
        most: usize,
        /// Metres of a cell.
        cell: f64,
    },
    /// A setting that makes no sense.
    #[error("The {name} {reason}. {remedy}")]
    Setting {
        /// Which one.
        name: String,
        /// What is wrong, as the rest of the sentence.
        reason: String,
        /// What to do, a sentence.
        remedy: String,
    },
    /// Stopped on request.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

fn kilometres(metres: f64) -> String {
    let kilometres = metres / 1000.0;
    if kilometres < 1e6 { format!("{kilometres:.0} km") } else { format!("{kilometres:.0e} km") }
}
