//! Builds everything in `assets/` from code.
