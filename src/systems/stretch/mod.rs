//! Displacement stretching.
