//! The viewport: what it frames, its handles and its tools, and figures that lead to a frame.

mod figures;
mod framing;
mod handles;
mod view_tools;
