use super::*;

#[test]
fn a_wider_window_mostly_widens_the_viewport_and_a_narrow_one_shrinks_it_again() {
    let mut dock = Dock::for_workspace(Workspace::Stretch);
    let points = |dock: &Dock| {
        let tiles = &dock.tree.tiles;
        let tabs = tiles.parent_of(tiles.find_pane(&Panel::Inspector).unwrap()).unwrap();
        let Some(Tile::Container(Container::Linear(row))) = tiles.get(tiles.parent_of(tabs).unwrap()) else {
            panic!("no row")
        };
        dock.width * row.shares[tabs] / row.children.iter().map(|&each| row.shares[each]).sum::<f32>()
    };
    let at_first = points(&dock);
    dock.fit(egui::vec2(1024.0, 750.0));
    assert!((points(&dock) - at_first * 0.8).abs() < 0.5, "narrower windows share alike");
    dock.fit(egui::vec2(640.0, 750.0));
    assert!((180.0..200.0).contains(&points(&dock)), "room for names at 200 %: {}", points(&dock));
    dock.fit(egui::vec2(3840.0, 750.0));
    assert!((450.0..520.0).contains(&points(&dock)), "{}", points(&dock));
    dock.fit(egui::vec2(1280.0, 750.0));
    assert!((points(&dock) - at_first).abs() < 0.5);
}

#[test]
fn a_low_window_keeps_the_timeline_height_and_a_high_one_mostly_enlarges_the_viewport() {
    let mut dock = Dock::for_workspace(Workspace::Stretch);
    let points = |dock: &mut Dock, height: f32| {
        dock.fit(egui::vec2(1280.0, height));
        let tiles = &dock.tree.tiles;
        let timeline = tiles.find_pane(&Panel::Timeline).unwrap();
        let Some(Tile::Container(Container::Linear(column))) = tiles.get(tiles.parent_of(timeline).unwrap()) else {
            panic!("no column")
        };
        height * column.shares[timeline] / column.children.iter().map(|&each| column.shares[each]).sum::<f32>()
    };
    let at_first = points(&mut dock, 750.0);
    assert!((at_first - 150.0).abs() < 0.5, "{at_first}");
    assert!((points(&mut dock, 480.0) - at_first).abs() < 0.5, "at 150 % in 800 pixels");
    assert!(points(&mut dock, 350.0) < 0.4 * 350.0, "the rest is not left without room");
    let high = points(&mut dock, 1390.0);
    assert!((190.0..220.0).contains(&high), "{high}");
    assert!((points(&mut dock, 750.0) - at_first).abs() < 0.5);
}

#[test]
fn a_panel_dropped_next_to_others_keeps_its_tab() {
    let mut dock = Dock::for_workspace(Workspace::Free);
    let log = dock.tree.tiles.find_pane(&Panel::Log).unwrap();
    let root = dock.tree.root().unwrap();
    dock.tree.move_tile_to_container(log, root, 0, false);
    assert_eq!(dock.tree.tiles.parent_of(log), Some(root));
    dock.wrap_panes_in_tabs();
    let parent = dock.tree.tiles.parent_of(log).unwrap();
    assert!(matches!(dock.tree.tiles.get(parent), Some(Tile::Container(Container::Tabs(_)))));
    assert_eq!(dock.tree.tiles.parent_of(parent), Some(root));
    let viewport = dock.tree.tiles.find_pane(&Panel::Viewport).unwrap();
    let parent_of_viewport = dock.tree.tiles.parent_of(viewport).unwrap();
    assert!(matches!(dock.tree.tiles.get(parent_of_viewport), Some(Tile::Container(Container::Linear(_)))));
}
