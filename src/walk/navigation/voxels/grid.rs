//! Conversion from metres to voxels.

use super::VoxelSettings;
use super::spans::rasterise::RasterGrid;
use portamento_anim::math::Bounds;

/// Size of the character in whole voxels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Voxels {
    pub height: u16,
    pub climb: u16,
    pub radius: u16,
}

/// Tolerance far below a voxel and far above the rounding error of a division: 0.9 / 0.3 is 3 voxels.
const ROUNDING: f64 = 1e-6;

impl Voxels {
    /// Converts the sizes in `settings` to whole voxels: height and radius are rounded up, the climb down.
    pub(super) fn from_settings(settings: &VoxelSettings) -> Self {
        let up = |metres: f64, voxel: f64| (metres / voxel - ROUNDING).ceil() as u16;
        Self {
            height: up(settings.height, settings.cell_height).max(1),
            climb: (settings.climb / settings.cell_height + ROUNDING).floor() as u16,
            radius: up(settings.radius, settings.cell),
        }
    }
}

/// Returns the grid over a level's bounds. As in Recast, half a voxel may remain at the end.
pub(super) fn over(Bounds { low, high }: Bounds, settings: &VoxelSettings) -> RasterGrid {
    let (cell, cell_height) = (settings.cell as f32, settings.cell_height as f32);
    let columns = [0, 2].map(|axis| ((high[axis] - low[axis]) / cell + 0.5) as i32);
    RasterGrid { low, high, cell, cell_height, columns }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_multiples_stay_whole() {
        let settings =
            VoxelSettings { cell: 0.3, cell_height: 0.2, radius: 0.9, height: 1.8, climb: 0.6, ..Default::default() };
        assert_eq!(Voxels::from_settings(&settings), Voxels { height: 9, climb: 3, radius: 3 });
        let between = VoxelSettings { radius: 1.0, height: 1.9, climb: 0.7, ..settings };
        assert_eq!(Voxels::from_settings(&between), Voxels { height: 10, climb: 3, radius: 4 });
    }
}
