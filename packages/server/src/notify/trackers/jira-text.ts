import type { TicketDraft } from './tracker-api.ts';

/** A ticket as a document of Atlassian's editor, which Jira Cloud wants: the same blocks as in Markdown. */
export function ticketDocument({ url, code, facts }: TicketDraft): object {
  return documentOf([
    paragraph([{ type: 'text', text: url, marks: [{ type: 'link', attrs: { href: url } }] }]),
    { type: 'codeBlock', content: [{ type: 'text', text: code }] },
    {
      type: 'bulletList',
      content: facts.map((fact) => ({
        type: 'listItem',
        content: [paragraph([{ type: 'text', text: fact }])],
      })),
    },
  ]);
}

/** Text as a document; its addresses become links by themselves. */
export function textDocument(text: string): object {
  return documentOf([paragraph([{ type: 'text', text }])]);
}

/** A ticket as wiki text, which Jira on an own server wants. */
export function ticketWiki({ url, code, facts }: TicketDraft): string {
  // Nothing of the failing application may end the block.
  const inert = code.replaceAll(/\{noformat/gi, '{ noformat');
  const items = facts.map((fact) => `* {{${fact.replaceAll(/[{}[\]~|!]/g, ' ')}}}`);
  return [url, `{noformat}\n${inert}\n{noformat}`, items.join('\n')].join('\n\n');
}

function documentOf(content: readonly object[]): object {
  return { type: 'doc', version: 1, content };
}

function paragraph(content: readonly object[]): object {
  return { type: 'paragraph', content };
}
