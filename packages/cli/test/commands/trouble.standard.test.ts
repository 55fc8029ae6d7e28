import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer, type Server } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createCertificateAuthority } from '../../../server/test/support/certificates.ts';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { shareCulprit } from '../../../server/test/support/shared-culprit.ts';
import { type CliHome, createCliHome } from '../support/built-cli.ts';
import { type SignedIn, signIn } from '../support/signed-in.ts';

/** Servers that do not answer as they should (C-17), and leaving one (C-15). */

let culprit: TestCulprit;
let home: CliHome;
const open: Server[] = [];
beforeAll(async () => {
  culprit = await shareCulprit();
  home = await createCliHome();
});
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});
afterAll(() => home.remove());

async function listening(server: Server): Promise<number> {
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** A stand-in that answers everything in one way. */
async function standIn(answer: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listening(createServer(answer))}`;
}

const environment = { CULPRIT_TOKEN: `svc_mem_${'a'.repeat(32)}` };

describe('a server that does not answer', () => {
  it('is told apart in six sentences, each with the next step', { timeout: 60_000 }, async () => {
    const closed = createTcpServer();
    const closedPort = await listening(closed);
    await new Promise((resolve) => closed.close(resolve));
    const silentPort = await listening(createTcpServer());
    const { cert, key } = createCertificateAuthority().issue(['localhost']);
    const securePort = await listening(createTlsServer({ cert, key }, (_, response) => response.end('{}')));
    const proxy = await standIn((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1><script>evil()</script>');
    });
    const starting = await standIn((_, response) => {
      response.writeHead(503, { 'content-type': 'application/json' });
      response.end('{"error":"worker_starting"}');
    });
    const said: string[] = [];
    for (const [url, timeout, words] of [
      [`http://127.0.0.1:${closedPort}`, '20', /No server responds at/],
      ['https://no-such-host.invalid', '20', /The name no-such-host\.invalid is not known/],
      [`http://127.0.0.1:${silentPort}`, '1', /no answer within 1 s/],
      [`https://localhost:${securePort}`, '20', /is not trusted/],
      [proxy, '20', /is not Culprit \(a proxy or a login page\)/],
      [starting, '20', /cannot answer now \(503, worker_starting\)/],
    ] as const) {
      const args = ['projects', 'list', '--url', url, '--timeout', timeout];
      const { code, out, err } = await home.run(args, { environment });
      expect({ code, out }, `${url}: ${err}`).toEqual({ code: 6, out: '' });
      expect(err).toMatch(words);
      expect(err).toMatch(/\n {2}→ /);
      expect(err).not.toContain('<h1>');
      said.push(err.split('\n')[0]?.replace(/[\w.-]+:\d+/g, '') ?? '');
    }
    expect(new Set(said).size).toBe(6);
  });
});

describe('a certificate that has ended', () => {
  it('is named with its day', async () => {
    const authority = createCertificateAuthority();
    const { cert, key } = authority.issue(['localhost'], { isExpired: true });
    const port = await listening(createTlsServer({ cert, key }, (_, response) => response.end('{}')));
    const { code, err } = await home.run(['projects', 'list', '--url', `https://localhost:${port}`], {
      environment: { ...environment, NODE_EXTRA_CA_CERTS: home.write('authority.pem', authority.cert) },
    });
    expect(code).toBe(6);
    expect(err).toMatch(/is not trusted: it expired on \d{4}-\d\d-\d\d\./);
  });
});

describe('logout', () => {
  it('keeps a pasted token alive unless it is told otherwise, and forgets it', async () => {
    const signedIn: SignedIn = await signIn(culprit);
    const { memberToken } = signedIn.project;
    const use = () =>
      signedIn.home.run(['projects', 'list', '-q'], {
        environment: { CULPRIT_TOKEN: memberToken, CULPRIT_URL: culprit.url },
      });
    expect((await signedIn.home.run(['logout'])).code).toBe(0);
    expect((await signedIn.home.run(['whoami'])).code).toBe(4);
    expect((await use()).code).toBe(0);
    const input = `${memberToken}\n`;
    await signedIn.home.run(['login', '--url', culprit.url, '--with-token'], { input });
    expect((await signedIn.home.run(['logout', '--yes'])).code).toBe(0);
    expect((await use()).code).toBe(4);
    signedIn.home.remove();
  });

  it('forgets a token that cannot be revoked, and says that it still works', async () => {
    const away = await createCliHome();
    const answering = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ projects: [], next_cursor: null }));
    });
    const url = `http://127.0.0.1:${await listening(answering)}`;
    const input = `${environment.CULPRIT_TOKEN}\n`;
    expect((await away.run(['login', '--url', url, '--with-token'], { input })).code).toBe(0);
    answering.closeAllConnections();
    await new Promise((resolve) => answering.close(resolve));
    const { code, err } = await away.run(['logout', '--yes']);
    expect({ code, err }).toMatchObject({ code: 7, err: expect.stringContaining('it works until') });
    expect((await away.run(['whoami'])).code).toBe(4);
    away.remove();
  });
});

describe('api', () => {
  it('sends each method, prints the answer whatever its status, and names no other server', async () => {
    const signedIn = await signIn(culprit);
    const { home: own, project } = signedIn;
    const path = `/v1/projects/${project.projectId}`;
    expect(JSON.parse((await own.run(['api', path])).out)).toMatchObject({ project: {} });
    const changed = await own.run(['api', path, '-X', 'PATCH', '-f', 'name=Renamed']);
    expect(JSON.parse(changed.out)).toMatchObject({ project: { name: 'Renamed' } });
    const posted = await own.run(['api', `${path}/tokens`, '-F', 'label="by api"', '-i']);
    expect(posted.out).toContain('201');
    expect(posted.out).not.toMatch(/svc_proj_[0-9A-Za-z]{8}/);
    const missing = await own.run(['api', '/v1/incidents/inc_00000000-0000-4000-8000-000000000000']);
    expect({ code: missing.code, body: JSON.parse(missing.out) }).toEqual({
      code: 3,
      body: expect.objectContaining({ error: 'incident_not_found' }),
    });
    expect((await own.run(['api', 'https://elsewhere.test/v1/projects'])).code).toBe(2);
    expect((await own.run(['api', '//elsewhere.test/v1/projects'])).code).toBe(2);
    for (const each of ['one', 'two', 'three']) await signedIn.fail(`paged ${each}`);
    const query = ['--query', `project_id=${project.projectId}`, '--query', 'limit=2'];
    const paged = await own.run(['api', '/v1/incidents', ...query, '--paginate']);
    expect(JSON.parse(paged.out).incidents).toHaveLength(3);
    const deleted = await own.run(['api', path, '-X', 'DELETE']);
    expect(deleted.code).toBe(0);
    own.remove();
  });
});
