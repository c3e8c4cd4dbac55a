//! What poses the vertices: the graphics card, or the processor where that is what plays the graphics card.

use three_d::context::{Context, HasContext, RENDERER};

/// Names a way that is taken whatever draws: `cpu` or `gpu`.
const CHOICE: &str = "PORTAMENTO_SKINNING";

/// What software calls itself that draws in place of a graphics card.
const SOFTWARE: [&str; 6] =
    ["llvmpipe", "softpipe", "swrast", "swiftshader", "microsoft basic render", "apple software"];

/// Who puts a figure's vertices where its pose has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skinning {
    /// The processor, vertex after vertex, and sends them.
    Cpu,
    /// The graphics card, told of joints and weights alone.
    Gpu,
}

impl Skinning {
    /// The way that the environment asks for.
    pub fn asked() -> Option<Self> {
        std::env::var(CHOICE).ok().as_deref().and_then(Self::named)
    }

    /// The better way for what draws in `gl`, which is current.
    pub(super) fn for_context(gl: &Context) -> Self {
        Self::for_renderer(&renderer(gl))
    }

    fn named(name: &str) -> Option<Self> {
        match name {
            "cpu" => Some(Self::Cpu),
            "gpu" => Some(Self::Gpu),
            _ => None,
        }
    }

    /// Software runs vertex shaders on the processor too, and skins there as fast or faster with our own.
    fn for_renderer(renderer: &str) -> Self {
        let renderer = renderer.to_lowercase();
        match SOFTWARE.iter().any(|name| renderer.contains(name)) {
            true => Self::Cpu,
            false => Self::Gpu,
        }
    }
}

/// How what draws calls itself.
#[allow(unsafe_code)]
fn renderer(gl: &Context) -> String {
    // SAFETY: asks for a constant that every OpenGL has.
    unsafe { gl.get_parameter_string(RENDERER) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn software_leaves_vertices_to_the_processor() {
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
