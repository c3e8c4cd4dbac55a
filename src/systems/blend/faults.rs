//! What can be played of a blend that is wrong in places: everything but the faulty connections and events, each refused with
//! its sentence.

use super::scenario::{Event, Scenario};
use super::tree::{Link, Node, NodeKind, Source, Tree};
use super::{BuildError, Input, Settings, score};
use crate::anim::MaskChoice;

impl Settings {
    /// These settings without what is wrong, and why each part was left out. Nothing is left out of a sound blend.
    ///
    /// A faulty connection is muted, a faulty event does not happen, a faulty result is the rest pose.
    pub fn playable(&self, input: &Input) -> (Self, Vec<BuildError>) {
        match self {
            Self::Scenario(scenario) => {
                let (sound, faults) = sound_scenario(scenario, input);
                (Self::Scenario(sound), faults)
            }
            Self::Tree(tree) => {
                let mut check = Check::of(tree, input);
                check.root();
                (Self::Tree(check.sound), check.faults)
            }
        }
    }
}

fn sound_scenario(scenario: &Scenario, input: &Input) -> (Scenario, Vec<BuildError>) {
    let (mut sound, mut faults) = (scenario.clone(), Vec::new());
    if let Err(fault) = score::upper(scenario, input) {
        faults.push(fault);
        sound.upper = Scenario::default().upper;
    }
    let fault_of = |event: &Event| match (event.check(), scenario.clip_of(event)) {
        (Err(fault), _) => Some(fault),
        (Ok(()), Some(clip)) if !has(input, clip) => Some(no_clip(event.action.name(), clip)),
        _ => None,
    };
    sound.events.retain(|event| {
        let fault = fault_of(event);
        faults.extend(fault.clone());
        fault.is_none()
    });
    (sound, faults)
}

fn has(input: &Input, clip: &str) -> bool {
    input.clips.iter().any(|known| known.name == clip)
}

fn no_clip(node: &str, clip: &str) -> BuildError {
    BuildError::NoSuchClip { node: node.into(), clip: clip.into() }
}

/// Goes through a tree from the result to the sources, as it is computed.
struct Check<'a, 'b> {
    input: &'a Input<'b>,
    sound: Tree,
    /// Per node: never seen, being looked at, sound or not.
    seen: Vec<Option<Option<bool>>>,
    depth: usize,
    faults: Vec<BuildError>,
}

impl<'a, 'b> Check<'a, 'b> {
    fn of(tree: &Tree, input: &'a Input<'b>) -> Self {
        Self { input, sound: tree.clone(), seen: vec![None; tree.nodes.len()], depth: 0, faults: Vec::new() }
    }

    fn root(&mut self) {
        let root = self.sound.root;
        if !self.child(root, "Root") {
            self.sound.nodes.push(Node { name: "Rest".into(), kind: NodeKind::Blend(Vec::new()) });
            self.sound.root = self.sound.nodes.len() - 1;
        }
    }

    /// Whether `node` can feed the node named `parent`.
    fn child(&mut self, node: usize, parent: &str) -> bool {
        let name = |check: &Self| check.sound.nodes[node].name.clone();
        match self.seen.get(node) {
            None => self.refuse(BuildError::NoSuchNode { node: parent.into(), child: node }),
            Some(Some(None)) => self.refuse(BuildError::Cycle { node: name(self) }),
            Some(&Some(Some(is_sound))) => is_sound,
            Some(None) if self.depth == Tree::DEEPEST => {
                self.refuse(BuildError::TooDeep { node: name(self), most: Tree::DEEPEST })
            }
            Some(None) => {
                (self.seen[node], self.depth) = (Some(None), self.depth + 1);
                let is_sound = self.node(node);
                (self.seen[node], self.depth) = (Some(Some(is_sound)), self.depth - 1);
                is_sound
            }
        }
    }

    fn node(&mut self, node: usize) -> bool {
        let Node { name, kind } = self.sound.nodes[node].clone();
        match kind {
            NodeKind::Source(source) => self.source(&name, &source),
            NodeKind::Blend(links) => {
                let sound = self.blend(&name, links);
                self.sound.nodes[node].kind = NodeKind::Blend(sound);
                true
            }
            NodeKind::Additive(mut additive) => {
                let has_base = self.child(additive.base, &name);
                let adds = !additive.muted && self.weights(&name, additive.weight, &additive.mask);
                additive.muted = !(adds && self.child(additive.delta, &name));
                self.sound.nodes[node].kind = NodeKind::Additive(additive);
                has_base
            }
        }
    }

    fn source(&mut self, name: &str, source: &Source) -> bool {
        for (what, value) in [("speed", source.speed), ("start offset", source.offset)] {
            if !value.is_finite() {
                return self.refuse(BuildError::BadNumber { node: name.into(), what, value });
            }
        }
        has(self.input, &source.clip) || self.refuse(no_clip(name, &source.clip))
    }

    /// The connections with the faulty ones muted.
    fn blend(&mut self, name: &str, mut links: Vec<Link>) -> Vec<Link> {
        // A faulty solo connection that is muted may let others be heard, which are then looked at.
        while let Some(slot) = self.first_faulty(name, &links) {
            links[slot].muted = true;
        }
        links
    }

    fn first_faulty(&mut self, name: &str, links: &[Link]) -> Option<usize> {
        let heard = Tree::heard(links).find(|link| {
            let child = self.sound.nodes.get(link.child).map_or("?", |child| &child.name).to_owned();
            !(self.weights(&child, link.weight, &link.mask) && self.child(link.child, name))
        });
        heard.and_then(|faulty| links.iter().position(|link| std::ptr::eq(link, faulty)))
    }

    fn weights(&mut self, name: &str, weight: f32, mask: &MaskChoice) -> bool {
        if !weight.is_finite() || weight < 0.0 {
            return self.refuse(BuildError::BadNumber { node: name.into(), what: "weight", value: weight.into() });
        }
        match mask.resolve(self.input.skeleton, self.input.roles) {
            Ok(_) => true,
            Err(reason) => self.refuse(BuildError::BadMask { node: name.into(), reason }),
        }
    }

    fn refuse(&mut self, fault: BuildError) -> bool {
        self.faults.push(fault);
        false
    }
}
