//! Names of elements.

/// Returns the name `given` to the element, or for example `mesh 3` if it is empty.
pub(super) fn name(given: &str, kind: &str, index: usize) -> String {
    if given.is_empty() { format!("{kind} {index}") } else { given.to_owned() }
}
