//! Files in: each format one file, each a pure function from bytes to values.
