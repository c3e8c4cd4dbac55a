//! Numbers in messages, converted to the user's units.

use super::Unit;
use portamento_base::message::Quantity;

/// Unit words after numbers in all languages, longer words before their prefixes.
const WORDS: [(&str, Unit); 15] = [
    (" m/s²", Unit::Acceleration),
    (" m/s", Unit::Speed),
    (" cm/s", Unit::CentimetresPerSecond),
    (" 米/秒", Unit::Speed),
    (" 厘米/秒", Unit::CentimetresPerSecond),
    (" mm", Unit::Millimetres),
    (" cm", Unit::Centimetres),
    (" m", Unit::Metres),
    (" 毫米", Unit::Millimetres),
    (" 厘米", Unit::Centimetres),
    (" 米", Unit::Metres),
    (" degrees", Unit::Degrees),
    ("°", Unit::Degrees),
    (" s", Unit::Seconds),
    (" 秒", Unit::Seconds),
];

/// Converts `number` with the unit at the start of `following_text` to the user's unit. Returns `None` if the unit is unknown or
/// already preferred. The result also has the replaced unit word.
pub fn in_sentence(number: &str, following_text: &str) -> Option<Quantity> {
    let value: f64 = number.parse().ok().filter(|value: &f64| value.is_finite())?;
    let is_whole = |rest: &str| !rest.starts_with(|next: char| next.is_ascii_alphanumeric() || next == '/');
    let is_meant = |(word, _): &&(&str, Unit)| following_text.strip_prefix(word).is_some_and(is_whole);
    let &(word, unit) = WORDS.iter().find(is_meant)?;
    let decimals = number.split_once('.').map_or(0, |(_, digits)| digits.len());
    let is_own = unit.display_factor() == 1.0;
    (!is_own).then(|| Quantity { text: unit.text(value, decimals), unit: word })
}

#[cfg(test)]
mod tests {
    use crate::i18n::localized;
    use crate::units::with_units;
    use portamento_base::message::Message;
    use portamento_session::units::{AngleUnit, LengthUnit, TimeUnit, Units};

    fn said(units: Units, english: &'static str) -> String {
        let arguments = vec![("take", "leap to 5 m".into()), ("far", "0.35".into()), ("turn", "90".into())];
        with_units(units, || localized(&Message::new("", english, arguments)))
    }

    #[test]
    fn numbers_of_a_sentence_are_in_the_units_of_the_user_and_names_stay_as_they_are() {
        let metres = Units::default();
        let [feet, centimetres] = [LengthUnit::Feet, LengthUnit::Centimetres].map(|length| Units { length, ..metres });
        let sentence = "“%{take}” ends %{far} m away, %{far} m/s fast.";
        assert_eq!(said(metres, sentence), "“leap to 5 m” ends 0.35 m away, 0.35 m/s fast.");
        assert_eq!(said(feet, sentence), "“leap to 5 m” ends 1.15 ft away, 1.15 ft/s fast.");
        assert_eq!(said(centimetres, sentence), "“leap to 5 m” ends 35 cm away, 35 cm/s fast.");
        assert_eq!(said(centimetres, "相距 %{far} 米，%{far} 米/秒。"), "相距 35 cm，35 cm/s。");
        assert_eq!(said(centimetres, "%{far} mm, %{far} min, %{far} s"), "0.035 cm, 0.35 min, 0.35 s");
        let radians = Units { angle: AngleUnit::Radians, ..metres };
        assert_eq!(said(radians, "turns by %{turn}°."), "turns by 1.57 rad.");
        let frames = Units { time: TimeUnit::Frames, ..metres };
        assert_eq!(said(frames, "at %{far} s, %{far} m"), "at 10.5 f, 0.35 m");
        assert_eq!(said(frames, "在 %{far} 秒处"), "在 10.5 f处");
    }
}
