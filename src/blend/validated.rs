//! Validation of a blend that keeps everything usable and reports each faulty connection and event.

use super::space::blend_space::{BlendSpace, Drive, SpeedDrive};
use super::standard::scenario::{Event, Scenario};
use super::standard::timeline_compile;
use super::trees::state::StateWeight;
use super::trees::tree::{Link, Node, NodeKind, Source, Tree};
use super::{BuildError, Input, Settings};
use portamento_anim::MaskChoice;
use portamento_base::message::message;

impl Settings {
    /// Returns these settings with every faulty part disabled, and one error per disabled part. Valid settings are returned
    /// unchanged.
    ///
    /// A faulty connection is muted, a faulty event is removed, and a faulty result becomes the rest pose.
    pub fn validated(&self, input: &Input) -> (Self, Vec<BuildError>) {
        match self {
            Self::Scenario(scenario) => {
                let (validated, faults) = validated_scenario(scenario, input);
                (Self::Scenario(validated), faults)
            }
            Self::Tree(tree) => {
                let mut check = TreeValidator::new(tree, input);
                check.root();
                (Self::Tree(check.validated), check.faults)
            }
        }
    }
}

/// Returns the scenario without its faulty events, and an error for each. A faulty upper-body mask becomes the default one.
fn validated_scenario(scenario: &Scenario, input: &Input) -> (Scenario, Vec<BuildError>) {
    let (mut validated, mut faults) = (scenario.clone(), Vec::new());
    if let Err(fault) = timeline_compile::upper_body_mask(scenario, input) {
        faults.push(fault);
        validated.upper = Scenario::default().upper;
    }
    let fault_of = |event: &Event| match (event.check(), scenario.clip_of(event)) {
        (Err(fault), _) => Some(fault),
        (Ok(()), Some(clip)) if !has_clip(input, clip) => Some(no_clip(event.action.name(), clip)),
        _ => None,
    };
    validated.events.retain(|event| {
        let fault = fault_of(event);
        faults.extend(fault.clone());
        fault.is_none()
    });
    (validated, faults)
}

/// True if `input` contains a clip called `clip`.
fn has_clip(input: &Input, clip: &str) -> bool {
    input.clips.iter().any(|known| known.name == clip)
}

/// Returns the error for a missing clip.
fn no_clip(node: &str, clip: &str) -> BuildError {
    BuildError::NoSuchClip { node: node.into(), clip: clip.into() }
}

/// Depth-first validation of a tree, from the result to the sources.
struct TreeValidator<'a, 'b> {
    input: &'a Input<'b>,
    validated: Tree,
    visits: Vec<Visit>,
    depth: usize,
    faults: Vec<BuildError>,
}

/// The weights of a connection that are validated together.
struct ConnectionWeights<'w> {
    weight: f32,
    in_states: &'w [StateWeight],
    mask: &'w MaskChoice,
}

/// Validation state of a node.
#[derive(Clone, Copy, PartialEq)]
enum Visit {
    /// Not visited yet.
    Never,
    /// Its children are being visited.
    Open,
    Sound,
    Faulty,
}

impl<'a, 'b> TreeValidator<'a, 'b> {
    /// Starts the validation of `tree`; removes faulty events.
    fn new(tree: &Tree, input: &'a Input<'b>) -> Self {
        let visits = vec![Visit::Never; tree.nodes.len()];
        let (mut validated, mut faults) = (tree.clone(), Vec::new());
        validated.events.retain(|event| {
            let fault = tree.check_event(event).err();
            faults.extend(fault.clone());
            fault.is_none()
        });
        Self { input, validated, visits, depth: 0, faults }
    }

    /// Validates the tree from its root; a faulty root is replaced by the rest pose.
    fn root(&mut self) {
        let root = self.validated.root;
        if !self.child(root, "Root") {
            // A blend without connections gives the rest pose.
            self.validated.nodes.push(Node { name: "Rest".into(), kind: NodeKind::Blend(Vec::new()) });
            self.validated.root = self.validated.nodes.len() - 1;
        }
    }

    /// Validates `node` and its descendants; true if it can feed the node called `parent`. Otherwise an error is recorded,
    /// once per node.
    fn child(&mut self, node: usize, parent: &str) -> bool {
        let name = |check: &Self| check.validated.nodes[node].name.clone();
        match self.visits.get(node) {
            None => self.refuse(BuildError::NoSuchNode { node: parent.into(), child: node }),
            Some(Visit::Open) => self.refuse(BuildError::Cycle { node: name(self) }),
            Some(Visit::Sound) => true,
            Some(Visit::Faulty) => false,
            Some(Visit::Never) if self.depth == Tree::MAX_LEVELS => {
                self.refuse(BuildError::TooDeep { node: name(self), most: Tree::MAX_LEVELS })
            }
            Some(Visit::Never) => {
                // A node that is reached again while open is part of a cycle.
                (self.visits[node], self.depth) = (Visit::Open, self.depth + 1);
                let is_sound = self.node(node);
                let outcome = if is_sound { Visit::Sound } else { Visit::Faulty };
                (self.visits[node], self.depth) = (outcome, self.depth - 1);
                is_sound
            }
        }
    }

    /// Validates a node by its kind; true if it can be used.
    fn node(&mut self, node: usize) -> bool {
        let Node { name, kind } = self.validated.nodes[node].clone();
        match kind {
            NodeKind::Source(source) => self.source(&name, &source),
            NodeKind::Space(space) => {
                let validated = self.space(&name, *space);
                let has_samples = validated.as_ref().is_some_and(|space| !space.samples.is_empty());
                if let Some(space) = validated {
                    self.validated.nodes[node].kind = NodeKind::Space(Box::new(space));
                }
                has_samples
            }
            NodeKind::Standard(scenario) => {
                let (validated, faults) = validated_scenario(&scenario, self.input);
                self.faults.extend(faults);
                self.validated.nodes[node].kind = NodeKind::Standard(Box::new(validated));
                true
            }
            NodeKind::Blend(links) => {
                let validated = self.blend(&name, links);
                self.validated.nodes[node].kind = NodeKind::Blend(validated);
                true
            }
            NodeKind::Additive(mut additive) => {
                let has_base = self.child(additive.base, &name);
                let weights =
                    ConnectionWeights { weight: additive.weight, in_states: &additive.in_states, mask: &additive.mask };
                let is_active = !additive.muted && self.weights(&name, &weights);
                additive.muted = !(is_active && self.child(additive.delta, &name));
                self.validated.nodes[node].kind = NodeKind::Additive(additive);
                has_base
            }
        }
    }

    /// Validates a source node; true if its numbers and its clip can be used. Otherwise records an error.
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

    /// Returns the space with its valid samples, or `None` if its parameter keys cannot be used. Records an error for each
    /// fault. A missing driving motion is replaced by the keys.
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
        let mut index = 0;
        while index < space.samples.len() {
            let missing = || Err(no_clip(name, &space.samples[index].clip));
            let has_clip = || if has_clip(self.input, &space.samples[index].clip) { Ok(()) } else { missing() };
            match space.check_sample(name, index).and_then(|()| has_clip()) {
                Ok(()) => index += 1,
                Err(fault) => {
                    self.refuse(fault);
                    space.samples.remove(index);
                }
            }
        }
        Some(space)
    }

    /// Returns the connections with the faulty ones muted.
    fn blend(&mut self, name: &str, mut links: Vec<Link>) -> Vec<Link> {
        // Muting a faulty solo connection can activate others, which are then checked too.
        while let Some(slot) = self.first_faulty(name, &links) {
            links[slot].muted = true;
        }
        links
    }

    /// Returns the slot of the first active connection that is faulty, and records its errors. Returns `None` if all
    /// are sound.
    fn first_faulty(&mut self, name: &str, links: &[Link]) -> Option<usize> {
        let is_faulty = |(_, link): &(usize, &Link)| {
            let child = self.validated.nodes.get(link.child).map_or("?", |child| &child.name).to_owned();
            let weights = ConnectionWeights { weight: link.weight, in_states: &link.in_states, mask: &link.mask };
            !(self.weights(&child, &weights) && self.child(link.child, name))
        };
        Tree::active_links(links).find(is_faulty).map(|(slot, _)| slot)
    }

    /// Validates the weights and mask of a connection; true if they can be used. Otherwise records an error.
    fn weights(&mut self, name: &str, weights: &ConnectionWeights) -> bool {
        let in_states = weights.in_states.iter().map(|own| own.weight);
        let mut all = [weights.weight].into_iter().chain(in_states);
        if let Some(weight) = all.find(|weight| !weight.is_finite() || *weight < 0.0) {
            return self.refuse(BuildError::BadNumber {
                node: name.into(),
                what: message!("setting.blend.weight", "weight"),
                value: weight.into(),
            });
        }
        match weights.mask.resolve(self.input.skeleton, self.input.roles) {
            Ok(_) => true,
            Err(reason) => self.refuse(BuildError::BadMask { node: name.into(), reason }),
        }
    }

    /// Records an error and returns false.
    fn refuse(&mut self, fault: BuildError) -> bool {
        self.faults.push(fault);
        false
    }
}
