import { type Html, html, joinHtml } from '../http/html.ts';
import { shownText } from './mail.ts';

/** A piece of a message. Texts are plain: nothing in them is markup, in either form. */
export type MailBlock =
  | { kind: 'text'; text: string }
  /** Set apart, to be copied. */
  | { kind: 'code'; text: string }
  | { kind: 'link'; label: string; url: string }
  | { kind: 'list'; items: readonly string[] }
  /** Begins a section. */
  | { kind: 'heading'; text: string }
  /** What there is to know of something, and where there is more of it. */
  | { kind: 'facts'; rows: readonly { label: string; value: string }[]; url?: string }
  | { kind: 'links'; items: readonly { label: string; url: string; note: string }[] }
  /** Small print. */
  | { kind: 'note'; text: string };

/** Both forms of a message with the same facts (plain text and HTML). User text is escaped, never interpreted. */
export function composeMailBody(title: string, blocks: readonly MailBlock[]): { text: string; html: string } {
  const heading = shownText(title);
  return {
    text: `${[heading, ...blocks.map(plainBlock)].map(shownText).join('\n\n')}\n`,
    html: html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${heading}</title></head>
<body style="font-family:system-ui,sans-serif;font-size:16px;line-height:1.5;color:#1a1a1a;overflow-wrap:anywhere">
<h1 style="font-size:20px">${heading}</h1>
${joinHtml(blocks.map(htmlBlock), '\n')}
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
      return `${block.label}: ${block.url}`;
    case 'list':
      return block.items.map((item) => `- ${item}`).join('\n');
    case 'heading':
      return `${block.text}\n${'-'.repeat([...block.text].length)}`;
    case 'facts':
      return [
        ...block.rows.map(({ label, value }) => `${label}: ${value}`),
        ...(block.url === undefined ? [] : [block.url]),
      ].join('\n');
    case 'links':
      return block.items.map(({ label, url, note }) => `- ${label}\n  ${note}\n  ${url}`).join('\n');
    case 'note':
      return block.text;
  }
}

function htmlBlock(block: MailBlock): Html {
  switch (block.kind) {
    case 'text':
      return html`<p>${shownText(block.text)}</p>`;
    case 'code':
      return html`<p style="font-family:ui-monospace,monospace;font-size:24px;letter-spacing:2px"><strong>${shownText(block.text)}</strong></p>`;
    case 'link':
      return isWebAddress(block.url)
        ? html`<p>${link(block.label, block.url)}</p>`
        : html`<p>${shownText(block.label)}: ${shownText(block.url)}</p>`;
    case 'list':
      return html`<ul>${joinHtml(block.items.map((item) => html`<li>${shownText(item)}</li>`))}</ul>`;
    case 'heading':
      return html`<h2 style="font-size:17px;margin:28px 0 0;padding-top:16px;border-top:1px solid #d0d0d0">${shownText(block.text)}</h2>`;
    case 'facts':
      return html`<table role="presentation" cellpadding="0" cellspacing="0" style="margin:12px 0">
${joinHtml(
  block.rows.map(
    ({ label, value }) =>
      html`<tr><td valign="top" style="padding:2px 24px 2px 0;color:#595959;white-space:nowrap">${block.url === undefined ? shownText(label) : link(label, block.url)}</td><td style="padding:2px 0">${shownText(value)}</td></tr>`,
  ),
  '\n',
)}
</table>`;
    case 'links':
      return html`<ul style="padding-left:20px">${joinHtml(
        block.items.map(
          ({ label, url, note }) =>
            html`<li style="margin:0 0 6px">${link(label, url)}<br><span style="color:#595959;font-size:14px">${shownText(note)}</span></li>`,
        ),
      )}</ul>`;
    case 'note':
      return html`<p style="margin-top:32px;color:#595959;font-size:13px">${shownText(block.text)}</p>`;
  }
}

/** A label that leads somewhere; only the label when that is no web address. */
function link(label: string, url: string): Html {
  return isWebAddress(url) ? html`<a href="${url}">${shownText(label)}</a>` : html`${shownText(label)}`;
}

/** No `javascript:` or `data:` links (docs/contract/reliability.md A14). */
function isWebAddress(url: string): boolean {
  return URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
}
