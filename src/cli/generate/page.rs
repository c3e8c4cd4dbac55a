//! A self-contained HTML page with one table: sortable columns (empty cells last), a text filter, and a scatter plot
//! of any two numeric columns.

use std::fmt::Write;

/// The page uses the reader's dark or light theme, and light in print. Rows with findings are squares in the plot, to
/// be distinguishable without colour.
const STYLE: &str = ":root{color-scheme:light dark;--ground:#16181d;--raised:#1f232b;--plot:#1b1e25;--hover:#1c2027;--at:#2d2747;--line:#2a2e37;\
--edge:#3a3f4b;--text:#d6d9e0;--dim:#9aa4b5;--dot:#8f7ae5;--found:#f2b35e}@media print,(prefers-color-scheme:light){:root{--ground:#fff;\
--raised:#eef0f4;--plot:#f6f7f9;--hover:#f3f4f7;--at:#e4defa;--line:#dde0e6;--edge:#b9bfca;--text:#1d2027;--dim:#586172;--dot:#6a52cc;\
--found:#a85a00}}body{font:13px/1.5 system-ui,sans-serif;margin:24px;background:var(--ground);color:var(--text)}\
table{border-collapse:collapse}th,td{padding:3px 10px;text-align:left;white-space:nowrap;border-bottom:1px solid var(--line)}\
th{position:sticky;top:0;background:var(--raised);cursor:pointer;font-weight:600}th[aria-sort=ascending]::after{content:' ▲'}\
th[aria-sort=descending]::after{content:' ▼'}.n{text-align:right;font-variant-numeric:tabular-nums}tr.f td:nth-child(3){color:var(--found)}\
tr:hover td{background:var(--hover)}input{font:inherit;margin:0 0 12px;padding:4px 8px;width:320px;background:var(--raised);color:inherit;\
border:1px solid var(--edge);border-radius:4px}h1{font-size:18px}td svg{display:block;height:48px}td path{fill:none;stroke:var(--dim);\
stroke-width:1.4}.bar{display:inline-block;height:8px;background:var(--dot);vertical-align:middle;margin-left:8px;\
print-color-adjust:exact}select{font:inherit;background:var(--raised);color:inherit;border:1px solid var(--edge);border-radius:4px}\
#plot{display:block;width:640px;height:320px;margin:8px 0 0;background:var(--plot);border-radius:4px}.dot{fill:var(--dot);fill-opacity:.7}\
.dot.f{fill:var(--found)}#plot .dot{cursor:pointer}#plot text{fill:var(--dim);font-size:11px}tr.at td{background:var(--at)}\
#legend{margin:4px 0 16px;color:var(--dim)}#legend span{margin-right:20px}#legend svg{width:10px;height:10px;margin-right:6px}\
@media print{body{margin:0}input{display:none}th{position:static}}";

const SCRIPT: &str = "const body=document.querySelector('tbody'),heads=[...document.querySelectorAll('th')];\
heads.forEach((head,at)=>head.onclick=()=>{const up=head.getAttribute('aria-sort')!=='ascending';\
heads.forEach(h=>h.removeAttribute('aria-sort'));head.setAttribute('aria-sort',up?'ascending':'descending');\
const value=row=>{const text=row.cells[at].textContent;return text!==''&&row.cells[at].className?parseFloat(text):text};\
[...body.rows].sort((a,b)=>{const x=value(a),y=value(b);\
return x===y?0:x===''?1:y===''?-1:(x<y)===up?-1:1}).forEach(row=>body.append(row))});\
document.querySelector('input').oninput=event=>{const wanted=event.target.value.toLowerCase();\
for(const row of body.rows)row.hidden=!row.textContent.toLowerCase().includes(wanted);draw()};";

/// Scatter plot of two columns for the visible rows; a click on a dot scrolls to its row.
const PLOT: &str = "const plot=document.querySelector('#plot'),axes=[...document.querySelectorAll('select')];\
const numbers=heads.flatMap((head,at)=>head.className?[at]:[]);\
axes.forEach(axis=>{for(const at of numbers){const name=heads[at].textContent;\
axis.add(new Option(name,at,false,name===axis.dataset.at))}axis.onchange=draw});\
function add(name,values,text){const made=document.createElementNS('http://www.w3.org/2000/svg',name);\
for(const key in values)made.setAttribute(key,values[key]);if(text)made.textContent=text;plot.append(made);return made}\
function draw(){plot.replaceChildren();const [x,y]=axes.map(axis=>+axis.value);\
const dots=[...body.rows].filter(row=>!row.hidden).map(row=>({row,at:[x,y].map(at=>parseFloat(row.cells[at].textContent))}))\
.filter(dot=>dot.at.every(Number.isFinite));if(!dots.length)return;\
const ends=[0,1].map(i=>[Math.min(...dots.map(dot=>dot.at[i])),Math.max(...dots.map(dot=>dot.at[i]))]);\
const place=(value,[low,high],from,to)=>from+(high>low?(value-low)/(high-low):.5)*(to-from);\
for(const dot of dots){const cx=place(dot.at[0],ends[0],64,624),cy=place(dot.at[1],ends[1],284,16);\
const made=dot.row.classList.contains('f')?add('rect',{x:cx-4,y:cy-4,width:8,height:8,class:'dot f'}):add('circle',{cx,cy,r:4,class:'dot'});\
const told=document.createElementNS('http://www.w3.org/2000/svg','title');\
told.textContent=[...dot.row.cells].filter(cell=>!cell.className&&!cell.firstElementChild).slice(0,2).map(cell=>cell.textContent).join(' · ');\
made.append(told);made.onclick=()=>{for(const row of body.rows)row.classList.toggle('at',row===dot.row);\
dot.row.scrollIntoView({block:'center'})}}\
add('text',{x:64,y:308},ends[0][0]);add('text',{x:624,y:308,'text-anchor':'end'},ends[0][1]);\
add('text',{x:56,y:288,'text-anchor':'end'},ends[1][0]);add('text',{x:56,y:20,'text-anchor':'end'},ends[1][1])}draw();";

/// A page with one table.
pub(crate) struct Page<'a> {
    pub title: &'a str,
    pub heading: String,
    pub heads: Vec<Head>,
    pub rows: Vec<Row>,
    /// The columns initially plotted: x and y axis.
    pub plotted: [&'a str; 2],
    /// Legend of the dots: rows with findings, and other rows.
    pub dots: [&'a str; 2],
    /// Sentences below the table.
    pub below: Vec<String>,
}

/// A column heading.
pub(crate) struct Head {
    pub name: &'static str,
    pub is_number: bool,
}

/// A row of the table.
pub(crate) struct Row {
    /// True if the row has findings.
    pub is_found: bool,
    /// The cells as HTML.
    pub cells: Vec<String>,
}

impl Page<'_> {
    /// Returns the page as HTML. Everything but the cells is escaped.
    pub fn html(&self) -> String {
        let mut page = format!(
            "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><title>{}</title><style>{STYLE}</style>\
             <h1>{}</h1><div><select aria-label=\"Across\" data-at=\"{}\"></select> × <select aria-label=\"Up\" data-at=\"{}\"></select></div><svg id=\"plot\" \
             viewBox=\"0 0 640 320\"></svg>{}<input placeholder=\"Filter\" aria-label=\"Filter\"><table><thead><tr>",
            escaped(self.title),
            escaped(&self.heading),
            escaped(self.plotted[0]),
            escaped(self.plotted[1]),
            self.legend(),
        );
        for head in &self.heads {
            let _ = write!(page, "<th{}>{}</th>", class(head), escaped(head.name));
        }
        page.push_str("</tr></thead><tbody>");
        for row in &self.rows {
            page.push_str(if row.is_found { "<tr class=\"f\">" } else { "<tr>" });
            for (head, cell) in self.heads.iter().zip(&row.cells) {
                let _ = write!(page, "<td{}>{cell}</td>", class(head));
            }
            page.push_str("</tr>\n");
        }
        page.push_str("</tbody></table>");
        for sentence in &self.below {
            let _ = write!(page, "<p>{}</p>", escaped(sentence));
        }
        let _ = write!(page, "<script>{SCRIPT}{PLOT}</script></html>");
        page
    }

    /// Returns the legend of the plot.
    fn legend(&self) -> String {
        const MARKS: [&str; 2] = [
            "<rect class=\"dot f\" x=\"1\" y=\"1\" width=\"8\" height=\"8\"/>",
            "<circle class=\"dot\" cx=\"5\" cy=\"5\" r=\"4\"/>",
        ];
        let entry = |(mark, words): (&str, &&str)| {
            format!("<span><svg viewBox=\"0 0 10 10\" aria-hidden=\"true\">{mark}</svg>{}</span>", escaped(words))
        };
        format!("<p id=\"legend\">{}</p>", MARKS.into_iter().zip(&self.dots).map(entry).collect::<String>())
    }
}

/// Returns the class attribute of cells with numbers, with a leading space; empty for others.
fn class(head: &Head) -> &'static str {
    if head.is_number { " class=\"n\"" } else { "" }
}

/// Escapes `text` for HTML.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
