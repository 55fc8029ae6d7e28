import type { Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openConnection } from '../../src/platform/outbound/open-connection.ts';
import { sendGuarded } from '../../src/platform/outbound/send-guarded.ts';
import { locationOf } from '../../src/platform/outbound/target.ts';
import { Secret } from '../../src/platform/secrets/secret.ts';
import { type CertificateAuthority, createCertificateAuthority } from '../support/certificates.ts';
import { eventually } from '../support/eventually.ts';
import { type HttpTarget, type HttpTargetOptions, startHttpTarget } from '../support/http-target.ts';
import { type RawServer, startRawServer } from '../support/raw-server.ts';
import { checkOf, deliveryTo, policyWith } from './policy-with.ts';

const LOCAL = policyWith({ isLoopbackAllowed: true, allowlist: ['127.0.0.1'] });
const closing: (() => Promise<unknown>)[] = [];
let authority: CertificateAuthority;

beforeAll(() => {
  authority = createCertificateAuthority();
  setDefaultCACertificates([...getCACertificates('default'), authority.cert]);
});
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});
afterAll(() => setDefaultCACertificates(getCACertificates('bundled')));

async function target(options: HttpTargetOptions): Promise<HttpTarget & { url: string }> {
  const started = await startHttpTarget(options);
  closing.push(() => started.close());
  const scheme = options.certificate === undefined ? 'http' : 'https';
  return { ...started, url: `${scheme}://127.0.0.1:${started.port}/in` };
}

async function rawServer(onSocket: (socket: Socket) => void): Promise<RawServer> {
  const started = await startRawServer(onSocket);
  closing.push(started.close);
  return started;
}

describe('what is sent', () => {
  it('arrives as given, without credentials, and the connection is closed behind it', async () => {
    const receiver = await target({
      answer: (_request, response) => response.writeHead(202).end('thanks'),
    });
    const headers = {
      'Content-Type': 'application/json',
      'X-Service-Event': 'bundle.created',
      Cookie: 'session=1',
      Authorization: 'Bearer x',
      'proxy-authorization': 'Basic x',
      host: 'evil.example.com',
    };
    const result = await sendGuarded(
      LOCAL,
      deliveryTo(`${receiver.url}?a=b#part`, { headers, body: '{"é":1}' }),
    );
    expect(result).toMatchObject({
      kind: 'answered',
      status: 202,
      body: Buffer.from('thanks'),
      finalUrl: `${receiver.url}?a=b`,
      redirectCount: 0,
    });
    const [request] = receiver.requests;
    expect(request).toMatchObject({ method: 'POST', url: '/in?a=b', body: '{"é":1}' });
    expect(request?.headers).toEqual({
      'content-type': 'application/json',
      'content-length': '8',
      'x-service-event': 'bundle.created',
      host: `127.0.0.1:${receiver.port}`,
      connection: expect.any(String),
    });
    await eventually(() => expect(receiver.connections.open).toBe(0));
  });

  it('has the credentials of a request only where redirects are refused, and says how soon to come again', async () => {
    const receiver = await target({
      answer: (_request, response) =>
        response
          .writeHead(429, { 'retry-after': '7', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': 'soon' })
          .end(),
    });
    const request = { ...deliveryTo(receiver.url), authorization: new Secret('Bearer t') };
    const refused = await sendGuarded(LOCAL, { ...request, method: 'PATCH', redirects: 'refuse' });
    expect(refused).toMatchObject({
      limits: { retryAfterSeconds: 7, remaining: 0, resetAtSeconds: null },
    });
    await sendGuarded(LOCAL, { ...request, method: 'GET', redirects: { max: 2 } });
    const sent = receiver.requests.map(({ method, headers }) => [method, headers.authorization]);
    expect(sent).toEqual([
      ['PATCH', 'Bearer t'],
      ['GET', undefined],
    ]);
  });

  it('uses a connection of its own for each request', async () => {
    const receiver = await target({});
    for (let round = 0; round < 3; round += 1) await sendGuarded(LOCAL, deliveryTo(receiver.url));
    expect(receiver.connections.total).toBe(3);
  });

  it('never begins when a header cannot be sent, and says that it is our fault', async () => {
    const receiver = await target({});
    const result = await sendGuarded(LOCAL, deliveryTo(receiver.url, { headers: { 'x-a': 'b\r\nx-c: d' } }));
    expect(result).toMatchObject({ kind: 'failed', word: 'internal_error', errorKind: 'internal' });
    expect(receiver.requests).toEqual([]);
  });

  it('can be broken off, which is no result', async () => {
    const receiver = await target({ answer: () => {} });
    const stop = new AbortController();
    const sending = sendGuarded(LOCAL, deliveryTo(receiver.url, { signal: stop.signal }));
    await eventually(() => expect(receiver.requests).toHaveLength(1));
    stop.abort(new Error('the service stops'));
    await expect(sending).rejects.toThrow('the service stops');
    await eventually(() => expect(receiver.connections.open).toBe(0));
  });
});

describe('what comes back', () => {
  it('is cut at the limit, however much there is', async () => {
    const receiver = await target({
      answer: (_request, response) => {
        const piece = Buffer.alloc(16_384, 0x61);
        const more = (): void => {
          while (!response.destroyed && response.write(piece));
        };
        response.on('drain', more);
        more();
      },
    });
    const result = await sendGuarded(LOCAL, deliveryTo(receiver.url, { bodyBytesMax: 10_000 }));
    expect(result.kind === 'answered' && result.body.length).toBe(10_000);
    expect(
      await sendGuarded(LOCAL, checkOf(receiver.url, { bodyBytesMax: 0, redirects: 'refuse' })),
    ).toMatchObject({
      kind: 'answered',
      body: Buffer.alloc(0),
    });
    await eventually(() => expect(receiver.connections.open).toBe(0));
  });

  it.each([
    ['stalls', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf')],
    ['breaks', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf')],
  ])('counts from its headers on, when the body %s', async (_what, answer) => {
    const receiver = await rawServer((socket) => socket.once('data', () => answer(socket)));
    const result = await sendGuarded(LOCAL, deliveryTo(receiver.url, { timeoutMs: 500 }));
    expect(result).toMatchObject({ kind: 'answered', status: 200, body: Buffer.from('half') });
  });

  it('is a broken connection when it is nothing and hangs up', async () => {
    const receiver = await rawServer((socket) => socket.once('data', () => socket.end()));
    const result = await sendGuarded(LOCAL, deliveryTo(receiver.url));
    expect(result).toMatchObject({
      kind: 'failed',
      word: 'connection_error',
      errorKind: 'connection_failed',
    });
  });

  it('is waited for as long as the time lasts, with interim answers too', async () => {
    const silent = await rawServer(() => {});
    const chatty = await rawServer((socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 20);
      socket.on('close', () => clearInterval(timer));
    });
    for (const { url } of [silent, chatty]) {
      const result = await sendGuarded(LOCAL, deliveryTo(url, { timeoutMs: 400 }));
      expect(result).toMatchObject({ kind: 'failed', word: 'timeout', errorKind: 'timeout' });
    }
  });

  it('is a broken connection where nobody listens, or somebody resets', async () => {
    const gone = await startHttpTarget();
    await gone.close();
    const resetting = await rawServer((socket) => socket.once('data', () => socket.resetAndDestroy()));
    for (const url of [`http://127.0.0.1:${gone.port}/`, resetting.url]) {
      const result = await sendGuarded(LOCAL, deliveryTo(url));
      expect(result).toMatchObject({
        kind: 'failed',
        word: 'connection_error',
        errorKind: 'connection_failed',
      });
    }
  });
});

describe('TLS', () => {
  it.each(['127.0.0.1', 'localhost'])('is spoken with a certificate for %s', async (host) => {
    const receiver = await target({ certificate: authority.issue([host]) });
    const url = `https://${host}:${receiver.port}/in`;
    expect(await sendGuarded(LOCAL, deliveryTo(url))).toMatchObject({ kind: 'answered', status: 200 });
    await eventually(() => expect(receiver.connections.open).toBe(0));
  });

  it.each([
    ['for another name', () => authority.issue(['other.example.com', '127.0.0.2'])],
    ['that ran out', () => authority.issue(['127.0.0.1'], { isExpired: true })],
    ['of an unknown authority', () => createCertificateAuthority().issue(['127.0.0.1'])],
    ['and TLS 1.1', () => oldTls()],
  ])('is refused with a certificate %s, whatever the environment says', async (_what, certificate) => {
    const receiver = await target({ certificate: certificate() });
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const result = await sendGuarded(LOCAL, deliveryTo(receiver.url)).finally(() => vi.unstubAllEnvs());
    expect(result).toMatchObject({ kind: 'failed', word: 'tls_error', errorKind: 'tls_failed' });
    expect(receiver.requests).toEqual([]);
  });

  it('fails where none is spoken, and runs out of time where nothing is said', async () => {
    const plain = await target({});
    const mute = await rawServer(() => {});
    const hangingUp = await rawServer((socket) => socket.once('data', () => socket.destroy()));
    const ask = (port: number) =>
      sendGuarded(LOCAL, deliveryTo(`https://127.0.0.1:${port}/`, { timeoutMs: 1000 }));
    expect(await ask(plain.port)).toMatchObject({ word: 'tls_error' });
    expect(await ask(hangingUp.port)).toMatchObject({ word: 'tls_error' });
    expect(await ask(mute.port)).toMatchObject({ word: 'timeout' });
  });

  it('is never left by a redirect', async () => {
    const plain = await target({});
    const secure = await target({
      certificate: authority.issue(['127.0.0.1']),
      answer: (_request, response) => response.writeHead(302, { location: plain.url }).end(),
    });
    const result = await sendGuarded(LOCAL, checkOf(secure.url));
    expect(result).toMatchObject({ kind: 'failed', errorKind: 'redirect_target_blocked' });
    expect(plain.connections.total).toBe(0);
  });
});

describe('the connection', () => {
  it('is judged again when it stands: one that leads to another address carries nothing', async () => {
    const received: Buffer[] = [];
    const server = await rawServer((socket) => socket.on('data', (bytes) => received.push(bytes)));
    const place = locationOf(new URL(`http://receiver.example.com:${server.port}/`), 'receiver');
    const policy = policyWith({ allowlist: ['receiver.example.com'] });
    const { signal } = new AbortController();
    // The system takes this address for 127.0.0.1.
    await expect(openConnection(place, ['0.0.0.0'], policy, signal)).rejects.toMatchObject({
      errorKind: 'address_blocked',
    });
    // An address that nobody may call any more.
    await expect(openConnection(place, ['127.0.0.1'], policyWith(), signal)).rejects.toMatchObject({
      errorKind: 'address_blocked',
    });
    expect(received).toEqual([]);
  });

  it('goes to the next address of a name when one does not answer', async () => {
    const receiver = await target({});
    const place = locationOf(new URL(receiver.url.replace('127.0.0.1', 'receiver.example.com')), 'receiver');
    const policy = policyWith({ allowlist: ['receiver.example.com'] });
    const { signal } = new AbortController();
    const socket = await openConnection(place, ['127.0.0.9', '127.0.0.8', '127.0.0.1'], policy, signal);
    expect(socket.remoteAddress).toBe('127.0.0.1');
    socket.destroy();
  });
});

function oldTls() {
  return {
    ...authority.issue(['127.0.0.1']),
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1.1',
    ciphers: 'DEFAULT@SECLEVEL=0',
  } as const;
}
