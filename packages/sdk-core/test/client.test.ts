import { describe, expect, it } from 'vitest';
import { exception, fakeClient, fakeHost, sentEvents } from './support/fake-host.ts';

describe('a client', () => {
  it('sends an exception after a quarter of a second, in the wire form', async () => {
    const host = fakeHost();
    const client = fakeClient(host);
    const id = client.capture(exception({ name: 'TypeError', message: 'token svc_proj_abc' }));
    await host.advance(249);
    expect(host.batches).toEqual([]);
    await host.advance(1);
    expect(sentEvents(host)).toMatchObject([
      {
        event_id: id,
        event_type: 'backend_exception',
        occurred_at: '2030-01-01T00:00:00.000Z',
        schema_version: '2026-03-01',
        sdk_name: '@culprit/node',
        payload: { name: 'TypeError', message: 'token [REDACTED]' },
        context: {},
      },
    ]);
    expect(client.diagnostics()).toMatchObject({ state: 'healthy', captured: 1, sent: 1, waiting: 0 });
  });

  it('flushes what waits, in as many batches as it needs', async () => {
    const host = fakeHost();
    const client = fakeClient(host);
    for (let i = 0; i < 120; i += 1) client.capture(exception());
    const flushed = client.flush(2000);
    await host.advance(1);
    expect(await flushed).toBe(true);
    expect(host.batches.map(({ events }) => events)).toEqual([50, 50, 20]);
  });
});
