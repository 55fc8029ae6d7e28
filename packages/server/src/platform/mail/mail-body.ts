import { type Html, html, joinHtml } from '../http/html.ts';
import { shownText } from './mail.ts';

/** A piece of a message. Texts are plain: nothing in them is markup, in either form. */
export type MailBlock =
  | { kind: 'text'; text: string }
  /** Set apart, to be copied. */
  | { kind: 'code'; text: string }
  | { kind: 'link'; label: string; url: string }
  | { kind: 'list'; items: readonly string[] };

/** Both forms of a message with the same facts (plain text and HTML). User text is escaped, never interpreted. */
export function composeMailBody(title: string, blocks: readonly MailBlock[]): { text: string; html: string } {
  const heading = shownText(title);
  return {
    text: `${[heading, ...blocks.map(plainBlock)].map(shownText).join('\n\n')}\n`,
    html: html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${heading}</title></head>
<body style="font-family:system-ui,sans-serif;font-size:16px;line-height:1.5;color:#1a1a1a">
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
        ? html`<p><a href="${block.url}">${shownText(block.label)}</a></p>`
        : html`<p>${shownText(block.label)}: ${shownText(block.url)}</p>`;
    case 'list':
      return html`<ul>${joinHtml(block.items.map((item) => html`<li>${shownText(item)}</li>`))}</ul>`;
  }
}

/** No `javascript:` or `data:` links (reliability rule A14). */
function isWebAddress(url: string): boolean {
  return URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
}
