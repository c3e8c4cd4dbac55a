//! The choice between skinning on the GPU and on the CPU. Software renderers skin on the CPU.

use three_d::context::{Context, HasContext, RENDERER};

/// Environment variable that forces the choice: `cpu` or `gpu`.
const SKINNING_VARIABLE: &str = "PORTAMENTO_SKINNING";

/// Lower-case parts of the names of software renderers.
const SOFTWARE_RENDERERS: [&str; 6] =
    ["llvmpipe", "softpipe", "swrast", "swiftshader", "microsoft basic render", "apple software"];

/// The processor that skins vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skinning {
    /// The CPU skins the vertices and uploads them.
    Cpu,
    /// The GPU skins the vertices; only joint matrices and morph weights are uploaded.
    Gpu,
}

impl Skinning {
    /// Returns the choice of the environment variable [`SKINNING_VARIABLE`]; `None` if it is unset or neither `cpu` nor `gpu`.
    pub fn from_environment() -> Option<Self> {
        std::env::var(SKINNING_VARIABLE).ok().as_deref().and_then(Self::named)
    }

    /// Returns the faster choice for the renderer of `gl`, which must be current.
    pub(crate) fn for_context(gl: &Context) -> Self {
        Self::for_renderer(&renderer(gl))
    }

    /// Parses `cpu` or `gpu`; `None` for other text.
    fn named(name: &str) -> Option<Self> {
        match name {
            "cpu" => Some(Self::Cpu),
            "gpu" => Some(Self::Gpu),
            _ => None,
        }
    }

    /// Returns the faster choice for a renderer's name. Software renderers run vertex shaders on the CPU, where our own
    /// skinning is as fast or faster.
    fn for_renderer(renderer: &str) -> Self {
        let renderer = renderer.to_lowercase();
        match SOFTWARE_RENDERERS.iter().any(|name| renderer.contains(name)) {
            true => Self::Cpu,
            false => Self::Gpu,
        }
    }
}

/// Returns the renderer's name as the OpenGL driver reports it.
#[allow(unsafe_code)]
fn renderer(gl: &Context) -> String {
    // SAFETY: reads a constant that every OpenGL context has.
    unsafe { gl.get_parameter_string(RENDERER) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn software_renderers_skin_on_the_cpu() {
        let software = [
            "llvmpipe (LLVM 19.1.7, 256 bits)",
            "softpipe",
            "Google SwiftShader",
            "ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero)))",
            "D3D12 (Microsoft Basic Render Driver)",
            "Apple Software Renderer",
        ];
        let cards = [
            "NVIDIA GeForce RTX 3060/PCIe/SSE2",
            "AMD Radeon RX 6700 XT (radeonsi, navi22, LLVM 17.0.6, DRM 3.57)",
            "Mesa Intel(R) UHD Graphics 620 (KBL GT2)",
            "Apple M2",
        ];
        assert!(software.iter().all(|name| Skinning::for_renderer(name) == Skinning::Cpu));
        assert!(cards.iter().all(|name| Skinning::for_renderer(name) == Skinning::Gpu));
        assert_eq!(["cpu", "gpu", ""].map(Skinning::named), [Some(Skinning::Cpu), Some(Skinning::Gpu), None]);
    }
}
