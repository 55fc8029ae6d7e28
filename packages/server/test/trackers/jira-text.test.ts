import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { expect, it } from 'vitest';
import { ticketDocument, ticketWiki } from '../../src/notify/trackers/jira-text.ts';
import type { TicketDraft } from '../../src/notify/trackers/tracker-api.ts';

/** docs/contract/team-workflow.md 20, item 45. */

const DRAFT: TicketDraft = {
  title: 'TypeError',
  url: 'https://culprit.example/incidents/inc_1',
  facts: ['checkout in production', '260 events', 'first seen 2026-11-28T10:00:00.000Z in 1.4.2'],
  code: 'TypeError: @ada [~ada] {noformat} {code}\n    at pay (pay.ts:1)',
  incident: {},
  linkId: '8f6e5a0c-2f7e-4b53-9d0d-1c2b3a4d5e6f',
};

/** Blocks of a document: what each is, and its text. */
function blocksOf(node: unknown): [string, string][] {
  const { type, content } = isJsonObject(node) ? node : {};
  const parts = Array.isArray(content) ? content : [];
  if (type === 'doc' || type === 'bulletList') return parts.flatMap(blocksOf);
  return [[String(type), textOf(node)]];
}

function textOf(node: unknown): string {
  const { text, content } = isJsonObject(node) ? node : {};
  if (typeof text === 'string') return text;
  return Array.isArray(content) ? content.map(textOf).join('') : '';
}

/** Blocks of wiki text, in the words of the document. */
function wikiBlocksOf(wiki: string): [string, string][] {
  const [, before = '', code = '', after = ''] =
    /^([\s\S]*?)\n\n\{noformat\}\n([\s\S]*)\n\{noformat\}\n\n([\s\S]*)$/.exec(wiki) ?? [];
  const items = after.split('\n').map((line): [string, string] => ['listItem', line.slice(4, -2)]);
  return [['paragraph', before], ['codeBlock', code.replaceAll('{ noformat', '{noformat')], ...items];
}

it('a ticket has the same blocks in the cloud and on an own server, with names of people in code alone', () => {
  const blocks = blocksOf(ticketDocument(DRAFT));
  expect(blocks).toEqual([
    ['paragraph', DRAFT.url],
    ['codeBlock', DRAFT.code],
    ...DRAFT.facts.map((fact) => ['listItem', fact]),
  ]);
  expect(wikiBlocksOf(ticketWiki(DRAFT))).toEqual(blocks);
  expect(JSON.stringify(ticketDocument(DRAFT))).not.toContain('"mention"');
});
