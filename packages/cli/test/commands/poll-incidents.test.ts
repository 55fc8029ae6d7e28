import type { Incident } from '@culprit/contract/incidents/incidents';
import { expect, it } from 'vitest';
import { demoIncidents } from '../../../mcp/test/demo-incidents.ts';
import { changesSince, lookAt } from '../../src/commands/tail/poll-incidents.ts';

/** What `tail` makes of two looks at a page, on servers without a feed (docs/contract/command-line.md 4.7). */

const [demo] = demoIncidents();
if (demo === undefined) throw new Error('there is no incident of the demo');
const recorded = demo.evidence.incident;

function incident(id: string, changes: Partial<Incident>): Incident {
  return {
    ...recorded,
    incident_id: id,
    first_seen_at: '2026-01-01T00:00:00.000Z',
    last_seen_at: '2026-01-02T00:00:00.000Z',
    regressed_at: null,
    status: 'open',
    ...changes,
  };
}

const known = incident('inc_known', {});

it('tells a new incident from an old one that moved onto a full page', () => {
  const full = lookAt([known], { hasMore: true, before: null });
  expect(changesSince(full, incident('inc_new', { first_seen_at: '2026-01-03T00:00:00.000Z' }))).toEqual([
    'new',
  ]);
  expect(changesSince(full, incident('inc_old', { last_seen_at: '2026-01-03T00:00:00.000Z' }))).toEqual([]);
  const back = { regressed_at: '2026-01-03T00:00:00.000Z', status: 'regressed' } as const;
  expect(changesSince(full, incident('inc_back', back))).toEqual(['regressed']);
});

it('knows that an incident is new where the page had all of them', () => {
  const all = lookAt([known], { hasMore: false, before: null });
  expect(changesSince(all, incident('inc_new', {}))).toEqual(['new']);
  expect(changesSince(all, known)).toEqual([]);
  expect(changesSince(all, incident('inc_known', { status: 'resolved' }))).toEqual(['resolved']);
});
