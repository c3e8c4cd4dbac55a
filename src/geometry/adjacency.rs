//! Which vertices of a mesh, or pixels of an image, lie beside which.

use rayon::prelude::*;

/// Which units lie beside which.
#[derive(Clone, Debug, PartialEq)]
pub enum Adjacency {
    /// In compressed rows: the neighbours of `i` are `list[first[i]..first[i + 1]]`, in rising order.
    Rows {
        /// Where each unit's neighbours begin; one more than there are units.
        first: Vec<u32>,
        /// The neighbours of all units, one after the other.
        list: Vec<u32>,
        /// Which of them are neighbours of each other; see [`Around::are_joined`].
        joined: Vec<u64>,
    },
    /// The pixels of an image, each beside up to four others.
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
    /// Vertices joined by the edges of triangles. Indices beyond `vertices` are passed over.
    pub fn of_mesh(vertices: usize, faces: &[u32]) -> Self {
        let inside = |face: &&[u32; 3]| face.iter().all(|&index| (index as usize) < vertices);
        let sides = |face: &[u32; 3]| [(face[0], face[1]), (face[1], face[2]), (face[2], face[0])];
        let both = |(a, b): (u32, u32)| [(a, b), (b, a)];
        let pairs = faces.as_chunks::<3>().0.iter().filter(inside).flat_map(sides).flat_map(both);
        Self::of_pairs(vertices, pairs.collect())
    }

    /// The same for a mesh some of whose vertices lie at one place, as files split them: `first` has the first of those for each
    /// vertex. They have the same neighbours, and are neighbours themselves.
    pub fn of_welded(first: &[u32], faces: &[u32]) -> Self {
        let whole = |&index: &u32| first.get(index as usize).copied().unwrap_or(index);
        let between = Self::of_mesh(first.len(), &faces.iter().map(whole).collect::<Vec<_>>());
        let others = Self::of_pairs(first.len(), first.iter().copied().zip(0..).collect());
        let alike = |first: usize| std::iter::once(first).chain(others.neighbours(first));
        let around = |(unit, &first): (u32, &u32)| {
            let beside = between.neighbours(first as usize).chain(std::iter::once(first as usize));
            beside.flat_map(alike).map(move |other| (unit, other as u32))
        };
        Self::of_pairs(first.len(), (0..).zip(first).flat_map(around).collect())
    }

    /// Pixels of a `width` × `height` image joined to the four beside them.
    pub fn of_image(width: usize, height: usize) -> Self {
        Self::Grid { width, height }
    }

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

    /// Adjacency of a vertex of a mesh in rising order; none for pixels and for a number beyond the last.
    #[inline]
    pub fn listed(&self, unit: usize) -> &[u32] {
        let Self::Rows { first, list, .. } = self else { return &[] };
        match (first.get(unit), first.get(unit + 1)) {
            (Some(&from), Some(&to)) => &list[from as usize..to as usize],
            _ => &[],
        }
    }

    /// A vertex of a mesh with its neighbours.
    #[inline]
    pub fn around(&self, unit: usize) -> Around<'_> {
        let joined = if let Self::Rows { joined, .. } = self { joined.get(unit).copied() } else { None };
        Around { adjacency: self, listed: self.listed(unit), joined: joined.unwrap_or(0) }
    }

    /// Adjacency of `unit` in rising order; none for a number beyond the last.
    pub fn neighbours(&self, unit: usize) -> impl Iterator<Item = usize> + '_ {
        let beside = match self {
            Self::Rows { .. } => [None; 4],
            Self::Grid { width, height } => neighbours(unit, *width, *height),
        };
        self.listed(unit).iter().map(|&unit| unit as usize).chain(beside.into_iter().flatten())
    }
}

/// The neighbours of one vertex.
#[derive(Clone, Copy, Debug)]
pub struct Around<'a> {
    /// In rising order.
    pub listed: &'a [u32],
    adjacency: &'a Adjacency,
    joined: u64,
}

impl Around<'_> {
    /// Whether the neighbours number `a` and `b` are neighbours of each other.
    #[inline]
    pub(super) fn are_joined(&self, a: usize, b: usize) -> bool {
        if self.listed.len() <= SIDE {
            self.joined >> (SIDE * a + b) & 1 == 1
        } else {
            self.adjacency.listed(self.listed[a] as usize).contains(&self.listed[b])
        }
    }
}

/// Up to so many neighbours, one number says which of them are joined: a bit for each two.
const SIDE: usize = 8;

/// A bit at `SIDE` · a + b where the neighbours number a and b in `listed` are neighbours; nothing for more neighbours than that.
fn joined<'a>(listed: &[u32], row: impl Fn(u32) -> &'a [u32]) -> u64 {
    if listed.len() > SIDE {
        return 0;
    }
    let bits = |other: &[u32]| (0..).zip(listed).fold(0, |bits, (b, it)| bits | u64::from(other.contains(it)) << b);
    listed.iter().enumerate().fold(0, |all, (a, &other)| all | bits(row(other)) << (SIDE * a))
}

/// The pixels above, left, right and below.
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
        fn neighbours_of_a_vertex_are_joined_where_they_are_neighbours(
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
    fn pixels_and_vertices_that_are_not_there_have_nothing_around_them() {
        assert!(Adjacency::of_image(4, 4).around(5).listed.is_empty());
        assert!(Adjacency::of_mesh(3, &[0, 1, 2]).around(7).listed.is_empty());
    }
}
