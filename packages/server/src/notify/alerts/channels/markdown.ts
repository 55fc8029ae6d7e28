/** The characters that Markdown interprets instead of showing them: emphasis, code, links, lists, quotes, HTML. */
const MARKUP = /[\\*_~`|[\]<>#!()&]/g;
/** Before a name that the chat would notify. */
const MENTION = /@(?=[\w<])/g;

/**
 * Returns one line as Markdown shows it, letter by letter. After an `@` it inserts a character without width, so that
 * nothing in the text of an event notifies people.
 */
export function plainMarkdown(line: string): string {
  return line.replaceAll(MARKUP, '\\$&').replaceAll(MENTION, '@\u200b');
}
