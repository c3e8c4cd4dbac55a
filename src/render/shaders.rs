//! GLSL. Colours are linear until the last line of each fragment shader, which encodes sRGB: the target holds plain bytes.

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

/// Matte light: a warm key from the upper left of the picture, a cool fill, a soft rim that parts the figure from the ground.
const LIGHT: &str = "
uniform vec3 key;
uniform vec3 fill;
uniform vec3 eye;
vec3 lit(vec3 albedo, vec3 normal, vec3 position) {
    vec3 toward = normalize(eye - position);
    if (dot(normal, toward) < 0.0) { normal = -normal; }
    float wrapped = dot(normal, key) * 0.6 + 0.4;
    vec3 light = vec3(1.0, 0.95, 0.87) * 0.80 * max(wrapped, 0.0);
    light += vec3(0.62, 0.74, 1.0) * 0.22 * max(dot(normal, fill), 0.0);
    light += mix(vec3(0.10, 0.10, 0.11), vec3(0.22, 0.24, 0.28), normal.y * 0.5 + 0.5);
    float rim = pow(1.0 - max(dot(normal, toward), 0.0), 4.0) * 0.18;
    return albedo * light + rim * vec3(0.75, 0.85, 1.0) * (0.3 + albedo);
}
";

pub(super) const SURFACE_VERTEX: &str = "
uniform mat4 clip_from_world;
in vec3 position; in vec3 normal; in vec2 uv; in vec4 color;
out vec3 at; out vec3 facing; out vec2 place; out vec4 tone;
void main() {
    at = position; facing = normal; place = uv; tone = color;
    gl_Position = clip_from_world * vec4(position, 1.0);
}
";

pub(super) fn surface_fragment() -> String {
    format!(
        "{TO_SRGB}{FROM_SRGB}{LIGHT}
uniform sampler2D image; uniform float has_image; uniform vec4 base; uniform float cutoff; uniform float opaque;
in vec3 at; in vec3 facing; in vec2 place; in vec4 tone;
layout (location = 0) out vec4 result;
void main() {{
    vec4 albedo = base * tone;
    if (has_image > 0.5) {{
        vec4 texel = texture(image, place);
        albedo *= vec4(from_srgb(texel.rgb), texel.a);
    }}
    if (albedo.a < cutoff) {{ discard; }}
    result = vec4(to_srgb(lit(albedo.rgb, normalize(facing), at)), max(albedo.a, opaque));
}}"
    )
}

/// What stands still is in metres and has no normals: its faces are flat.
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
uniform float faded;
in vec3 at; in vec4 tone;
layout (location = 0) out vec4 result;
void main() {{
    vec3 facing = normalize(cross(dFdx(at), dFdy(at)));
    vec3 grey = vec3(dot(tone.rgb, vec3(0.2126, 0.7152, 0.0722)) * 0.6);
    result = vec4(to_srgb(lit(mix(tone.rgb, grey, faded), facing, at)), 1.0);
}}"
    )
}

/// A ghost, or the hull around it: `rim` pixels outside its surface and, in depth, `behind` it, so that nothing of the hull is seen
/// but what stands out around the ghost.
pub(super) const GHOST_VERTEX: &str = "
uniform mat4 clip_from_world; uniform vec3 eye; uniform vec2 pixel; uniform float rim; uniform float behind;
in vec3 position; in vec3 normal;
void main() {
    gl_Position = clip_from_world * vec4(position, 1.0);
    vec4 outward = clip_from_world * vec4(normal, 0.0);
    vec2 way = (outward.xy * gl_Position.w - gl_Position.xy * outward.w) / pixel;
    if (rim > 0.0 && length(way) > 0.0) { gl_Position.xy += normalize(way) * rim * pixel * gl_Position.w; }
    vec4 farther = clip_from_world * vec4(position + normalize(position - eye) * behind, 1.0);
    gl_Position.z = farther.z / farther.w * gl_Position.w;
}
";

pub(super) fn ghost_fragment() -> String {
    format!(
        "{TO_SRGB}
uniform vec4 tint;
layout (location = 0) out vec4 result;
void main() {{ result = vec4(to_srgb(tint.rgb), tint.a); }}"
    )
}

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
