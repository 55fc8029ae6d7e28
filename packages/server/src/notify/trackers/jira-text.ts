import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import type { CommentText, TicketDraft } from './tracker-api.ts';

/** A ticket as a document of Atlassian's editor, which Jira Cloud wants: the same blocks as in Markdown. */
export function ticketDocument({ url, code, facts }: TicketDraft): object {
  return documentOf([
    paragraph([linkTo(url)]),
    codeBlock(code),
    {
      type: 'bulletList',
      content: facts.map((fact) => ({
        type: 'listItem',
        content: [paragraph([{ type: 'text', text: fact }])],
      })),
    },
  ]);
}

/** A comment as a document. */
export function commentDocument({ text, code, url }: CommentText): object {
  return documentOf([
    paragraph([{ type: 'text', text }]),
    ...(code === null ? [] : [codeBlock(code)]),
    paragraph([linkTo(url)]),
  ]);
}

/** A comment as wiki text. */
export function commentWiki({ text, code, url }: CommentText): string {
  return [text, ...(code === null ? [] : [inertWiki(code)]), url].join('\n\n');
}

/** Nodes of a document that are read, and how deep they are. */
const NODES_MAX = 2000;
const DEPTH_MAX = 20;
const BLOCKS = ['paragraph', 'heading', 'codeBlock', 'listItem', 'blockquote', 'tableCell', 'hardBreak'];

/** The text of a document, its blocks in lines of their own. */
export function documentText(document: unknown): string {
  let left = NODES_MAX;
  const read = (node: unknown, depth: number): string => {
    left -= 1;
    if (left < 0 || depth > DEPTH_MAX || !isJsonObject(node)) return '';
    const { type, text, attrs, content } = node;
    const named = isJsonObject(attrs) ? (attrs.text ?? attrs.url) : null;
    const own = typeof text === 'string' ? text : typeof named === 'string' ? named : '';
    const inner = Array.isArray(content) ? content.map((each) => read(each, depth + 1)).join('') : '';
    return own + inner + (typeof type === 'string' && BLOCKS.includes(type) ? '\n' : '');
  };
  return read(document, 0).trim();
}

/** A ticket as wiki text, which Jira on an own server wants. */
export function ticketWiki({ url, code, facts }: TicketDraft): string {
  const items = facts.map((fact) => `* {{${fact.replaceAll(/[{}[\]~|!]/g, ' ')}}}`);
  return [url, inertWiki(code), items.join('\n')].join('\n\n');
}

/** Nothing in the text may end the block. */
function inertWiki(code: string): string {
  return `{noformat}\n${code.replaceAll(/\{noformat/gi, '{ noformat')}\n{noformat}`;
}

function codeBlock(code: string): object {
  return { type: 'codeBlock', content: [{ type: 'text', text: code }] };
}

function linkTo(url: string): object {
  return { type: 'text', text: url, marks: [{ type: 'link', attrs: { href: url } }] };
}

function documentOf(content: readonly object[]): object {
  return { type: 'doc', version: 1, content };
}

function paragraph(content: readonly object[]): object {
  return { type: 'paragraph', content };
}
