//! What can be done with what is shown or chosen just now: the palette offers it beside the commands that there always are.

use std::fmt;
use std::rc::Rc;

use super::graph;
use super::panels::{
    blend, clips, cloth, dynamics, objects, outliner, painting, retarget, retime, rig, stack, stretch, walk,
};
use portamento_base::message::Message;
use portamento_session::{Command, Session, Severity};

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

    /// The same for what is offered whether it can be done just now or not: where it cannot, the answer of `change` says why.
    pub(super) fn attempt(
        key: &'static str,
        label: String,
        change: impl Fn(&mut Session) -> Result<(), Message> + 'static,
    ) -> Self {
        let attempt = move |session: &mut Session| {
            change(session).unwrap_or_else(|reason| session.notices.say(Severity::Info, reason));
        };
        Self::change(key, label, attempt)
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
    let panels: [(&str, Offers); 14] = [
        ("take", outliner::offers),
        ("take", retarget::offers),
        ("stage", stack::offers),
        ("stage", stretch::offers),
        ("stage", retime::offers),
        ("blend", blend::offers),
        ("blend", graph::offers),
        ("paint", painting::offers),
        ("cloth", cloth::offers),
        ("walk", walk::offers),
        ("dynamics", dynamics::offers),
        ("object", objects::offers),
        ("rig", rig::offers),
        ("library", clips::offers),
    ];
    panels.into_iter().flat_map(|(of, offers)| offers(session).into_iter().map(move |offer| (of, offer))).collect()
}
