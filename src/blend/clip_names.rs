//! Clip names that a blend refers to.

use super::Settings;
use super::space::blend_space::{BlendSpace, Drive};
use super::standard::scenario::Scenario;
use super::trees::tree::NodeKind;

impl Settings {
    /// Returns every clip name in order, with repetitions and empty names. Nodes that do not feed the result count too, as
    /// does a clip used only to measure speed.
    pub fn clip_names(&self) -> Vec<&str> {
        match self {
            Self::Scenario(scenario) => scenario.clip_names(),
            Self::Tree(tree) => tree.nodes.iter().flat_map(|node| node.kind.clip_names()).collect(),
        }
    }

    /// True if clip `name` is played by a node that feeds the result. A clip used only to measure speed does not count.
    pub fn plays(&self, name: &str) -> bool {
        match self {
            Self::Scenario(scenario) => scenario.clip_names().contains(&name),
            Self::Tree(tree) => tree.nodes.iter().enumerate().any(|(index, node)| match &node.kind {
                NodeKind::Space(space) if space.samples.iter().any(|sample| sample.clip == name) => {
                    tree.is_below(index, tree.root)
                }
                NodeKind::Space(_) => false,
                other => other.clip_names().contains(&name) && tree.is_below(index, tree.root),
            }),
        }
    }

    /// Returns the clip names for editing. An event without its own clip has no entry.
    pub fn clip_names_mut(&mut self) -> Vec<&mut String> {
        match self {
            Self::Scenario(scenario) => scenario.clip_names_mut(),
            Self::Tree(tree) => tree.nodes.iter_mut().flat_map(|node| node.kind.clip_names_mut()).collect(),
        }
    }
}

impl NodeKind {
    /// Returns the clip names of this node in order, with repetitions and empty names; none for nodes that only mix others.
    fn clip_names(&self) -> Vec<&str> {
        match self {
            Self::Source(source) => vec![&source.clip],
            Self::Space(space) => space.clip_names(),
            Self::Standard(scenario) => scenario.clip_names(),
            Self::Blend(_) | Self::Additive(_) => Vec::new(),
        }
    }

    /// Returns the clip names of this node for editing. An event without its own clip has no entry.
    fn clip_names_mut(&mut self) -> Vec<&mut String> {
        match self {
            Self::Source(source) => vec![&mut source.clip],
            Self::Space(space) => space.clip_names_mut(),
            Self::Standard(scenario) => scenario.clip_names_mut(),
            Self::Blend(_) | Self::Additive(_) => Vec::new(),
        }
    }
}

impl BlendSpace {
    /// Returns the clips of all samples, then the clip that a drive measures.
    fn clip_names(&self) -> Vec<&str> {
        let drive = match &self.drive {
            Drive::Speed(drive) => Some(&*drive.clip),
            Drive::Keys => None,
        };
        self.samples.iter().map(|sample| &*sample.clip).chain(drive).collect()
    }

    /// Returns the names of [`BlendSpace::clip_names`] for editing.
    fn clip_names_mut(&mut self) -> Vec<&mut String> {
        let drive = match &mut self.drive {
            Drive::Speed(drive) => Some(&mut drive.clip),
            Drive::Keys => None,
        };
        self.samples.iter_mut().map(|sample| &mut sample.clip).chain(drive).collect()
    }
}

impl Scenario {
    /// Returns the clips of run, stand and skill, then one for each event that plays a clip, with repetitions.
    fn clip_names(&self) -> Vec<&str> {
        let events = self.events.iter().filter_map(|event| self.clip_of(event));
        [&self.run, &self.stand, &self.skill].into_iter().map(String::as_str).chain(events).collect()
    }

    /// Returns the clips of run, stand and skill for editing, then those that events name themselves.
    fn clip_names_mut(&mut self) -> Vec<&mut String> {
        let events = self.events.iter_mut().filter_map(|event| event.clip.as_mut());
        [&mut self.run, &mut self.stand, &mut self.skill].into_iter().chain(events).collect()
    }
}
