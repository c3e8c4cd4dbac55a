//! Neighbours of the vertices of a mesh, or of the pixels of an image.

use rayon::prelude::*;

/// The neighbours of every unit, a vertex or a pixel.
#[derive(Clone, Debug, PartialEq)]
pub enum Adjacency {
    /// Compressed rows: the neighbours of `i` are `list[first[i]..first[i + 1]]`, ascending.
    Rows {
        /// Index of each unit's first neighbour in `list`, plus the length of `list`.
        first: Vec<u32>,
        /// The neighbours of all units, concatenated.
        list: Vec<u32>,
        /// For each unit a bit set of the neighbours that are adjacent to each other; see [`Around::are_joined`].
        joined: Vec<u64>,
    },
    /// The pixels of an image; each has up to four neighbours.
    Grid {
        /// Width of the image in pixels.
        width: usize,
        /// Height of the image in pixels.
        height: usize,
    },
}

impl Default for Adjacency {
    fn default() -> Self {
        Self::Grid { width: 0, height: 0 }
    }
}

impl Adjacency {
    /// Returns the adjacency of a mesh with as many `vertices`: the ends of each side of a triangle are neighbours. `faces` are
    /// three vertex indices per triangle. Triangles with an index of `vertices` or more are skipped.
    pub fn of_mesh(vertices: usize, faces: &[u32]) -> Self {
        let inside = |face: &&[u32; 3]| face.iter().all(|&index| (index as usize) < vertices);
        let sides = |face: &[u32; 3]| [(face[0], face[1]), (face[1], face[2]), (face[2], face[0])];
        let both = |(a, b): (u32, u32)| [(a, b), (b, a)];
        let pairs = faces.as_chunks::<3>().0.iter().filter(inside).flat_map(sides).flat_map(both);
        Self::of_pairs(vertices, pairs.collect())
    }

    /// Returns the adjacency of a mesh whose vertices are split as files do: `first` is, for each vertex, the first vertex at the
    /// same position. Vertices at one position share their neighbours and are neighbours themselves. `faces` are three vertex
    /// indices per triangle.
    pub fn of_welded(first: &[u32], faces: &[u32]) -> Self {
        let first_of = |&index: &u32| first.get(index as usize).copied().unwrap_or(index);
        let between = Self::of_mesh(first.len(), &faces.iter().map(first_of).collect::<Vec<_>>());
        let others = Self::of_pairs(first.len(), first.iter().copied().zip(0..).collect());
        let at_same_position = |first: usize| std::iter::once(first).chain(others.neighbours(first));
        let around = |(unit, &first): (u32, &u32)| {
            let adjacent = between.neighbours(first as usize).chain(std::iter::once(first as usize));
            adjacent.flat_map(at_same_position).map(move |other| (unit, other as u32))
        };
        Self::of_pairs(first.len(), (0..).zip(first).flat_map(around).collect())
    }

    /// Returns the adjacency of a `width` × `height` image with four neighbours per pixel.
    pub fn of_image(width: usize, height: usize) -> Self {
        Self::Grid { width, height }
    }

    /// Builds the rows from `pairs` of a unit and its neighbour, which must contain both directions. Duplicates and pairs of
    /// equal units are dropped.
    fn of_pairs(units: usize, mut pairs: Vec<(u32, u32)>) -> Self {
        pairs.retain(|(a, b)| a != b);
        pairs.sort_unstable();
        pairs.dedup();
        let mut first = vec![0; units + 1];
        pairs.iter().for_each(|&(a, _)| first[a as usize + 1] += 1);
        (0..units).for_each(|i| first[i + 1] += first[i]);
        let list: Vec<u32> = pairs.into_iter().map(|(_, b)| b).collect();
        let row = |unit: u32| &list[first[unit as usize] as usize..first[unit as usize + 1] as usize];
        let joined = (0..units as u32).into_par_iter().map(|unit| joined(row(unit), row)).collect();
        Self::Rows { first, list, joined }
    }

    /// Returns the neighbours of a mesh vertex, ascending; empty for pixels and unknown units.
    #[inline]
    pub fn listed(&self, unit: usize) -> &[u32] {
        let Self::Rows { first, list, .. } = self else { return &[] };
        match (first.get(unit), first.get(unit + 1)) {
            (Some(&from), Some(&to)) => &list[from as usize..to as usize],
            _ => &[],
        }
    }

    /// Returns a mesh vertex with its neighbours, which are none for pixels and unknown units.
    #[inline]
    pub fn around(&self, unit: usize) -> Around<'_> {
        let joined = if let Self::Rows { joined, .. } = self { joined.get(unit).copied() } else { None };
        Around { adjacency: self, listed: self.listed(unit), joined: joined.unwrap_or(0) }
    }

    /// Returns the neighbours of `unit`, ascending for meshes; empty for unknown units.
    pub fn neighbours(&self, unit: usize) -> impl Iterator<Item = usize> + '_ {
        let pixels = match self {
            Self::Rows { .. } => [None; 4],
            Self::Grid { width, height } => neighbours(unit, *width, *height),
        };
        self.listed(unit).iter().map(|&unit| unit as usize).chain(pixels.into_iter().flatten())
    }
}

/// A vertex with its neighbours.
#[derive(Clone, Copy, Debug)]
pub struct Around<'a> {
    /// The neighbours, ascending.
    pub listed: &'a [u32],
    adjacency: &'a Adjacency,
    joined: u64,
}

impl Around<'_> {
    /// True if the neighbours with the indices `a` and `b` are adjacent to each other.
    #[inline]
    pub(super) fn are_joined(&self, a: usize, b: usize) -> bool {
        if self.listed.len() <= MAX_BIT_SET_NEIGHBOURS {
            self.joined >> (MAX_BIT_SET_NEIGHBOURS * a + b) & 1 == 1
        } else {
            self.adjacency.listed(self.listed[a] as usize).contains(&self.listed[b])
        }
    }
}

/// Maximum number of neighbours whose mutual adjacency fits into one `u64`, a bit per pair.
const MAX_BIT_SET_NEIGHBOURS: usize = 8;

/// Returns a bit set with bit `MAX_BIT_SET_NEIGHBOURS` · a + b set if the neighbours a and b in `listed` are adjacent; 0 for too
/// many neighbours. `row` returns the neighbours of a vertex.
fn joined<'a>(listed: &[u32], row: impl Fn(u32) -> &'a [u32]) -> u64 {
    if listed.len() > MAX_BIT_SET_NEIGHBOURS {
        return 0;
    }
    let bits = |other: &[u32]| (0..).zip(listed).fold(0, |bits, (b, it)| bits | u64::from(other.contains(it)) << b);
    listed.iter().enumerate().fold(0, |all, (a, &other)| all | bits(row(other)) << (MAX_BIT_SET_NEIGHBOURS * a))
}

/// Returns the pixels above, left, right and below the pixel `unit` of a `width` × `height` image; `None` beyond the border, and
/// four times for an unknown pixel.
fn neighbours(unit: usize, width: usize, height: usize) -> [Option<usize>; 4] {
    if unit >= width * height {
        return [None; 4];
    }
    let (x, y) = (unit % width, unit / width);
    [
        (y > 0).then(|| unit - width),
        (x > 0).then(|| unit - 1),
        (x + 1 < width).then_some(unit + 1),
        (y + 1 < height).then_some(unit + width),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn joined_bits_match_the_adjacency_of_neighbours(
            faces in prop::collection::vec(0_u32..14, 0..90),
            vertices in 1_usize..16,
        ) {
            let adjacency = Adjacency::of_mesh(vertices, &faces);
            for unit in 0..vertices {
                let around = adjacency.around(unit);
                prop_assert_eq!(around.listed, adjacency.listed(unit));
                for (a, &one) in around.listed.iter().enumerate() {
                    for (b, other) in around.listed.iter().enumerate() {
                        let are = adjacency.listed(one as usize).contains(other);
                        prop_assert_eq!(around.are_joined(a, b), are, "{} {} {}", unit, a, b);
                    }
                }
            }
        }
    }

    #[test]
    fn pixels_and_missing_vertices_have_no_listed_neighbours() {
        assert!(Adjacency::of_image(4, 4).around(5).listed.is_empty());
        assert!(Adjacency::of_mesh(3, &[0, 1, 2]).around(7).listed.is_empty());
    }
}
