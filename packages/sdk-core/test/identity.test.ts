import { describe, expect, it } from 'vitest';
import { newTraceId } from '../src/correlation.ts';
import { createEventIds } from '../src/event-id.ts';
import { fnv1a, fnv1aHex, samplingNumber } from '../src/repeats/fnv1a.ts';
import { createSamplingStep } from '../src/repeats/steps.ts';
import { exception, fakeClient, fakeHost, logLine, START_MS, sentEvents } from './support/fake-host.ts';

describe('event ids', () => {
  it('are UUIDs of version 7 that ascend, within a millisecond and when the clock is set back', () => {
    let nowMs = START_MS;
    const host = fakeHost();
    const newId = createEventIds({ now: () => nowMs, random: host.random });
    const ids: string[] = [];
    for (let i = 0; i < 20_000; i += 1) {
      if (i === 5000) nowMs -= 60_000;
      if (i === 10_000) nowMs += 120_000;
      ids.push(newId());
    }
    expect(
      ids.every((id) => /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/.test(id)),
    ).toBe(true);
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
    expect(Number.parseInt((ids[0] ?? '').replace('-', '').slice(0, 12), 16)).toBe(START_MS);
  });
});

describe('FNV-1a', () => {
  it('gives the check values of docs/contract/ingestion.md 5.3', () => {
    const prefix = 'proj_contract01:7d0f4f0e-6b1c-4c55-9a53-0b6f3c1f2a11:';
    expect(fnv1a(`${prefix}evt_sample_a`)).toBe(2940453553);
    expect(fnv1a(`${prefix}evt_sample_b`)).toBe(2890120696);
    expect(fnv1a(`${prefix}3f2b8c1e-0d4a-4a6f-9b7e-5c1d2e3f4a5b`)).toBe(2593207185);
    expect(samplingNumber(`${prefix}evt_sample_a`)).toBeCloseTo(0.68462769, 8);
    expect(fnv1aHex('')).toBe('811c9dc5');
  });
});

describe('sampling', () => {
  it('keeps a share of the traces whole, and every signal', async () => {
    const host = fakeHost();
    const client = fakeClient(host, {
      stormMax: 1e9,
      judge: (_, { level }) => ({ wanted: true, rank: level === undefined ? 2 : 0 }),
      steps: [createSamplingStep(0.25)],
    });
    for (let i = 0; i < 400; i += 1) {
      const correlation = { trace_id: newTraceId(host.random) };
      for (const line of ['a', 'b']) {
        const draft = logLine('info', `${line.repeat(10)} ${i}`);
        client.capture({
          ...draft,
          payload: { ...draft.payload, attributes: { logger: `l${i}${line}` } },
          correlation,
        });
      }
      client.capture({ ...exception(), correlation });
    }
    void client.flush(5000);
    await host.advance(5000);
    const events = sentEvents(host);
    expect(events.filter(({ event_type }) => event_type === 'backend_exception').length).toBe(400);
    const traces = events.flatMap((event) =>
      event.event_type === 'log_event' ? [event.correlation.trace_id] : [],
    );
    expect(new Set(traces).size * 2).toBe(traces.length);
    expect(traces.length).toBeGreaterThan(120);
    expect(traces.length).toBeLessThan(280);
    expect(client.diagnostics().dropped.sampled).toBe(800 - traces.length);
  });
});
