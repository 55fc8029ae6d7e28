import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCertificateAuthority } from '../../server/test/support/certificates.ts';
import { findProxy } from '../src/transport/proxy.ts';
import { portOf, type RecordingEndpoint, startRecordingEndpoint } from './support/recording-endpoint.ts';
import { connectedTo, type Programs, programs } from './support/run-program.ts';

/** Proxies between a host and the service: names of the service are known to the proxy alone. */

const INSTALL_MAX_MS = 300_000;
const NAME = 'culprit.test';

let host: Programs;
let endpoint: RecordingEndpoint;
let proxy: RecordingProxy;
let front: Server;
let folder: string;
let certificate: { key: string; cert: string; certFile: string };

interface RecordingProxy {
  url: string;
  asked: string[];
  answer: number;
  close(): Promise<void>;
}

/** Knows the names of the tests, and wants a user. */
async function startProxy(target: () => { plain: number; secure: number }): Promise<RecordingProxy> {
  const proxy: RecordingProxy = { url: '', asked: [], answer: 200, close: async () => {} };
  const isKnown = ({ headers }: IncomingMessage) =>
    headers['proxy-authorization'] === `Basic ${Buffer.from('user:pass word').toString('base64')}`;
  const server = createServer((incoming, response) => {
    proxy.asked.push(`${incoming.method} ${incoming.url}`);
    if (!isKnown(incoming)) {
      response.writeHead(407).end();
      return;
    }
    const { pathname, search } = new URL(incoming.url ?? '');
    const { method, headers } = incoming;
    const onward = request(
      { host: '127.0.0.1', port: target().plain, path: pathname + search, method, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    incoming.pipe(onward);
  });
  server.on('connect', (incoming, socket) => {
    proxy.asked.push(`CONNECT ${incoming.url}`);
    socket.on('error', () => {});
    if (!isKnown(incoming)) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const onward = connect(target().secure, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy.url = `http://user:pass%20word@127.0.0.1:${portOf(server)}`;
  proxy.close = async () => {
    server.closeAllConnections();
    server.close();
  };
  return proxy;
}

beforeAll(async () => {
  host = await programs();
  folder = mkdtempSync(join(tmpdir(), 'culprit-proxies-'));
  const authority = createCertificateAuthority();
  const certFile = join(folder, 'authority.pem');
  writeFileSync(certFile, authority.cert);
  certificate = { ...authority.issue([NAME]), certFile };
}, INSTALL_MAX_MS);
afterAll(async () => {
  await host.folder.remove();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  endpoint = await startRecordingEndpoint();
  const plain = Number(new URL(endpoint.url).port);
  front = createSecureServer({ key: certificate.key, cert: certificate.cert }, (incoming, response) => {
    const { method, headers, url: path } = incoming;
    incoming.pipe(
      request({ host: '127.0.0.1', port: plain, path, method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      }),
    );
  }).listen(0, '127.0.0.1');
  await once(front, 'listening');
  proxy = await startProxy(() => ({ plain, secure: portOf(front) }));
});
afterEach(async () => {
  await proxy.close();
  front.closeAllConnections();
  front.close();
  await endpoint.close();
});

const FLUSHED = `
const culprit = require('@culprit/node');
culprit.init(JSON.parse(process.env.OPTIONS));
culprit.captureException(new Error('sent'));
culprit.flush().then((isSent) => console.log(isSent));`;
const CRASHED = `
require('@culprit/node').init({ ...JSON.parse(process.env.OPTIONS), spool: false });
throw new Error('sent');`;

async function run(
  source: string,
  version: '20' | '24',
  url: string,
  env: Record<string, string>,
  options = {},
) {
  const ended = await host.run('app.cjs', source, {
    version,
    env: {
      ...connectedTo(url),
      OPTIONS: JSON.stringify(options),
      NODE_EXTRA_CA_CERTS: certificate.certFile,
      ...env,
    },
  });
  const messages = endpoint.events('backend_exception').map(({ payload }) => Object(payload).message);
  return { ended, messages };
}

describe.each(['20', '24'] as const)('on Node %s', (version) => {
  it.each([
    ['https', `CONNECT ${NAME}:443`],
    ['http', `POST http://${NAME}/v1/events`],
  ])(
    'an %s address is reached through the proxy of the environment, a crash as well',
    async (scheme, asked) => {
      const env = { HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url };
      const flushed = await run(FLUSHED, version, `${scheme}://${NAME}`, env);
      expect(flushed.ended, flushed.ended.stderr).toMatchObject({ code: 0, stdout: 'true\n' });
      expect(flushed.messages).toEqual(['sent']);
      expect(proxy.asked).toContain(asked);
      proxy.asked.length = 0;
      const crashed = await run(CRASHED, version, `${scheme}://${NAME}`, env);
      expect(crashed.ended.code).toBe(1);
      expect(crashed.messages).toEqual(['sent', 'sent']);
      expect(proxy.asked).toContain(asked);
    },
  );

  it('the option goes before the environment', async () => {
    const env = { HTTPS_PROXY: 'http://127.0.0.1:9', NO_PROXY: '*' };
    const { messages } = await run(FLUSHED, version, `https://${NAME}`, env, { proxy: proxy.url });
    expect(messages).toEqual(['sent']);
  });

  it('NO_PROXY and addresses of this machine are reached directly', async () => {
    const env = { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, NO_PROXY: `.${NAME}` };
    expect((await run(FLUSHED, version, endpoint.url, env)).messages).toEqual(['sent']);
    await run(CRASHED, version, `http://in.${NAME}:9`, env);
    expect(proxy.asked).toEqual([]);
  });
});

describe('the proxy for an address', () => {
  const hostOf = (address: string, env: NodeJS.ProcessEnv, option: string | null = null) =>
    findProxy(address, option, env)?.host ?? null;
  const all = { https_proxy: 'http://p1', http_proxy: 'p2:3128' };

  it.each([
    ['https://a.example/v1', all, 'p1'],
    ['http://a.example/v1', all, 'p2'],
    ['https://a.example', { HTTPS_PROXY: 'http://p1', https_proxy: '' }, 'p1'],
    ['https://a.example', { ALL_PROXY: 'http://p3' }, 'p3'],
    ['https://a.example', { ALL_PROXY: 'socks5://p3' }, null],
    ['https://a.example', { HTTPS_PROXY: '::::' }, null],
    ['https://a.example', { HTTPS_PROXY: 'http://ann:100%@p1' }, 'p1'],
    ['http://a.example', { HTTP_PROXY: 'http://of-a-client', REQUEST_METHOD: 'GET' }, null],
    ['https://localhost:3000', all, null],
    ['https://[::1]', all, null],
    ['https://a.example', { ...all, no_proxy: 'b.example, example' }, null],
    ['https://a.example', { ...all, no_proxy: '*.example' }, null],
    ['https://an-example', { ...all, no_proxy: 'example' }, 'p1'],
    ['https://a.example:8443', { ...all, no_proxy: 'a.example:443' }, 'p1'],
    ['https://a.example', { ...all, NO_PROXY: 'a.example:443' }, null],
    ['https://10.1.2.3', { ...all, NO_PROXY: '10.0.0.0/8' }, null],
    ['https://11.1.2.3', { ...all, NO_PROXY: '10.0.0.0/8 fd00::/8' }, 'p1'],
    ['https://[fd00::1]', { ...all, NO_PROXY: 'fd00::/8' }, null],
    ['https://[2001:db8::1]', { ...all, NO_PROXY: '[2001:db8::1]:443' }, null],
    ['https://a.example', { ...all, NO_PROXY: '*' }, null],
  ] as const)('%s with %j: %s', (address, env, expected) => {
    expect(hostOf(address, env)).toBe(expected);
  });
});
