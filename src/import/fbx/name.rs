//! What elements are called.

/// The element's name, else `kind 3`.
pub(super) fn name(given: &str, kind: &str, index: usize) -> String {
    if given.is_empty() { format!("{kind} {index}") } else { given.to_owned() }
}
