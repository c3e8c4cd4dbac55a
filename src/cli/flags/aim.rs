//! Flags for aim grids.

use crate::Failure;
use portamento_session::Session;
use portamento_session::sets::AimGridRequest;
use portamento_stretch::additive::Space;

/// Flags that sample an aim grid from a take.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct AimFlags {
    /// Sample poses of this take on a grid of yaw and pitch, and export them as a set of additive poses.
    #[arg(long, value_name = "TAKE")]
    aim_grid: Option<String>,
    /// With --aim-grid, angles to the right, degrees.
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        allow_hyphen_values = true,
        default_values_t = [-90.0, -45.0, 0.0, 45.0, 90.0]
    )]
    aim_yaw: Vec<f64>,
    /// With --aim-grid, angles up, degrees.
    #[arg(long, value_name = "LIST", value_delimiter = ',', allow_hyphen_values = true, default_values_t = [-45.0, 0.0, 45.0])]
    aim_pitch: Vec<f64>,
    /// With --aim-grid, the joint that aims. Default: the head.
    #[arg(long, value_name = "JOINT")]
    aim_joint: Option<String>,
    /// With --aim-grid, the axes in which the poses are added: local, parent or character.
    #[arg(long, default_value = "local", value_parser = Space::parse)]
    aim_space: Space,
}

impl AimFlags {
    /// Samples the aim grid, adds its takes and its set to the project, and returns the name of the set; `None` without
    /// --aim-grid. Returns `Err` if the take or the joint does not exist, or sampling fails.
    pub fn add(self, session: &mut Session) -> Result<Option<String>, Failure> {
        let Some(name) = self.aim_grid else { return Ok(None) };
        let request = AimGridRequest {
            take: crate::bake::take_named(session, &name)?.id,
            yaw: self.aim_yaw,
            pitch: self.aim_pitch,
            joint: self.aim_joint,
            space: self.aim_space,
        };
        let set = session.add_aim_grid(&request).map_err(|why| Failure::Failed(why.to_string()))?;
        Ok(session.document.sets.get(set).map(|set| set.name.clone()))
    }
}
