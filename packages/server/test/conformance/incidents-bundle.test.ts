import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectDebugBundle } from '../support/bundle-schema.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { connect } from '../support/incident-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import {
  ago,
  DEP,
  EX,
  EX_FINGERPRINT,
  EX_TITLE,
  EXR,
  FRONTEND,
  HOUR,
  LOG,
  MINUTE,
  OPAQUE,
  REQ,
  RESOURCE,
  SECOND,
  type SentEvent,
} from './incidents-fixtures.ts';

describe.concurrent('the debug bundle', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  /** The bundle of the only incident of a fresh project that was sent these events together. */
  async function bundleOf(...events: SentEvent[]): Promise<DebugBundle> {
    const client = await connect(culprit);
    await client.send(...events);
    await client.processed();
    const [incident] = await client.list();
    await client.settled();
    const bundle = await client.bundle(incident?.incident_id ?? '');
    expectDebugBundle(bundle);
    return bundle;
  }

  //
  it('is pending or there from the first moment on, and then stays', async () => {
    const client = await connect(culprit);
    const event = EX();
    await client.send(event);
    const incident = await client.only();
    const path = `/v1/incidents/${incident.incident_id}/bundle`;
    const early = await client.get(path);
    expect(early.status).toBe(200);
    if (!isJsonObject(early.body) || !('bundle_version' in early.body)) {
      expect(early.body).toEqual({ status: 'pending' });
    }
    const bundle = await client.bundle(incident.incident_id);
    expectDebugBundle(bundle);
    const uuid = incident.incident_id.replace('inc_', '');
    expect(bundle).toMatchObject({
      bundle_version: 1,
      bundle_id: `bun_${uuid}`,
      bundle_type: 'failure',
      captured_at: event.timestamp,
      sdk: { name: 'custom', version: '1.0.0' },
      project: { id: client.project.projectId, slug: 'shop', environment: 'production' },
      service: { id: incident.service_id, name: 'checkout-api', runtime: null, version: null },
      signal: {
        signal_type: 'exception',
        severity: 'high',
        fingerprint: EX_FINGERPRINT,
        first_seen_at: event.timestamp,
        last_seen_at: event.timestamp,
        occurrence_count: 1,
        source_event_types: ['backend_exception'],
      },
      verification: {
        verification_type: null,
        synthetic: false,
        local_verified: false,
        production_verified: false,
      },
      metadata: { generator_version: 'bundle-1.8.0', generation_number: 1 },
    });
    expect(bundle.links.self).toMatch(new RegExp(`^http.*/v1/incidents/${incident.incident_id}/bundle$`));
    expect(await client.ledger('bundle.created')).toMatchObject([
      { incidentId: incident.incident_id, data: { verification: false } },
    ]);
  });

  //
  it('sums the failure up', async () => {
    const { summary } = await bundleOf(EX());
    expect(summary).toMatchObject({
      title: EX_TITLE,
      error_type: 'TypeError',
      error_message: "Cannot read properties of undefined (reading 'theme')",
      first_application_frame: {
        file: '/srv/releases/20260324101500/src/checkout/theme.js',
        line: 42,
        function: 'renderTheme',
      },
      severity: 'high',
      primary_signal: 'exception',
    });
  });

  //
  it('the first and the latest occurrence are kept in full, and the first one after a deploy', async () => {
    const client = await connect(culprit);
    const occurrence = (n: number, agoMs: number) => EX({ event_id: `evt_${n}`, timestamp: ago(agoMs) });
    await client.send(occurrence(1, 3 * HOUR));
    await client.send(occurrence(2, 2 * HOUR + MINUTE));
    await client.send(occurrence(3, 2 * HOUR));
    const { incident_id } = await client.only(3);
    const sampled = async () =>
      Object.fromEntries((await client.logs(incident_id)).map((row) => [row.event_id, row.is_sampled]));
    expect(await sampled()).toEqual({ evt_1: true, evt_2: false, evt_3: true });
    await client.send(DEP());
    await client.send(occurrence(4, HOUR), occurrence(5, MINUTE));
    await client.only(5);
    expect(await sampled()).toEqual({ evt_1: true, evt_2: false, evt_3: false, evt_4: true, evt_5: true });
    await client.refreshed();
    const { context } = await client.bundle(incident_id);
    expect(context.occurrences?.items.map(({ event_id, roles }) => [event_id, roles])).toEqual([
      ['evt_1', ['first']],
      ['evt_4', ['after_deploy']],
      ['evt_5', ['latest', 'highest_severity', 'richest']],
    ]);
  });

  it('a late event becomes the first occurrence and the latest stays what it was', async () => {
    const { context } = await bundleOf(
      EX({ event_id: 'evt_new' }),
      EX({ event_id: 'evt_mid', timestamp: ago(MINUTE) }),
      EX({ event_id: 'evt_old', timestamp: ago(HOUR) }),
    );
    expect(context.occurrences?.items.map(({ event_id }) => event_id)).toEqual(['evt_old', 'evt_new']);
  });

  //
  it('redacts credentials and says where', async () => {
    const bundle = await bundleOf(EXR());
    const text = JSON.stringify(bundle);
    expect(text).not.toContain('Bearer abc');
    expect(text).not.toContain('hunter2');
    expect(bundle.redaction).toMatchObject({ redacted: true, notes: null });
    expect(bundle.redaction.fields).toContain('context.request.headers.authorization');
    expect(bundle.redaction.fields).toContain('context.request.body.password');
    expect(bundle.redaction.fields).toEqual([...bundle.redaction.fields].sort());
  });

  it('says that nothing was redacted when nothing was', async () => {
    expect((await bundleOf(EX())).redaction).toEqual({ redacted: false, fields: [], notes: null });
  });

  //
  it('stays within 512 KiB, whatever was sent', async () => {
    const frame = '    at step (/srv/app/src/step.js:1:1)\n';
    const stacktrace = `TypeError: too much\n${frame.repeat((200 * 1024) / frame.length)}`;
    const bundle = await bundleOf(
      EXR(
        { payload: { stacktrace } },
        { body: { text: 'a'.repeat(400 * 1024) } },
        { body: 'b'.repeat(300 * 1024) },
      ),
    );
    expect(Buffer.byteLength(JSON.stringify(bundle))).toBeLessThanOrEqual(512 * 1024);
    expect(bundle.context.request?.body).toMatchObject({ truncated: true });
    expect(bundle.context.response?.body).toMatchObject({ truncated: true });
    expect(Buffer.byteLength(bundle.context.error?.stack ?? '')).toBeLessThanOrEqual(33 * 1024);
  });

  //
  it('is the same under the id of the bundle and of the incident, byte for byte', async () => {
    const client = await connect(culprit);
    await client.send(EXR());
    const { incident_id } = await client.only();
    await client.bundle(incident_id);
    const headers = { authorization: `Bearer ${client.project.memberToken}` };
    const [one, two] = await Promise.all(
      [incident_id, incident_id.replace('inc_', 'bun_')].map(async (id) => {
        const response = await fetch(`${culprit.url}/v1/incidents/${id}/bundle`, { headers });
        expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
        return await response.text();
      }),
    );
    expect(one).toBe(two);
    expect(one).toContain('"bundle_version":1');
  });

  //
  it('shows the browser side of its trace, in an incident of its own', async () => {
    const client = await connect(culprit);
    const correlation = { trace_id: 'trace-49' };
    await client.send(EX({ correlation }), FRONTEND({ correlation, event_id: 'evt_browser' }));
    const incidents = await client.counted(1, 1);
    await client.refreshed();
    const bundles = await Promise.all(incidents.map(({ incident_id }) => client.bundle(incident_id)));
    const backend = bundles.find(({ service }) => service.name === 'checkout-api');
    expect(backend?.context.frontend?.exceptions).toMatchObject([{ event_id: 'evt_browser' }]);
    expect(backend?.signal.source_event_types).toEqual(['backend_exception', 'frontend_exception']);
    bundles.forEach(expectDebugBundle);
  });

  it('shows the browser side that arrives later and the server side in turn', async () => {
    const client = await connect(culprit);
    const correlation = { trace_id: 'trace-50' };
    await client.send(FRONTEND({ correlation }));
    const { incident_id } = await client.only();
    await client.bundle(incident_id);
    await client.send(
      LOG('info', 'checkout began', { correlation }),
      REQ({ correlation, payload: { response_status: 204 } }),
    );
    await client.settled();
    const { context } = await client.bundle(incident_id);
    expect(context.logs?.items).toMatchObject([{ message: 'checkout began' }]);
    expect(context.request).toMatchObject({ method: 'POST', path: '/api/orders/48213/pay' });
  });

  it.each<[string, SentEvent, string]>([
    ['a server exception', EX(), 'exception'],
    ['an uncaught fatal exception', EX({ context: { fatal: true } }), 'fatal_error'],
    ['a handled fatal exception', EX({ context: { fatal: true }, payload: { handled: true } }), 'exception'],
    ['a panic', EX({ payload: { message: 'panic: nil map' } }), 'fatal_error'],
    ['a browser exception', FRONTEND(), 'frontend_exception'],
    ['an opaque error', OPAQUE(), 'frontend_exception'],
    ['a missing script', RESOURCE(), 'frontend_exception'],
    ['a failed request', REQ(), 'request_failure'],
    ['an error log', LOG('error', 'slow'), 'warning'],
    [
      'an error log with a stack',
      LOG('error', 'slow', { payload: { attributes: { stack: EX().payload.stacktrace } } }),
      'exception',
    ],
    ['a critical log', LOG('critical', 'gone'), 'fatal_error'],
  ])('the signal of %s is told apart and every block is there or null', async (_, event, signalType) => {
    const bundle = await bundleOf(event);
    expect(bundle.signal.signal_type).toBe(signalType);
    expect(bundle.summary.primary_signal).toBe(signalType);
    for (const block of BLOCKS) expect(bundle.context).toHaveProperty(block);
  });

  it('tells of a verification event that it is one', async () => {
    const client = await connect(culprit);
    await client.send(EX({ context: { verification: true, verification_type: 'install' } }));
    const { verification } = await client.bundle((await client.only()).incident_id);
    expect(verification).toEqual({
      verification_type: 'install',
      synthetic: true,
      local_verified: false,
      production_verified: true,
    });
    expect(await client.ledger('bundle.created')).toMatchObject([{ data: { verification: true } }]);
  });

  it('the ledger calls an incident a verification when its first occurrence was one', async () => {
    const [first, later] = await Promise.all([connect(culprit), connect(culprit)]);
    const verifying = (timestamp: string) => EX({ timestamp, context: { verification: true } });
    await first.send(verifying(ago(MINUTE)), EX());
    await later.send(EX({ timestamp: ago(MINUTE) }), verifying(ago(0)));
    for (const [client, verification] of [
      [first, true],
      [later, false],
    ] as const) {
      await client.bundle((await client.only(2)).incident_id);
      expect(await client.ledger('bundle.created')).toMatchObject([{ data: { verification } }]);
    }
  });

  it('suspects the deploy in whose window the incident began', async () => {
    const bundle = await bundleOf(DEP(), EX({ timestamp: ago(SECOND) }));
    expect(bundle.context.deploy).toMatchObject({ deploy_version: '2026.03.24.1', regression_window: true });
    expect(bundle.summary.signals).toMatchObject({ new_deploy: true, regression_suspected: true });
    expect(bundle.service.version).toBe('2026.03.24.1');
    expect(bundle.signal.source_event_types).toEqual(['backend_exception', 'deploy_metadata']);
  });
});

const BLOCKS = [
  ...['error', 'request', 'response', 'logs', 'frontend', 'environment', 'deploy', 'runtime', 'git'],
  ...['dependencies', 'probe_data', 'device'],
];
