// The fixed parts of the directory page: style sheet, icons, script.
#pragma once

#include <string_view>

namespace rill::web {

inline constexpr std::string_view page_start = R"(<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Index of )";

inline constexpr std::string_view home_icon =
    R"(<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M4 11 12 4l8 7v8a1 1 0 0 1-1 1h-4v-6H9v6)"
    R"(H5a1 1 0 0 1-1-1z"/></svg>)";

inline constexpr std::string_view table_start =
    "<table>\n<thead><tr><th scope=\"col\">Name<th scope=\"col\">Size"
    "<th scope=\"col\">Modified <small>UTC</small></tr>\n";

inline constexpr std::string_view parent_row =
    "<tbody><tr><td colspan=\"3\"><a class=\"u\" href=\"../\">Parent folder</a></tr>\n";

// Icons are masks, so that one drawing serves both colour schemes.
inline constexpr std::string_view page_style = R"(
:root{--ground:#f4f5f7;--card:#fff;--ink:#1c2330;--soft:#687386;--line:#e6e9ef;--hover:#f3f6fb;
--accent:#2457d6;--d:#d99a1c;--i:#2f9e5b;--v:#8250df;--a:#d6447e;--z:#b35c1e;--p:#d1383d;--c:#0e8a94}
@media(prefers-color-scheme:dark){:root{--ground:#0f1318;--card:#171c23;--ink:#e4e8ee;--soft:#8f9bad;
--line:#262e39;--hover:#1e2530;--accent:#86aeff;--d:#e8b349;--i:#57c785;--v:#b490f5;--a:#f07fab;
--z:#dc9159;--p:#f0777b;--c:#4fc1ca}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:62rem;padding:1.5rem 1.25rem 2rem;background:var(--ground);
color:var(--ink);font:15px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
a{color:inherit;text-decoration:none}
a:focus-visible,button:focus-visible,input:focus-visible{outline:2px solid var(--accent);
outline-offset:2px;border-radius:6px}
header{display:flex;flex-wrap:wrap;gap:.75rem 1rem;align-items:center;min-height:2.5rem;
margin:0 .25rem 1rem}
nav{flex:1 1 14rem;font-size:1.2rem;font-weight:600;overflow-wrap:anywhere}
nav a{color:var(--soft)}
nav a:hover{color:var(--accent)}
nav i{margin:0 .4em;color:var(--soft);font-style:normal;font-weight:400;opacity:.6}
nav svg{width:1.2em;height:1.2em;vertical-align:-.2em;fill:currentColor}
input{flex:0 1 14rem;min-width:0;padding:.5rem .75rem;border:1px solid var(--line);border-radius:8px;
background:var(--card);color:inherit;font:inherit}
input::placeholder{color:var(--soft);opacity:1}
main{background:var(--card);border:1px solid var(--line);border-radius:12px;overflow:hidden}
table{width:100%;border-collapse:collapse}
th{padding:.65rem 1rem;border-bottom:1px solid var(--line);color:var(--soft);font-size:.8rem;
font-weight:600;text-align:left}
th small{font-weight:400;opacity:.8}
th button{all:unset;cursor:pointer}
th button:hover{color:var(--ink)}
th[aria-sort=ascending] button::after{content:" \2191"}
th[aria-sort=descending] button::after{content:" \2193"}
tr+tr td,tbody+tbody td{border-top:1px solid var(--line)}
tbody tr:hover{background:var(--hover)}
td{padding:0;vertical-align:top}
td+td{padding:.6rem 1rem;color:var(--soft);white-space:nowrap;font-variant-numeric:tabular-nums}
th:nth-child(2),td:nth-child(2){text-align:right}
td:nth-child(2):empty::before{content:"\2013"}
th:nth-child(3),td:nth-child(3){width:1%;padding-left:1.5rem}
td a{display:flex;gap:.75rem;align-items:flex-start;padding:.6rem 1rem;overflow-wrap:anywhere}
td a:hover{color:var(--accent)}
td a::before{content:"";flex:none;width:1.3rem;height:1.3rem;margin-top:.05rem;background:var(--m);
-webkit-mask:var(--k,var(--file)) center/contain no-repeat;mask:var(--k,var(--file)) center/contain no-repeat}
td a{--m:var(--soft)}
.d{--m:var(--d);--k:url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Cpath d='M2 6a2 2 0 0 1 2-2h5l2 2h9a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2z'/%3E%3C/svg%3E");font-weight:500}
.u{color:var(--soft);--k:url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Cpath d='M12 4l7 7-1.5 1.5-4.4-4.4V20h-2.2V8.1l-4.4 4.4L5 11z'/%3E%3C/svg%3E")}
:root{--file:url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Cpath d='M6 2h8l5 5v13a2 2 0 0 1-2 2H6a1.5 1.5 0 0 1-1.5-1.5v-17A1.5 1.5 0 0 1 6 2zm.5 2v16h10.5V8.5h-4.5V4z'/%3E%3C/svg%3E")}
.t{--k:url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Cpath d='M6 2h8l5 5v13a2 2 0 0 1-2 2H6a1.5 1.5 0 0 1-1.5-1.5v-17A1.5 1.5 0 0 1 6 2zm.5 2v16h10.5V8.5h-4.5V4zM8 11h7v1.5H8zm0 3h7v1.5H8zm0 3h5v1.5H8z'/%3E%3C/svg%3E")}
.p{--m:var(--p);--k:url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Cpath d='M6 2h7v6.5h6V20a2 2 0 0 1-2 2H6a1.5 1.5 0 0 1-1.5-1.5v-17A1.5 1.5 0 0 1 6 2zm8.5.3L18.8 7h-4.3zM7.5 12v1.5h8V12zm0 3.200v1.5h8v-1.5z' fill-rule='evenodd'/%3E%3C/svg%3E")}
.c{--m:var(--c);--k:url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Cpath d='M8.2 5.5 10 7.3 5.3 12l4.7 4.7-1.8 1.8L1.7 12zm7.6 0L14 7.3l4.7 4.7-4.7 4.7 1.8 1.8L22.3 12z'/%3E%3C/svg%3E")}
.i{--m:var(--i);--k:url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Cpath fill-rule='evenodd' d='M4.5 4h15A1.5 1.5 0 0 1 21 5.5v13a1.5 1.5 0 0 1-1.5 1.5h-15A1.5 1.5 0 0 1 3 18.5v-13A1.5 1.5 0 0 1 4.5 4zM5 17.5h14L14.5 11 11 15.5 8.5 13zM8 7a1.8 1.8 0 1 0 0 3.6A1.8 1.8 0 0 0 8 7z'/%3E%3C/svg%3E")}
.v{--m:var(--v);--k:url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Cpath fill-rule='evenodd' d='M4 4h16a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2zm5.5 4v8l7-4z'/%3E%3C/svg%3E")}
.a{--m:var(--a);--k:url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Cpath d='M9 5.5 20 3v13a3 3 0 1 1-2-2.8V8l-7 1.6V18a3 3 0 1 1-2-2.8z'/%3E%3C/svg%3E")}
.z{--m:var(--z);--k:url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Cpath fill-rule='evenodd' d='M3 4h18v4.5H3zm1 5.5h16V19a1.5 1.5 0 0 1-1.5 1.5h-13A1.5 1.5 0 0 1 4 19zm5 2.5v2h6v-2z'/%3E%3C/svg%3E")}
.empty{margin:0;padding:3rem 1rem;color:var(--soft);text-align:center}
footer{display:flex;justify-content:space-between;gap:1rem;margin:.9rem .25rem 0;color:var(--soft);
font-size:.85rem}
@media(max-width:40rem){
body{padding:1rem .75rem 1.5rem}
input{flex:1 1 100%;font-size:16px}
thead th{padding:.6rem .9rem}
thead tr{display:flex;border-bottom:1px solid var(--line)}
thead th{border:0}
thead th:first-child{flex:1}
thead th+th{padding-left:.25rem}
thead th{width:auto!important}
table,thead,tbody{display:block}
tbody tr{display:grid;grid-template-columns:auto 1fr;column-gap:.4rem;position:relative;
padding:.55rem .9rem .6rem 2.95rem}
tr+tr td,tbody+tbody td{border-top:0}
tbody tr+tr,tbody+tbody{border-top:1px solid var(--line)}
td:first-child{grid-column:1/-1}
td a{display:block;padding:0}
td a::before{position:absolute;left:.9rem;top:.75rem}
td a::after{content:"";position:absolute;inset:0}
td+td{padding:0!important;font-size:.85rem;text-align:left!important}
td:not(:empty)+td:nth-child(3)::before{content:"\B7";margin-right:.4rem}
td:empty{display:none}
}
)";

// Makes the headings buttons that sort, and adds a filter where there is much to look through.
inline constexpr std::string_view page_script = R"(<script>
(() => {
  const table = document.querySelector('table');
  if (!table) return;
  const body = [...table.tBodies].pop(), rows = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  const key = [(r, n) => n, (r) => +r.dataset.s, (r) => +r.dataset.t];
  heads.forEach((head, i) => {
    const button = document.createElement('button');
    button.append(...head.childNodes);
    head.append(button);
    button.onclick = () => {
      const down = head.ariaSort ? head.ariaSort === 'ascending' : i > 0;
      heads.forEach((h) => h.removeAttribute('aria-sort'));
      head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      const keyed = rows.map((r, n) => [key[i](r, n), r]);
      keyed.sort((x, y) => (down ? y[0] - x[0] : x[0] - y[0]));
      body.append(...keyed.map((k) => k[1]));
    };
  });
  if (rows.length < 12) return;
  const field = document.createElement('input');
  field.type = 'search';
  field.placeholder = 'Filter';
  field.ariaLabel = 'Filter by name';
  field.oninput = () => {
    const wanted = field.value.toLowerCase();
    for (const r of rows) r.hidden = !r.cells[0].textContent.toLowerCase().includes(wanted);
  };
  document.querySelector('header').append(field);
})();
</script>
)";

}  // namespace rill::web
