//! Writes materials with their textures and samplers.

use serde_json::{Map, Value, json};

use portamento_anim::geometry::{AlphaMode, Filter, Material, Sampler, TextureMap, Wrap};

/// Lists of a glTF file.
#[derive(Default)]
pub(super) struct MaterialLists {
    pub materials: Vec<Value>,
    pub textures: Vec<Value>,
    pub samplers: Vec<Value>,
    /// Names of the extensions used.
    pub extensions: Vec<&'static str>,
    /// The image and sampler of each texture.
    known: Vec<(usize, Sampler)>,
}

impl MaterialLists {
    /// Builds the lists for `materials`, whose texture indices are images of the file.
    pub fn of(materials: &[Material]) -> Self {
        let mut lists = Self::default();
        for material in materials {
            let entry = lists.material(material);
            lists.materials.push(entry);
        }
        lists
    }

    /// Adds the textures of `material` to the lists and returns its glTF entry.
    fn material(&mut self, material: &Material) -> Value {
        let maps = &material.maps;
        let mut surface = json!({
            "baseColorFactor": material.base_color,
            "metallicFactor": shortest(material.metallic),
            "roughnessFactor": shortest(material.roughness),
        });
        self.set(&mut surface, "baseColorTexture", maps.color.as_ref(), None);
        self.set(&mut surface, "metallicRoughnessTexture", maps.metallic_roughness.as_ref(), None);
        let mut entry = json!({ "name": material.name, "pbrMetallicRoughness": surface });
        self.set(&mut entry, "normalTexture", maps.normal.as_ref(), Some(("scale", material.normal_scale)));
        let strength = ("strength", material.occlusion_strength);
        self.set(&mut entry, "occlusionTexture", maps.occlusion.as_ref(), Some(strength));
        self.set(&mut entry, "emissiveTexture", maps.emissive.as_ref(), None);
        match material.alpha {
            AlphaMode::Opaque => {}
            AlphaMode::Mask(cutoff) => {
                entry["alphaMode"] = json!("MASK");
                entry["alphaCutoff"] = json!(cutoff);
            }
            AlphaMode::Blend => entry["alphaMode"] = json!("BLEND"),
        }
        if material.double_sided {
            entry["doubleSided"] = json!(true);
        }
        self.light(material, &mut entry);
        entry
    }

    /// Writes emission, specular factor and unlit to `entry`. Emission above 1 is split into a colour and a strength.
    fn light(&mut self, material: &Material, entry: &mut Value) {
        let mut extensions = Map::new();
        let brightest = material.emissive.into_iter().fold(0.0, f32::max);
        if brightest > 0.0 {
            // Factors are limited to 1; the extension stores brighter emission.
            let strength = brightest.max(1.0);
            entry["emissiveFactor"] = json!(material.emissive.map(|channel| channel / strength));
            if strength > 1.0 {
                let name = self.used("KHR_materials_emissive_strength");
                extensions.insert(name.into(), json!({ "emissiveStrength": strength }));
            }
        }
        if material.specular != 1.0 {
            let name = self.used("KHR_materials_specular");
            extensions.insert(name.into(), json!({ "specularFactor": shortest(material.specular) }));
        }
        if material.unlit {
            extensions.insert(self.used("KHR_materials_unlit").into(), json!({}));
        }
        if !extensions.is_empty() {
            entry["extensions"] = Value::Object(extensions);
        }
    }

    /// Writes `map` to `to` under `key`, with the name and value of `number` unless the value is 1. Does nothing without a
    /// map.
    fn set(&mut self, to: &mut Value, key: &str, map: Option<&TextureMap>, number: Option<(&str, f32)>) {
        let Some(map) = map else { return };
        let mut info = json!({ "index": self.texture(map) });
        if map.second_uvs {
            info["texCoord"] = json!(1);
        }
        if let Some((name, value)) = number.filter(|(_, value)| *value != 1.0) {
            info[name] = json!(shortest(value));
        }
        if map.placing != glam::Affine2::IDENTITY {
            let (scale, angle, offset) = map.placing.to_scale_angle_translation();
            let name = self.used("KHR_texture_transform");
            let transform = json!({ "offset": offset.to_array(), "rotation": -angle, "scale": scale.to_array() });
            info["extensions"] = json!({ name: transform });
        }
        to[key] = info;
    }

    /// Returns the index of the texture of `map`, which is added if new.
    fn texture(&mut self, map: &TextureMap) -> usize {
        let image_and_sampler = (map.texture, map.sampler);
        if let Some(known) = self.known.iter().position(|known| *known == image_and_sampler) {
            return known;
        }
        self.known.push(image_and_sampler);
        let mut entry = json!({ "source": map.texture });
        if map.sampler != Sampler::default() {
            entry["sampler"] = json!(self.sampler(map.sampler));
        }
        self.textures.push(entry);
        self.textures.len() - 1
    }

    /// Returns the index of the sampler in the list, to which it is added if it is new.
    fn sampler(&mut self, sampler: Sampler) -> usize {
        let entry = sampler_entry(sampler);
        self.samplers.iter().position(|known| *known == entry).unwrap_or_else(|| {
            self.samplers.push(entry);
            self.samplers.len() - 1
        })
    }

    /// Records that extension `name` is used and returns its name.
    fn used(&mut self, name: &'static str) -> &'static str {
        if !self.extensions.contains(&name) {
            self.extensions.push(name);
        }
        name
    }
}

/// Converts to f64 by the shortest decimal: 0.9 instead of 0.8999999761581421.
fn shortest(value: f32) -> f64 {
    value.to_string().parse().unwrap_or(f64::from(value))
}

/// Returns the glTF entry of a sampler. The numbers are OpenGL constants.
fn sampler_entry(sampler: Sampler) -> Value {
    let wrap = |wrap: Wrap| match wrap {
        Wrap::Repeat => 10497,
        Wrap::Mirror => 33648,
        Wrap::Clamp => 33071,
    };
    let minify = match (sampler.minify, sampler.mipmaps) {
        (Filter::Sharp, false) => 9728,
        (Filter::Smooth, false) => 9729,
        (Filter::Sharp, true) => 9986,
        (Filter::Smooth, true) => 9987,
    };
    let magnify = if sampler.magnify == Filter::Sharp { 9728 } else { 9729 };
    json!({
        "magFilter": magnify,
        "minFilter": minify,
        "wrapS": wrap(sampler.wrap_u),
        "wrapT": wrap(sampler.wrap_v),
    })
}
