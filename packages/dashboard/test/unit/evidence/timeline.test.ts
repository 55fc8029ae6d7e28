import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assembleBundle } from '../../../../evidence/src/bundles/document/assemble-bundle.ts';
import { evidenceOf, exception } from '../../../../evidence/test/bundles/build-evidence.ts';
import {
  offsetWords,
  otherEvents,
  sortEntries,
  type TimelineEntry,
  timelineOf,
} from '../../../src/incident/story/timeline.ts';
import { bundles } from './fixtures.ts';

describe('the timeline', () => {
  const entry = (fields: Partial<TimelineEntry>): TimelineEntry => ({
    key: String(Math.random()),
    lane: 'server',
    kind: 'log',
    offsetMs: 0,
    level: null,
    text: '',
    isFailure: false,
    data: null,
    ...fields,
  });

  it('is in the order of time, at equal times the browser first, and what has no time at the end', () => {
    const sorted = sortEntries([
      entry({ text: 'no time', offsetMs: null }),
      entry({ text: 'after', offsetMs: 5 }),
      entry({ text: 'failure', isFailure: true }),
      entry({ text: 'server' }),
      entry({ text: 'browser', lane: 'browser' }),
      entry({ text: 'before', offsetMs: -5 }),
    ]);
    expect(sorted.map(({ text }) => text)).toEqual([
      'before',
      'browser',
      'server',
      'failure',
      'after',
      'no time',
    ]);
  });

  it('has the failure at zero', () => {
    fc.assert(
      fc.property(bundles, (bundle) => {
        const failures = timelineOf(bundle).filter(({ isFailure }) => isFailure);
        expect(failures.map(({ offsetMs }) => offsetMs)).toEqual([0]);
      }),
      { numRuns: 50 },
    );
  });

  it('keeps all 410 entries of a bundle at its bounds, each in its lane and place', () => {
    const plain = assembleBundle(evidenceOf(exception()));
    const zeroMs = Date.parse(plain.captured_at);
    const fifty = Array.from({ length: 50 }, (_, index) => index);
    const at = (index: number) => new Date(zeroMs - (index + 1) * 10).toISOString();
    const frontend = {
      version: 1 as const,
      route_changes: fifty.map((n) => ({ from: '/', to: `/${n}`, ts: at(n) })),
      clicks: fifty.map((n) => ({ selector: `#${n}`, label: null, ts: at(n) })),
      form_submissions: fifty.map((n) => ({ form: `form ${n}`, fields: [], ts: at(n) })),
      console_logs: fifty.map((n) => ({ level: 'info', message: `line ${n}`, source: null, ts: at(n) })),
      network_requests: fifty.map((n) => ({ method: 'GET', url: `/${n}`, status: 200, ts: at(n) })),
      exceptions: fifty.map((n) => ({
        event_id: `evt_${n}`,
        service: 'web',
        name: 'E',
        message: '',
        route: null,
        ts: at(n),
      })),
      dom_context: null,
    };
    const logs = {
      version: 1 as const,
      items: fifty.map((n) => ({ level: 'info', message: `${n}`, timestamp: at(n), attributes: {} })),
    };
    const probes = fifty.map((n) => ({ label: `${n}`, data: {}, timestamp: at(n), activation_id: null }));
    const occurrences = Array.from({ length: 8 }, (_, index) => ({
      event_id: `evt_o${index}`,
      event_type: 'backend_exception',
      occurred_at: at(index),
      roles: [],
      severity: 'high' as const,
      deploy_version: null,
    }));
    const deploy = {
      version: 1 as const,
      commit_sha: null,
      deploy_version: '1',
      branch: null,
      deployed_at: at(90),
      regression_window: true,
    };
    const bundle = {
      ...plain,
      context: {
        ...plain.context,
        frontend,
        logs,
        deploy,
        probe_data: { version: 1 as const, items: probes },
        occurrences: { version: 1 as const, items: occurrences },
      },
    };
    const entries = timelineOf(bundle);
    expect(entries).toHaveLength(6 * 50 + 50 + 50 + 1);
    expect(otherEvents(bundle, entries)).toHaveLength(8);
    expect(Map.groupBy(entries, ({ lane }) => lane).get('browser')).toHaveLength(300);
    const offsets = entries.map(({ offsetMs }) => offsetMs ?? Number.POSITIVE_INFINITY);
    expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
    expect(entries.at(-1)).toMatchObject({ isFailure: true, offsetMs: 0, lane: 'server' });
  });

  it('is of one event: the trail of another is left out, and other events are marks within its bounds', () => {
    const plain = assembleBundle(evidenceOf(exception()));
    const zeroMs = Date.parse(plain.captured_at);
    const at = (secondsBefore: number) => new Date(zeroMs - secondsBefore * 1000).toISOString();
    const click = (secondsBefore: number) => ({
      selector: `#at-${secondsBefore}`,
      label: null,
      ts: at(secondsBefore),
    });
    const occurrence = (secondsBefore: number) => ({
      event_id: `evt_${secondsBefore}`,
      event_type: 'backend_exception',
      occurred_at: at(secondsBefore),
      roles: [],
      severity: 'high' as const,
      deploy_version: null,
    });
    const bundle = {
      ...plain,
      context: {
        ...plain.context,
        frontend: {
          ...{ version: 1 as const, route_changes: [], clicks: [click(10), click(7200)] },
          ...{ form_submissions: [], console_logs: [], network_requests: [], exceptions: [] },
          dom_context: null,
        },
        occurrences: { version: 1 as const, items: [occurrence(0), occurrence(5), occurrence(7200)] },
      },
    };
    const entries = timelineOf(bundle);
    expect(entries.filter(({ kind }) => kind === 'click').map(({ text }) => text)).toEqual([
      'clicked #at-10',
    ]);
    expect(otherEvents(bundle, entries)).toEqual([-5000]);
  });

  it.each([
    [0, '0'],
    [-370, '−370 ms'],
    [42_000, '+42.0 s'],
    [-600_000, '−10 min'],
    [null, '–'],
  ])('words the distance %s', (offset, words) => {
    expect(offsetWords(offset)).toBe(words);
  });
});
