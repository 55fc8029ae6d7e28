import type { BundleContext } from '@culprit/contract/incidents/bundle-context';
import { describe, expect, it } from 'vitest';
import { assembleBundle } from '../../src/bundles/document/assemble-bundle.ts';
import type { JsonObject } from '../../src/events/envelope/json.ts';
import type { AttachedLog, NormalizedEvent } from '../../src/events/normalize/event.ts';
import {
  breadcrumb,
  evidenceOf,
  exception,
  frontendException,
  HOUR_MS,
  log,
  MOMENT_MS,
  requestEvent,
  sample,
} from './build-evidence.ts';
import { contextOf } from './context-of.ts';

describe('what a service did before it failed', () => {
  const attached = (message: string, beforeMs: number | null, attributes: JsonObject = {}): AttachedLog => ({
    level: 'warning',
    message,
    attributes,
    timestampMs: beforeMs === null ? null : MOMENT_MS - beforeMs,
  });
  const call = (url: string, data: JsonObject, beforeMs = 1000) =>
    breadcrumb('network_request', { method: 'get', url, ...data }, MOMENT_MS - beforeMs);
  const linesOf = (context: BundleContext) =>
    context.logs?.items.map(({ level, message }) => [level, message]);

  it('stands among the logs in the order of time, with its calls in words', () => {
    const trail = {
      logs: [attached('retrying', 500, { password: 'x', n: 2 }), attached('no time', null)],
      breadcrumbs: [
        call('https://me:pw@pay.example/charge?card=1', { status_code: 503, duration_ms: 119.6 }, 700),
        call('https://db.example/q', { failure_kind: 'network', failure_reason: 'ECONNREFUSED' }, 600),
        breadcrumb('note', { message: 'cache cold', level: 'error' }, MOMENT_MS - 900),
        breadcrumb('checkpoint', {}, MOMENT_MS - 800),
      ],
    };
    const correlated = [
      {
        event: log('before', { level: 'info' }, { effectiveAtMs: MOMENT_MS - 2000 }),
        relation: 'request' as const,
      },
    ];
    const context = contextOf(exception({ trail }), { correlated });
    expect(linesOf(context)).toEqual([
      ['info', 'before'],
      ['error', 'cache cold'],
      ['info', 'checkpoint'],
      ['warning', 'GET https://pay.example/charge: 503 after 120 ms'],
      ['warning', 'GET https://db.example/q: ECONNREFUSED'],
      ['warning', 'retrying'],
      ['warning', 'no time'],
    ]);
    expect(context.logs?.items[5]?.attributes).toEqual({ password: '[REDACTED]', n: 2 });
    expect(JSON.stringify(context.logs)).not.toMatch(/me:pw|card=1/);
    expect(context.frontend).toBeNull();
  });

  it('is redacted by what its data are', () => {
    const data = {
      status_code: 400,
      request_body: '{"password":"hunter2"}',
      response_body: 'token=hunter2',
      response_headers: { location: '/reset?code=hunter2' },
      caller_trace: ['at go (https://x.example/a.js?key=hunter2:1:2)'],
      route: '/a',
    };
    const crumb = { ...call('https://x.example/a?key=hunter2', data), route: '/cart?code=hunter2' };
    const context = contextOf(exception({ trail: { logs: [], breadcrumbs: [crumb] } }));
    expect(context.logs?.items[0]?.attributes).toMatchObject({ status_code: 400, route: '/cart' });
    expect(JSON.stringify(context)).not.toContain('hunter2');
  });

  it('is shown once where a line was also sent on its own', () => {
    const own = log('retrying', { level: 'warning' }, { effectiveAtMs: MOMENT_MS - 500 });
    const correlated = [{ event: own, relation: 'request' as const }];
    const occurrence = exception({ trail: { logs: [attached('retrying', 500)], breadcrumbs: [] } });
    expect(linesOf(contextOf(occurrence, { correlated }))).toEqual([['warning', 'retrying']]);
  });

  it('keeps its latest lines when there are more than fit, before the lines of others', () => {
    const logs = Array.from({ length: 100 }, (_, n) => attached(`line ${n}`, 1000 - n));
    const correlated = [{ event: log('other'), relation: 'request' as const }];
    const lines = linesOf(contextOf(exception({ trail: { logs, breadcrumbs: [] } }), { correlated }));
    expect(lines).toHaveLength(50);
    expect([lines?.[0], lines?.[49]]).toEqual([
      ['warning', 'line 50'],
      ['warning', 'line 99'],
    ]);
  });

  it('makes the summary as confident as correlated logs do', () => {
    const confidence = (occurrence: NormalizedEvent) =>
      assembleBundle(evidenceOf(occurrence)).summary.confidence;
    const bare = confidence(exception());
    const trail = { logs: [attached('x', 1)], breadcrumbs: [] };
    expect(confidence(exception({ trail }))).toBeCloseTo(bare + 0.05, 5);
  });

  it('names the called hosts as dependencies, by how their last call ended', () => {
    const breadcrumbs = [
      call('https://a.example/1', { status_code: 500, duration_ms: 9 }, 900),
      call('https://a.example/2', { status_code: 200, duration_ms: 8 }, 800),
      call('http://b.example:8080/', { status_code: 429 }, 700),
      call('https://c.example/', { status_code: 404 }, 600),
      call('https://d.example/', { failure_reason: 'ETIMEDOUT', duration_ms: 5000 }, 500),
      call('https://e.example/', { status_code: 0 }, 400),
      call('/relative', { status_code: 500 }, 300),
    ];
    const occurrence = exception({ trail: { logs: [], breadcrumbs } });
    expect(contextOf(occurrence).dependencies?.items).toEqual([
      { name: 'a.example', status: 'degraded', notes: 'last 200 after 8 ms' },
      { name: 'b.example:8080', status: 'degraded', notes: 'last 429' },
      { name: 'c.example', status: 'ok', notes: 'last 404' },
      { name: 'd.example', status: 'failed', notes: 'last ETIMEDOUT after 5000 ms' },
      { name: 'e.example', status: 'failed', notes: 'last no answer' },
    ]);
    const told = { ...occurrence, context: { dependencies: { db: 'ok' } } };
    expect(contextOf(told).dependencies?.items).toEqual([{ name: 'db', status: 'ok', notes: null }]);
  });

  it('stands in the frontend block where it is what a person did', () => {
    const breadcrumbs = [
      breadcrumb('screen', { screen: 'Cart' }),
      call('https://a.example/', { status: 500 }),
    ];
    const context = contextOf(exception({ trail: { logs: [], breadcrumbs } }));
    expect(context.frontend?.route_changes[0]?.to).toBe('Cart');
    expect(context.frontend?.network_requests[0]?.status).toBe(500);
    expect([context.logs, context.dependencies]).toEqual([null, null]);
  });

  it('is that of the primary event alone: none of an older occurrence, of a service as of a page', () => {
    const trail = {
      logs: [attached('an hour before', HOUR_MS)],
      breadcrumbs: [call('https://a.example/', { status_code: 500 }, HOUR_MS)],
    };
    const clicks = [breadcrumb('click', { selector: '#pay' }, MOMENT_MS - HOUR_MS)];
    const atMs = MOMENT_MS - HOUR_MS;
    for (const [bare, older] of [
      [exception(), exception({ trail }, { effectiveAtMs: atMs })],
      [frontendException(), frontendException({ breadcrumbs: clicks }, { effectiveAtMs: atMs })],
    ] as const) {
      const samples = [
        sample(bare, { roles: ['latest', 'highest_severity'] }),
        sample(older, { roles: ['first', 'richest'] }),
      ];
      const { logs, dependencies, frontend } = contextOf(bare, { samples });
      expect([logs, dependencies, frontend?.clicks ?? []]).toEqual([null, null, []]);
      const led = contextOf(older, { samples: [sample(older)] });
      expect([led.logs?.items.length ?? 0, led.frontend?.clicks.length ?? 0]).not.toEqual([0, 0]);
    }
  });

  it('comes with a failed request, too', () => {
    const event = requestEvent({}, { durationMs: 12 });
    if (event.payload.kind !== 'request') throw new Error('unexpected kind');
    const payload = { ...event.payload, trail: { logs: [attached('slow', 10)], breadcrumbs: [] } };
    const context = contextOf({ ...event, payload });
    expect(linesOf(context)).toEqual([['warning', 'slow']]);
    expect(context.response?.duration_ms).toBe(12);
  });
});
