import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fingerprintEvent } from '../../../src/events/fingerprint/fingerprint.ts';
import { labelledEvents } from './labelled-events.ts';

describe('grouping of labelled events', () => {
  const events = labelledEvents();

  it.each([...new Set(events.map(({ part }) => part))])('keeps two causes apart: %s', (part) => {
    const causes = new Map<string, Set<string>>();
    for (const { part: name, truth, event } of events) {
      if (name !== part) continue;
      const key = fingerprintEvent(event)?.materialJson ?? '';
      causes.set(key, (causes.get(key) ?? new Set()).add(truth));
    }
    expect([...causes].filter(([, truths]) => truths.size > 1)).toEqual([]);
  });

  it.each([...new Set(events.map(({ part }) => part))])('reads one cause as one: %s', (part) => {
    const keys = new Map<string, Set<string>>();
    for (const { part: name, truth, event } of events) {
      if (name !== part) continue;
      const key = fingerprintEvent(event)?.materialJson ?? '';
      keys.set(truth, (keys.get(truth) ?? new Set()).add(key));
    }
    expect([...keys].filter(([, found]) => found.size > 1)).toEqual([]);
  });

  it('holds several hundred cases, which say where they come from', () => {
    expect(events.length).toBeGreaterThan(350);
    const text = readFileSync(join(import.meta.dirname, 'traces/record-traces.ts'), 'utf8');
    expect(text).toContain('recorded-traces.json');
  });
});
