//! What can be played of a blend that is wrong in places: everything but the faulty connections and events, each refused with
//! its sentence.

use super::blend_space::{BlendSpace, Drive, SpeedDrive};
use super::scenario::{Event, Scenario};
use super::state::StateWeight;
use super::tree::{Link, Node, NodeKind, Source, Tree};
use super::{BuildError, Input, Settings, timeline_compile};
use crate::anim::MaskChoice;
use crate::message::message;

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
                let mut check = TreeCheck::new(tree, input);
                check.root();
                (Self::Tree(check.sound), check.faults)
            }
        }
    }
}

fn sound_scenario(scenario: &Scenario, input: &Input) -> (Scenario, Vec<BuildError>) {
    let (mut sound, mut faults) = (scenario.clone(), Vec::new());
    if let Err(fault) = timeline_compile::upper_body_mask(scenario, input) {
        faults.push(fault);
        sound.upper = Scenario::default().upper;
    }
    let fault_of = |event: &Event| match (event.check(), scenario.clip_of(event)) {
        (Err(fault), _) => Some(fault),
        (Ok(()), Some(clip)) if !has_clip(input, clip) => Some(no_clip(event.action.name(), clip)),
        _ => None,
    };
    sound.events.retain(|event| {
        let fault = fault_of(event);
        faults.extend(fault.clone());
        fault.is_none()
    });
    (sound, faults)
}

fn has_clip(input: &Input, clip: &str) -> bool {
    input.clips.iter().any(|known| known.name == clip)
}

fn no_clip(node: &str, clip: &str) -> BuildError {
    BuildError::NoSuchClip { node: node.into(), clip: clip.into() }
}

/// Walks a tree from the result to the sources, as it is computed.
struct TreeCheck<'a, 'b> {
    input: &'a Input<'b>,
    sound: Tree,
    visits: Vec<Visit>,
    depth: usize,
    faults: Vec<BuildError>,
}

/// The weights of a connection.
struct Weighed<'w> {
    weight: f32,
    in_states: &'w [StateWeight],
    mask: &'w MaskChoice,
}

/// What is known of a node.
#[derive(Clone, Copy, PartialEq)]
enum Visit {
    Never,
    /// Its children are being visited.
    Open,
    Sound,
    Faulty,
}

impl<'a, 'b> TreeCheck<'a, 'b> {
    fn new(tree: &Tree, input: &'a Input<'b>) -> Self {
        let visits = vec![Visit::Never; tree.nodes.len()];
        let (mut sound, mut faults) = (tree.clone(), Vec::new());
        sound.events.retain(|event| {
            let fault = tree.check_event(event).err();
            faults.extend(fault.clone());
            fault.is_none()
        });
        Self { input, sound, visits, depth: 0, faults }
    }

    fn root(&mut self) {
        let root = self.sound.root;
        if !self.child(root, "Root") {
            // A blend without connections gives the rest pose.
            self.sound.nodes.push(Node { name: "Rest".into(), kind: NodeKind::Blend(Vec::new()) });
            self.sound.root = self.sound.nodes.len() - 1;
        }
    }

    /// Whether `node` can feed the node named `parent`.
    fn child(&mut self, node: usize, parent: &str) -> bool {
        let name = |check: &Self| check.sound.nodes[node].name.clone();
        match self.visits.get(node) {
            None => self.refuse(BuildError::NoSuchNode { node: parent.into(), child: node }),
            Some(Visit::Open) => self.refuse(BuildError::Cycle { node: name(self) }),
            Some(Visit::Sound) => true,
            Some(Visit::Faulty) => false,
            Some(Visit::Never) if self.depth == Tree::DEEPEST => {
                self.refuse(BuildError::TooDeep { node: name(self), most: Tree::DEEPEST })
            }
            Some(Visit::Never) => {
                // Open while its children are checked: meeting it again then is a cycle.
                (self.visits[node], self.depth) = (Visit::Open, self.depth + 1);
                let is_sound = self.node(node);
                let outcome = if is_sound { Visit::Sound } else { Visit::Faulty };
                (self.visits[node], self.depth) = (outcome, self.depth - 1);
                is_sound
            }
        }
    }

    fn node(&mut self, node: usize) -> bool {
        let Node { name, kind } = self.sound.nodes[node].clone();
        match kind {
            NodeKind::Source(source) => self.source(&name, &source),
            NodeKind::Space(space) => {
                let sound = self.space(&name, *space);
                let any = sound.as_ref().is_some_and(|space| !space.samples.is_empty());
                if let Some(space) = sound {
                    self.sound.nodes[node].kind = NodeKind::Space(Box::new(space));
                }
                any
            }
            NodeKind::Standard(scenario) => {
                let (sound, faults) = sound_scenario(&scenario, self.input);
                self.faults.extend(faults);
                self.sound.nodes[node].kind = NodeKind::Standard(Box::new(sound));
                true
            }
            NodeKind::Blend(links) => {
                let sound = self.blend(&name, links);
                self.sound.nodes[node].kind = NodeKind::Blend(sound);
                true
            }
            NodeKind::Additive(mut additive) => {
                let has_base = self.child(additive.base, &name);
                let weighed = Weighed { weight: additive.weight, in_states: &additive.in_states, mask: &additive.mask };
                let is_active = !additive.muted && self.weights(&name, &weighed);
                additive.muted = !(is_active && self.child(additive.delta, &name));
                self.sound.nodes[node].kind = NodeKind::Additive(additive);
                has_base
            }
        }
    }

    fn source(&mut self, name: &str, source: &Source) -> bool {
        for (what, value) in [
            (message!("setting.blend.speed", "speed"), source.speed),
            (message!("setting.blend.offset", "start offset"), source.offset),
        ] {
            if !value.is_finite() {
                return self.refuse(BuildError::BadNumber { node: name.into(), what, value });
            }
        }
        has_clip(self.input, &source.clip) || self.refuse(no_clip(name, &source.clip))
    }

    /// The space with its sound samples; `None` where its parameter cannot be used.
    fn space(&mut self, name: &str, mut space: BlendSpace) -> Option<BlendSpace> {
        if let Err(fault) = space.check_keys(name) {
            self.refuse(fault);
            return None;
        }
        if let Drive::Speed(SpeedDrive { clip, .. }) = &space.drive
            && !self.input.travels.iter().any(|travel| travel.clip == *clip)
        {
            self.refuse(no_clip(name, clip));
            space.drive = Drive::Keys;
        }
        if space.samples.is_empty() {
            self.refuse(BuildError::NoSamples { node: name.into() });
        }
        let mut sound = 0;
        while sound < space.samples.len() {
            let missing = || Err(no_clip(name, &space.samples[sound].clip));
            let has_clip = || if has_clip(self.input, &space.samples[sound].clip) { Ok(()) } else { missing() };
            match space.check_sample(name, sound).and_then(|()| has_clip()) {
                Ok(()) => sound += 1,
                Err(fault) => {
                    self.refuse(fault);
                    space.samples.remove(sound);
                }
            }
        }
        Some(space)
    }

    /// The connections with the faulty ones muted.
    fn blend(&mut self, name: &str, mut links: Vec<Link>) -> Vec<Link> {
        // Muting a faulty solo connection may activate others, which are then checked too.
        while let Some(slot) = self.first_faulty(name, &links) {
            links[slot].muted = true;
        }
        links
    }

    fn first_faulty(&mut self, name: &str, links: &[Link]) -> Option<usize> {
        let is_faulty = |(_, link): &(usize, &Link)| {
            let child = self.sound.nodes.get(link.child).map_or("?", |child| &child.name).to_owned();
            let weighed = Weighed { weight: link.weight, in_states: &link.in_states, mask: &link.mask };
            !(self.weights(&child, &weighed) && self.child(link.child, name))
        };
        Tree::active_links(links).find(is_faulty).map(|(slot, _)| slot)
    }

    fn weights(&mut self, name: &str, weighed: &Weighed) -> bool {
        let in_states = weighed.in_states.iter().map(|own| own.weight);
        let mut all = [weighed.weight].into_iter().chain(in_states);
        if let Some(weight) = all.find(|weight| !weight.is_finite() || *weight < 0.0) {
            return self.refuse(BuildError::BadNumber {
                node: name.into(),
                what: message!("setting.blend.weight", "weight"),
                value: weight.into(),
            });
        }
        match weighed.mask.resolve(self.input.skeleton, self.input.roles) {
            Ok(_) => true,
            Err(reason) => self.refuse(BuildError::BadMask { node: name.into(), reason }),
        }
    }

    fn refuse(&mut self, fault: BuildError) -> bool {
        self.faults.push(fault);
        false
    }
}
