import { Html, html, joinHtml } from '../http/reference/html.ts';
import { shownText } from './mail.ts';

/** A piece of a message. Texts are plain: nothing in them is markup, in either form. */
export type MailBlock =
  | { kind: 'text'; text: string }
  /** Set apart, to be copied. */
  | { kind: 'code'; text: string }
  | { kind: 'link'; label: string; url: string }
  /** The one action of a message. */
  | { kind: 'button'; label: string; url: string }
  | { kind: 'list'; items: readonly string[] }
  /** Begins a section. */
  | { kind: 'heading'; text: string }
  /** Labels with their values. */
  | { kind: 'facts'; rows: readonly { label: string; value: string }[] }
  | { kind: 'links'; items: readonly { label: string; url: string; note: string }[] }
  /** Small print. */
  | { kind: 'note'; text: string };

const TEXT = '#1b1d22';
const SOFT = '#4b4e57';
const ACCENT = '#1f4fb8';
/**
 * The colors of a dark theme, and less room around the text of a phone. Some programs read nothing but attributes, so
 * everything else is in them, and each rule here needs the mark of importance.
 */
const STYLES = `@media (max-width: 480px) {
.panel { padding: 20px !important }
.label { padding-right: 12px !important }
}
@media (prefers-color-scheme: dark) {
.ground { background: #101318 !important }
.panel { background: #1b2029 !important; color: #e8eaee !important }
.soft { color: #a9afba !important }
.link { color: #8fb4ff !important }
}`;
/** Without quotation marks, which an attribute would have to escape. */
const FONT = '-apple-system,BlinkMacSystemFont,Roboto,Helvetica,Arial,sans-serif';
/** The mark as text: mail programs remove drawings and block pictures. */
const MARK = html`<div style="font-size:15px;line-height:20px;font-weight:600"><span aria-hidden="true" style="letter-spacing:1px">▂▄<span style="color:#e2572b">█</span>▃▁</span> Culprit</div>`;

/** Both forms of a message with the same facts (plain text and HTML). User text is escaped, never interpreted. */
export function composeMailBody(title: string, blocks: readonly MailBlock[]): { text: string; html: string } {
  const heading = shownText(title);
  return {
    text: `${[heading, ...blocks.map(plainBlock)].map(shownText).join('\n\n')}\n`,
    html: html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${heading}</title><style>${new Html(STYLES)}</style></head>
<body class="ground" style="margin:0;padding:0;background:#f7f5f0">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" class="ground" style="background:#f7f5f0"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="600" cellpadding="0" cellspacing="0" style="width:100%;max-width:600px"><tr><td class="panel" style="padding:28px 32px 32px;background:#ffffff;border-radius:10px;font:400 15px/1.5 ${FONT};color:${TEXT};overflow-wrap:anywhere">
${MARK}
<h1 style="margin:20px 0 12px;font-size:20px;line-height:28px;font-weight:600">${heading}</h1>
${joinHtml(blocks.map(htmlBlock), '\n')}
</td></tr></table>
</td></tr></table>
</body>
</html>
`.text,
  };
}

function plainBlock(block: MailBlock): string {
  switch (block.kind) {
    case 'text':
      return block.text;
    case 'code':
      return `    ${block.text}`;
    case 'link':
    case 'button':
      return `${block.label}: ${block.url}`;
    case 'list':
      return block.items.map((item) => `- ${item}`).join('\n');
    case 'heading':
      return `${block.text}\n${'-'.repeat([...block.text].length)}`;
    case 'facts':
      return block.rows.map(({ label, value }) => `${label}: ${value}`).join('\n');
    case 'links':
      return block.items.map(({ label, url, note }) => `- ${label}\n  ${note}\n  ${url}`).join('\n');
    case 'note':
      return block.text;
  }
}

function htmlBlock(block: MailBlock): Html {
  switch (block.kind) {
    case 'text':
      return html`<p style="margin:0 0 12px">${shownText(block.text)}</p>`;
    case 'code':
      return html`<p style="margin:16px 0;font-family:ui-monospace,Menlo,Consolas,monospace;font-size:28px;line-height:36px;letter-spacing:4px"><strong>${shownText(block.text)}</strong></p>`;
    case 'link':
      return isWebAddress(block.url)
        ? html`<p>${link(block.label, block.url)}</p>`
        : html`<p>${shownText(block.label)}: ${shownText(block.url)}</p>`;
    case 'button':
      return isWebAddress(block.url)
        ? html`<table role="presentation" cellpadding="0" cellspacing="0" style="margin:20px 0"><tr><td style="background:${ACCENT};border-radius:6px"><a href="${block.url}" style="display:inline-block;padding:10px 20px;color:#ffffff;font-weight:600;text-decoration:none">${shownText(block.label)}</a></td></tr></table>`
        : html`<p>${shownText(block.label)}: ${shownText(block.url)}</p>`;
    case 'list':
      return html`<ul style="padding-left:20px">${joinHtml(block.items.map((item) => html`<li>${shownText(item)}</li>`))}</ul>`;
    case 'heading':
      return html`<h2 style="margin:28px 0 8px;font-size:16px;line-height:24px;font-weight:600">${shownText(block.text)}</h2>`;
    case 'facts':
      return html`<table role="presentation" cellpadding="0" cellspacing="0" style="margin:12px 0">
${joinHtml(
  block.rows.map(
    ({ label, value }) =>
      html`<tr><td valign="top" class="soft label" style="padding:3px 24px 3px 0;color:${SOFT};white-space:nowrap">${shownText(label)}</td><td style="padding:3px 0;font-weight:500">${shownText(value)}</td></tr>`,
  ),
  '\n',
)}
</table>`;
    case 'links':
      return html`<ul style="padding-left:20px">${joinHtml(
        block.items.map(
          ({ label, url, note }) =>
            html`<li style="margin:0 0 6px">${link(label, url)}<br><span class="soft" style="color:${SOFT};font-size:14px">${shownText(note)}</span></li>`,
        ),
      )}</ul>`;
    case 'note':
      return html`<p class="soft" style="margin:28px 0 4px;color:${SOFT};font-size:13px;line-height:18px">${shownText(block.text)}</p>`;
  }
}

/** A label that leads somewhere; only the label when that is no web address. */
function link(label: string, url: string): Html {
  return isWebAddress(url)
    ? html`<a href="${url}" class="link" style="color:${ACCENT}">${shownText(label)}</a>`
    : html`${shownText(label)}`;
}

/** No `javascript:` or `data:` links (docs/contract/reliability.md A14). */
function isWebAddress(url: string): boolean {
  return URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
}
