import { execFile } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectNumber } from '@culprit/contract/events/dsn';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeProgram } from '../../../sdk-test-hosts/hosts.ts';
import { createCertificateAuthority } from '../../../server/test/support/certificates.ts';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { eventually } from '../../../server/test/support/eventually.ts';
import { connect } from '../../../server/test/support/incident-client.ts';
import { uploadMaps } from '../../../server/test/support/map-client.ts';
import { shareCulprit } from '../../../server/test/support/shared-culprit.ts';
import { startReceiver } from '../../../server/test/support/webhook-receiver.ts';
import { builtCli, CONFIG, environmentOf } from '../support/built-cli.ts';
import { type SignedIn, signIn } from '../support/signed-in.ts';
import { startOtherRelease, startStandIn } from '../support/stand-in.ts';

/** `culprit doctor` finds what is wrong, says what to do, and changes nothing (C-36). */

let culprit: TestCulprit;
let signedIn: SignedIn;
beforeAll(async () => {
  culprit = await shareCulprit();
  signedIn = await signIn(culprit);
});
afterAll(() => signedIn.home.remove());

interface Finding {
  check: string;
  level: string;
  says: string;
  hint: string | null;
}
async function diagnose(args: readonly string[], environment: Record<string, string> = {}) {
  const { code, out, err } = await signedIn.home.run(['doctor', '--json', ...args], { environment });
  expect(err).toBe('');
  const { findings }: { findings: Finding[] } = JSON.parse(out);
  return { code, findings, of: (check: string) => findings.filter((each) => each.check === check) };
}

/** Every file of the home with its content, mode and time. */
function stateOf(folder: string): string[] {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const path = join(folder, name);
      const { mode, mtimeMs } = statSync(path);
      return statSync(path).isDirectory()
        ? [`${path} ${mode}`, ...stateOf(path)]
        : [`${path} ${mode} ${mtimeMs} ${readFileSync(path, 'utf8')}`];
    });
}

/** What a plan allows of events, and how much of it is used. */
function withUsage(body: JsonObject, events: JsonObject): JsonObject {
  const { billing } = body;
  if (!isJsonObject(billing) || !isJsonObject(billing.allowances)) throw new Error('there is no allowance');
  const allowances = { ...billing.allowances, monthly_raw_ingested_events: events };
  return { billing: { ...billing, allowances } };
}

describe('doctor', () => {
  it('finds nothing wrong where all is well, and writes nothing', async () => {
    const before = stateOf(signedIn.home.path);
    const { code, of } = await diagnose([]);
    expect(code).toBe(0);
    for (const check of ['connection', 'readiness', 'member token', 'project token', 'project', 'clock'])
      expect(of(check), check).toMatchObject([{ level: 'ok' }]);
    expect(stateOf(signedIn.home.path)).toEqual(before);
  });

  it('names a token of the wrong kind, a misspelt variable and a file that others can read', async () => {
    const { projectToken, memberToken } = signedIn.project;
    const path = join(signedIn.home.path, CONFIG, 'credentials.json');
    chmodSync(path, 0o644);
    const { code, of } = await diagnose([], {
      CULPRIT_TOKEN: projectToken,
      CULPRIT_PROJECT_TOKEN: memberToken,
      CULPRIT_TOKNE: 'x',
    });
    expect(code).toBe(8);
    expect(of('member token')).toMatchObject([
      { level: 'wrong', says: expect.stringContaining('project token') },
    ]);
    expect(of('project token')).toMatchObject([
      { level: 'wrong', says: expect.stringContaining('member token') },
    ]);
    expect(of('environment')).toMatchObject([{ hint: expect.stringContaining('CULPRIT_TOKEN') }]);
    expect(of('credentials')).toMatchObject([
      { level: 'warning', hint: expect.stringContaining('chmod 600') },
    ]);
    expect(statSync(path).mode & 0o777).toBe(0o644);
    chmodSync(path, 0o600);
  });

  it('names the source maps that stacks of the last day miss', async () => {
    const client = await connect(culprit);
    const environment = {
      CULPRIT_TOKEN: client.project.memberToken,
      CULPRIT_PROJECT: client.project.projectId,
    };
    const built = {
      path: 'assets/a.js',
      code: 'a(b);',
      map: '{"version":3,"sources":["a.ts"],"mappings":"AAAA"}',
    };
    await uploadMaps(culprit, client.project, [built], 'shop@1');
    expect((await diagnose([], environment)).of('source maps')).toMatchObject([{ level: 'ok' }]);
    const debugId = crypto.randomUUID();
    const address = 'https://shop.example/assets/late.js';
    await client.send({
      ...{ event_type: 'frontend_exception', timestamp: new Date().toISOString() },
      ...{
        service: { name: 'shop-web', environment: 'production' },
        sdk: { name: 'custom', version: '1.0.0' },
      },
      payload: {
        name: 'E',
        message: 'late',
        stack: `E: late\n    at e (${address}:1:7)`,
        debug_ids: { [address]: debugId },
      },
    });
    await client.processed();
    expect((await diagnose([], environment)).of('source maps')).toMatchObject([
      {
        level: 'warning',
        says: expect.stringContaining(debugId),
        hint: expect.stringContaining('sourcemaps missing'),
      },
    ]);
  });

  it('tries a token that is bound to pages as one of them', async () => {
    const page = 'https://page.example.test';
    const bound = await culprit.createProjectToken(signedIn.project.projectId, [page]);
    const environment = { CULPRIT_PROJECT_TOKEN: bound, CULPRIT_PROJECT: signedIn.project.projectId };
    const without = await diagnose([], environment);
    expect(without.of('project token')).toMatchObject([
      { level: 'warning', hint: expect.stringContaining('--origin') },
    ]);
    const asPage = await diagnose(['--origin', page], environment);
    expect(asPage.of('project token')).toMatchObject([{ level: 'ok' }]);
  });

  it('follows an event of a DSN to its incident, and names the step at which an address fails (F-76)', async () => {
    const { projectId } = signedIn.project;
    const { keys } = (await signedIn.home.json(['keys', 'list'])) as {
      keys: { token_id: string; public_key: string }[];
    };
    const [{ token_id: id, public_key: key } = { token_id: '', public_key: '' }] = keys;
    const number = projectNumber(projectId.replace('proj_', ''));
    const at = (user: string, path = number) => `${culprit.url.replace('//', `//${user}@`)}/${path}`;
    const dsn = at(key);
    const good = await diagnose(['--dsn', dsn]);
    expect(good.code).toBe(0);
    expect(good.of('incident')).toMatchObject([{ level: 'ok', says: expect.stringContaining('inc_') }]);
    const failsAt = async (address: string, ...more: string[]) => {
      const { code, findings } = await diagnose(['--dsn', address, ...more]);
      expect(code).toBe(8);
      return findings.filter(({ level }) => level === 'wrong').map(({ check }) => check);
    };
    expect(await failsAt('shop')).toEqual(['dsn']);
    expect(await failsAt(at('x'))).toEqual(['key']);
    expect(await failsAt(at('f'.repeat(32)))).toEqual(['key']);
    expect(await failsAt(at(key, '7'))).toEqual(['number']);
    expect(await failsAt(`http://${key}@127.0.0.1:1/${number}`)).toEqual(['connection']);
    await signedIn.home.json(['keys', 'update', id, '--allowed-origin', 'https://page.example.test']);
    expect(await failsAt(dsn)).toEqual(['origin']);
    expect((await diagnose(['--dsn', dsn, '--origin', 'https://page.example.test'])).code).toBe(0);
    await signedIn.home.json(['keys', 'update', id, '--any-origin']);
    const rule = [
      '--name',
      'none',
      '--action',
      'drop',
      '--match-message-contains',
      'culprit sent this event',
    ];
    const created = await signedIn.home.json(['capture', 'rules', 'create', ...rule, '--yes']);
    expect(await failsAt(dsn)).toEqual(['policy']);
    const { rule: made } = created as { rule: { id: string } };
    await signedIn.home.json(['capture', 'rules', 'delete', made.id, '--yes']);
  });

  it('tells a clock that is minutes off', async () => {
    const skewed = createServer(({ url }, response) => {
      const date = new Date(Date.now() - 5 * 60_000).toUTCString();
      const isHealth = url === '/health';
      response.writeHead(isHealth ? 200 : 404, { 'content-type': 'application/json', date });
      response.end(isHealth ? '{"status":"ok","version":"0.1.0"}' : '{"error":"not_found"}');
    });
    await new Promise<void>((resolve) => skewed.listen(0, '127.0.0.1', resolve));
    const address = skewed.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const { of } = await diagnose(['--url', `http://127.0.0.1:${port}`]);
    skewed.close();
    expect(of('clock')).toMatchObject([{ level: 'warning' }]);
  });

  it('says of a stranger that it is one, and shows it no token', async () => {
    const seen: string[] = [];
    for (const answers of [
      { '/health': null },
      { '/health': { status: 'ok', version: '1.0.0' }, '/v1/server': { name: 'something else' } },
      { '/health': { status: 'ok', version: '1.0.0' }, '/v1/server': { features: 'all' } },
      { '/health': { status: 'ok', version: '1.0.0' }, '/v1/server': null },
    ]) {
      const stranger = await startStandIn((request, response) => {
        seen.push(request.headers.authorization ?? '');
        const body = Object.entries(answers).find(([path]) => path === request.url)?.[1] ?? {};
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(request.url !== undefined && request.url in answers ? JSON.stringify(body) : '{}');
      });
      const { code, of } = await diagnose(['--url', stranger.url], {
        CULPRIT_TOKEN: signedIn.project.memberToken,
      });
      expect(code).toBe(8);
      expect(of('identity')).toMatchObject([{ level: 'wrong', hint: expect.stringMatching(/address/) }]);
      await stranger.stop();
    }
    expect(seen.join('')).toBe('');
  });

  it('says of a token that was revoked where it is and how to get another', async () => {
    const created = await signedIn.home.run(['tokens', 'create', '--member', '--label', 'short', '--json']);
    const { token } = JSON.parse(created.out);
    const revoked = await signedIn.home.run(['tokens', 'revoke', '--member', token.token_id, '--yes']);
    expect(revoked).toMatchObject({ code: 0 });
    const { code, of } = await diagnose([], { CULPRIT_TOKEN: token.plaintext });
    expect(code).toBe(8);
    expect(of('member token')).toMatchObject([
      { level: 'wrong', says: expect.stringContaining('CULPRIT_TOKEN'), hint: expect.any(String) },
    ]);
  });

  it('tells an authority that is not known from a certificate that soon ends', async () => {
    const authority = createCertificateAuthority();
    const server = createTlsServer(authority.issue(['localhost']), ({ url }, response) => {
      const isHealth = url === '/health';
      response.writeHead(isHealth ? 200 : 404, { 'content-type': 'application/json' });
      response.end(isHealth ? '{"status":"ok","version":"0.1.0"}' : '{"error":"not_found"}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const url = `https://localhost:${typeof address === 'object' && address !== null ? address.port : 0}`;
    const unknown = await diagnose(['--url', url]);
    expect(unknown.code).toBe(8);
    expect(unknown.of('connection')).toMatchObject([
      { level: 'wrong', hint: expect.stringContaining('NODE_EXTRA_CA_CERTS') },
    ]);
    const NODE_EXTRA_CA_CERTS = signedIn.home.write('authority.pem', authority.cert);
    const known = await diagnose(['--url', url], { NODE_EXTRA_CA_CERTS });
    server.close();
    expect(known.of('connection')).toMatchObject([{ level: 'ok' }]);
    expect(known.of('certificate')).toMatchObject([
      { level: 'warning', says: expect.stringContaining('ends on') },
    ]);
  });

  it('names what the plan allows and is used up', async () => {
    const over = await startOtherRelease(culprit.url, {
      changed: ({ pathname }, body) =>
        pathname === '/v1/billing' ? withUsage(body, { used: 7, limit: 7 }) : body,
    });
    const { memberToken } = signedIn.project;
    const { code, of } = await diagnose([], { CULPRIT_URL: over.url, CULPRIT_TOKEN: memberToken });
    await over.stop();
    expect(code).toBe(8);
    expect(of('quota')).toMatchObject([
      { level: 'wrong', says: 'monthly raw ingested events are used up: 7 of 7' },
    ]);
  });

  it('names webhooks whose receiver takes nothing, but not its path', async () => {
    const receiver = await startReceiver();
    receiver.answer(500);
    const { home } = signedIn;
    const made = await home.run(['webhooks', 'create', '--target', `${receiver.url}/of-a-secret`, '--json']);
    const { webhook_id } = JSON.parse(made.out).webhook;
    expect((await diagnose([])).of('webhooks')).toEqual([]);
    expect(await home.run(['webhooks', 'test', webhook_id])).toMatchObject({ code: 0 });
    await receiver.received(1);
    const finding = await eventually(async () => {
      const { code, of } = await diagnose([]);
      expect(code).toBe(0);
      const [found] = of('webhooks');
      expect(found).toMatchObject({
        level: 'warning',
        says: expect.stringMatching(/^1 delivery to 127\.0\.0\.1:\d+ .*: http_500$/),
        hint: expect.stringContaining(`retry ${webhook_id} --failed`),
      });
      return found;
    });
    expect(finding?.says).not.toContain('of-a-secret');
    await home.run(['webhooks', 'delete', webhook_id, '--yes']);
    await receiver.stop();
  });

  it('names a proxy that this Node leaves out', { timeout: 300_000 }, async () => {
    const node = await nodeProgram('22');
    if (node === null) throw new Error('there is no Node 22 for this machine');
    const environment = { ...environmentOf(signedIn.home.path), HTTPS_PROXY: 'http://127.0.0.1:9' };
    const options = { cwd: signedIn.home.path, env: environment };
    const { stdout } = await promisify(execFile)(node, [await builtCli(), 'doctor', '--json'], options);
    const { findings }: { findings: Finding[] } = JSON.parse(stdout);
    expect(findings).toContainEqual(
      expect.objectContaining({
        check: 'proxy',
        level: 'warning',
        hint: expect.stringContaining('NODE_USE_ENV_PROXY=1'),
      }),
    );
  });

  it('says whether something starts the library, and whether git would take the token along', async () => {
    const { home } = signedIn;
    const library = 'shop/node_modules/@culprit/node';
    home.write('shop/package.json', JSON.stringify({ dependencies: { '@culprit/node': '*', express: '*' } }));
    home.write(`${library}/package.json`, '{"version":"1.2.3"}');
    const setup = new URL('../../../sdk-node/culprit-setup.json', import.meta.url);
    home.write(`${library}/culprit-setup.json`, readFileSync(setup, 'utf8'));
    home.write('shop/index.js', "import express from 'express';\n");
    home.write('shop/.env', `CULPRIT_PROJECT_TOKEN=${signedIn.project.projectToken}\n`);
    const look = async () => {
      const { out } = await home.run(['doctor', '--json'], { directory: 'shop' });
      const { findings }: { findings: Finding[] } = JSON.parse(out);
      return (check: string) => findings.filter((each) => each.check === check);
    };
    await promisify(execFile)('git', ['init', '--quiet', 'shop'], { cwd: home.path });
    const before = await look();
    expect(before('application')).toMatchObject([
      { level: 'warning', says: expect.stringContaining('@culprit/node 1.2.3') },
    ]);
    expect(before('secrets')).toMatchObject([{ level: 'warning', hint: 'add .env to .gitignore' }]);
    home.write('shop/index.js', "import '@culprit/node/register';\nimport express from 'express';\n");
    home.write('shop/.gitignore', '.env\n');
    const after = await look();
    expect(after('application')).toMatchObject([{ level: 'ok', says: '@culprit/node 1.2.3' }]);
    expect(after('secrets')).toEqual([]);
  });

  it('names agents whose entry holds a token, or starts what is not there', async () => {
    const entry = (more: object) => JSON.stringify({ mcpServers: { culprit: more } });
    signedIn.home.write(
      '.cursor/mcp.json',
      entry({ command: 'npx', env: { CULPRIT_TOKEN: signedIn.project.memberToken } }),
    );
    signedIn.home.write('.mcp.json', entry({ command: '/nowhere/culprit', args: ['mcp'] }));
    const { of, code } = await diagnose([]);
    rmSync(join(signedIn.home.path, '.cursor'), { recursive: true });
    rmSync(join(signedIn.home.path, '.mcp.json'));
    expect(code).toBe(8);
    expect(of('agents')).toMatchObject([
      { level: 'warning', says: expect.stringContaining('/nowhere/culprit') },
      { level: 'wrong', says: expect.stringContaining('holds a token') },
    ]);
  });

  it('sends a test event when somebody consents, and resolves its incident', async () => {
    const refused = await signedIn.home.run(['doctor', '--send']);
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('--yes') });
    const tried = await diagnose(['--send', '--dry-run']);
    expect(tried.of('delivery')).toMatchObject([
      { level: 'skipped', says: expect.stringContaining('would be sent') },
    ]);
    const { code, of } = await diagnose(['--send', '--yes']);
    expect(code).toBe(0);
    expect(of('delivery')).toMatchObject([{ level: 'ok', says: expect.stringMatching(/after \d+ ms/) }]);
    const { incidents } = JSON.parse((await signedIn.home.run(['incidents', 'list', '--json'])).out);
    expect(incidents).toEqual([]);
  });
});
