//! The bytes of a file to write, in pieces.

use portamento_anim::SharedList;

/// The bytes of a file in pieces that are written one after another. A piece may be shared with a buffer in memory, so that a large
/// file is not copied before it is written.
#[derive(Clone, Debug, Default)]
pub struct FileBytes(Vec<SharedList<u8>>);

impl FileBytes {
    /// Returns the number of bytes.
    pub fn len(&self) -> usize {
        self.0.iter().map(|piece| piece.len()).sum()
    }

    /// True if there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the pieces in order.
    pub fn pieces(&self) -> Vec<&[u8]> {
        self.0.iter().map(|piece| &piece[..]).collect()
    }

    /// Appends `piece`.
    pub fn push(&mut self, piece: impl Into<SharedList<u8>>) {
        self.0.push(piece.into());
    }
}

impl From<Vec<u8>> for FileBytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self(vec![bytes.into()])
    }
}

impl From<SharedList<u8>> for FileBytes {
    fn from(bytes: SharedList<u8>) -> Self {
        Self(vec![bytes])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_follow_one_another() {
        let mut bytes = FileBytes::from(vec![1, 2]);
        bytes.push(Vec::new());
        bytes.push(vec![3]);
        assert_eq!((bytes.len(), bytes.pieces().concat()), (3, vec![1, 2, 3]));
        assert!(!bytes.is_empty() && FileBytes::default().is_empty());
    }
}
