/** Slack's limits for the text of a header and of a section, in characters (docs/contract/notifications.md 1.13). */
const HEADER_MAX = 150;
const SECTION_MAX = 2900;
const ELLIPSIS = '…';

/**
 * Text from events as Slack shows it and nothing else: no links, no mentions. Needed in every text of a message
 * (docs/contract/notifications.md 1.13).
 */
export function escapeSlackText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Text of a header, escaped, at most 150 characters with a final `…` where it was cut. */
export function slackHeaderText(text: string): string {
  return escapeAndCut(text, HEADER_MAX);
}

/** Text of a section or field, escaped, at most 2900 characters with a final `…` where it was cut. */
export function slackSectionText(text: string): string {
  return escapeAndCut(text, SECTION_MAX);
}

/** Counts what is sent, in UTF-16 units as Slack does, and never cuts a code point or an escape in two. */
function escapeAndCut(text: string, lengthMax: number): string {
  let escaped = '';
  let fitting = '';
  for (const character of text) {
    escaped += escapeSlackText(character);
    if (escaped.length > lengthMax) return fitting + ELLIPSIS;
    if (escaped.length < lengthMax) fitting = escaped;
  }
  return escaped;
}
