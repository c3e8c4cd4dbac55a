//! GLSL that gives a figure's vertex where its pose has it.

use super::Skinning;

/// Whose work it is to pose a figure's vertices.
pub(super) fn posing(skinning: Skinning) -> String {
    let posed = match skinning {
        Skinning::Cpu => CPU,
        Skinning::Gpu => GPU,
    };
    format!("struct Vertex {{ vec3 position; vec3 normal; }};{posed}")
}

/// Vertices as they were sent, already where the pose has them.
const CPU: &str = "
in vec3 position; in vec3 normal;
Vertex posed() { return Vertex(position, normal); }
";

/// Vertices as the file has them, put where the pose has them: shapes first, then joints, each in the order in which the processor adds
/// them. `influences` says where the vertex's own entries are in `influence_table`, see `influences`; `matrices`, `weights` and
/// `stride` where those of the figure are in `poses`, see `pose_table`. A figure after the other is drawn as an instance.
const GPU: &str = "
uniform highp sampler2D influence_table; uniform highp sampler2D poses;
uniform int matrices; uniform int weights; uniform int stride;
in vec3 position; in vec3 normal; in uvec4 influences;
// Rows lie upside down, as three-d sends them.
vec4 entry(highp sampler2D table, int at) { return texelFetch(table, ivec2(at & 1023, textureSize(table, 0).y - 1 - (at >> 10)), 0); }
mat4 carried(mat4 mixed, vec2 influence, int figure) {
    int at = matrices + figure + 3 * int(influence.x);
    mat4 matrix = mat4(entry(poses, at), entry(poses, at + 1), entry(poses, at + 2), vec4(1.0));
    return mixed + matrix * influence.y;
}
Vertex posed() {
    vec3 at = position, way = normal;
    int figure = gl_InstanceID * stride;
    for (int shape = int(influences.z); shape < int(influences.z + 2u * influences.w); shape += 2) {
        vec4 moved = entry(influence_table, shape);
        int place = int(moved.w);
        float weight = entry(poses, weights + figure + (place >> 2))[place & 3];
        at += moved.xyz * weight;
        way += entry(influence_table, shape + 1).xyz * weight;
    }
    // In columns: the rows of the joints' matrices by weight, and the sum of weights.
    mat4 mixed = mat4(0.0);
    for (int pair = int(influences.x); pair < int(influences.x + influences.y); pair++) {
        vec4 two = entry(influence_table, pair);
        mixed = carried(mixed, two.xy, figure);
        if (two.w > 0.0) { mixed = carried(mixed, two.zw, figure); }
    }
    if (mixed[3].x > 0.0) {
        at = (vec4(at, 1.0) * mixed).xyz / mixed[3].x;
        way = (vec4(way, 0.0) * mixed).xyz;
    }
    float size = length(way);
    return Vertex(at, size > 0.0 ? way / size : way);
}
";
