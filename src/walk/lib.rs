//! Walking: a route over the ground of a level ([`navigation`]) and a character who walks it and stops on the mark ([`locomotion`]).

pub mod navigation;
pub mod locomotion;
