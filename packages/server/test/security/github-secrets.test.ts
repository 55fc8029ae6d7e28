// Proves 40.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLoggerTo } from '../../src/platform/log.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import {
  exchange,
  openBrowser,
  openDevice,
  personWith,
  plaintextIn,
  settingsFor,
} from '../support/github-client.ts';
import { type GithubServer, startGithubServer } from '../support/github-server.ts';

let github: GithubServer;
let culprit: TestCulprit;
const lines: string[] = [];
/** Everything that must stay between its holder and us, besides what GitHub counts itself. */
const secrets: string[] = [];

beforeAll(async () => {
  github = await startGithubServer();
  const write = (line: string): void => void lines.push(line);
  const log = createLoggerTo({ write }, { level: 'trace', role: 'test' });
  culprit = await startCulprit({ hasWorker: false, github: settingsFor(github), log });
  github.addPerson(personWith(1, 'secretive@example.test'));
  await useEveryWay();
});
afterAll(async () => {
  await culprit?.stop();
  await github?.close();
});

/** Each way to sign in, as it goes well and as it fails at each step. */
async function useEveryWay(): Promise<void> {
  const browser = openBrowser(culprit, github);
  const page = await browser.start();
  secrets.push(browser.cookies.get('svc_oauth') ?? '');
  await browser.callback(await github.visit(page, { as: 1 }));
  secrets.push(browser.cookies.get('svc_session') ?? '');

  const device = openDevice(culprit);
  const { requestId, userCode } = await device.start();
  await device.poll(requestId);
  const second = await device.start();
  secrets.push(requestId, second.requestId, userCode, second.userCode);
  github.answerDevice(second.userCode, { as: 1 });
  await device.poll(second.requestId);
  secrets.push(plaintextIn(await device.claim(second.requestId)));
  secrets.push(plaintextIn(await exchange(culprit, github.createToken(1))));

  for (const path of [
    '/login/oauth/access_token',
    '/login/device/code',
    '/api/v3/user',
    '/api/v3/user/emails',
  ]) {
    for (const mode of ['cut', 'failing', 'garbage', 'over_limit'] as const) {
      const unlucky = openBrowser(culprit, github);
      const callback = await github.visit(await unlucky.start(), { as: 1 });
      secrets.push(unlucky.cookies.get('svc_oauth') ?? '');
      const waiting = await device.start();
      secrets.push(waiting.requestId);
      github.answerDevice(waiting.userCode, { as: 1 });
      github.setMode(mode, path);
      await unlucky.callback(callback);
      await device.poll(waiting.requestId);
      await exchange(culprit, github.createToken(1));
      github.setMode('up');
    }
  }
  const rotten = `gho_${'x'.repeat(30)}`;
  secrets.push(rotten);
  await exchange(culprit, rotten);
}

function everySecret(): string[] {
  return [...new Set([...secrets, ...github.secrets])].filter((secret) => secret !== '');
}

it('the ways were used: there are secrets to look for and lines to look through', () => {
  expect(everySecret().length).toBeGreaterThan(60);
  expect(secrets).not.toContain('');
  expect(lines.length).toBeGreaterThan(60);
  expect(lines.join('')).toContain('GitHub could not be used');
});

it('no line of the log holds a code, a token, a state, a device request or an address of a person', () => {
  const text = lines.join('');
  const found = [...everySecret(), 'secretive@example.test'].filter((secret) => text.includes(secret));
  expect(found).toEqual([]);
});

it('no row of the database holds one, plain or as bytes', async () => {
  const tables = await culprit.database.query<{ name: string }>({
    name: 'test-tables',
    text: `select quote_ident(table_name) as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE'`,
  });
  const rows = await Promise.all(
    tables.map(({ name }) =>
      culprit.database.query<{ row: string }>({
        name: `test-rows-${name}`,
        text: `select row_to_json(t)::text as row from ${name} t`,
      }),
    ),
  );
  const text = rows.flatMap((each) => each.map(({ row }) => row)).join('\n');
  // The dump shows bytes as they are: a hash that is there proves that a plaintext would be seen.
  const [requestId = ''] = secrets.filter((secret) => /^[0-9a-f-]{36}$/.test(secret));
  expect(text).toContain(createHash('sha256').update(requestId).digest('hex'));
  const found = everySecret().filter((secret) =>
    [secret, Buffer.from(secret).toString('hex'), Buffer.from(secret).toString('base64')].some((form) =>
      text.includes(form),
    ),
  );
  expect(found).toEqual([]);
});

it('a device code that is waited for is kept encrypted, and not at all once it is over', async () => {
  const rows = await culprit.database.query<{ status: string; has_code: boolean; count: number }>({
    name: 'test-device-codes',
    text: `select status, sealed_device_code is not null as has_code, count(*) from device_requests
      group by 1, 2 order by 1, 2`,
  });
  expect(rows.filter(({ has_code }) => has_code).map(({ status }) => status)).toEqual(['pending']);
  expect(rows.find(({ status }) => status === 'claimed')).toMatchObject({ has_code: false });
});
