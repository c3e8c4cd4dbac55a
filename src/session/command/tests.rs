use super::*;

#[test]
fn no_two_commands_share_a_key_or_a_name() {
    let all = catalogue();
    let mut keys: Vec<_> = all.iter().flat_map(|entry| entry.keys).collect();
    let mut names: Vec<_> = all.iter().map(|entry| entry.name).collect();
    let (key_count, name_count) = (keys.len(), names.len());
    keys.sort();
    keys.dedup();
    names.sort();
    names.dedup();
    assert_eq!((keys.len(), names.len()), (key_count, name_count));
}
