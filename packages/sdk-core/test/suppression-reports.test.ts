import { describe, expect, it } from 'vitest';
import { createSuppression, suppressionKeys } from '../src/repeats/suppression.ts';
import type { JsonObject, WireEvent } from '../src/wire.ts';

const DAY_MS = 24 * 3_600_000;

function exception(message: string, event_id: string): WireEvent {
  const payload: JsonObject = {
    name: 'Error',
    message,
    stack: `Error: ${message}\n    at f (/app.js:1:2)`,
    route: '/',
  };
  const service = { name: 'web', environment: 'production', runtime: 'browser', framework: null };
  const correlation = { request_id: null, trace_id: null, session_id: null, user_id_hash: null };
  return {
    occurred_at: '2030-01-01T00:00:00.000Z',
    event_id,
    event_type: 'frontend_exception',
    schema_version: '2026-03-01',
    sdk_name: '@culprit/browser',
    sdk_version: '0.1.0',
    service,
    correlation,
    payload,
    context: {},
  };
}

describe('suppression', () => {
  it('reports what it held back, with the event that was sent last', () => {
    const reports: JsonObject[] = [];
    const suppression = createSuppression(
      suppressionKeys,
      (key) => String(key.length),
      60,
      (payload) => {
        reports.push(payload);
      },
    );
    const passed = [1, 2, 3, 4, 5].map((n) =>
      suppression.admits(exception('same', `id-${n}`), DAY_MS + n * 500),
    );
    expect(passed).toEqual([true, true, true, false, false]);
    expect(suppression.report(DAY_MS + 3000)).toBe(Number.POSITIVE_INFINITY);
    expect(reports).toMatchObject([
      {
        suppressed_count: 2,
        window_seconds: 30,
        loop_mode: false,
        sample_event_id: 'id-3',
        event_type: 'frontend_exception',
      },
    ]);
  });

  it('says when the next report of a loop is due, and emits it then', () => {
    const counts: unknown[] = [];
    const suppression = createSuppression(suppressionKeys, String, 60, (payload) =>
      counts.push(payload.suppressed_count),
    );
    for (let n = 0; n < 20; n += 1) suppression.admits(exception('loop', `id-${n}`), DAY_MS + n);
    expect(suppression.report(DAY_MS + 100)).toBe(Number.POSITIVE_INFINITY);
    suppression.admits(exception('loop', 'late'), DAY_MS + 200);
    expect(suppression.report(DAY_MS + 300)).toBe(DAY_MS + 100 + 30_000);
    suppression.report(DAY_MS + 100 + 30_000);
    expect(counts).toEqual([17, 1]);
  });

  it('emits the count of a key that gives way to 500 others', () => {
    const counts: unknown[] = [];
    const suppression = createSuppression(suppressionKeys, String, 10_000, (payload) =>
      counts.push(payload.suppressed_count),
    );
    for (let n = 0; n < 4; n += 1) suppression.admits(exception('first', `id-${n}`), DAY_MS);
    expect(counts).toEqual([]);
    for (let n = 0; n < 500; n += 1)
      suppression.admits(exception(`other ${n}`, `other-${n}`), DAY_MS + 40_000);
    expect(counts).toContain(1);
  });
});
