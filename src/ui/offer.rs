//! What can be done with what is shown or chosen just now: the palette offers it beside the commands that there always are.

use super::panels::{blend, clips, dynamics, objects, outliner, retarget, stack};
use crate::session::{Command, Session};

/// One thing that can be done.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    /// Key of its label in the translations; also its search words in English.
    pub key: &'static str,
    /// What it is called, with the names of what it is done to.
    pub label: String,
    /// What it does.
    pub command: Command,
}

impl Offer {
    pub(super) fn new(key: &'static str, label: String, command: Command) -> Self {
        Self { key, label, command }
    }
}

/// All that the panels offer.
pub(super) fn offers(session: &Session) -> Vec<Offer> {
    let panels = [
        outliner::offers,
        stack::offers,
        objects::offers,
        retarget::offers,
        blend::offers,
        dynamics::offers,
        clips::offers,
    ];
    panels.into_iter().flat_map(|offers| offers(session)).collect()
}
