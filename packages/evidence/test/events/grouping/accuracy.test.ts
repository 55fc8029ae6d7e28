import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fingerprintEventV1 } from '../../../src/events/fingerprint/fingerprint-v1.ts';
import { fingerprintEventV2 } from '../../../src/events/fingerprint/fingerprint-v2.ts';
import type { NormalizedEvent } from '../../../src/events/normalize/event.ts';
import { labelledEvents } from './labelled-events.ts';
import { type Accuracy, measureAccuracy } from './measure-accuracy.ts';

const KEYS: Record<'v1' | 'v2', (event: NormalizedEvent) => string> = {
  v1: (event) => fingerprintEventV1(event)?.value ?? '',
  v2: (event) => fingerprintEventV2(event)?.value ?? '',
};

describe('grouping of labelled events', () => {
  const events = labelledEvents();

  function accuracy(version: 'v1' | 'v2', part?: string): Accuracy {
    return measureAccuracy(
      events
        .filter(({ part: name }) => part === undefined || name === part)
        .map(({ truth, event }) => ({ truth, key: KEYS[version](event) })),
    );
  }

  it.each([...new Set(events.map(({ part }) => part))])('keeps two causes apart: %s', (part) => {
    const causes = new Map<string, Set<string>>();
    for (const { part: name, truth, event } of events) {
      if (name !== part) continue;
      const key = fingerprintEventV2(event)?.materialJson ?? '';
      causes.set(key, (causes.get(key) ?? new Set()).add(truth));
    }
    expect([...causes].filter(([, truths]) => truths.size > 1)).toEqual([]);
  });

  it.each([...new Set(events.map(({ part }) => part))])('reads one cause as one: %s', (part) => {
    const keys = new Map<string, Set<string>>();
    for (const { part: name, truth, event } of events) {
      if (name !== part) continue;
      const key = fingerprintEventV2(event)?.materialJson ?? '';
      keys.set(truth, (keys.get(truth) ?? new Set()).add(key));
    }
    expect([...keys].filter(([, found]) => found.size > 1)).toEqual([]);
  });

  it('is better than version 1 in every measure', () => {
    const [v1, v2] = [accuracy('v1'), accuracy('v2')];
    expect(v2.precision).toBeGreaterThanOrEqual(v1.precision);
    expect(v2.recall).toBeGreaterThan(v1.recall);
    expect(v2.groupingAccuracy).toBeGreaterThan(v1.groupingAccuracy);
  });

  it('holds several hundred cases, which say where they come from', () => {
    expect(events.length).toBeGreaterThan(350);
    const text = readFileSync(join(import.meta.dirname, 'traces/record-traces.ts'), 'utf8');
    expect(text).toContain('recorded-traces.json');
  });
});
