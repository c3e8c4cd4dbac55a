//! GLSL sources. Colours are linear until each fragment shader encodes sRGB in its last line; the target stores plain bytes.

use crate::Skinning;
use crate::characters::posing::posing;

/// The sRGB curve of IEC 61966-2-1. A plain power of 2.2 would darken dark tones.
const FROM_SRGB: &str = "
vec3 from_srgb(vec3 c) {
    return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), step(0.04045, c));
}
";

/// Encodes a linear colour as sRGB. Shared by all fragment shaders.
const TO_SRGB: &str = "
vec3 to_srgb(vec3 c) {
    c = clamp(c, 0.0, 1.0);
    return mix(c * 12.92, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c));
}
";

/// Lighting: a warm key light from the upper left, a cool fill light, and a soft rim that separates the figure from the ground.
/// Rough surfaces use wrapped diffuse light. Smooth surfaces show each light as a round highlight, plus ambient light.
const LIGHT: &str = "
uniform vec3 key;
uniform vec3 fill;
uniform vec3 eye;
struct Surface { vec3 albedo; vec3 normal; float metallic; float roughness; float specular; float open; };
const vec3 KEY = vec3(1.0, 0.95, 0.87) * 0.80;
const vec3 FILL = vec3(0.62, 0.74, 1.0) * 0.22;
vec3 surroundings(vec3 direction) { return mix(vec3(0.10, 0.10, 0.11), vec3(0.22, 0.24, 0.28), direction.y * 0.5 + 0.5); }
vec3 toward_eye(vec3 normal, vec3 position) { return dot(normal, eye - position) < 0.0 ? -normal : normal; }
vec3 arriving(vec3 normal, float open) {
    float wrapped = dot(normal, key) * 0.6 + 0.4;
    return KEY * max(wrapped, 0.0) + FILL * max(dot(normal, fill), 0.0) + surroundings(normal) * open;
}
// Normalized so that the total energy does not depend on `spread`.
float window(vec3 direction, vec3 light, float spread) { return (spread + 2.0) * 0.5 * pow(max(dot(direction, light), 1e-4), spread); }
vec3 mirrored(Surface surface, vec3 toward) {
    vec3 direction = reflect(-toward, surface.normal);
    float a = max(surface.roughness * surface.roughness, 0.02);
    float spread = max(0.5 / (a * a) - 0.5, 0.0);
    vec3 sharp = KEY * window(direction, key, spread) + FILL * window(direction, fill, spread) + surroundings(direction) * surface.open;
    return mix(sharp, arriving(surface.normal, surface.open), a);
}
// Specular share of the incoming light: reflectance at normal incidence and the grazing part (Karis's fit of the GGX integral,
// 2014).
vec2 mirror_share(float facing, float roughness) {
    vec4 r = roughness * vec4(-1.0, -0.0275, -0.572, 0.022) + vec4(1.0, 0.0425, 1.04, -0.04);
    float glancing = min(r.x * r.x, exp2(-9.28 * facing)) * r.x + r.y;
    return vec2(-1.04, 1.04) * glancing + r.zw;
}
vec3 lit(Surface surface, vec3 position) {
    vec3 toward = normalize(eye - position);
    float facing = max(dot(surface.normal, toward), 0.0);
    vec3 matte = surface.albedo * (1.0 - surface.metallic) * arriving(surface.normal, surface.open);
    vec3 straight = mix(vec3(0.04 * surface.specular), surface.albedo, surface.metallic);
    float glancing = mix(surface.specular, 1.0, surface.metallic);
    vec2 share = mirror_share(facing, surface.roughness);
    // Multiple scattering: rough metal keeps the brightness of smooth metal.
    vec3 mirror = (straight * share.x + glancing * max(share.y, 0.0)) * (1.0 + straight * (1.0 / (share.x + share.y) - 1.0));
    float rim = pow(1.0 - facing, 4.0) * 0.18;
    return matte + mirror * mirrored(surface, toward) + rim * vec3(0.75, 0.85, 1.0) * (0.3 + surface.albedo);
}
";

/// Returns the vertex shader of figures. `texcoords` holds both UV sets.
pub(crate) fn surface_vertex(skinning: Skinning) -> String {
    posing(skinning)
        + "
uniform mat4 clip_from_world;
in vec4 uv; in vec4 color;
out vec3 at; out vec3 facing; out vec4 texcoords; out vec4 tone;
void main() {
    Vertex vertex = posed();
    at = vertex.position; facing = vertex.normal; texcoords = uv; tone = color;
    gl_Position = clip_from_world * vec4(at, 1.0);
}
"
}

/// Texture maps of a surface: a sampler and a matrix. Columns 0 and 1 give U and V from both UV sets. Column 2 is the offset
/// (x, y) and a flag that is 1 if the map exists (z).
const MAPS: &str = "
uniform sampler2D color_map; uniform mat4 color_uv_matrix;
uniform sampler2D emissive_map; uniform mat4 emissive_uv_matrix;
uniform sampler2D normal_map; uniform mat4 normal_uv_matrix;
uniform sampler2D metallic_roughness_map; uniform mat4 metallic_roughness_uv_matrix;
uniform sampler2D occlusion_map; uniform mat4 occlusion_uv_matrix;
vec2 uv_of(mat4 uv_matrix) { return vec2(dot(uv_matrix[0], texcoords), dot(uv_matrix[1], texcoords)) + uv_matrix[2].xy; }
bool has_map(mat4 uv_matrix) { return uv_matrix[2].z > 0.5; }
";

/// Returns the normal of the visible side, perturbed by the normal map. Tangents are derived from the screen-space derivatives
/// of position and UV, so no vertex tangents need skinning.
const NORMAL: &str = "
uniform float normal_scale; uniform float flat_faces;
vec3 surface_normal() {
    vec3 across = dFdx(at), up = dFdy(at), face = toward_eye(normalize(cross(across, up)), at);
    vec3 plain = flat_faces > 0.5 ? face : normalize(dot(facing, face) < 0.0 ? -facing : facing);
    if (!has_map(normal_uv_matrix)) { return plain; }
    vec2 uv = uv_of(normal_uv_matrix), uv_across = dFdx(uv), uv_up = dFdy(uv);
    vec3 one = cross(up, plain), other = cross(plain, across);
    vec3 along_u = one * uv_across.x + other * uv_up.x;
    vec3 along_v = one * uv_across.y + other * uv_up.y;
    float longest = max(dot(along_u, along_u), dot(along_v, along_v));
    vec3 lean = texture(normal_map, uv).xyz * 2.0 - 1.0;
    // The image's green points up, V down.
    lean.xy *= vec2(normal_scale, -normal_scale) * (longest > 0.0 ? inversesqrt(longest) : 0.0);
    return normalize(along_u * lean.x + along_v * lean.y + plain * lean.z);
}
";

/// Discards most pixels of surfaces between eye and figure in an even dither. The ground under the figure stays opaque.
const GIVES_WAY: &str = "
uniform vec4 in_sight;
bool is_in_the_way() {
    if (in_sight.w <= 0.0) { return false; }
    vec3 direction = in_sight.xyz - eye, here = at - eye;
    float reach = length(direction), along = dot(here, direction) / reach, cone_radius = in_sight.w * along / reach;
    float within = 1.0 - smoothstep(cone_radius * 0.8, cone_radius * 1.3, length(here - direction * (along / reach)));
    float before = 1.0 - smoothstep(reach - in_sight.w, reach - in_sight.w * 0.8, along);
    float above_ground = smoothstep(0.0, 0.3 * in_sight.w, at.y - in_sight.y + in_sight.w * 0.9);
    // Interleaved gradient noise: an even dither without a visible pattern.
    float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
    return 0.85 * within * before * above_ground > noise;
}
";

/// Tone function of figures: leaves the colour unchanged.
const FIGURE: &str = "
vec3 toned(vec3 color, vec3 normal) { return color; }
";

/// Tone function of levels: dims colours below those of characters, draws edges and darkens corners (`ambient_occlusion`).
const LEVEL: &str = "
in vec4 away;
uniform float faded; uniform float metre;
uniform highp sampler3D occlusion_grid; uniform vec4 grid_low_and_cell; uniform vec3 grid_size;
// Occlusion in front of a surface, close by and within reach, beyond that of a free wall.
vec2 crowding(vec3 normal) {
    vec3 here = at / metre - grid_low_and_cell.xyz, step = normal * grid_low_and_cell.w;
    float close = texture(occlusion_grid, (here + 2.5 * step) / grid_size).r, reach = texture(occlusion_grid, (here + 6.0 * step) / grid_size).g;
    return max(vec2(close - 0.10, reach - 0.18), 0.0);
}
vec3 toned(vec3 color, vec3 normal) {
    vec2 crowded = crowding(normal);
    color *= 0.75 * (1.0 - min(0.5 * crowded.x + 0.45 * crowded.y, 0.5));
    float pixel = length(fwidth(at)) / metre;
    float line = 1.0 - smoothstep(0.4, 1.4, min(away.x, min(away.y, away.z)) / pixel);
    // Fades the lines out on triangles a few pixels high, which they would cover.
    color *= 1.0 - 0.45 * line * smoothstep(3.0, 12.0, away.w / pixel);
    vec3 grey = vec3(dot(color, vec3(0.2126, 0.7152, 0.0722)) * 0.6);
    return mix(color, grey, faded);
}
";

/// Returns the fragment shader of figures.
pub(crate) fn surface_fragment() -> String {
    material_fragment(FIGURE)
}

/// Returns the fragment shader of levels.
pub(crate) fn level_fragment() -> String {
    material_fragment(LEVEL)
}

/// Returns the fragment shader of a lit material. `kind` is the GLSL of the tone function, [`FIGURE`] or [`LEVEL`].
fn material_fragment(kind: &str) -> String {
    format!(
        "{TO_SRGB}{FROM_SRGB}{LIGHT}
in vec3 at; in vec3 facing; in vec4 texcoords; in vec4 tone;
{MAPS}{NORMAL}{GIVES_WAY}{kind}
uniform vec4 base; uniform vec3 emissive; uniform float specular; uniform vec2 metallic_roughness; uniform float occlusion;
uniform float cutoff; uniform float opaque; uniform float unlit;
layout (location = 0) out vec4 result;
void main() {{
    vec4 albedo = base * tone;
    if (has_map(color_uv_matrix)) {{
        vec4 texel = texture(color_map, uv_of(color_uv_matrix));
        albedo *= vec4(from_srgb(texel.rgb), texel.a);
    }}
    Surface surface = Surface(albedo.rgb, surface_normal(), metallic_roughness.x, metallic_roughness.y, specular, 1.0);
    if (has_map(metallic_roughness_uv_matrix)) {{
        vec4 texel = texture(metallic_roughness_map, uv_of(metallic_roughness_uv_matrix));
        surface.metallic *= texel.b;
        surface.roughness *= texel.g;
    }}
    if (has_map(occlusion_uv_matrix)) {{
        surface.open = 1.0 + occlusion * (texture(occlusion_map, uv_of(occlusion_uv_matrix)).r - 1.0);
    }}
    vec3 glow = emissive;
    if (has_map(emissive_uv_matrix)) {{ glow *= from_srgb(texture(emissive_map, uv_of(emissive_uv_matrix)).rgb); }}
    surface.albedo = toned(albedo.rgb, surface.normal);
    if (albedo.a < cutoff || is_in_the_way()) {{ discard; }}
    vec3 seen = unlit > 0.5 ? surface.albedo : lit(surface, at) + glow;
    result = vec4(to_srgb(seen), max(albedo.a, opaque));
}}"
    )
}

/// Vertex shader of levels. Positions are in metres.
pub(crate) const LEVEL_VERTEX: &str = "
uniform mat4 clip_from_world; uniform float metre;
in vec3 position; in vec3 normal; in vec4 uv; in vec4 color; in vec4 edge;
out vec3 at; out vec3 facing; out vec4 texcoords; out vec4 tone; out vec4 away;
void main() {
    at = position * metre; facing = normal; texcoords = uv; tone = color; away = edge;
    gl_Position = clip_from_world * vec4(at, 1.0);
}
";

/// Vertex shader of level overlays. Positions are in metres; there are no normals because faces are flat.
pub(crate) const LAND_VERTEX: &str = "
uniform mat4 clip_from_world; uniform float metre;
in vec3 position; in vec4 color;
out vec3 at; out vec4 tone;
void main() {
    at = position * metre; tone = color;
    gl_Position = clip_from_world * vec4(at, 1.0);
}
";

/// Returns the fragment shader of level overlays: opaque, rough and flat-shaded.
pub(crate) fn land_fragment() -> String {
    format!(
        "{TO_SRGB}{LIGHT}
in vec3 at; in vec4 tone;
layout (location = 0) out vec4 result;
void main() {{
    vec3 facing = toward_eye(normalize(cross(dFdx(at), dFdy(at))), at);
    result = vec4(to_srgb(lit(Surface(tone.rgb, facing, 0.0, 0.9, 1.0, 1.0), at)), 1.0);
}}"
    )
}

/// Returns the vertex shader of a ghost's silhouette.
pub(crate) fn ghost_vertex(skinning: Skinning) -> String {
    posing(skinning)
        + "
uniform mat4 clip_from_world;
void main() { gl_Position = clip_from_world * vec4(posed().position, 1.0); }
"
}

/// Fragment shader of a ghost's silhouette. `tint` is already sRGB-encoded.
pub(crate) const GHOST_FRAGMENT: &str = "
uniform vec4 tint;
layout (location = 0) out vec4 result;
void main() { result = tint; }
";

/// Fragment shader that draws a cached ghost picture.
pub(crate) const CACHED_GHOST_FRAGMENT: &str = "
uniform sampler2D color; uniform sampler2D depth;
in vec2 coords;
layout (location = 0) out vec4 result;
void main() {
    result = texture(color, coords);
    if (result.a == 0.0) { discard; }
    gl_FragDepth = texture(depth, coords).r;
}
";

/// Returns the vertex shader of a ghost's rim: the hull `rim` pixels outside the surface.
pub(crate) fn rim_vertex(skinning: Skinning) -> String {
    posing(skinning)
        + "
uniform mat4 clip_from_world; uniform vec2 pixel; uniform float rim;
void main() {
    Vertex vertex = posed();
    gl_Position = clip_from_world * vec4(vertex.position, 1.0);
    vec4 outward = clip_from_world * vec4(vertex.normal, 0.0);
    vec2 direction = (outward.xy * gl_Position.w - gl_Position.xy * outward.w) / pixel;
    if (length(direction) > 0.0) { gl_Position.xy += normalize(direction) * rim * pixel * gl_Position.w; }
}
"
}

/// Writes exactly `depth`, which interpolation between vertices would not.
pub(crate) const RIM_FRAGMENT: &str = "
uniform vec4 tint; uniform float depth;
layout (location = 0) out vec4 result;
void main() { result = tint; gl_FragDepth = depth; }
";

pub(crate) const SOLID_VERTEX: &str = "
uniform mat4 clip_from_world;
in vec3 position; in vec3 normal; in vec4 color;
out vec3 facing; out vec4 tone;
void main() {
    facing = normal; tone = color;
    gl_Position = clip_from_world * vec4(position, 1.0);
}
";

/// Returns the fragment shader of solids: a fixed tone per face by its angle to the key light.
pub(crate) fn solid_fragment() -> String {
    format!(
        "{TO_SRGB}
uniform vec3 key;
in vec3 facing; in vec4 tone;
layout (location = 0) out vec4 result;
void main() {{
    float light = 0.72 + 0.28 * dot(normalize(facing), key);
    result = vec4(to_srgb(tone.rgb * light), tone.a);
}}"
    )
}

pub(crate) const STROKE_VERTEX: &str = "
in vec4 position; in vec4 color; in vec4 shape;
out vec4 tone; out vec4 form;
void main() { tone = color; form = shape; gl_Position = position; }
";

/// Returns the fragment shader of lines and dots, whose edges are one pixel soft.
pub(crate) fn stroke_fragment() -> String {
    format!(
        "{TO_SRGB}
in vec4 tone; in vec4 form;
layout (location = 0) out vec4 result;
void main() {{
    float off = length(form.xy) - form.z;
    result = vec4(to_srgb(tone.rgb), tone.a * clamp(0.5 - off, 0.0, 1.0));
}}"
    )
}

/// Vertex shader of one triangle that covers the picture. It needs only the triangle's corners.
pub(crate) const SCREEN_VERTEX: &str = "
in vec2 corner;
out vec2 coords;
void main() { coords = corner * 0.5 + 0.5; gl_Position = vec4(corner, 0.999999, 1.0); }
";

pub(crate) const BACKGROUND_FRAGMENT: &str = "
uniform vec3 sky; uniform vec3 ground;
in vec2 coords;
layout (location = 0) out vec4 result;
void main() {
    float t = smoothstep(0.0, 1.0, coords.y);
    // Half a step of noise hides the banding of eight-bit colours.
    float noise = fract(sin(dot(gl_FragCoord.xy, vec2(12.9898, 78.233))) * 43758.5453) - 0.5;
    result = vec4(mix(ground, sky, t) + noise / 255.0, 1.0);
}
";

pub(crate) const COPY_FRAGMENT: &str = "
uniform sampler2D image;
in vec2 coords;
layout (location = 0) out vec4 result;
void main() { result = vec4(texture(image, coords).rgb, 1.0); }
";

/// Vertex shader of the ground plane y = 0. Its coordinates are in metres.
pub(crate) const GROUND_VERTEX: &str = "
uniform mat4 clip_from_world; uniform vec3 middle; uniform float reach; uniform float metre;
in vec2 corner;
out vec2 coords; out vec2 from_middle;
void main() {
    vec3 world = vec3(middle.x + corner.x * reach, 0.0, middle.z + corner.y * reach);
    coords = world.xz / metre; from_middle = corner;
    gl_Position = clip_from_world * vec4(world, 1.0);
}
";

pub(crate) const GRID_FRAGMENT: &str = "
uniform vec3 grid; uniform vec3 axis_x; uniform vec3 axis_z;
in vec2 coords; in vec2 from_middle;
layout (location = 0) out vec4 result;
float lines(vec2 p, float width) {
    vec2 per_pixel = fwidth(p);
    vec2 near = abs(fract(p - 0.5) - 0.5) / max(per_pixel, vec2(1e-6));
    // Fades lines out when several share a pixel, because they would flicker.
    vec2 fade = clamp(1.5 - per_pixel * 2.5, 0.0, 1.0);
    vec2 line = clamp(width * 0.5 + 0.5 - near, 0.0, 1.0) * fade;
    return max(line.x, line.y);
}
void main() {
    float far = 1.0 - smoothstep(0.15, 1.0, length(from_middle));
    float fine = lines(coords * 10.0, 1.0) * 0.10;
    float strong = lines(coords, 1.2) * 0.38;
    vec2 to_axis = abs(coords) / max(fwidth(coords), vec2(1e-6));
    float on_x = clamp(1.4 - to_axis.y, 0.0, 1.0), on_z = clamp(1.4 - to_axis.x, 0.0, 1.0);
    vec4 color = vec4(grid, max(fine, strong));
    color = mix(color, vec4(axis_x, 0.75), on_x);
    color = mix(color, vec4(axis_z, 0.75), on_z);
    result = vec4(color.rgb, color.a * far);
}
";

pub(crate) const SHADOW_VERTEX: &str = "
uniform mat4 clip_from_world;
in vec3 position; in vec3 disc;
out vec3 form;
void main() { form = disc; gl_Position = clip_from_world * vec4(position, 1.0); }
";

pub(crate) const SHADOW_FRAGMENT: &str = "
in vec3 form;
layout (location = 0) out vec4 result;
void main() {
    float r = dot(form.xy, form.xy);
    if (r > 1.0) { discard; }
    result = vec4(0.0, 0.0, 0.0, form.z * (1.0 - r) * (1.0 - r));
}
";
