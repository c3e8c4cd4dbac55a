//! Which vertices of a mesh, or pixels of an image, lie beside which.

/// Which units lie beside which.
#[derive(Clone, Debug, PartialEq)]
pub enum Adjacency {
    /// In compressed rows: the neighbours of `i` are `list[first[i]..first[i + 1]]`, in rising order.
    Rows {
        /// Where each unit's neighbours begin; one more than there are units.
        first: Vec<u32>,
        /// The neighbours of all units, one after the other.
        list: Vec<u32>,
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
        Self::Rows { first, list: pairs.into_iter().map(|(_, b)| b).collect() }
    }

    /// Adjacency of `unit` in rising order; none for a number beyond the last.
    pub fn neighbours(&self, unit: usize) -> impl Iterator<Item = usize> + '_ {
        let (listed, beside) = match self {
            Self::Rows { first, list } => match (first.get(unit), first.get(unit + 1)) {
                (Some(&from), Some(&to)) => (&list[from as usize..to as usize], [None; 4]),
                _ => (&[][..], [None; 4]),
            },
            Self::Grid { width, height } => (&[][..], neighbours(unit, *width, *height)),
        };
        listed.iter().map(|&unit| unit as usize).chain(beside.into_iter().flatten())
    }
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
