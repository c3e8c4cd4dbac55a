//! The table as one page that needs nothing else: a click on a column sorts, with what was not measured last; what is typed filters.

use std::fmt::Write;

use crate::session::clip_library::ClipLibrary;
use crate::session::clip_library::columns::{COLUMNS, Column, is_found};

const STYLE: &str = "body{font:13px/1.5 system-ui,sans-serif;margin:24px;background:#16181d;color:#d6d9e0}\
table{border-collapse:collapse}th,td{padding:3px 10px;text-align:left;white-space:nowrap;border-bottom:1px solid #2a2e37}\
th{position:sticky;top:0;background:#1f232b;cursor:pointer;font-weight:600}th[aria-sort=ascending]::after{content:' ▲'}\
th[aria-sort=descending]::after{content:' ▼'}.n{text-align:right;font-variant-numeric:tabular-nums}tr.f td:nth-child(3){color:#f2b35e}\
tr:hover td{background:#1c2027}input{font:inherit;margin:0 0 12px;padding:4px 8px;width:320px;background:#1f232b;color:inherit;\
border:1px solid #3a3f4b;border-radius:4px}h1{font-size:18px}";

const SCRIPT: &str = "const body=document.querySelector('tbody'),heads=[...document.querySelectorAll('th')];\
heads.forEach((head,at)=>head.onclick=()=>{const up=head.getAttribute('aria-sort')!=='ascending';\
heads.forEach(h=>h.removeAttribute('aria-sort'));head.setAttribute('aria-sort',up?'ascending':'descending');\
const value=row=>{const text=row.cells[at].textContent;return text!==''&&row.cells[at].className?parseFloat(text):text};\
[...body.rows].sort((a,b)=>{const x=value(a),y=value(b);\
return x===y?0:x===''?1:y===''?-1:(x<y)===up?-1:1}).forEach(row=>body.append(row))});\
document.querySelector('input').oninput=event=>{const wanted=event.target.value.toLowerCase();\
for(const row of body.rows)row.hidden=!row.textContent.toLowerCase().includes(wanted)};";

/// The page.
pub(super) fn page(library: &ClipLibrary) -> String {
    let found = library.rows.iter().filter(|row| is_found(row)).count();
    let mut page = format!(
        "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><title>Clips</title><style>{STYLE}</style>\
         <h1>{} clips, {found} worth a look</h1><input placeholder=\"Filter\" aria-label=\"Filter\"><table><thead><tr>",
        library.rows.len()
    );
    for column in &COLUMNS {
        let _ = write!(page, "<th{}>{}</th>", class(column), escaped(column.name));
    }
    page.push_str("</tr></thead><tbody>");
    for row in &library.rows {
        page.push_str(if is_found(row) { "<tr class=\"f\">" } else { "<tr>" });
        for column in &COLUMNS {
            let _ = write!(page, "<td{}>{}</td>", class(column), escaped(&column.text(row)));
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody></table>");
    for (file, reason) in &library.failures {
        let _ = write!(page, "<p>{}: {}</p>", escaped(&file.display().to_string()), escaped(&reason.to_string()));
    }
    let _ = write!(page, "<script>{SCRIPT}</script></html>");
    page
}

fn class(column: &Column) -> &'static str {
    if column.is_number { " class=\"n\"" } else { "" }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
