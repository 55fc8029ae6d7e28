import { type HistoryEntry, NO_HISTORY_DATA } from '@culprit/contract/incidents/incident-history';
import type { Occurrences } from '@culprit/contract/incidents/occurrences';
import { describe, expect, it } from 'vitest';
import { HOUR_MS, MOMENT_MS } from '../../../../evidence/test/bundles/build-evidence.ts';
import { fittingSpan } from '../../../src/incident/event/spans.ts';
import { knownFacts } from '../../../src/incident/evidence/known-facts.ts';

describe('what is known', () => {
  const NOW_MS = MOMENT_MS;
  const at = (hoursBefore: number) => new Date(NOW_MS - hoursBefore * HOUR_MS).toISOString();
  const counts = (bucketSeconds: number, ...values: number[]): Occurrences => ({
    from: at((values.length * bucketSeconds) / 3600),
    to: at(0),
    bucket_seconds: bucketSeconds,
    counts: values,
    suppressed: values.map(() => 0),
    markers: [],
  });
  const nothing: Parameters<typeof knownFacts>[0] = {
    total: 260,
    firstSeenAt: at(24 * 9),
    nowMs: NOW_MS,
    deploy: null,
    sinceDeploy: null,
    days: null,
    history: [],
    releases: [],
    peculiar: [],
  };
  const deploy = { version: '4.18.3', deployedAt: at(3) };

  it('is nothing without data', () => {
    expect(knownFacts(nothing)).toEqual([]);
  });

  it('counts the events since a deploy, and says when the number is a lower bound', () => {
    expect(knownFacts({ ...nothing, deploy, sinceDeploy: counts(3600, 0, 100, 88) })).toEqual([
      '188 of 260 events arrived since 4.18.3 was deployed 3 h ago.',
    ]);
    expect(knownFacts({ ...nothing, deploy, sinceDeploy: counts(3600, 5, 100, 88) })).toEqual([
      'At least 188 of 260 events arrived since 4.18.3 was deployed 3 h ago.',
    ]);
    expect(knownFacts({ ...nothing, deploy, firstSeenAt: at(2) })).toEqual([
      'All 260 events arrived since 4.18.3 was deployed, the first 1 h after it.',
    ]);
    expect(knownFacts({ ...nothing, total: 2, deploy, firstSeenAt: at(2.99) })).toEqual([
      'Both events arrived since 4.18.3 was deployed, the first 36 s after it.',
    ]);
    expect(knownFacts({ ...nothing, total: 1, deploy, firstSeenAt: at(2) })).toEqual([
      'The only event arrived 1 h after 4.18.3 was deployed.',
    ]);
  });

  it('names who resolved it, after what it came back, on how many days it happened, and its releases', () => {
    const entry = (kind: HistoryEntry['kind'], hoursBefore: number, email: string | null): HistoryEntry => ({
      id: String(hoursBefore),
      kind,
      occurred_at: at(hoursBefore),
      actor: email === null ? null : { user_id: 'u', name: email, email },
      data: { ...NO_HISTORY_DATA, deployment_id: 'dep_1' },
    });
    const days = counts(86_400, ...Array.from({ length: 90 }, (_, day) => (day % 2 === 0 ? 3 : 0)));
    const marker = {
      at: at(2),
      kind: 'deploy',
      until: null,
      deployment_id: 'dep_1',
      label: '4.18.4',
    } as const;
    expect(
      knownFacts({
        ...nothing,
        history: [
          entry('incident.opened', 200, null),
          entry('incident.resolved', 9, 'ada@shop.example'),
          entry('incident.regressed', 1, null),
        ],
        days: { ...days, markers: [marker] },
        releases: ['4.18.1', '4.18.4'],
      }),
    ).toEqual([
      'Resolved by ada@shop.example, back 1 h after 4.18.4 was deployed.',
      'It happened on 7 of the last 14 days.',
      'Seen in 4.18.1, 4.18.4.',
    ]);
  });

  it('shows the trend over the shortest span that holds 80 percent of the events', () => {
    const week = (...recent: number[]) =>
      counts(3600, ...Array<number>(168 - recent.length).fill(0), ...recent);
    expect(fittingSpan(week(8), 10)).toBe('24 h');
    expect(fittingSpan(week(7), 10)).toBe('90 d');
    expect(fittingSpan(week(1, ...Array<number>(40).fill(0), 7), 10)).toBe('7 d');
  });
});
