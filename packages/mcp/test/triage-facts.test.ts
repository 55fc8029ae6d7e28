import type { Incident } from '@culprit/contract/incidents/incidents';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, it } from 'vitest';
import { incidentAnswer } from '../src/evidence/incident-answer.ts';
import { demoIncidents } from './demo-incidents.ts';

/** docs/contract/team-workflow.md 20, item 77: what people decided costs an answer at most 60 tokens. */

const NAMES = [
  'Ada',
  'Ada Lovelace of the team for payments and invoices',
  '\u{1f9ea}'.repeat(40),
  '\u0e01'.repeat(80),
  '\u{20bb7}'.repeat(40),
];

it.each(NAMES)('the decisions of people are a short line, whatever they are called: %s', (name) => {
  const [demo] = demoIncidents();
  if (demo === undefined) throw new Error('there is no demo');
  const { evidence } = demo;
  const url = `https://tracker.example/${encodeURIComponent(name)}`;
  const triage: Incident['triage'] = {
    priority: { level: 'urgent', reasons: [], is_manual: true },
    assignee: {
      ...{ kind: 'user', id: '0b4c6d0e-5a0b-4c55-9c1e-2d6a1f3b4c02', name, handle: 'ada' },
      ...{ email: 'ada@example.com', at: '2026-03-24T10:00:00.000Z' },
    },
    snooze: {
      ...{ until: '2026-12-24T10:00:00.123Z', until_count: 5, until_users: null, until_release: true },
      ...{ wakes_on_escalation: true, reason: name, set_at: '2026-03-24T10:00:00.000Z', kept_silent: 7 },
      set_by: { user_id: '0b4c6d0e-5a0b-4c55-9c1e-2d6a1f3b4c02', name },
    },
    notes: 500,
    links: [1, 2, 3].map((n) => ({ link_id: `${n}`, key: n === 1 ? null : `A-${n}`, url, state: 'pending' })),
  };
  const read = (incident: Incident) =>
    incidentAnswer({ ...evidence, incident }, { kind: 'sections', names: ['cause'] }, 20_000);
  const [plain, decided] = [read(evidence.incident), read({ ...evidence.incident, triage })];
  const line = decided.split('\n').find((each) => each.startsWith('assigned to ')) ?? '';
  for (const part of ['priority urgent', 'snoozed until', '500 notes', 'ticket http', 'and 2 more'])
    expect(line).toContain(part);
  expect(countTokens(decided) - countTokens(plain)).toBeLessThanOrEqual(60);
});
