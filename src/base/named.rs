//! The names of choices in files, translation keys and on the command line.

/// Names every variant of an enum without fields, in menu order, and implements `ALL`, `name`,
/// `parse` and [`Named`] for it.
///
/// ```
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// enum Side {
///     Left,
///     Right,
/// }
/// portamento_base::named!(Side { Left: "left", Right: "right" });
/// assert_eq!(Side::ALL.map(Side::name), ["left", "right"]);
/// assert_eq!(Side::parse("right"), Ok(Side::Right));
/// assert_eq!(Side::parse("up"), Err("use left or right".into()));
/// ```
#[macro_export]
macro_rules! named {
    ($kind:ident { $($variant:ident: $name:literal),+ $(,)? }) => {
        #[allow(dead_code, reason = "not every private enum is parsed or listed")]
        impl $kind {
            /// Every variant, in menu order.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// Returns the name in files, translation keys and on the command line.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }

            /// Returns the variant of that name; `Err` lists the valid ones.
            pub fn parse(name: &str) -> Result<Self, String> {
                let found = Self::ALL.into_iter().find(|each| each.name() == name);
                found.ok_or_else(|| $crate::named::choose_one(&Self::ALL.map(Self::name)))
            }
        }

        impl $crate::named::Named for $kind {
            const VARIANTS: &'static [Self] = &Self::ALL;

            fn word(self) -> &'static str {
                self.name()
            }
        }
    };
}

/// An enum without fields whose variants have names.
pub trait Named: Copy + 'static {
    /// Every variant, in menu order.
    const VARIANTS: &'static [Self];

    /// Returns the name of the variant.
    fn word(self) -> &'static str;
}

/// Returns the request to use one of `names`: `use a, b or c`.
#[doc(hidden)]
pub fn choose_one(names: &[&str]) -> String {
    let (last, others) = names.split_last().unwrap_or((&"", &[]));
    format!("use {} or {last}", others.join(", "))
}
