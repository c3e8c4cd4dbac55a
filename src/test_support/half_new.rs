//! A folder as an export leaves it whose process died after the first of its two renames.

use std::path::{Path, PathBuf};

use portamento_base::fingerprint::fingerprint;

/// Leaves an interrupted export in `folder`: `a.txt` is new (it was `old a`), and `b.txt` is old. Returns its journal.
pub fn half_new_export(folder: &Path) -> PathBuf {
    let folder = &folder.canonicalize().expect("an existing folder");
    let token = ".portamento-0123456789abcdef0123456789abcdef";
    let content = |text: &str| format!(r#"{{"bytes":{},"hash":"{}"}}"#, text.len(), fingerprint(text.as_bytes()));
    let rename = |number: usize, name: &str| {
        let path = |name: String| format!("{:?}", folder.join(name).display().to_string());
        format!(
            r#"{{"path":{target},"target":{target},"part":{},"old":{},"new":{},"replaced":{}}}"#,
            path(format!("{token}.{number}.part")),
            path(format!("{token}.{number}.old")),
            content(&format!("new {name}")),
            content(&format!("old {name}")),
            target = path(format!("{name}.txt")),
        )
    };
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("a writable folder");
    write("a.txt", "new a");
    write(&format!("{token}.0.old"), "old a");
    write("b.txt", "old b");
    write(&format!("{token}.1.part"), "new b");
    let journal = format!("{token}.journal");
    write(&journal, &format!(r#"{{"renames":[{},{}]}}"#, rename(0, "a"), rename(1, "b")));
    folder.join(journal)
}
