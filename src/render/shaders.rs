//! GLSL. Colours are linear until the last line of each fragment shader, which encodes sRGB: the target holds plain bytes.

use super::Skinning;
use super::posing::posing;

/// The curve of IEC 61966-2-1; a power of 2.2 would darken what is dark already.
const FROM_SRGB: &str = "
vec3 from_srgb(vec3 c) {
    return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), step(0.04045, c));
}
";

/// Shared by all fragment shaders.
const TO_SRGB: &str = "
vec3 to_srgb(vec3 c) {
    c = clamp(c, 0.0, 1.0);
    return mix(c * 12.92, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c));
}
";

/// A warm key from the upper left of the picture, a cool fill, a soft rim that parts the figure from the ground. What is matte is
/// lit around its edges too; what is smooth shows both lights as round windows, and the surroundings' brightness between them.
const LIGHT: &str = "
uniform vec3 key;
uniform vec3 fill;
uniform vec3 eye;
struct Surface { vec3 albedo; vec3 normal; float metallic; float roughness; float specular; float open; };
const vec3 KEY = vec3(1.0, 0.95, 0.87) * 0.80;
const vec3 FILL = vec3(0.62, 0.74, 1.0) * 0.22;
vec3 surroundings(vec3 way) { return mix(vec3(0.10, 0.10, 0.11), vec3(0.22, 0.24, 0.28), way.y * 0.5 + 0.5); }
vec3 toward_eye(vec3 normal, vec3 position) { return dot(normal, eye - position) < 0.0 ? -normal : normal; }
vec3 arriving(vec3 normal, float open) {
    float wrapped = dot(normal, key) * 0.6 + 0.4;
    return KEY * max(wrapped, 0.0) + FILL * max(dot(normal, fill), 0.0) + surroundings(normal) * open;
}
// As bright all together, however far a rougher surface spreads it.
float window(vec3 way, vec3 light, float spread) { return (spread + 2.0) * 0.5 * pow(max(dot(way, light), 1e-4), spread); }
vec3 mirrored(Surface surface, vec3 toward) {
    vec3 way = reflect(-toward, surface.normal);
    float a = max(surface.roughness * surface.roughness, 0.02);
    float spread = max(0.5 / (a * a) - 0.5, 0.0);
    vec3 sharp = KEY * window(way, key, spread) + FILL * window(way, fill, spread) + surroundings(way) * surface.open;
    return mix(sharp, arriving(surface.normal, surface.open), a);
}
// How much of what arrives is mirrored: what reflects at right angles, and the glancing rest (Karis's fit of the GGX lobe's integral, 2014).
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
    // What bounces twice between grooves is not lost: rough metal stays as bright as smooth one.
    vec3 mirror = (straight * share.x + glancing * max(share.y, 0.0)) * (1.0 + straight * (1.0 / (share.x + share.y) - 1.0));
    float rim = pow(1.0 - facing, 4.0) * 0.18;
    return matte + mirror * mirrored(surface, toward) + rim * vec3(0.75, 0.85, 1.0) * (0.3 + surface.albedo);
}
";

/// `places` are both sets of texture coordinates.
pub(super) fn surface_vertex(skinning: Skinning) -> String {
    posing(skinning)
        + "
uniform mat4 clip_from_world;
in vec4 uv; in vec4 color;
out vec3 at; out vec3 facing; out vec4 places; out vec4 tone;
void main() {
    Vertex vertex = posed();
    at = vertex.position; facing = vertex.normal; places = uv; tone = color;
    gl_Position = clip_from_world * vec4(at, 1.0);
}
"
}

/// Maps of a surface: an image, and a matrix that has in its columns what makes U, what makes V, and the offset of both followed by
/// whether there is an image at all.
const MAPS: &str = "
uniform sampler2D color_map; uniform mat4 color_place;
uniform sampler2D emissive_map; uniform mat4 emissive_place;
uniform sampler2D normal_map; uniform mat4 normal_place;
uniform sampler2D metallic_roughness_map; uniform mat4 metallic_roughness_place;
uniform sampler2D occlusion_map; uniform mat4 occlusion_place;
vec2 placed(mat4 place) { return vec2(dot(place[0], places), dot(place[1], places)) + place[2].xy; }
bool is_there(mat4 place) { return place[2].z > 0.5; }
";

/// The normal of the side that is seen, which may lean away from the eye at an outline, leant by the map: how the picture's pixels
/// run over it tells which way U and V point, so that no tangents need be carried by joints.
const NORMAL: &str = "
uniform float normal_scale; uniform float flat_faces;
vec3 surface_normal() {
    vec3 across = dFdx(at), up = dFdy(at), face = toward_eye(normalize(cross(across, up)), at);
    vec3 plain = flat_faces > 0.5 ? face : normalize(dot(facing, face) < 0.0 ? -facing : facing);
    if (!is_there(normal_place)) { return plain; }
    vec2 place = placed(normal_place), place_across = dFdx(place), place_up = dFdy(place);
    vec3 one = cross(up, plain), other = cross(plain, across);
    vec3 along_u = one * place_across.x + other * place_up.x;
    vec3 along_v = one * place_across.y + other * place_up.y;
    float longest = max(dot(along_u, along_u), dot(along_v, along_v));
    vec3 lean = texture(normal_map, place).xyz * 2.0 - 1.0;
    // The image's green points up, V down.
    lean.xy *= vec2(normal_scale, -normal_scale) * (longest > 0.0 ? inversesqrt(longest) : 0.0);
    return normalize(along_u * lean.x + along_v * lean.y + plain * lean.z);
}
";

/// What stands between the eye and the figure is drawn in a few scattered pixels, but not the ground under it.
const GIVES_WAY: &str = "
uniform vec4 in_sight;
bool is_in_the_way() {
    if (in_sight.w <= 0.0) { return false; }
    vec3 way = in_sight.xyz - eye, here = at - eye;
    float reach = length(way), along = dot(here, way) / reach, round = in_sight.w * along / reach;
    float within = 1.0 - smoothstep(round * 0.8, round * 1.3, length(here - way * (along / reach)));
    float before = 1.0 - smoothstep(reach - in_sight.w, reach - in_sight.w * 0.8, along);
    float above = smoothstep(0.0, 0.3 * in_sight.w, at.y - in_sight.y + in_sight.w * 0.9);
    // Spread evenly, so that one sees through without a pattern.
    float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
    return 0.85 * within * before * above > noise;
}
";

/// A figure is shown as it is.
const FIGURE: &str = "
vec3 toned(vec3 color, vec3 normal) { return color; }
";

/// A level is dimmer than its file says, so that the character stays the brightest thing; its edges are lines, and corners are darker,
/// see `ambient_occlusion`.
const LEVEL: &str = "
in vec4 away;
uniform float faded; uniform float metre;
uniform highp sampler3D occlusion_grid; uniform vec4 grid_place; uniform vec3 grid_size;
// How much more stands close before a surface, and within its reach, than before a wall in the open.
vec2 crowding(vec3 normal) {
    vec3 here = at / metre - grid_place.xyz, step = normal * grid_place.w;
    float close = texture(occlusion_grid, (here + 2.5 * step) / grid_size).r, reach = texture(occlusion_grid, (here + 6.0 * step) / grid_size).g;
    return max(vec2(close - 0.10, reach - 0.18), 0.0);
}
vec3 toned(vec3 color, vec3 normal) {
    vec2 crowded = crowding(normal);
    color *= 0.75 * (1.0 - min(0.5 * crowded.x + 0.45 * crowded.y, 0.5));
    float pixel = length(fwidth(at)) / metre;
    float line = 1.0 - smoothstep(0.4, 1.4, min(away.x, min(away.y, away.z)) / pixel);
    // Where triangles are but a few pixels high lines would cover all.
    color *= 1.0 - 0.45 * line * smoothstep(3.0, 12.0, away.w / pixel);
    vec3 grey = vec3(dot(color, vec3(0.2126, 0.7152, 0.0722)) * 0.6);
    return mix(color, grey, faded);
}
";

pub(super) fn surface_fragment() -> String {
    material_fragment(FIGURE)
}

pub(super) fn level_fragment() -> String {
    material_fragment(LEVEL)
}

fn material_fragment(kind: &str) -> String {
    format!(
        "{TO_SRGB}{FROM_SRGB}{LIGHT}
in vec3 at; in vec3 facing; in vec4 places; in vec4 tone;
{MAPS}{NORMAL}{GIVES_WAY}{kind}
uniform vec4 base; uniform vec3 emissive; uniform float specular; uniform vec2 metallic_roughness; uniform float occlusion;
uniform float cutoff; uniform float opaque; uniform float unlit;
layout (location = 0) out vec4 result;
void main() {{
    vec4 albedo = base * tone;
    if (is_there(color_place)) {{
        vec4 texel = texture(color_map, placed(color_place));
        albedo *= vec4(from_srgb(texel.rgb), texel.a);
    }}
    Surface surface = Surface(albedo.rgb, surface_normal(), metallic_roughness.x, metallic_roughness.y, specular, 1.0);
    if (is_there(metallic_roughness_place)) {{
        vec4 texel = texture(metallic_roughness_map, placed(metallic_roughness_place));
        surface.metallic *= texel.b;
        surface.roughness *= texel.g;
    }}
    if (is_there(occlusion_place)) {{
        surface.open = 1.0 + occlusion * (texture(occlusion_map, placed(occlusion_place)).r - 1.0);
    }}
    vec3 glow = emissive;
    if (is_there(emissive_place)) {{ glow *= from_srgb(texture(emissive_map, placed(emissive_place)).rgb); }}
    surface.albedo = toned(albedo.rgb, surface.normal);
    if (albedo.a < cutoff || is_in_the_way()) {{ discard; }}
    vec3 seen = unlit > 0.5 ? surface.albedo : lit(surface, at) + glow;
    result = vec4(to_srgb(seen), max(albedo.a, opaque));
}}"
    )
}

/// A level is in metres.
pub(super) const LEVEL_VERTEX: &str = "
uniform mat4 clip_from_world; uniform float metre;
in vec3 position; in vec3 normal; in vec4 uv; in vec4 color; in vec4 edge;
out vec3 at; out vec3 facing; out vec4 places; out vec4 tone; out vec4 away;
void main() {
    at = position * metre; facing = normal; places = uv; tone = color; away = edge;
    gl_Position = clip_from_world * vec4(at, 1.0);
}
";

/// What lies over a level is in metres too and has no normals: its faces are flat.
pub(super) const LAND_VERTEX: &str = "
uniform mat4 clip_from_world; uniform float metre;
in vec3 position; in vec4 color;
out vec3 at; out vec4 tone;
void main() {
    at = position * metre; tone = color;
    gl_Position = clip_from_world * vec4(at, 1.0);
}
";

pub(super) fn land_fragment() -> String {
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

pub(super) fn ghost_vertex(skinning: Skinning) -> String {
    posing(skinning)
        + "
uniform mat4 clip_from_world;
void main() { gl_Position = clip_from_world * vec4(posed().position, 1.0); }
"
}

/// The colour is encoded already.
pub(super) const GHOST_FRAGMENT: &str = "
uniform vec4 tint;
layout (location = 0) out vec4 result;
void main() { result = tint; }
";

/// A ghost that was drawn before, over the whole screen.
pub(super) const LAID_GHOST_FRAGMENT: &str = "
uniform sampler2D color; uniform sampler2D depth;
in vec2 place;
layout (location = 0) out vec4 result;
void main() {
    result = texture(color, place);
    if (result.a == 0.0) { discard; }
    gl_FragDepth = texture(depth, place).r;
}
";

/// The hull around a ghost, `rim` pixels outside its surface.
pub(super) fn rim_vertex(skinning: Skinning) -> String {
    posing(skinning)
        + "
uniform mat4 clip_from_world; uniform vec2 pixel; uniform float rim;
void main() {
    Vertex vertex = posed();
    gl_Position = clip_from_world * vec4(vertex.position, 1.0);
    vec4 outward = clip_from_world * vec4(vertex.normal, 0.0);
    vec2 way = (outward.xy * gl_Position.w - gl_Position.xy * outward.w) / pixel;
    if (length(way) > 0.0) { gl_Position.xy += normalize(way) * rim * pixel * gl_Position.w; }
}
"
}

/// All of it lies at `depth`, exactly, which no interpolation between vertices would give.
pub(super) const RIM_FRAGMENT: &str = "
uniform vec4 tint; uniform float depth;
layout (location = 0) out vec4 result;
void main() { result = tint; gl_FragDepth = depth; }
";

pub(super) const SOLID_VERTEX: &str = "
uniform mat4 clip_from_world;
in vec3 position; in vec3 normal; in vec4 color;
out vec3 facing; out vec4 tone;
void main() {
    facing = normal; tone = color;
    gl_Position = clip_from_world * vec4(position, 1.0);
}
";

pub(super) fn solid_fragment() -> String {
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

pub(super) const STROKE_VERTEX: &str = "
in vec4 position; in vec4 color; in vec4 shape;
out vec4 tone; out vec4 form;
void main() { tone = color; form = shape; gl_Position = position; }
";

pub(super) fn stroke_fragment() -> String {
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

/// A triangle that covers the picture; no buffers needed beyond its corners.
pub(super) const SCREEN_VERTEX: &str = "
in vec2 corner;
out vec2 place;
void main() { place = corner * 0.5 + 0.5; gl_Position = vec4(corner, 0.999999, 1.0); }
";

pub(super) const BACKGROUND_FRAGMENT: &str = "
uniform vec3 sky; uniform vec3 ground;
in vec2 place;
layout (location = 0) out vec4 result;
void main() {
    float t = smoothstep(0.0, 1.0, place.y);
    // Half a step of noise hides the bands that eight bits would show.
    float noise = fract(sin(dot(gl_FragCoord.xy, vec2(12.9898, 78.233))) * 43758.5453) - 0.5;
    result = vec4(mix(ground, sky, t) + noise / 255.0, 1.0);
}
";

pub(super) const COPY_FRAGMENT: &str = "
uniform sampler2D image;
in vec2 place;
layout (location = 0) out vec4 result;
void main() { result = vec4(texture(image, place).rgb, 1.0); }
";

/// The ground: a plane through y = 0, its coordinates in metres.
pub(super) const GROUND_VERTEX: &str = "
uniform mat4 clip_from_world; uniform vec3 middle; uniform float reach; uniform float metre;
in vec2 corner;
out vec2 place; out vec2 from_middle;
void main() {
    vec3 world = vec3(middle.x + corner.x * reach, 0.0, middle.z + corner.y * reach);
    place = world.xz / metre; from_middle = corner;
    gl_Position = clip_from_world * vec4(world, 1.0);
}
";

pub(super) const GRID_FRAGMENT: &str = "
uniform vec3 grid; uniform vec3 axis_x; uniform vec3 axis_z;
in vec2 place; in vec2 from_middle;
layout (location = 0) out vec4 result;
float lines(vec2 p, float width) {
    vec2 per_pixel = fwidth(p);
    vec2 near = abs(fract(p - 0.5) - 0.5) / max(per_pixel, vec2(1e-6));
    // Where several lines share a pixel they would flicker: fade them out instead.
    vec2 fade = clamp(1.5 - per_pixel * 2.5, 0.0, 1.0);
    vec2 line = clamp(width * 0.5 + 0.5 - near, 0.0, 1.0) * fade;
    return max(line.x, line.y);
}
void main() {
    float far = 1.0 - smoothstep(0.15, 1.0, length(from_middle));
    float fine = lines(place * 10.0, 1.0) * 0.10;
    float strong = lines(place, 1.2) * 0.38;
    vec2 to_axis = abs(place) / max(fwidth(place), vec2(1e-6));
    float on_x = clamp(1.4 - to_axis.y, 0.0, 1.0), on_z = clamp(1.4 - to_axis.x, 0.0, 1.0);
    vec4 color = vec4(grid, max(fine, strong));
    color = mix(color, vec4(axis_x, 0.75), on_x);
    color = mix(color, vec4(axis_z, 0.75), on_z);
    result = vec4(color.rgb, color.a * far);
}
";

pub(super) const SHADOW_VERTEX: &str = "
uniform mat4 clip_from_world;
in vec3 position; in vec3 disc;
out vec3 form;
void main() { form = disc; gl_Position = clip_from_world * vec4(position, 1.0); }
";

pub(super) const SHADOW_FRAGMENT: &str = "
in vec3 form;
layout (location = 0) out vec4 result;
void main() {
    float r = dot(form.xy, form.xy);
    if (r > 1.0) { discard; }
    result = vec4(0.0, 0.0, 0.0, form.z * (1.0 - r) * (1.0 - r));
}
";
