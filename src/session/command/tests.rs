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

#[test]
fn separators_appear_only_inside_menus() {
    // The first entry of the View menu follows its submenus.
    let first = [file_entries(), edit_entries(), transport_entries(), help_entries()].map(|menu| menu[0].begins_group);
    assert_eq!(first, [false; 4]);
    let view = view_entries();
    assert!(view.iter().any(|entry| entry.begins_group));
    let menus = [file_entries(), edit_entries(), transport_entries(), view, help_entries()].concat();
    let elsewhere = catalogue().into_iter().filter(|entry| !menus.contains(entry));
    assert_eq!(elsewhere.filter(|entry| entry.begins_group).collect::<Vec<_>>(), []);
}
