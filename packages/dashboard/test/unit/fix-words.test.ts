import type { Fix } from '@culprit/contract/incidents/incident-fixes';
import { describe, expect, it } from 'vitest';
import { fixName, fixToShow } from '../../src/incident/header/fix-words.ts';

const NOW = Date.parse('2026-03-24T10:30:00.000Z');
const at = (day: number) => `2026-03-${day}T10:00:00.000Z`;

function fix(fields: Partial<Fix>): Fix {
  return {
    fix_id: 'f1',
    incident_id: 'inc_1',
    author: null,
    via: 'api',
    token_label: null,
    url: 'https://git.example/pull/1',
    commit_sha: null,
    release: null,
    summary: null,
    verification: null,
    resolves: false,
    deployed_in: null,
    deployed_at: null,
    created_at: at(20),
    ...fields,
  };
}

const deployed = fix({ fix_id: 'f2', resolves: true, deployed_in: '2.0.1', deployed_at: at(21) });
const waiting = fix({ fix_id: 'f3', resolves: true, created_at: at(22) });
const OPEN = { status: 'open', regressed_at: null } as const;
const RESOLVED = { status: 'resolved', regressed_at: null } as const;
const REGRESSED = { status: 'regressed', regressed_at: at(23) } as const;

describe('the fix in the header of an incident', () => {
  it.each([
    ['a proposed one', OPEN, [fix({})], 'f1', 'Fix proposed:'],
    ['one that waits', OPEN, [waiting, fix({})], 'f3', 'Fix waits for its deployment:'],
    [
      'one that waits no longer',
      OPEN,
      [fix({ ...waiting, created_at: '2025-12-20T10:00:00.000Z' })],
      'f3',
      'Fix proposed:',
    ],
    ['what it was fixed by', RESOLVED, [fix({}), deployed], 'f2', 'Fixed by'],
    ['one that was not deployed when a person resolved it', RESOLVED, [waiting], 'f3', 'Fix proposed:'],
    ['what it came back after', REGRESSED, [fix({}), deployed], 'f2', 'Came back after the fix'],
    ['one for what came back', REGRESSED, [fix({ created_at: at(24) }), deployed], 'f1', 'Fix proposed:'],
  ])('is %s', (_name, incident, fixes, id, words) => {
    expect(fixToShow(incident, fixes, NOW)).toMatchObject({ words, fix: { fix_id: id } });
  });

  it('is not there without fixes', () => {
    expect(fixToShow(OPEN, [], NOW)).toBeNull();
  });

  it('is named by host and path, by the end of the path where it is long', () => {
    expect(fixName('https://git.example/pull/1?tab=files#top')).toBe('git.example/pull/1');
    const long = fixName(`https://git.example/${'group/'.repeat(20)}shop/pull/1`);
    expect(long).toMatch(/^….*group\/shop\/pull\/1$/);
    expect(long).toHaveLength(48);
  });
});
