// Proves 7, 12.
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { codeIn } from '../support/mailbox.ts';
import {
  addressOf,
  createDataDirectory,
  logEntries,
  processesOf,
  type RunningProgram,
  runAdmin,
  runProgram,
  startProgram,
  stillRunning,
} from '../support/program.ts';
import { type Answer, sendEvents, sendRequest } from '../support/send-events.ts';
import { askForCode, browserOf, verifyCode } from '../support/sign-in.ts';

/** The real program from its first start on: what the README promises, how it stops, and that it loses nothing. */

const TIMEOUT_MS = 120_000;
const README = fileURLToPath(new URL('../../../../README.md', import.meta.url));
/** Planted where clients leave secrets by mistake; no log line may repeat it. */
const PLANTED = 'svc_proj_PlantedPlantedPlantedPlantedPlantedPlantedP';

let data: Awaited<ReturnType<typeof createDataDirectory>>;
let settings: Record<`CULPRIT_${string}`, string>;
let server: RunningProgram;
let address: string;
let tokens: { member_token: string; project_token: string };
const outputs: string[] = [];

beforeAll(async () => {
  data = await createDataDirectory();
  settings = {
    CULPRIT_DATA_DIR: data.path,
    CULPRIT_PORT: '0',
    CULPRIT_LOG_LEVEL: 'debug',
    CULPRIT_KEEP_ALIVE_MS: '620000',
    // With one, the start says where it is instead of how to sign in without.
    CULPRIT_DASHBOARD: 'off',
  };
});
afterAll(async () => {
  server?.kill('SIGKILL');
  await data.remove();
});

describe('a server', { timeout: TIMEOUT_MS }, () => {
  it('says at its first start where it is and how to get tokens, and is ready', async () => {
    await start();
    expect(server.stdout()).toContain(`its data is in ${data.path}`);
    expect(server.stdout()).toContain(`Culprit is ready at ${address} (API reference: ${address}/docs)`);
    expect(server.stdout()).toContain('npm run -s admin -- bootstrap --email');
    expect(server.stdout()).toContain(`To sign in, request a code: POST ${address}/v1/auth/request-code`);
    expect(server.stdout()).toContain('Mail is printed in this terminal');
    expect(server.stderr()).toBe('');
    expect(await sendRequest(`${address}/ready`, { method: 'GET' })).toMatchObject({
      status: 200,
      body: { status: 'ready' },
    });
  });

  it('keeps idle connections open for as long as its setting says', async () => {
    const { headers } = await fetch(`${address}/live`);
    expect(headers.get('keep-alive')).toBe('timeout=620');
  });

  it('prints the mail with a sign-in code in its terminal, and nowhere else', async () => {
    expect((await askForCode(address, 'dev@example.com')).status).toBe(200);
    const code = await eventually(() => codeIn({ text: server.stdout() }), 10_000);
    expect(server.stdout()).toContain('To: dev@example.com\n');
    const browser = browserOf(await verifyCode(address, 'dev@example.com', code));
    expect(browser.session).toMatchObject({ email: 'dev@example.com', role: 'owner' });
    const log = server
      .stdout()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .join('\n');
    for (const secret of ['dev@example.com', browser.cookie.slice(12), browser.csrfToken]) {
      expect(log).not.toContain(secret);
    }
    expect(log).not.toMatch(new RegExp(`"${code}"|\\b${code}\\b(?!Z)`));
  });

  it('makes an incident, its bundle and its reproduction of the event in the README', async () => {
    const { stdout } = await runAdmin(settings, [
      ...'bootstrap --email a@example.com --json'.split(' '),
      '--project',
      'shop',
    ]);
    tokens = JSON.parse(stdout);
    const sent = await sendRequest(`${address}/v1/events`, {
      token: tokens.project_token,
      body: readmeBody(),
    });
    expect(sent).toMatchObject({ status: 202, body: { accepted: 1, rejected: 0 } });
    const id = await eventually(() => onlyIncidentId(), 10_000);
    await eventually(async () => {
      expect(await read(`/v1/incidents/${id}/bundle`)).toMatchObject({
        status: 200,
        body: { summary: { title: 'TypeError: total is undefined' } },
      });
    }, 10_000);
    expect(await read(`/v1/incidents/${id}/reproduction`)).toMatchObject({
      status: 200,
      body: { possible: false, reason: 'no_request_context' },
    });
  });

  it('answers requests that carry secrets where they do not belong', async () => {
    const event = { event_type: 'log_event', project_token: PLANTED, token: PLANTED };
    const body = JSON.stringify({ events: [event] });
    for (const token of [PLANTED, tokens.project_token]) {
      for (const sent of [body, body.slice(0, -1)]) {
        await sendRequest(`${address}/v1/events?token=${PLANTED}`, { token, body: sent });
      }
    }
    const headers = { authorization: PLANTED, cookie: `svc_session=${PLANTED}`, 'x-request-id': PLANTED };
    for (const path of [`/v1/incidents/${PLANTED}?cursor=${PLANTED}`, `/${PLANTED}`]) {
      const answer = await sendRequest(`${address}${path}`, { method: 'GET', headers });
      expect(JSON.stringify([answer.body, ...answer.headers])).not.toContain(PLANTED);
    }
  });

  it('is not disturbed by a second one on its data, which says who holds it', async () => {
    const second = await runProgram(settings);
    expect(second.ending).toBe(1);
    expect(second.stderr).toBe(
      `Culprit could not start: Another Culprit process (pid ${server.pid}) is using the data directory ${data.path}. ` +
        'Stop it first, or give this one its own directory with CULPRIT_DATA_DIR.\n',
    );
    expect(second.stdout).toContain(`${data.path}; waiting for it to stop, at most 12 s.`);
    expect(await onlyIncidentId()).toMatch(/^inc_/);
  });

  it('starts its API and its database again when they die', async () => {
    for (const [pid, isBack] of [
      [Number(logEntries(server, 'process is ready').find((entry) => entry.part === 'api')?.childPid), 'api'],
      [Number(logEntries(server, 'The embedded PostgreSQL is ready')[0]?.postgresPid), 'database'],
    ] as const) {
      expect(pid, isBack).toBeGreaterThan(1);
      process.kill(pid, 'SIGKILL');
      await eventually(async () => {
        expect(stillRunning(processesOf(server)).some((each) => each.pid === pid)).toBe(false);
        expect(await read('/ready')).toMatchObject({ status: 200 });
        await onlyIncidentId();
      }, 60_000);
    }
  });

  it('stops with code 0 when asked, however often, and leaves no process', async () => {
    const processes = processesOf(server);
    // The program itself, two roles and the database with its own children.
    expect(processes.length).toBeGreaterThan(4);
    server.kill('SIGINT');
    server.kill('SIGINT');
    server.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    expect(stillRunning(processes)).toEqual([]);
  });

  it('has its data again after the next start, also after it was killed', async () => {
    await start();
    const before = await onlyIncidentId();
    const processes = processesOf(server);
    server.kill('SIGKILL');
    expect(await server.ended).toBe('SIGKILL');
    // The roles notice that nobody watches them any more. The database stays until the next start.
    await eventually(() => expect(stillRunning(processes).length).toBeLessThan(processes.length - 2), 20_000);
    await start({ CULPRIT_FREE_SPACE_MIN_BYTES: '1000000GB' });
    expect(await onlyIncidentId()).toBe(before);
    expect(stillRunning(processes)).toEqual([]);
  });

  it('accepts nothing without free space, and says when to come again', async () => {
    const refused = await sendEvents(address, tokens.project_token, []);
    expect(refused).toMatchObject({ status: 503, body: { error: 'service_unavailable' } });
    expect(refused.headers.get('retry-after')).toBe('5');
    server.kill('SIGTERM');
    expect(await server.ended).toBe(0);
  });

  it('says which port is taken, and leaves nothing running', async () => {
    const { holder, port } = await takenPort();
    const attempt = startProgram({ ...settings, CULPRIT_PORT: port });
    const processes = await eventually(() => {
      const found = processesOf(attempt);
      expect(found.length).toBeGreaterThan(4);
      return found;
    }, 60_000);
    expect(await attempt.ended).toBe(1);
    expect(attempt.stderr()).toBe(portTaken(port));
    expect(stillRunning(processes)).toEqual([]);
    outputs.push(attempt.stdout());
    holder.close();
  });

  it('says that before it creates a database', async () => {
    const { holder, port } = await takenPort();
    const fresh = await createDataDirectory();
    const attempt = startProgram({ ...settings, CULPRIT_DATA_DIR: fresh.path, CULPRIT_PORT: port });
    expect(await attempt.ended).toBe(1);
    expect(attempt.stderr()).toBe(portTaken(port));
    expect(existsSync(join(fresh.path, 'postgres'))).toBe(false);
    await fresh.remove();
    holder.close();
  });

  it('stops with code 0 in the middle of its start, and leaves no process', async () => {
    const attempt = startProgram(settings);
    const processes = await eventually(() => {
      const found = processesOf(attempt);
      expect(found.length).toBeGreaterThan(1);
      return found;
    }, 60_000);
    attempt.kill('SIGTERM');
    expect(await attempt.ended).toBe(0);
    expect(stillRunning(processes)).toEqual([]);
    expect(attempt.stdout()).not.toContain('is ready at');
  });

  it('has written none of the secrets it met, at the level of debugging', () => {
    const written = outputs.join('\n');
    expect(written).toContain('"level":"debug"');
    const password = readFileSync(join(data.path, 'postgres-password'), 'utf8').trim();
    for (const secret of [PLANTED, tokens.project_token, tokens.member_token, password]) {
      expect(written.split(secret)).toHaveLength(1);
    }
  });
});

async function start(more: Record<`CULPRIT_${string}`, string> = {}): Promise<void> {
  server = startProgram({ ...settings, ...more });
  const running = server;
  void running.ended.then(() => outputs.push(running.stdout(), running.stderr()));
  address = await addressOf(running);
}

async function takenPort(): Promise<{ holder: Server; port: string }> {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const address = holder.address();
  return { holder, port: String(typeof address === 'object' ? address?.port : 0) };
}

function portTaken(port: string): string {
  return (
    `Culprit could not start: port ${port} of 127.0.0.1 is already in use; stop the program that uses it, perhaps another ` +
    'Culprit, or choose another port with CULPRIT_PORT\n'
  );
}

function read(path: string): Promise<Answer> {
  return sendRequest(`${address}${path}`, { method: 'GET', token: tokens.member_token });
}

/** Of the one incident there is. */
async function onlyIncidentId(): Promise<string> {
  const { body } = await read('/v1/incidents');
  const incidents = isJsonObject(body) && Array.isArray(body.incidents) ? body.incidents : [];
  expect(incidents).toHaveLength(1);
  const [incident] = incidents;
  return isJsonObject(incident) ? String(incident.incident_id) : '';
}

/** The body that the README sends, with the time that the shell puts into it. */
function readmeBody(): string {
  const [, before, after] =
    /-d '(\{"events":[^']*)'\$\(date [^)]*\)'([^']*)'/.exec(readFileSync(README, 'utf8')) ?? [];
  if (before === undefined || after === undefined) throw new Error('the README sends no event of now');
  return `${before}${new Date().toISOString()}${after}`;
}
