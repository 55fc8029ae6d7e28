import type { Fix } from '@culprit/contract/incidents/incident-fixes';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { incidentAnswer } from '../src/evidence/incident-answer.ts';
import { demoIncidents } from './demo-incidents.ts';

const [demo] = demoIncidents();

/** What an agent reads of proposed fixes (docs/contract/team-workflow.md 5.2, item 28). */
describe('an answer about an incident with fixes', () => {
  if (demo === undefined) throw new Error('there is no demo');
  const { evidence } = demo;
  const fix: Fix = {
    fix_id: '0b4c6d0e-5a0b-4c55-9c1e-2d6a1f3b4c01',
    incident_id: evidence.incident.incident_id,
    author: { user_id: '0b4c6d0e-5a0b-4c55-9c1e-2d6a1f3b4c02', name: 'Ada', email: 'ada@example.com' },
    ...{ via: 'cli', token_label: 'ci', url: 'https://git.example/shop/pull/7', summary: null },
    ...{ commit_sha: 'c0ffee1c0ffee1c0ffee', release: '2.0.0', verification: null, resolves: true },
    ...{ deployed_in: '2.0.1', deployed_at: '2026-03-24T10:00:00.000Z' },
    created_at: '2026-03-24T09:00:00.000Z',
  };
  const waiting: Fix = {
    ...fix,
    ...{ fix_id: '0b4c6d0e-5a0b-4c55-9c1e-2d6a1f3b4c03', url: 'https://git.example/shop/pull/8' },
    ...{ commit_sha: null, release: '2.2.0', deployed_in: null, deployed_at: null, author: null },
  };
  const regressed: Incident = {
    ...evidence.incident,
    ...{ status: 'regressed', regressed_at: '2026-03-24T11:00:00.000Z' },
  };
  const words = (fixes: Fix[], incident = regressed, tokensMax = 4000) =>
    incidentAnswer({ ...evidence, incident, fixes }, { kind: 'all' }, tokensMax);

  const FAILED =
    'came back after the fix https://git.example/shop/pull/7 (commit c0ffee1c0ffe, release 2.0.0, deployed in 2.0.1) by Ada via cli\n';
  const PROPOSED =
    'fix proposed: https://git.example/shop/pull/8 (release 2.2.0) by a former member via cli\n';

  it('names the one after which it came back, and the newest other one', () => {
    expect(words([waiting, fix])).toContain(`${FAILED}${PROPOSED}`);
    expect(words([fix])).toContain(FAILED);
    expect(words([fix])).not.toContain('fix proposed');
  });

  it('does not blame one that is not deployed, that came later, or of an incident that did not come back', () => {
    const later = { ...fix, deployed_at: '2026-03-24T12:00:00.000Z' };
    expect(words([waiting])).toContain(PROPOSED);
    for (const text of [words([waiting]), words([later]), words([fix], { ...regressed, status: 'open' })])
      expect(text).not.toContain('came back');
    expect(words([])).not.toContain('fix proposed');
  });

  it('keeps to its tokens and to one line whatever people wrote', () => {
    const wild = {
      url: `https://git.example/${'\u{1f9ea}%0a'.repeat(200)}`,
      release: `2\n| x${'é'.repeat(150)}`,
    };
    const text = words(
      [
        { ...waiting, ...wild },
        { ...fix, ...wild, via: 'mcp' },
      ],
      regressed,
      500,
    );
    expect(countTokens(text)).toBeLessThanOrEqual(500);
    expect(text.split('\n').filter((line) => /^(came back|fix proposed)/.test(line))).toHaveLength(2);
  });
});
