//! GLSL that computes a figure's posed vertex.

use crate::Skinning;

/// Returns the GLSL function `posed()` for `skinning`.
pub(crate) fn posing(skinning: Skinning) -> String {
    let posed = match skinning {
        Skinning::Cpu => CPU,
        Skinning::Gpu => GPU,
    };
    format!("struct Vertex {{ vec3 position; vec3 normal; }};{posed}")
}

/// Vertices that the CPU has already posed.
const CPU: &str = "
in vec3 position; in vec3 normal;
Vertex posed() { return Vertex(position, normal); }
";

/// Vertices posed on the GPU: morph targets first, then joints, in the same order as on the CPU. `influences` holds the
/// vertex's ranges in `influence_table` (see `influences`). `matrices`, `weights` and `stride` locate the figure's numbers in
/// `poses` (see `pose_table`). Each figure is one instance.
const GPU: &str = "
uniform highp sampler2D influence_table; uniform highp sampler2D poses;
uniform int matrices; uniform int weights; uniform int stride;
in vec3 position; in vec3 normal; in uvec4 influences;
// Rows are flipped, as three-d uploads them.
vec4 entry(highp sampler2D table, int at) { return texelFetch(table, ivec2(at & 1023, textureSize(table, 0).y - 1 - (at >> 10)), 0); }
mat4 carried(mat4 mixed, vec2 influence, int figure) {
    int at = matrices + figure + 3 * int(influence.x);
    mat4 matrix = mat4(entry(poses, at), entry(poses, at + 1), entry(poses, at + 2), vec4(1.0));
    return mixed + matrix * influence.y;
}
Vertex posed() {
    vec3 at = position, direction = normal;
    int figure = gl_InstanceID * stride;
    for (int shape = int(influences.z); shape < int(influences.z + 2u * influences.w); shape += 2) {
        vec4 moved = entry(influence_table, shape);
        int weight_index = int(moved.w);
        float weight = entry(poses, weights + figure + (weight_index >> 2))[weight_index & 3];
        at += moved.xyz * weight;
        direction += entry(influence_table, shape + 1).xyz * weight;
    }
    // Columns 0 to 2: weighted rows of the joint matrices. Column 3: sum of weights.
    mat4 mixed = mat4(0.0);
    for (int pair = int(influences.x); pair < int(influences.x + influences.y); pair++) {
        vec4 two = entry(influence_table, pair);
        mixed = carried(mixed, two.xy, figure);
        if (two.w > 0.0) { mixed = carried(mixed, two.zw, figure); }
    }
    if (mixed[3].x > 0.0) {
        at = (vec4(at, 1.0) * mixed).xyz / mixed[3].x;
        direction = (vec4(direction, 0.0) * mixed).xyz;
    }
    float size = length(direction);
    return Vertex(at, size > 0.0 ? direction / size : direction);
}
";
