//! Pictures and films of the pages.

/// Embeds the pictures with these paths below `screenshots`.
macro_rules! pictures {
    ($($path:literal),* $(,)?) => {
        /// Path below `screenshots` and bytes of each picture and film.
        pub const PICTURES: &[(&str, &[u8])] = &[$(($path, include_bytes!(concat!("../../screenshots/", $path)))),*];
    };
}

pictures![
    "blend.png",
    "costs.svg",
    "dynamics.png",
    "export.png",
    "films/additive.webp",
    "films/align.webp",
    "films/blend.webp",
    "films/cleanup.webp",
    "films/close.webp",
    "films/cloth.webp",
    "films/cross.webp",
    "films/dynamics.webp",
    "films/facing.webp",
    "films/finish.webp",
    "films/gap.webp",
    "films/graph.webp",
    "films/ground.webp",
    "films/in-place.webp",
    "films/interruption.webp",
    "films/layer.webp",
    "films/ledge.webp",
    "films/loop.webp",
    "films/mirror.webp",
    "films/offset.webp",
    "films/pin.webp",
    "films/pose.webp",
    "films/retarget.webp",
    "films/retime.webp",
    "films/root.webp",
    "films/stretch-even.webp",
    "films/stretch-feet.webp",
    "films/stretch.webp",
    "films/stride.webp",
    "films/strip.webp",
    "films/trim.webp",
    "films/variants.webp",
    "films/walk.webp",
    "library.png",
    "light-zh.png",
    "loop.png",
    "patrol.png",
    "scaling.svg",
    "start.png",
    "stretch.png",
    "walk.png",
];

/// Returns the path below `screenshots` and the bytes of the picture that a page refers to as `path`; `None` if it is not
/// embedded.
pub fn picture(path: &str) -> Option<(&'static str, &'static [u8])> {
    let (_, name) = path.split_once("screenshots/")?;
    PICTURES.iter().find(|(known, _)| *known == name).copied()
}
