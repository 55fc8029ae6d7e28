import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { promisify } from 'node:util';
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzip,
  gzipSync,
  zstdCompress,
  zstdCompressSync,
} from 'node:zlib';
import { EnvelopeReader } from '@culprit/evidence/foreign/sentry/envelope-reader';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLoggerTo } from '../../src/platform/log.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import {
  authOf,
  envelope,
  errorEnvelope,
  newEventId,
  post,
  type SentryTarget,
  sentryEvent,
  sentryTarget,
} from '../support/sentry-client.ts';

/** docs/contract/foreign-protocols.md 3 and 4. */
describe('requests of Sentry libraries', () => {
  let culprit: TestCulprit;
  let client: IncidentClient;
  let target: SentryTarget;
  const lines: string[] = [];

  beforeAll(async () => {
    const log = createLoggerTo({ write: (line) => void lines.push(line) }, { level: 'info', role: 'api' });
    culprit = await startCulprit({ log });
  });
  afterAll(() => culprit.stop());

  async function freshProject(options?: Parameters<TestCulprit['createProject']>[0]): Promise<void> {
    client = await connect(culprit, options);
    target = await sentryTarget(culprit, client.project);
  }
  beforeAll(() => freshProject());

  const send = (body: Buffer, headers: Readonly<Record<string, string>> = {}) =>
    post(target.envelope, body, { ...authOf(target.key), ...headers });

  async function storedEvents(): Promise<number> {
    const [row] = await culprit.database.query<{ events: number }>(
      {
        name: 'test-stored-events',
        text: 'select coalesce(sum(event_count), 0)::integer as events from batches where project_id = $1',
      },
      [client.project.projectId.replace('proj_', '')],
    );
    return row?.events ?? 0;
  }

  // F-17
  it('the answer carries the id of the event, and the same envelope again counts once', async () => {
    await freshProject();
    const eventId = newEventId();
    const body = errorEnvelope(eventId);
    for (let i = 0; i < 2; i += 1) {
      expect(await send(body)).toMatchObject({ status: 200, body: { id: eventId } });
    }
    await client.only(1);
  });

  // F-09
  it('an error in each encoding, form and place of the key is an occurrence of one incident', async () => {
    await freshProject();
    const { key, api } = target;
    const query = `?sentry_version=7&sentry_key=${key}&sentry_client=sentry.javascript.browser%2F9.0.0`;
    const fresh = () => errorEnvelope(newEventId());
    const json = () => Buffer.from(JSON.stringify(sentryEvent(newEventId())));
    const encodings: [string, (bytes: Buffer) => Buffer][] = [
      ['', (bytes) => bytes],
      ['identity', (bytes) => bytes],
      ['gzip', gzipSync],
      ['x-gzip', gzipSync],
      ['deflate', deflateSync],
      ['deflate', deflateRawSync],
      ['br', brotliCompressSync],
      ['zstd', zstdCompressSync],
    ];
    const answers = [
      ...(await Promise.all(
        encodings.map(([name, encode]) => send(encode(fresh()), { 'content-encoding': name })),
      )),
      await post(`${api}/envelope`, fresh(), authOf(key)),
      await post(`${api}/envelope/`, Buffer.concat([Buffer.from('\ufeff'), fresh()]), {
        'x-sentry-auth': `Sentry%20sentry_key=${key}`,
      }),
      await post(`${api}/envelope/${query}`, fresh(), { 'content-type': 'text/plain;charset=UTF-8' }),
      await post(`${api}/envelope/`, fresh(), {
        authorization: `Sentry sentry_key = ${key} ,sentry_version=7,sentry_secret=x`,
      }),
      await post(`${api}/envelope/`, fresh(), {
        'x-sentry-auth': `sentry_client=raven-python/6.10.0, sentry_timestamp=1, sentry_key="${key}"`,
        'content-type': 'application/x-www-form-urlencoded',
      }),
      await post(
        `${api}/envelope/`,
        envelope([{ type: 'event', payload: sentryEvent(newEventId()) }], {
          dsn: `https://${key}@elsewhere.example/errors/77`,
        }),
      ),
      await post(`${api}/store/`, json(), { ...authOf(key), 'content-type': 'application/json' }),
      await post(`${api}/store${query}`, json()),
      await post(`${api}/store/`, gzipSync(json()), { ...authOf(key), 'content-encoding': 'gzip' }),
      await post(`${api}/store/`, Buffer.from(deflateSync(json()).toString('base64')), {
        ...authOf(key),
        'content-type': 'application/octet-stream',
      }),
    ];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    await client.only(answers.length);
  });

  // F-10
  it('keys that differ are refused, equal ones are not, and none is said to be missing', async () => {
    await freshProject();
    const { key, api } = target;
    const other = 'f'.repeat(32);
    const withDsn = (named: string) =>
      envelope([{ type: 'event', payload: sentryEvent(newEventId()) }], {
        dsn: `https://${named}@x.example/1`,
      });
    const status = async (query: string, body: Buffer, headers: Record<string, string>) => {
      const answer = await post(`${api}/envelope/${query}`, body, headers);
      return `${answer.status} ${answer.body.error ?? ''}`.trim();
    };
    const conflict = '401 key_conflict';
    expect(await status(`?sentry_key=${key}`, withDsn(key), authOf(key))).toBe('200');
    expect(await status(`?sentry_key=${other}`, withDsn(key), authOf(key))).toBe(conflict);
    expect(await status('', withDsn(other), authOf(key))).toBe(conflict);
    expect(await status('', withDsn(other), {})).toBe('401 key_unknown');
    expect(await status('', withDsn('short'), {})).toBe('401 key_unknown');
    expect(await status('', errorEnvelope(newEventId()), {})).toBe('401 key_missing');
    expect(await status('', Buffer.alloc(0), {})).toBe('401 key_missing');
  });

  // F-02
  it('another number is refused with a sentence, whatever it is', async () => {
    for (const number of ['1', `${target.number}0`, 'abc', '%00']) {
      const answer = await post(
        `${culprit.url}/api/${number}/envelope/`,
        errorEnvelope(newEventId()),
        authOf(target.key),
      );
      expect(answer).toMatchObject({ status: 403, body: { error: 'wrong_project_number' } });
      expect(answer.headers.get('x-sentry-error')).toBe(answer.body.detail);
    }
  });

  // F-03
  it('a project token in a DSN is refused and warned of without being written down', async () => {
    const { projectToken } = client.project;
    const inHeader = await post(target.envelope, errorEnvelope(newEventId()), authOf(projectToken));
    const inBody = await post(
      target.envelope,
      envelope([], { dsn: `http://${projectToken}@x.example/${target.number}` }),
    );
    for (const answer of [inHeader, inBody]) {
      expect(answer).toMatchObject({ status: 401, body: { error: 'project_token_in_dsn' } });
    }
    expect(lines.join('')).toContain('a project token was sent in a DSN');
    expect(lines.join('')).not.toContain(projectToken);
  });

  // F-03
  it('a DSN key is no project token, nor does a member token send', async () => {
    const bearer = { authorization: `Bearer ${target.key}`, 'content-type': 'application/json' };
    const events = await post(`${culprit.url}/v1/events`, '{"events":[]}', bearer);
    expect(events).toMatchObject({ status: 401, body: { error: 'invalid_project_token' } });
    const config = await post(`${culprit.url}/v1/sdk/config`, null, bearer, 'GET');
    expect(config).toMatchObject({ status: 401, body: { error: 'invalid_project_token' } });
    const member = await post(target.envelope, errorEnvelope(newEventId()), {
      authorization: `Bearer ${client.project.memberToken}`,
    });
    expect(member).toMatchObject({ status: 401, body: { error: 'key_missing' } });
  });

  // F-11
  it('an envelope is read as libraries write it, wherever it is cut', async () => {
    await freshProject();
    const event = sentryEvent(newEventId());
    const text = [
      '{}',
      '',
      '{"type":"from_the_future","length":3}',
      'a\nb',
      '',
      JSON.stringify({ type: 'event' }),
      JSON.stringify(event),
      '\r',
      '{"type":"statsd"}',
      'a:1|c',
      '{"type":"event","length":0,"filename":"none"}',
      '',
      '{"type":"unknown"}',
      'to the end',
    ].join('\n');
    const body = Buffer.from(text);
    for (let cut = 0; cut <= body.length; cut += 1) {
      const reader = new EnvelopeReader();
      expect(reader.add(body.subarray(0, cut)) ?? reader.add(body.subarray(cut))).toBeNull();
      expect(reader.end()).toMatchObject({
        items: [{ type: 'event', payload: Buffer.from(JSON.stringify(event)) }, { type: 'event' }],
        notTaken: new Map([
          ['unknown', 2],
          ['statsd', 1],
        ]),
      });
    }
    const answer = await send(body);
    expect(answer).toMatchObject({
      status: 200,
      body: { rejected: [{ item: 3, type: 'event', reason: 'invalid_event' }] },
    });
    await client.only(1);
  });

  // F-12
  it('what is no envelope, or ends early, is refused as a whole', async () => {
    await freshProject();
    const whole = errorEnvelope(newEventId());
    const bodies: [string, Buffer][] = [
      ['a payload that ends early', whole.subarray(0, whole.length - 40)],
      ['a header that is no JSON', Buffer.from('{"event_id\n{"type":"event"}\n{}')],
      ['a list as its first line', Buffer.from('[]\n')],
      ['a page', Buffer.from('<html>\n<body></body>\n')],
      ['nothing', Buffer.from('\n')],
      ['an item header that is no JSON', Buffer.from('{}\nevent\n{}\n')],
      ['bytes behind a payload', Buffer.from('{}\n{"type":"event","length":2}\n{}x\n')],
      ['a length that is no number of bytes', Buffer.from('{}\n{"type":"event","length":-1}\n{}\n')],
    ];
    for (const [name, body] of bodies) {
      const answer = await send(body);
      expect({ name, ...answer }).toMatchObject({ name, status: 400, body: { error: 'invalid_payload' } });
      expect(answer.headers.get('x-sentry-error')).toBe(answer.body.detail);
    }
    expect(await storedEvents()).toBe(0);
  });

  // F-13
  it('an event is taken beside large attachments, whose payloads are not kept', async () => {
    await freshProject();
    const eventId = newEventId();
    const body = envelope(
      [
        {
          type: 'attachment',
          payload: Buffer.alloc(10 * 1024 * 1024, 10),
          header: { filename: 'app.log', content_type: 'text/plain' },
        },
        { type: 'event', payload: sentryEvent(eventId) },
        {
          type: 'attachment',
          payload: 'MDMP',
          header: { attachment_type: 'event.minidump', filename: 'x.dmp' },
        },
      ],
      { event_id: eventId },
    );
    const reader = new EnvelopeReader();
    let keptMost = 0;
    for (let offset = 0; offset < body.length; offset += 65_536) {
      expect(reader.add(body.subarray(offset, offset + 65_536))).toBeNull();
      keptMost = Math.max(keptMost, reader.keptBytes);
    }
    expect(keptMost).toBeLessThan(16 * 1024);
    expect(await send(body)).toMatchObject({ status: 200, body: { id: eventId } });
    const incident = await client.only(1);
    const bundle = await client.bundle(incident.incident_id);
    expect(JSON.stringify(bundle)).toContain('app.log');
    expect(JSON.stringify(bundle)).toContain('native_dump');
  });

  const blanks = Buffer.alloc(150 * 1024 * 1024, 0x20);
  it.each<[string, () => Promise<Buffer>]>([
    ['gzip', () => promisify(gzip)(blanks, { level: 1 })],
    ['br', () => promisify(brotliCompress)(blanks, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ['zstd', () => promisify(zstdCompress)(blanks)],
  ])('F-14 150 MB of blanks in %s are refused while they grow', async (name, encode) => {
    const answer = await send(await encode(), { 'content-encoding': name });
    expect(answer).toMatchObject({ status: 413, body: { error: 'payload_too_large' } });
  });

  // F-14
  it('a body that compresses 180 times and stays below 1 MiB is taken', async () => {
    await freshProject();
    const eventId = newEventId();
    const body = errorEnvelope(eventId, { extra: { note: 'a'.repeat(900_000) } });
    const packed = gzipSync(body);
    expect(body.length / packed.length).toBeGreaterThan(180);
    expect(await send(packed, { 'content-encoding': 'gzip' })).toMatchObject({ status: 200 });
    await client.only(1);
  });

  // F-15
  it('of 20,000 items 200 are taken, and the others are counted', async () => {
    await freshProject();
    const item = `{"type":"event"}\n${JSON.stringify(sentryEvent(newEventId(), { event_id: undefined }))}\n`;
    const answer = await send(Buffer.from(`{}\n${item.repeat(20_000)}`));
    expect(answer.status).toBe(200);
    expect(answer.body.rejected?.length).toBeLessThanOrEqual(1000);
    expect(await storedEvents()).toBe(200);
    const [kind] = await kindsOf(1);
    expect(kind).toMatchObject({ protocol: 'sentry', kind: 'event', taken: 200, over_limit: 19_800 });
  });

  // F-16
  it('other encodings are refused', async () => {
    for (const encoding of ['snappy', 'gzip, br', 'gzip, gzip']) {
      const answer = await send(errorEnvelope(newEventId()), { 'content-encoding': encoding });
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_encoding' } });
    }
    const answer = await send(Buffer.from('no gzip'), { 'content-encoding': 'gzip' });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_payload' } });
    for (const packed of [gzipSync('{}'), deflateSync('{}')]) {
      for (const address of [target.envelope, `${target.api}/store/`]) {
        expect(await post(address, packed, authOf(target.key))).toMatchObject({
          status: 400,
          body: { detail: expect.stringContaining('no Content-Encoding says how') },
        });
      }
    }
  });

  // F-16
  it('a body that does not name its key is refused at its first line', async () => {
    const answer = await post(target.envelope, Buffer.from(`{"x":"${'a'.repeat(10_240)}`));
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_payload' } });
  });

  it('an item that is too large, too deep or no object is refused by itself', async () => {
    await freshProject();
    const deep = `${'['.repeat(65)}${']'.repeat(65)}`;
    const good = sentryEvent(newEventId());
    const answer = await send(
      envelope([
        { type: 'event', payload: JSON.stringify({ message: 'a'.repeat(1024 * 1024) }) },
        { type: 'event', payload: `{"extra":${deep}}` },
        { type: 'event', payload: `{"extra":[${'1,'.repeat(100_000)}1]}` },
        { type: 'event', payload: '[]' },
        { type: 'event', payload: 'x' },
        { type: 'event', payload: JSON.stringify(good).replace('"level"', '"nan":NaN,"level"') },
      ]),
    );
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body.rejected).toEqual([
      { item: 0, type: 'event', reason: 'too_large' },
      ...[1, 2, 3, 4].map((item) => ({ item, type: 'event', reason: 'invalid_event' })),
    ]);
    await client.only(1);
    const alone = await send(envelope([{ type: 'event', payload: 'a'.repeat(1024 * 1024 + 1) }]));
    expect(alone).toMatchObject({ status: 413, body: { error: 'payload_too_large' } });
  });

  // F-18
  it.each([0, 200_000])(
    'ten events of %i bytes more are there although their senders closed behind the last byte',
    async (size) => {
      await freshProject();
      const { hostname, port } = new URL(culprit.url);
      for (let sent = 0; sent < 10; sent += 1) {
        const body = errorEnvelope(newEventId(), { extra: { note: 'a'.repeat(size) } });
        const socket = connectSocket(Number(port), hostname).on('error', () => {});
        await once(socket, 'connect');
        socket.write(
          `POST /api/${target.number}/envelope/?sentry_key=${target.key} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`,
        );
        socket.end(body);
      }
      await client.only(10);
    },
  );

  // F-06, F-20
  it('the limit of a key is answered with the time to wait, and tells what not to send', async () => {
    await freshProject();
    const patched = await target.owner.patch(`${target.keysPath}/${target.record.token_id}`, {
      events_per_minute: 5,
    });
    expect(patched).toMatchObject({ status: 200, body: { key: { events_per_minute: 5 } } });
    for (let sent = 0; sent < 5; sent += 1)
      expect((await send(errorEnvelope(newEventId()))).status).toBe(200);
    const answer = await send(errorEnvelope(newEventId()));
    expect(answer).toMatchObject({ status: 429, body: { error: 'rate_limited' } });
    const seconds = Number(answer.headers.get('retry-after'));
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(answer.headers.get('x-sentry-rate-limits')).toMatch(
      new RegExp(`^${seconds}:default;error;security;.*:key:rate_limited:, 3600:session;`),
    );
    // What holds nothing to take is no event.
    expect((await send(envelope([{ type: 'session', payload: {} }]))).status).toBe(200);
    await client.only(5);
  });

  // F-19
  it('each answer to a known key tells what is never taken, and what the policy refuses', async () => {
    const limitsOf = async (body: Buffer) => (await send(body)).headers.get('x-sentry-rate-limits') ?? '';
    await freshProject({ preset: 'balanced' });
    for (const body of [errorEnvelope(newEventId()), Buffer.from('no envelope\n'), envelope([])]) {
      const limits = await limitsOf(body);
      expect(limits).toContain('session;replay;profile');
      expect(limits).toContain('600:transaction;span:');
      expect(limits).not.toContain('log_item');
      for (const part of limits.split(', ')) expect(part).toMatch(/^\d+:[a-z_;]+:[a-z]+:[a-z_]+:$/);
    }
    await freshProject({ preset: 'investigative' });
    expect(await limitsOf(errorEnvelope(newEventId()))).not.toContain('transaction');
  });

  // F-22
  it('addresses of other things say what they are not', async () => {
    const statusOf = async (path: string, method = 'POST') => {
      const answer = await post(`${culprit.url}${path}`, null, authOf(target.key), method);
      expect(answer.body.detail).toMatch(/^[A-Z].*\.$/);
      return `${answer.status} ${answer.body.error}`;
    };
    const n = target.number;
    expect(await statusOf(`/api/${n}/minidump/?sentry_key=${target.key}`)).toBe('501 not_supported');
    expect(await statusOf(`/api/${n}/unreal/${target.key}/`)).toBe('501 not_supported');
    expect(await statusOf('/api/0/organizations/x/issues/')).toBe('404 not_found');
    expect(await statusOf('/api/0/', 'GET')).toBe('404 not_found');
    expect(await statusOf(`/api/${n}/elsewhere/`)).toBe('404 not_found');
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect(await statusOf(`/api/${n}/envelope/`, method)).toBe('405 method_not_allowed');
    }
  });

  // F-47
  it('sessions, replays, profiles and metrics are counted and not stored', async () => {
    await freshProject();
    const types = ['session', 'sessions', 'replay_event', 'profile', 'statsd', 'check_in', '__proto__'];
    const items = types.map((type) => ({ type, payload: {}, hasNoLength: true }));
    expect(await send(envelope(items))).toMatchObject({ status: 200, body: {} });
    const kinds = await kindsOf(types.length);
    expect(kinds.map(({ kind }) => kind).sort()).toEqual([...types.slice(0, -1), 'unknown'].sort());
    expect(kinds.every(({ taken, not_taken }) => taken === 0 && not_taken === 1)).toBe(true);
    expect(await storedEvents()).toBe(0);
  });

  // F-77
  it('no key of a query and no body stands in the log', async () => {
    const before = lines.length;
    await post(`${target.envelope}?sentry_key=${target.key}`, errorEnvelope(newEventId()));
    await eventually(() => expect(lines.slice(before).join('')).toContain('/api/:number/envelope/'));
    expect(lines.join('')).not.toContain(target.key);
    expect(lines.join('')).not.toContain('Cannot read properties');
  });

  interface Kind {
    protocol: string;
    kind: string;
    taken: number;
    not_taken: number;
    over_limit: number;
  }

  async function kindsOf(count: number): Promise<Kind[]> {
    return await eventually(async () => {
      const { body } = await client.get(`/v1/projects/${client.project.projectId}/event-fates`);
      const { by_kind: kinds } = body as { by_kind: Kind[] };
      expect(kinds).toHaveLength(count);
      return kinds;
    });
  }
});
