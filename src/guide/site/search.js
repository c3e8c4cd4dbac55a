// Shows the entries that contain all typed words.
const query = document.getElementById("query");
const entries = [...document.querySelectorAll("#entries li")];
const texts = entries.map((entry) => entry.textContent.toLowerCase());

query.addEventListener("input", () => {
  const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = texts.map((text) => words.every((word) => text.includes(word)));
  entries.forEach((entry, index) => { entry.hidden = !fits[index]; });
  document.getElementById("none").hidden = fits.includes(true);
});
query.focus();
