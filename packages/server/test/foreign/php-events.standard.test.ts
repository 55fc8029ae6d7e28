import { gzipSync } from 'node:zlib';
import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { authOf, newEventId, post, type SentryTarget, sentryTarget } from '../support/sentry-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';

/**
 * Events of PHP and Perl as their libraries write them (docs/contract/foreign-protocols.md 16.1): no package of the system
 * has these libraries, so that the requests are written by hand after their serializers.
 */

const SDK = { name: 'sentry.php.laravel', version: '4.10.0' };
const RELEASE = 'shop@1.4.0';

const frame = (more: object) => ({ filename: '/src/Cart.php', lineno: 12, in_app: true, ...more });

/** What every event of the library for PHP says about where it runs. */
const surroundings = () => ({
  timestamp: Date.now() / 1_000,
  platform: 'php',
  sdk: { ...SDK, packages: [{ name: 'composer:sentry/sentry', version: '4.10.0' }] },
  level: 'error',
  server_name: 'web-1',
  release: RELEASE,
  environment: 'staging',
  modules: { 'laravel/framework': 'v11.9.2' },
  contexts: {
    os: { name: 'Linux', version: '6.1', build: '#1 SMP' },
    runtime: { name: 'php', sapi: 'fpm-fcgi', version: '8.2.20' },
    trace: { trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16) },
  },
});

/** A failed request of Laravel: the database said no, and the logger said so as well. */
const laravelError = (order: number, releaseFolder: string) => ({
  ...surroundings(),
  logger: 'monolog.production',
  message: `Order ${order} could not be saved`,
  transaction: '/orders/{id}',
  tags: { tenant: 'acme' },
  extra: {
    'monolog.channel': 'production',
    'monolog.level': 'ERROR',
    'monolog.context': { order, api_key: 'planted-key-1' },
  },
  user: { id: 9, email: 'ann@planted.example', ip_address: '203.0.113.9' },
  breadcrumbs: {
    values: [
      {
        type: 'default',
        category: 'db.sql.query',
        level: 'info',
        timestamp: Date.now() / 1_000 - 1,
        message: 'select * from stock where sku = ?',
        data: { connectionName: 'mysql', executionTimeMs: 1.2, bindings: ['planted-sku'] },
      },
      { type: 'default', category: 'log.warning', level: 'warning', message: 'stock is low', data: [] },
    ],
  },
  request: {
    url: `https://shop.example/orders/${order}?coupon=x`,
    method: 'POST',
    query_string: 'coupon=x',
    headers: { host: ['shop.example'], 'x-request-id': [`req-${order}`], authorization: ['Bearer planted'] },
    cookies: { laravel_session: 'planted-session' },
    data: { count: 2, password: 'planted-password' },
  },
  exception: {
    values: [
      {
        type: 'App\\Errors\\OrderError',
        value: 'order could not be saved',
        mechanism: { type: 'generic', handled: false, data: { code: 0 } },
        stacktrace: {
          frames: [
            frame({
              filename: '/public/index.php',
              abs_path: `${releaseFolder}/public/index.php`,
              lineno: 51,
            }),
            frame({
              function: 'Illuminate\\Pipeline\\Pipeline::Illuminate\\Pipeline\\{closure}',
              filename: '/vendor/laravel/framework/src/Illuminate/Pipeline/Pipeline.php',
              in_app: false,
            }),
            { filename: '[internal]', lineno: 0, in_app: false, function: 'array_map' },
            frame({
              function: 'App\\Cart::save',
              raw_function: 'App\\Cart::save',
              abs_path: `${releaseFolder}/src/Cart.php`,
              pre_context: ['        } catch (PDOException $e) {'],
              context_line: "            throw new OrderError('order could not be saved', 0, $e);",
              post_context: ['        }'],
              vars: { order: 'Object App\\Order', options: { password: 'planted-password', count: 2 } },
            }),
          ],
        },
      },
      {
        type: 'PDOException',
        value: 'SQLSTATE[HY000] [2002] Connection refused',
        mechanism: { type: 'generic', handled: false, data: { code: 2002 } },
        stacktrace: {
          frames: [frame({ function: 'App\\Database::connect', filename: '/src/Database.php', lineno: 8 })],
        },
      },
    ].reverse(),
  },
});

describe('events of PHP and Perl', () => {
  let culprit: TestCulprit;
  let client: IncidentClient;
  let target: SentryTarget;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  beforeEach(async () => {
    client = await connect(culprit, { preset: 'balanced' });
    target = await sentryTarget(culprit, client.project);
  });

  /** The item names no length, and no newline ends it. */
  async function send(event: object): Promise<void> {
    const eventId = newEventId();
    const header = { sent_at: new Date().toISOString(), dsn: target.record.dsn, sdk: SDK, event_id: eventId };
    const lines = [header, { type: 'event', content_type: 'application/json' }, event];
    const body = gzipSync(lines.map((line) => JSON.stringify(line).replaceAll('/', '\\/')).join('\n'));
    const { status } = await post(target.envelope, body, {
      ...authOf(target.key),
      'content-type': 'application/x-sentry-envelope',
      'content-encoding': 'gzip',
    });
    expect(status).toBe(200);
  }

  async function bundleOf(incidentId: string): Promise<DebugBundle> {
    await client.settled();
    return await client.bundle(incidentId);
  }

  it('a failed request of Laravel has its chain, source, arguments, route, trail and the line of its logger', async () => {
    await send(laravelError(7, '/srv/releases/1'));
    await send(laravelError(8, '/srv/releases/2'));
    const incident = await client.only(2);
    expect(incident).toMatchObject({
      title: 'App\\Errors\\OrderError: order could not be saved',
      environment: 'staging',
    });
    const { context, summary, impact } = await bundleOf(incident.incident_id);
    expect(context.error_chain?.items.map(({ type }) => type)).toEqual([
      'App\\Errors\\OrderError',
      'PDOException',
    ]);
    expect(summary.first_application_frame).toMatchObject({ function: 'connect', line: 8 });
    expect(context.stack?.frames[0]).toMatchObject({
      context_line: "            throw new OrderError('order could not be saved', 0, $e);",
      vars: { order: 'Object App\\Order', options: '{"password":"[REDACTED]","count":2}' },
    });
    expect(context.request).toMatchObject({ method: 'POST', route_template: '/orders/{id}' });
    const said = context.logs?.items.map(({ message }) => message);
    expect(said).toContain('Order 8 could not be saved');
    expect(context.custom?.context).toMatchObject({ release: RELEASE, tags: { tenant: 'acme' } });
    expect(JSON.stringify(context)).toContain('stock is low');
    expect(impact.affected_users_estimate).toBe(1);
    expect(JSON.stringify(context).match(/.{60}planted.{20}/g)).toBeNull();
  });

  it('an error that ends the program, a warning and a class without a name are three incidents', async () => {
    const thrown = (type: string, value: string, more: object, level = 'error') => ({
      ...surroundings(),
      level,
      exception: {
        values: [
          {
            type,
            value,
            mechanism: { type: 'generic', handled: level !== 'fatal' },
            stacktrace: { frames: [frame(more)] },
          },
        ],
      },
    });
    const fatal = 'Sentry\\Exception\\FatalErrorException';
    for (const size of [134_217_728, 268_435_456]) {
      const value = `Error: Allowed memory size of ${size} bytes exhausted (tried to allocate 81 bytes)`;
      await send(thrown(fatal, value, {}, 'fatal'));
    }
    await send(
      thrown('ErrorException', 'Warning: Undefined variable $total', { function: 'App\\Cart::total' }),
    );
    for (const key of ['12$0', '14$1f']) {
      const where = { function: 'class@anonymous\0/src/Cart.php::handle' };
      await send(thrown(`RuntimeException@anonymous\0/srv/src/Cart.php:${key}`, 'no stock', where));
    }
    const incidents = await client.counted(2, 2, 1);
    expect(incidents.map(({ title }) => title.replace(/\d{9}/, '…')).sort()).toEqual([
      'ErrorException: Warning: Undefined variable $total',
      'RuntimeException: no stock',
      'Sentry\\Exception\\FatalErrorException: Error: Allowed memory size of … bytes exhausted (tried to allocate 81 bytes)',
    ]);
  });

  it('a program of Perl that dies is an incident with the place in its text', async () => {
    for (const line of [12, 14]) {
      const value = `no stock at /app/lib/Shop/Cart.pm line ${line}.`;
      const event = {
        event_id: newEventId(),
        timestamp: new Date().toISOString().slice(0, 19),
        logger: 'root',
        platform: 'perl',
        message: value,
        culprit: 'shop.pl',
        extra: {},
        tags: {},
        level: 'error',
        'sentry.interfaces.Exception': { type: 'Die', value },
        'sentry.interfaces.User': { email: 'ann@planted.example', id: 'u-1', username: null },
      };
      const { status } = await post(`${target.api}/store/`, JSON.stringify(event, null, 3), {
        'content-type': 'application/x-www-form-urlencoded',
        'x-sentry-auth': `Sentry sentry_client=raven-perl/1.15, sentry_key=${target.key}, sentry_secret=x, sentry_timestamp=1, sentry_version=3`,
      });
      expect(status).toBe(200);
    }
    const incident = await client.only(2);
    const { summary, context } = await bundleOf(incident.incident_id);
    expect(summary.first_application_frame).toMatchObject({ file: '/app/lib/Shop/Cart.pm' });
    expect(JSON.stringify(context).match(/.{60}planted.{20}/g)).toBeNull();
  });
});
