import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import type { Incident } from '@culprit/contract/incidents/incidents';
import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LibraryKind, wireForm } from '../../../evidence/test/events/wire-forms.ts';
import { expectDebugBundle } from '../support/bundle-schema.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { connect } from '../support/incident-client.ts';
import { ago } from './incidents-fixtures.ts';

describe.concurrent('what published client libraries send', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await startCulprit();
  });
  afterAll(() => culprit.stop());

  /** Incident and bundle that one event of a library gives in a fresh project. */
  async function readBack(
    kind: LibraryKind,
    name: string,
    payload: JsonObject = {},
  ): Promise<{ incident: Incident; bundle: DebugBundle; reproduction: unknown }> {
    const client = await connect(culprit);
    await client.send({ ...wireForm(kind, name, payload), occurred_at: ago(0) });
    const incident = await client.only();
    const bundle = await client.bundle(incident.incident_id);
    expectDebugBundle(bundle);
    const { body } = await client.get(`/v1/incidents/${incident.incident_id}/reproduction`);
    return { incident, bundle, reproduction: body };
  }

  it.each<[LibraryKind, string, string]>([
    ['node-server', 'nameless_class', 'Error: queue closed'],
    ['node-server', 'class_of_null', 'Error: queue lost'],
    ['php-server', 'anonymous_class', 'Error: declined'],
    ['ruby-server', 'anonymous_class', 'Error: declined'],
  ])('%s: an exception without a class name is accepted as an Error (%s)', async (kind, name, title) => {
    const { incident, bundle } = await readBack(kind, name);
    expect(incident.title).toBe(title);
    expect(bundle.context.error?.name).toBe('Error');
  });

  it.each<[LibraryKind, string]>([
    ['node-server', 'background_job'],
    ['php-server', 'command_line'],
  ])('%s: an exception outside of a request tells of none', async (kind, name) => {
    const { bundle, reproduction } = await readBack(kind, name);
    const { bundle: bare } = await readBack(kind, name, { request: null, response: null });
    expect(bundle.context).toMatchObject({ request: null, response: null });
    expect(bundle.summary.description).not.toContain('handling');
    expect(bundle.summary.confidence).toBe(bare.summary.confidence);
    expect(bundle.impact.affected_requests_estimate).toBeNull();
    expect(reproduction).toMatchObject({ possible: false, confidence: 0, reason: 'no_request_context' });
  });

  it('node-server: causes in the context group and show as causes in the payload do', async () => {
    const { incident, bundle } = await readBack('node-server', 'causes_in_context');
    const { causes = null } = wireForm('node-server', 'causes_in_context').context as JsonObject;
    const sent = await readBack('node-server', 'causes_in_context', { causes });
    expect(bundle.context.error_chain?.items.map(({ type }) => type)).toEqual([
      'CheckoutError',
      'PaymentError',
      'SocketError',
    ]);
    expect(bundle.context.error_chain).toEqual(sent.bundle.context.error_chain);
    expect(incident.fingerprint).toBe(sent.incident.fingerprint);
  });

  it('node-server: an error passed to the logger is an exception, however large its neighbors are', async () => {
    const { attributes } = wireForm('node-server', 'error_passed_to_logger').payload as {
      attributes: JsonObject;
    };
    const large = { arg_0: { rows: Array.from({ length: 190 }, () => 'x'.repeat(1_000)) } };
    const { incident, bundle } = await readBack('node-server', 'error_passed_to_logger', {
      attributes: { ...large, arg_1: attributes.arg_1 ?? null },
    });
    expect(incident).toMatchObject({
      severity: 'high',
      title: 'Checkout failed for cart: PaymentError: card declined',
    });
    expect(incident.matched_fields).toContain('top_frames');
    expect(bundle.signal.signal_type).toBe('exception');
    expect(bundle.summary.first_application_frame).toMatchObject({ function: 'charge', line: 42 });
    expect(bundle.context.error).toMatchObject({ name: 'PaymentError', message: 'card declined' });
    expect(bundle.context.error?.stack).toContain('/app/src/http/routes.js:77:5');
  });

  it('node-server: addresses in headers lose their query in every form, and a GET has no body', async () => {
    const { bundle, reproduction } = await readBack('node-server', 'get_with_empty_body');
    expect(JSON.stringify([bundle, reproduction])).not.toContain('SECRET');
    expect(bundle.context.request?.headers).toMatchObject({ referer: 'https://shop.example/reset' });
    expect(bundle.context.response?.headers).toMatchObject({ Location: '/login' });
    expect(reproduction).toMatchObject({
      possible: true,
      artifacts: {
        curl: expect.stringContaining(`-H 'referer: https://shop.example/reset'`),
        httpie: expect.stringContaining(`'referer:https://shop.example/reset'`),
        json_spec: { headers: { referer: 'https://shop.example/reset' }, body: null },
      },
    });
    expect(bundle.reproduction.artifacts?.curl).not.toContain('--data');
  });

  it('browser-page: the trail of a page is read by strict clients and tells no secret', async () => {
    const { bundle } = await readBack('browser-page', 'page_trail');
    expect(bundle.context.error?.message).toBe('');
    expect(bundle.context.device?.os).toEqual({ name: null, version: null });
    expect(bundle.context.frontend?.route_changes.map(({ from }) => from)).toEqual(['unknown', '/cart']);
    expect(JSON.stringify(bundle)).not.toContain('SECRET');
  });

  it('go-server: the call that panicked leads, not the one that recovers', async () => {
    const { bundle } = await readBack('go-server', 'recovered_panic');
    expect(bundle.summary.first_application_frame).toMatchObject({ function: '(*Cart).Item', line: 31 });
    expect(bundle.context.error?.top_frames).toEqual([
      'cart/cart.go:31',
      'web/cart.go:12',
      'web/guard.go:25',
    ]);
  });

  it('python-server: the exceptions inside a group are read with their frames', async () => {
    const { bundle } = await readBack('python-server', 'exception_group');
    expect(bundle.context.error_chain?.items).toEqual([
      {
        type: 'ExceptionGroup',
        message: 'unhandled errors in a TaskGroup (2 sub-exceptions)',
        top_frames: ['app/main.py:34'],
      },
      { type: 'ValueError', message: 'no price', top_frames: ['app/prices.py:5'] },
      { type: 'stock.StockError', message: 'no stock', top_frames: ['app/stock.py:9'] },
      { type: 'KeyError', message: "'sku-1'", top_frames: ['app/stock.py:7'] },
    ]);
    expect(bundle.summary.first_application_frame).toMatchObject({ file: '/app/stock.py', line: 7 });
  });
});
