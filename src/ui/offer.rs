//! What can be done with what is shown or chosen just now: the palette offers it beside the commands that there always are.

use std::fmt;
use std::rc::Rc;

use super::panels::{blend, clips, dynamics, objects, outliner, retarget, retime, rig, stack, stretch};
use crate::session::{Command, Session};

/// One thing that can be done.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    /// Key of its label in the translations; also its search words in English.
    pub key: &'static str,
    /// What it is called, with the names of what it is done to.
    pub label: String,
    /// What it does.
    pub act: Act,
}

/// What an offer does.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// Asks the session for something.
    Command(Command),
    /// Edits the document in place, as its panel does.
    Change(Change),
}

/// A change in place.
#[derive(Clone)]
pub struct Change(Rc<dyn Fn(&mut Session)>);

impl Offer {
    pub(super) fn new(key: &'static str, label: String, command: Command) -> Self {
        Self { key, label, act: Act::Command(command) }
    }

    /// The same for what edits the document in place.
    pub(super) fn change(key: &'static str, label: String, change: impl Fn(&mut Session) + 'static) -> Self {
        Self { key, label, act: Act::Change(Change(Rc::new(change))) }
    }
}

impl Change {
    /// Makes it.
    pub(super) fn make(&self, session: &mut Session) {
        (self.0)(session);
    }
}

impl PartialEq for Change {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for Change {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("Change")
    }
}

/// All that the panels offer, each after what it is done to: `palette.WORD` in the translations.
pub(super) fn offers(session: &Session) -> Vec<(&'static str, Offer)> {
    type Offers = fn(&Session) -> Vec<Offer>;
    let panels: [(&str, Offers); 10] = [
        ("take", outliner::offers),
        ("take", retarget::offers),
        ("stage", stack::offers),
        ("stage", stretch::offers),
        ("stage", retime::offers),
        ("blend", blend::offers),
        ("dynamics", dynamics::offers),
        ("object", objects::offers),
        ("rig", rig::offers),
        ("library", clips::offers),
    ];
    panels.into_iter().flat_map(|(of, offers)| offers(session).into_iter().map(move |offer| (of, offer))).collect()
}
