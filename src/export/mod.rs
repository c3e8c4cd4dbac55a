//! Files out: values to bytes, and bytes to disk whole or not at all.
