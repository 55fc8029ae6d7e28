/** Style of the reference page: no font, image or script from anywhere. */
export const REFERENCE_STYLE = `
:root {
  color-scheme: light dark;
  --page: #ffffff; --panel: #f6f7f9; --line: #d9dde3; --text: #1b1f24; --soft: #57606a; --link: #0a58ca;
  --get: #0b6b3a; --post: #0a58ca; --patch: #8a5300; --put: #8a5300; --delete: #b3261e;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12151a; --panel: #1a1f26; --line: #333b46; --text: #e6e9ee; --soft: #a3adba; --link: #82b1ff;
    --get: #5fd39a; --post: #82b1ff; --patch: #f0b35e; --put: #f0b35e; --delete: #ff8a80;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0; background: var(--page); color: var(--text);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
a { color: var(--link); text-underline-offset: 0.15em; }
a:focus-visible, summary:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 3px; }
code { font-family: var(--mono); font-size: 0.875em; overflow-wrap: anywhere; }
pre {
  margin: 0.35rem 0; padding: 0.75rem 1rem; overflow-x: auto; background: var(--panel); border-radius: 6px;
  line-height: 1.45;
}
pre code { overflow-wrap: normal; font-size: 0.8125rem; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 1rem; top: 1rem; background: var(--page); padding: 0.5rem 1rem; z-index: 1; }
.layout { display: grid; grid-template-columns: 17rem minmax(0, 1fr); max-width: 82rem; margin: 0 auto; }
nav {
  grid-column: 1; grid-row: 1;
  position: sticky; top: 0; align-self: start; height: 100vh; overflow-y: auto;
  padding: 1.5rem 1rem; border-right: 1px solid var(--line); font-size: 0.875rem;
}
nav h2 { margin: 1.25rem 0 0.25rem; font-size: 0.8rem; color: var(--soft); text-transform: capitalize; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: block; padding: 0.15rem 0; text-decoration: none; overflow-wrap: anywhere; }
nav li a:hover { text-decoration: underline; }
main { grid-column: 2; padding: 1.5rem 2rem 6rem; min-width: 0; }
h1 { margin: 0 0 0.25rem; font-size: 1.75rem; line-height: 1.2; }
main > section > h2 {
  margin: 3rem 0 1rem; padding-bottom: 0.4rem; border-bottom: 2px solid var(--line);
  font-size: 1.35rem; text-transform: capitalize;
}
#records > h2, #start > h2, #sign-in > h2, #webhook-deliveries > h2 { text-transform: none; }
article { margin: 0 0 1.5rem; padding: 1rem 1.25rem 1.25rem; border: 1px solid var(--line); border-radius: 10px; }
article h3 { margin: 0; font-size: 1rem; line-height: 1.5; font-family: var(--mono); overflow-wrap: anywhere; }
article h3 a { color: inherit; text-decoration: none; }
article h3 a:hover { text-decoration: underline; }
article h4 { margin: 1.1rem 0 0.35rem; font-size: 0.875rem; }
article p { margin: 0.35rem 0; }
.method {
  display: inline-block; min-width: 4.2rem; margin-right: 0.5rem; padding: 0 0.4rem; text-align: center;
  border: 1.5px solid currentColor; border-radius: 5px; font-size: 0.8rem; font-weight: 700;
}
.get { color: var(--get); } .post { color: var(--post); } .patch { color: var(--patch); }
.put { color: var(--put); } .delete { color: var(--delete); }
.soft { color: var(--soft); }
.scroll { overflow-x: auto; }
table { width: 100%; min-width: 40rem; table-layout: fixed; border-collapse: collapse; font-size: 0.875rem; background: var(--panel); border-radius: 6px; }
th, td { padding: 0.35rem 0.6rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
tr:last-child > * { border-bottom: 0; }
thead th { font-size: 0.78rem; color: var(--soft); font-weight: 600; }
tbody th { font-weight: 600; font-family: var(--mono); font-size: 0.82rem; overflow-wrap: anywhere; }
thead th:nth-child(1) { width: 33%; }
thead th:nth-child(2) { width: 32%; }
article ul:not(.codes) { margin: 0.35rem 0; padding-left: 1.25rem; }
details { margin-top: 0.5rem; }
summary { cursor: pointer; font-size: 0.875rem; font-weight: 600; }
.codes { display: flex; flex-wrap: wrap; gap: 0.4rem; list-style: none; margin: 0; padding: 0; }
.codes code { display: block; padding: 0.1rem 0.45rem; background: var(--panel); border-radius: 5px; }
@media (max-width: 54rem) {
  .layout { display: block; }
  .skip { position: static; display: block; padding: 0.75rem 1rem 0; }
  nav { position: static; height: auto; border-right: 0; border-top: 1px solid var(--line); }
  main { padding: 1.5rem 1rem 4rem; }
}
`;
