//! Writing takes as clips.

mod choice;
mod formats;
mod plan;
mod request;
mod sidecars;
mod write;

pub use choice::{Asks, ExportChoice};
pub use formats::{ExportFormat, ImageFormat, MeshFormat};
pub use request::{ExportRequest, Keep};
pub use sidecars::{RouteFormat, Sidecars, route_lines};
