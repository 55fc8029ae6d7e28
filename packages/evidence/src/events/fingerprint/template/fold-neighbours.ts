import type { TemplateToken } from './template-token.ts';

/** The separators that can be between the values of a list. */
export const GLUE: ReadonlySet<string> = new Set([
  ',',
  ';',
  '|',
  ':',
  '/',
  '-',
  'and',
  'or',
  '&',
  '..',
  '...',
  '–',
]);

/** Values beside each other are one, so that lists of any length agree. */
export function foldNeighbours(tokens: readonly TemplateToken[]): TemplateToken[] {
  const folded: TemplateToken[] = [];
  // The start of the glue after the last value; -1 when something else follows it.
  let glueAt = -1;
  for (const token of tokens) {
    if (token.kind === 'value') {
      if (glueAt === -1) folded.push(token);
      else folded.length = glueAt;
      glueAt = folded.length;
    } else {
      if (!GLUE.has(token.text)) glueAt = -1;
      folded.push(token);
    }
  }
  return folded;
}
