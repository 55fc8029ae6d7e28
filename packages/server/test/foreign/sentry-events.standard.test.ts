import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { familyEvent } from '../../../evidence/test/foreign/sentry/families.ts';
import { LOGS, REPORT, SPANS, TRANSACTION } from '../../../evidence/test/foreign/sentry/other-items.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import {
  authOf,
  type EnvelopeItem,
  envelope,
  newEventId,
  post,
  type SentryTarget,
  sentryTarget,
} from '../support/sentry-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';

/** When the events that were written by hand happened. */
const WRITTEN_AT = 1_764_374_400.123;

/** With its breadcrumbs as if they were of now. */
function ofNow(event: object): object {
  if (!('breadcrumbs' in event) || !Array.isArray(event.breadcrumbs)) return event;
  const aheadBy = Date.now() / 1_000 - WRITTEN_AT;
  const breadcrumbs = event.breadcrumbs.map((crumb: { timestamp: unknown }) =>
    typeof crumb.timestamp === 'number' ? { ...crumb, timestamp: crumb.timestamp + aheadBy } : crumb,
  );
  return { ...event, breadcrumbs };
}

/** docs/contract/foreign-protocols.md 5 and 6, with events that were written by hand. */
describe('events of Sentry libraries', () => {
  let culprit: TestCulprit;
  let client: IncidentClient;
  let target: SentryTarget;

  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  async function project(): Promise<void> {
    client = await connect(culprit, { preset: 'balanced' });
    target = await sentryTarget(culprit, client.project);
  }

  async function sendItems(items: readonly EnvelopeItem[], header: object = {}): Promise<void> {
    const answer = await post(target.envelope, envelope(items, header), authOf(target.key));
    expect(answer.status).toBe(200);
  }

  /** Sends an event as if it were of now, and gives its id. */
  async function send(event: object, changes: object = {}): Promise<string> {
    const eventId = newEventId();
    const payload = { ...ofNow(event), event_id: eventId, timestamp: Date.now() / 1_000, ...changes };
    await sendItems([{ type: 'event', payload }], { event_id: eventId });
    return eventId;
  }

  async function bundleOf(incidentId: string): Promise<DebugBundle> {
    await client.settled();
    return await client.bundle(incidentId);
  }

  // F-23, F-31
  it('the same application under three majors of the library for Node is one incident', async () => {
    await project();
    for (const major of [7, 9, 11]) await send(familyEvent(`node ${major}`));
    const incident = await client.only(3);
    const { context, impact } = await bundleOf(incident.incident_id);
    expect(context.error_chain?.items.map(({ type }) => type)).toEqual(['OrderError', 'Error']);
    expect(context.request).toMatchObject({
      method: 'POST',
      path: '/orders/7',
      route_template: '/orders/:id',
    });
    expect(context.logs?.items.map(({ message }) => message)).toContain('stock is low');
    expect(context.custom?.context.release).toBe('shop@1.4.0');
    expect(incident.environment).toBe('production');
    expect(impact.affected_users_estimate).toBe(1);
    expect(context.stack?.frames[0]).toMatchObject({
      context_line: "  throw new OrderError('order could not be saved');",
    });
  });

  // F-24, F-35
  it('Flask, Django and a script with one error are one incident, with variables and no secrets', async () => {
    await project();
    for (const kind of ['1 plain', '1 django', '2 flask']) await send(familyEvent(`python ${kind}`));
    const incident = await client.only(3);
    const bundle = await bundleOf(incident.incident_id);
    expect(bundle.context.stack?.frames[0]?.vars).toMatchObject({ count: '2', password: '[REDACTED]' });
    expect(JSON.stringify(bundle)).not.toMatch(/hunter2|k-123456789|sessionid|203\.0\.113\.9/);
    expect(bundle.context.error?.stack).toContain('at order (shop/views.py:31)');
  });

  // F-35
  it('what was entered is in no message of a database, and one failure is one incident', async () => {
    await project();
    for (const entered of ['ann@planted.example', "planted O'Bo"]) {
      const value = `(pymysql.err.IntegrityError) (1062, "Duplicate entry '${entered}' for key 'users.email'")`;
      await send({
        platform: 'python',
        breadcrumbs: [
          {
            timestamp: WRITTEN_AT,
            category: 'query',
            message: `insert into users (email) values ('${entered.replaceAll("'", "''")}')`,
          },
        ],
        exception: {
          values: [
            {
              type: 'IntegrityError',
              value,
              stacktrace: { frames: [{ function: 'save', filename: 'shop.py', lineno: 7 }] },
            },
          ],
        },
      });
    }
    const incident = await client.only(2);
    const bundle = await bundleOf(incident.incident_id);
    expect(JSON.stringify([incident, bundle])).not.toContain('planted');
    expect(bundle.context.error?.message).toContain("Duplicate entry '[REDACTED]' for key 'users.email'");
  });

  // F-25, F-26
  it('Rack has own frames although none is marked, Raven and a list of Go are taken', async () => {
    await project();
    await send(familyEvent('ruby'));
    await send(familyEvent('raven'));
    await send(familyEvent('go'));
    const incidents = await client.counted(1, 1, 1);
    const titles = incidents.map(({ title }) => title).sort();
    expect(titles).toEqual([
      '*fmt.wrapError: load order: no rows',
      'OrderError: no stock',
      'Shop::OrderError: no stock',
    ]);
    const rack = incidents.find(({ title }) => title.startsWith('Shop::'));
    const { summary } = await bundleOf(rack?.incident_id ?? '');
    expect(summary.first_application_frame).toMatchObject({ file: '/srv/shop/order.rb' });
  });

  // F-27
  it('a page under two majors is one incident, with what led to it', async () => {
    await project();
    for (const major of [7, 11]) await send(familyEvent(`page ${major}`));
    const incident = await client.only(2);
    expect(incident.source_trust).toBe('browser');
    const { context } = await bundleOf(incident.incident_id);
    expect(context.frontend?.clicks).toHaveLength(1);
    expect(context.frontend?.network_requests).toMatchObject([{ url: '/api/cart', status: 503 }]);
    expect(context.frontend?.console_logs).toMatchObject([{ message: 'cart' }]);
    expect(context.device?.browser?.name).toBe('Chrome');
  });

  // F-30
  it('members of a group in any order are one incident', async () => {
    await project();
    const member = (id: number, type: string, file: string) => ({
      type,
      value: 'x',
      mechanism: { type: 'chained', exception_id: id, parent_id: 0 },
      stacktrace: { frames: [{ function: type, filename: file, in_app: true, lineno: 1 }] },
    });
    const root = {
      type: 'ExceptionGroup',
      value: 'two failed',
      mechanism: { type: 'excepthook', exception_id: 0, is_exception_group: true },
    };
    const group = (...members: object[]) => ({
      platform: 'python',
      exception: { values: [...members, root] },
    });
    await send(group(member(2, 'A', '/srv/a.py'), member(1, 'B', '/srv/b.py')));
    await send(group(member(2, 'B', '/srv/b.py'), member(1, 'A', '/srv/a.py')));
    await client.only(2);
  });

  // F-32, F-51
  it('frames as objects and the same stack as text by our own library are one incident', async () => {
    await project();
    await send({
      platform: 'node',
      contexts: { runtime: { name: 'node', version: 'v24' } },
      tags: { service: 'shop' },
      exception: {
        values: [
          {
            type: 'OrderError',
            value: 'no stock',
            stacktrace: {
              frames: [
                {
                  function: 'next',
                  filename: '/app/node_modules/express/lib/router.js',
                  lineno: 12,
                  colno: 3,
                  in_app: false,
                },
                { function: 'checkout', filename: '/app/src/cart.js', lineno: 31, colno: 7, in_app: true },
              ],
            },
          },
        ],
      },
    });
    await client.only(1);
    await client.send({
      event_type: 'backend_exception',
      timestamp: new Date().toISOString(),
      service: { name: 'shop', environment: 'production', runtime: 'node' },
      sdk: { name: '@culprit/node', version: '1.0.0' },
      payload: {
        name: 'OrderError',
        message: 'no stock',
        stack:
          'OrderError: no stock\n    at checkout (/app/src/cart.js:31:7)\n    at next (/app/node_modules/express/lib/router.js:12:3)',
      },
    });
    await client.only(2);
    const { body } = await client.get(`/v1/services?project_id=${client.project.projectId}`);
    expect((body as { services: object[] }).services).toHaveLength(1);
  });

  // F-33, F-34
  it('a captured message opens an incident by its level, and majors agree on its text', async () => {
    await project();
    await send({ platform: 'node', message: 'stock is low', level: 'warning' });
    await send({
      platform: 'python',
      logentry: { message: 'stock is %s', params: ['low'] },
      level: 'warning',
    });
    await send({
      platform: 'node',
      level: 'warning',
      exception: {
        values: [{ value: 'stock is low', mechanism: { type: 'generic', handled: true, synthetic: true } }],
      },
    });
    const answer = await post(
      target.envelope,
      envelope([{ type: 'event', payload: { message: 'for your information', level: 'info' } }]),
      authOf(target.key),
    );
    expect(answer).toMatchObject({
      status: 200,
      body: { rejected: [{ item: 0, reason: 'capture_policy_rejected' }] },
    });
    const incident = await client.only(3);
    expect(incident).toMatchObject({
      title: 'stock is low',
      severity: 'low',
      incident_reason: { matched_policy: 'captured_message' },
    });
  });

  // F-37, F-39
  it('nothing that is sent as tag, extra or context changes what Culprit decides; levels do', async () => {
    await project();
    const forged = { severity: 'critical', verification: true, fatal: true, git: { commit: 'x' } };
    const error = (type: string, more: object) => ({
      platform: 'python',
      exception: { values: [{ type, value: 'v' }] },
      ...more,
    });
    await send(error('Forged', { tags: forged, extra: forged, contexts: forged, ...forged }));
    await send(error('Warned', { level: 'warning' }));
    await send(error('Informed', { level: 'info' }));
    const deadly = { values: [{ type: 'Deadly', value: 'v', mechanism: { type: 'x', handled: false } }] };
    await send(error('', { level: 'fatal', exception: deadly }));
    const incidents = await client.counted(1, 1, 1, 1);
    const severities = Object.fromEntries(
      incidents.map(({ title, severity }) => [title.split(':')[0], severity]),
    );
    expect(severities).toEqual({ Forged: 'high', Warned: 'medium', Informed: 'low', Deadly: 'high' });
    const of = (title: string) => incidents.find((each) => each.title.startsWith(title))?.incident_id ?? '';
    expect((await bundleOf(of('Deadly'))).summary.primary_signal).toBe('fatal_error');
    const forgedBundle = await bundleOf(of('Forged'));
    expect(forgedBundle.summary.primary_signal).toBe('exception');
    expect(forgedBundle.context.git).toBeNull();
  });

  // F-38
  it('a fingerprint groups nothing, stands in the bundle, and similar incidents name it', async () => {
    await project();
    const error = (type: string, file: string, fingerprint: string[]) => ({
      platform: 'python',
      fingerprint,
      exception: {
        values: [
          {
            type,
            value: type,
            stacktrace: { frames: [{ function: type, filename: file, lineno: 1, in_app: true }] },
          },
        ],
      },
    });
    await send(error('A', '/srv/a.py', ['checkout']));
    await send(error('B', '/srv/b.py', ['checkout']));
    await send(error('C', '/srv/c.py', ['{{ default }}']));
    const incidents = await client.counted(1, 1, 1);
    const idOf = (type: string) => incidents.find(({ title }) => title.startsWith(type))?.incident_id ?? '';
    const bundle = await bundleOf(idOf('A'));
    expect(bundle.context.custom?.context.sentry).toMatchObject({ fingerprint: ['checkout'] });
    const { body } = await client.get(`/v1/incidents/${idOf('A')}/similar`);
    expect((body as { similar: object[] }).similar).toMatchObject([
      { incident: { incident_id: idOf('B') }, reasons: expect.arrayContaining(['same_client_fingerprint']) },
    ]);
  });

  // F-36, F-40
  it('nothing of a user but a hash is kept, and a clock two hours off is set right', async () => {
    await project();
    const startedAt = Date.now();
    const sentAt = startedAt - 7_200_000;
    const eventId = newEventId();
    const user = { id: 'u-1', email: 'kim@example.com', ip_address: '203.0.113.9', username: 'kim' };
    await sendItems(
      [
        {
          type: 'event',
          payload: {
            event_id: eventId,
            timestamp: sentAt / 1_000,
            platform: 'python',
            user,
            exception: { values: [{ type: 'A', value: 'b' }] },
          },
        },
      ],
      { event_id: eventId, sent_at: new Date(sentAt).toISOString() },
    );
    const incident = await client.only(1);
    const seenAt = Date.parse(incident.last_seen_at);
    expect(seenAt).toBeGreaterThanOrEqual(startedAt);
    expect(seenAt).toBeLessThanOrEqual(Date.now());
    const bundle = await bundleOf(incident.incident_id);
    expect(JSON.stringify(bundle)).not.toMatch(/kim|203\.0\.113\.9|u-1/);
    const skew = bundle.context.custom?.context.clock_skew_ms;
    expect(Math.abs(Number(skew) - 7_200_000)).toBeLessThan(60_000);
  });

  // F-41
  it('a transaction beside its exception adds status and duration, and alone opens nothing', async () => {
    await project();
    const at = Date.now() / 1_000;
    const transaction = { ...TRANSACTION, start_timestamp: at - 0.25, timestamp: at };
    await sendItems([{ type: 'transaction', payload: { ...transaction, event_id: newEventId() } }]);
    await client.processed();
    expect(await client.list()).toEqual([]);
    await send(familyEvent('node 9'));
    const incident = await client.only(1);
    const { context } = await bundleOf(incident.incident_id);
    expect(context.response).toMatchObject({ status_code: 500, duration_ms: 250 });
    await sendItems([
      {
        type: 'span',
        payload: SPANS,
        header: { content_type: 'application/vnd.sentry.items.span.v2+json', item_count: 3 },
      },
    ]);
    await client.processed();
    expect(await client.list()).toHaveLength(1);
  });

  // F-44, F-45
  it('logs follow the policy once each, and a report of a library is a loss', async () => {
    await project();
    const items = (LOGS.items as object[]).map((line) => ({ ...line, timestamp: Date.now() / 1_000 }));
    const container = [
      {
        type: 'log',
        payload: { items },
        header: { content_type: 'application/vnd.sentry.items.log+json', item_count: 3 },
      },
    ];
    await sendItems(container);
    const incident = await client.only(2);
    expect(incident.title).toBe('died');
    await sendItems(container);
    await sendItems([{ type: 'client_report', payload: { ...REPORT, timestamp: Date.now() / 1_000 } }]);
    await client.processed();
    await client.only(2);
    const { body } = await client.get(`/v1/projects/${client.project.projectId}/clients`);
    expect(JSON.stringify(body)).toMatch(/"sampled":3/);
  });

  // F-46
  it('what a user said stands in the incident of its event, also under minimal', async () => {
    await project();
    const patched = await target.owner.patch(`/v1/projects/${client.project.projectId}/capture-policy`, {
      preset: 'minimal',
    });
    expect(patched.status).toBe(200);
    const eventId = await send(familyEvent('page 11'));
    const incident = await client.only(1);
    const feedback = {
      type: 'feedback',
      event_id: newEventId(),
      timestamp: Date.now() / 1_000,
      platform: 'javascript',
      environment: 'production',
      contexts: {
        feedback: {
          message: 'the cart is empty',
          contact_email: 'kim@example.com',
          associated_event_id: eventId,
        },
      },
    };
    await sendItems([{ type: 'feedback', payload: feedback }], { event_id: feedback.event_id });
    await client.settled();
    const rows = await client.logs(incident.incident_id);
    expect(JSON.stringify(rows)).toContain('the cart is empty');
    expect(JSON.stringify(rows)).not.toContain('kim@example.com');
    await client.only(1);
  });

  // F-48
  it('a new release on a server is a deployment, the first one and those of pages are none', async () => {
    await project();
    const deployments = async () => {
      await client.processed();
      const { body } = await client.get(`/v1/projects/${client.project.projectId}/deployments`);
      return (body as { deployments: { version: string }[] }).deployments.map(({ version }) => version);
    };
    const service = { tags: { service: 'shop' } };
    await send(familyEvent('node 9'), { ...service, release: 'shop@1' });
    expect(await deployments()).toEqual([]);
    await send(familyEvent('page 11'), { ...service, release: 'page@7' });
    expect(await deployments()).toEqual([]);
    await send(familyEvent('node 9'), { ...service, release: 'shop@2' });
    expect(await deployments()).toEqual(['shop@2']);
    await send(familyEvent('node 9'), { ...service, release: 'shop@2' });
    await send(familyEvent('node 9'), { ...service, release: 'shop@1' });
    expect(await deployments()).toEqual(['shop@2']);
    await client.send({
      event_type: 'deploy_metadata',
      timestamp: new Date().toISOString(),
      service: { name: 'shop', environment: 'production' },
      payload: { version: 'shop@2', commit_sha: 'abc1234' },
    });
    expect(await deployments()).toEqual(['shop@2']);
  });

  // F-49
  it('the bundle of a server has the clicks of the page of its trace', async () => {
    await project();
    const trace = { trace: { trace_id: 'd'.repeat(32), span_id: 'b'.repeat(16) } };
    await send(familyEvent('page 11'), { contexts: trace });
    const node = familyEvent('node 9');
    await send(node, { contexts: { ...(node.contexts as object), ...trace } });
    const incidents = await client.counted(1, 1);
    const server = incidents.find(({ title }) => title.startsWith('OrderError'));
    const { context } = await bundleOf(server?.incident_id ?? '');
    expect(context.frontend?.clicks).toMatchObject([{ selector: 'button#buy' }]);
  });
});
