import type { CommentText, TicketDraft } from './tracker-api.ts';

/** The line by which a ticket is found again. */
export function markerOf({ linkId }: Pick<TicketDraft, 'linkId'>): string {
  return `culprit:${linkId}`;
}

/** A ticket in Markdown: where the incident is, the failure as code, what is known, and the marker. */
export function ticketMarkdown(draft: TicketDraft): string {
  return [
    draft.url,
    fenced(draft.code),
    draft.facts.map((fact) => `- \`${fact.replaceAll('`', "'")}\``).join('\n'),
    `<sub>${markerOf(draft)}</sub>`,
  ].join('\n\n');
}

/** A comment in Markdown. */
export function commentMarkdown({ text, code, url }: CommentText): string {
  return [text, ...(code === null ? [] : [fenced(code)]), url].join('\n\n');
}

/** The fence is longer than any in the text, so the text cannot end it. */
function fenced(code: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([marks]) => marks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${code}\n${fence}`;
}
