//! Typed reading of accessors (glTF 2.0 §3.6): normalised integers and sparse substitution.
//! All bounds are checked before any byte is read.

use gltf::accessor::DataType;
use gltf::json::accessor::{GenericComponentType, Type};
use gltf::json::validation::{Checked, USize64};

use super::document::Document;
use crate::import::Fault;

/// A little-endian number in a buffer.
trait Component: Copy + Default {
    /// Reads the number at the beginning of `bytes`.
    fn read(bytes: &[u8]) -> Self;
}

macro_rules! components {
    ($($number:ty),*) => {
        $(impl Component for $number {
            #[inline(always)]
            fn read(bytes: &[u8]) -> Self {
                bytes.first_chunk().map_or(Self::default(), |bytes| Self::from_le_bytes(*bytes))
            }
        })*
    };
}

components!(u8, i8, u16, i16, u32, f32);

/// Reads an element of `N` components.
#[inline(always)]
fn element<V: Component, const N: usize>(bytes: &[u8]) -> [V; N] {
    std::array::from_fn(|lane| V::read(&bytes[lane * size_of::<V>()..]))
}

/// Returns `Err` if element `index` is damaged or does not exist.
fn check_element(list: &[Result<(), Fault>], kind: &str, index: usize) -> Result<(), Fault> {
    let missing = || Fault::new(format!("{kind} {index}"), "is referred to but does not exist");
    list.get(index).ok_or_else(missing)?.clone()
}

fn to_usize(value: USize64) -> usize {
    usize::try_from(value.0).unwrap_or(usize::MAX)
}

impl<'a> Document<'a> {
    /// Returns the bytes and stride of buffer view `index`; the stride is `None` if elements are adjacent. Returns `Err` if the
    /// view is damaged or exceeds its buffer.
    pub fn view(&self, index: usize) -> Result<(&'a [u8], Option<usize>), Fault> {
        check_element(&self.accessors.views, "buffer view", index)?;
        let part = || format!("buffer view {index}");
        let view = &self.accessors.gltf.as_json().buffer_views[index];
        let (offset, length) = (to_usize(view.byte_offset.unwrap_or_default()), to_usize(view.byte_length));
        let buffer = view.buffer.value();
        let bytes = self
            .buffers
            .get(buffer)
            .ok_or_else(|| Fault::new(part(), format!("refers to buffer {buffer}, which does not exist")))?;
        let slice = offset.checked_add(length).and_then(|end| bytes.get(offset..end)).ok_or_else(|| {
            Fault::new(part(), format!("reaches past the end of buffer {buffer} ({} bytes)", bytes.len()))
        })?;
        Ok((slice, view.byte_stride.map(|stride| stride.0)))
    }

    /// Reads every element of accessor `index` as `N` floats and converts it with `make`. Integers are normalised if so
    /// marked. Returns `Err` if the accessor is missing or damaged, is not of `N` components, exceeds its buffer, or needs
    /// more memory than is left.
    pub fn floats<T: Clone, const N: usize>(
        &self,
        index: usize,
        make: impl Fn([f32; N]) -> T,
    ) -> Result<Vec<T>, Fault> {
        self.substituted(index, |accessor, label| {
            let (accessor, component) = self.checked::<T>(accessor, N, label)?;
            let normalized = accessor.normalized();
            let scale = |divisor: f32| if normalized { divisor } else { 1.0 };
            let floor = if normalized { -1.0 } else { f32::MIN };
            let signed = |value: f32, divisor: f32| (value / scale(divisor)).max(floor);
            Ok(match component {
                DataType::F32 => self.items(accessor, &make),
                DataType::U32 => self
                    .items(accessor, |lanes: [u32; N]| make(lanes.map(|value| value as f32 / scale(u32::MAX as f32)))),
                DataType::U16 => {
                    self.items(accessor, |lanes: [u16; N]| make(lanes.map(|value| f32::from(value) / scale(65_535.0))))
                }
                DataType::U8 => {
                    self.items(accessor, |lanes: [u8; N]| make(lanes.map(|value| f32::from(value) / scale(255.0))))
                }
                DataType::I16 => {
                    self.items(accessor, |lanes: [i16; N]| make(lanes.map(|value| signed(f32::from(value), 32_767.0))))
                }
                DataType::I8 => {
                    self.items(accessor, |lanes: [i8; N]| make(lanes.map(|value| signed(f32::from(value), 127.0))))
                }
            })
        })
    }

    /// Reads every element of accessor `index` as `N` unsigned integers and converts it with `make`. Returns `Err` as
    /// [`Self::floats`] does, and for other types.
    pub fn integers<T: Clone, const N: usize>(
        &self,
        index: usize,
        make: impl Fn([u32; N]) -> T,
    ) -> Result<Vec<T>, Fault> {
        self.substituted(index, |accessor, label| {
            let (accessor, component) = self.checked::<T>(accessor, N, label)?;
            Ok(match component {
                DataType::U32 => self.items(accessor, &make),
                DataType::U16 => self.items(accessor, |lanes: [u16; N]| make(lanes.map(u32::from))),
                DataType::U8 => self.items(accessor, |lanes: [u8; N]| make(lanes.map(u32::from))),
                _ => return Err(Fault::new(label(), "is not of unsigned integers, which its use needs")),
            })
        })
    }

    /// Returns the element count stored in accessor `index`, which is not checked against its buffer. Returns `Err` if there is
    /// no such accessor.
    pub fn count(&self, index: usize) -> Result<usize, Fault> {
        self.check_exists(index)?;
        Ok(to_usize(self.accessors.gltf.as_json().accessors[index].count))
    }

    /// Returns the number of components per element of accessor `index`, or `None` if its type is unknown. Returns
    /// `Err` if the accessor does not exist.
    pub fn width(&self, index: usize) -> Result<Option<usize>, Fault> {
        self.check_exists(index)?;
        Ok(match self.accessors.gltf.as_json().accessors[index].type_ {
            Checked::Valid(kind) => Some(kind.multiplicity()),
            Checked::Invalid => None,
        })
    }

    /// Returns `Err` unless accessor `index` exists in the file.
    fn check_exists(&self, index: usize) -> Result<(), Fault> {
        check_element(&self.accessors.accessors[..self.accessors.count], "accessor", index)
    }

    /// Reads accessor `index` with `read` and substitutes its sparse values.
    fn substituted<T>(
        &self,
        index: usize,
        read: impl Fn(usize, &dyn Fn() -> String) -> Result<Vec<T>, Fault>,
    ) -> Result<Vec<T>, Fault> {
        self.check_exists(index)?;
        let part = || format!("accessor {index}");
        let mut values = read(index, &part)?;
        let Some(indices) = self.accessors.sparse[index] else { return Ok(values) };
        let (accessor, component) = self.checked::<usize>(indices, 1, &part)?;
        let positions: Vec<usize> = match component {
            DataType::U8 => self.items(accessor, |[at]: [u8; 1]| usize::from(at)),
            DataType::U16 => self.items(accessor, |[at]: [u16; 1]| usize::from(at)),
            DataType::U32 => self.items(accessor, |[at]: [u32; 1]| at as usize),
            _ => return Err(Fault::new(part(), "has sparse indices that are not unsigned integers")),
        };
        let count = values.len();
        for (at, value) in positions.into_iter().zip(read(indices + 1, &part)?) {
            let past = || Fault::new(part(), format!("has a sparse index {at} past its {count} elements"));
            *values.get_mut(at).ok_or_else(past)? = value;
        }
        Ok(values)
    }

    /// Returns accessor `index` after checking that its elements fit its buffer, and charging the memory for them as `T`.
    /// Returns `Err` if its type is unknown or not of `width` components, or if the memory is not left. `part` names it in
    /// faults.
    fn checked<T>(
        &self,
        index: usize,
        width: usize,
        part: &dyn Fn() -> String,
    ) -> Result<(gltf::Accessor<'_>, DataType), Fault> {
        let accessor = &self.accessors.gltf.as_json().accessors[index];
        let Checked::Valid(GenericComponentType(component)) = accessor.component_type else {
            return Err(Fault::new(part(), "has a component type that is not known"));
        };
        match accessor.type_ {
            Checked::Valid(kind) if kind.multiplicity() == width && kind != Type::Mat2 => {}
            Checked::Valid(kind) => {
                let sentence = format!("is of type {kind:?}, which its use does not allow");
                return Err(Fault::new(part(), sentence));
            }
            Checked::Invalid => return Err(Fault::new(part(), "is of a type that is not known")),
        }
        let count = to_usize(accessor.count);
        self.charge(count.saturating_mul(size_of::<T>()), part)?;
        if let Some(view) = accessor.buffer_view {
            let (bytes, stride) = self.view(view.value())?;
            let size = component.size() * width;
            let stride = stride.unwrap_or(size);
            let length = count.checked_sub(1).map_or(Some(0), |last| last.checked_mul(stride)?.checked_add(size));
            let offset = to_usize(accessor.byte_offset.unwrap_or_default());
            let end = length.and_then(|length| offset.checked_add(length));
            if end.is_none_or(|end| end > bytes.len()) || stride < size {
                let sentence =
                    format!("needs {count} elements of {size} bytes, more than buffer view {} holds", view.value());
                return Err(Fault::new(part(), sentence));
            }
        }
        let missing = || Fault::new(part(), "is referred to but does not exist");
        let accessor = self.accessors.gltf.accessors().nth(index).ok_or_else(missing)?;
        Ok((accessor, component))
    }

    /// Converts every element with `make`. An accessor without bytes gives zeros. Requires [`checked`](Self::checked).
    fn items<T: Clone, V: Component, const N: usize>(
        &self,
        accessor: gltf::Accessor<'_>,
        make: impl Fn([V; N]) -> T,
    ) -> Vec<T> {
        let (count, size) = (accessor.count(), N * size_of::<V>());
        let zeros = || vec![make([V::default(); N]); count];
        let Some(view) = accessor.view() else { return zeros() };
        let buffer = self.buffers.get(view.buffer().index());
        let Some(bytes) = buffer.and_then(|buffer| buffer.get(view.offset() + accessor.offset()..)) else {
            return zeros();
        };
        match view.stride() {
            // The last element may end before its stride does.
            Some(stride) if stride != size => {
                bytes.chunks(stride).take(count).map(|bytes| make(element(bytes))).collect()
            }
            // The element size is known at compile time, so this runs at memory speed.
            _ => bytes.chunks_exact(size).take(count).map(|bytes| make(element(bytes))).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gltf::json::Value;
    use portamento_base::progress::Progress;
    use serde_json::json;

    /// Reads the only accessor over `bytes` as floats.
    fn read(accessor: Value, view: Value, bytes: &[u8]) -> Result<Vec<[f32; 1]>, String> {
        let json = json!({ "accessors": [accessor], "bufferViews": [view] });
        let buffers = [bytes.to_vec().into()];
        Document::new(&json, &buffers, &Progress::new())
            .unwrap()
            .floats(0, |one| one)
            .map_err(|fault| fault.to_string())
    }

    #[test]
    fn normalised_integers_reach_both_ends() {
        let accessor =
            |code| json!({ "bufferView": 0, "componentType": code, "type": "SCALAR", "count": 3, "normalized": true });
        let view = json!({ "buffer": 0, "byteLength": 6, "byteStride": 2 });
        let i8s = [0x80, 9, 0x81, 9, 0x7F, 9];
        assert_eq!(read(accessor(5120), view.clone(), &i8s).unwrap(), [[-1.0], [-1.0], [1.0]]);
        assert_eq!(read(accessor(5121), view.clone(), &[0, 9, 255, 9, 51, 9]).unwrap(), [[0.0], [1.0], [0.2]]);
        assert_eq!(read(accessor(5122), view, &[0, 0x80, 0, 0, 0xFF, 0x7F]).unwrap(), [[-1.0], [0.0], [1.0]]);
    }

    #[test]
    fn sparse_values_replace_zeros() {
        let accessor = json!({ "componentType": 5121, "type": "SCALAR", "count": 5, "sparse": { "count": 2,
            "indices": { "bufferView": 0, "componentType": 5121 }, "values": { "bufferView": 0, "byteOffset": 2 } } });
        let view = json!({ "buffer": 0, "byteLength": 4 });
        assert_eq!(read(accessor.clone(), view.clone(), &[1, 4, 7, 8]).unwrap().concat(), [0.0, 7.0, 0.0, 0.0, 8.0]);
        let past = read(accessor, view, &[1, 5, 7, 8]).unwrap_err();
        assert!(past.contains("accessor 0") && past.contains("index 5"), "{past}");
    }

    #[test]
    fn elements_past_the_end_are_refused_before_anything_is_allocated() {
        let accessor = |count: u64| json!({ "bufferView": 0, "componentType": 5126, "type": "SCALAR", "count": count });
        let view = |length: u64| json!({ "buffer": 0, "byteLength": length });
        assert!(read(accessor(2), view(8), &[0; 8]).is_ok());
        for (count, length) in [(3, 8), (2, 9), (u64::MAX, 8), (1 << 62, 8), (1, u64::MAX)] {
            assert!(read(accessor(count), view(length), &[0; 8]).is_err(), "{count} in {length}");
        }
        let zeros = json!({ "componentType": 5126, "type": "SCALAR", "count": 4_000_000_000_u64 });
        assert!(read(zeros, view(8), &[0; 8]).unwrap_err().contains("accessor 0"));
    }
}
