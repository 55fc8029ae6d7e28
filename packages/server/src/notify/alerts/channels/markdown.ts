/** What Markdown acts on instead of showing it: emphasis, code, links, lists, quotes, HTML. */
const MARKUP = /[\\*_~`|[\]<>#!()&]/g;
/** Before a name that the chat would notify. */
const MENTION = /@(?=[\w<])/g;

/**
 * One line as Markdown shows it, letter by letter. After an `@` stands a character without width, so that nothing in
 * the text of an event notifies people.
 */
export function plainMarkdown(line: string): string {
  return line.replaceAll(MARKUP, '\\$&').replaceAll(MENTION, '@\u200b');
}
