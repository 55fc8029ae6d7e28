import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { countRows } from '../support/count-rows.ts';
import { startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { whileLocked } from '../support/database-faults.ts';
import { eventually } from '../support/eventually.ts';

/** Requests whose time is over, or whose client is gone (docs/contract/reliability.md A6). */

const OPERATION_TIMEOUT_MS = 400;
const CONNECTIONS = 2;
const APPLICATION = `datname = current_database() and application_name like 'culprit-%' and application_name <> 'culprit-intake'`;

let culprit: TestCulprit;
let project: TestProject;

beforeAll(async () => {
  culprit = await startCulprit({
    hasWorker: false,
    connectionsMax: CONNECTIONS,
    limits: { operationTimeoutMs: OPERATION_TIMEOUT_MS },
  });
  project = await culprit.createProject();
});
afterAll(() => culprit.stop());

/** Changes of several features, each with the statement that counts what it makes. */
const CHANGES: readonly [
  name: string,
  method: string,
  path: () => string,
  body: object | null,
  count: () => string,
][] = [
  [
    'a token',
    'POST',
    () => '/v1/member/tokens',
    { label: 'late' },
    () => `member_tokens where label = 'late'`,
  ],
  ['a project', 'POST', () => '/v1/projects', { name: 'late' }, () => `projects where name = 'late'`],
  [
    'a project token',
    'POST',
    () => `/v1/projects/${project.projectId}/tokens`,
    { label: 'late' },
    () => `project_tokens where label = 'late'`,
  ],
  [
    'a new name',
    'PATCH',
    () => `/v1/projects/${project.projectId}`,
    { name: 'late' },
    () => `projects where name = 'late'`,
  ],
  [
    'a capture rule',
    'POST',
    () => `/v1/projects/${project.projectId}/capture-rules`,
    { name: 'late', action: 'drop', matcher: { services: ['a'] } },
    () => `capture_rules where name = 'late'`,
  ],
  [
    'a webhook',
    'POST',
    () => '/v1/webhooks',
    { project_id: '', url: 'https://receiver.example/late', events: ['bundle.created'] },
    () => `webhooks where url like '%late%'`,
  ],
];

function send(method: string, path: string, body: object | null): Promise<Response> {
  return fetch(culprit.url + path, {
    method,
    headers: { authorization: `Bearer ${project.memberToken}`, 'content-type': 'application/json' },
    ...(body === null ? {} : { body: JSON.stringify(withProject(body)) }),
  });
}

function withProject(body: object): object {
  return 'project_id' in body ? { ...body, project_id: project.projectId } : body;
}

/** Waits until no connection of the API is at work any more. */
async function untilIdle(): Promise<void> {
  await eventually(async () => {
    const busy = await countRows(
      culprit,
      `pg_stat_activity where ${APPLICATION} and state <> 'idle' and pid <> pg_backend_pid()`,
    );
    if (busy > 0) throw new Error(`${busy} connections are busy`);
  }, 10_000);
}

const LOCK_ALL = `lock table member_tokens, project_tokens, projects, capture_rules, webhooks, releases in share mode`;

describe('a change that was answered 503', () => {
  it.each(CHANGES)('does not happen afterwards: %s', async (_name, method, path, body, count) => {
    const answer = await whileLocked(culprit, LOCK_ALL, async () => {
      const response = await send(method, path(), body);
      return {
        status: response.status,
        body: await response.json(),
        retry: response.headers.get('retry-after'),
      };
    });
    await untilIdle();
    const happened = (await countRows(culprit, count())) > 0;
    expect(answer).toEqual({ status: 503, body: { error: 'request_timeout' }, retry: '5' });
    expect(happened).toBe(false);
  });
});

describe('a change of a build tool that was answered 503', () => {
  it('does not happen afterwards, in any of its projects', async () => {
    const other = await send('POST', '/v1/projects', { name: 'other' });
    const { project: second } = (await other.json()) as { project: { project_id: string } };
    const body = { version: 'late', projects: [project.projectId, second.project_id] };
    const answer = await whileLocked(culprit, LOCK_ALL, async () => {
      const response = await send('POST', '/api/0/organizations/acme/releases/', body);
      return { status: response.status, body: await response.json() };
    });
    await untilIdle();
    expect(answer).toEqual({
      status: 503,
      body: { detail: expect.stringContaining('nothing was changed') },
    });
    expect(await countRows(culprit, `releases where version = 'late'`)).toBe(0);
  });
});

describe('a change whose commit is on its way when its time is over', () => {
  beforeEach(async () => {
    await culprit.database.script(`
      create or replace function test_slow_commit() returns trigger language plpgsql as $$
        begin perform pg_sleep(1.5); return null; end $$;
      drop trigger if exists test_slow_commit on projects;
      create constraint trigger test_slow_commit after insert on projects deferrable initially deferred
        for each row when (new.name = 'unknown') execute function test_slow_commit();
    `);
  });

  it('is answered with a code that leaves it open, and no time to repeat it', async () => {
    const response = await send('POST', '/v1/projects', { name: 'unknown' });
    expect([response.status, await response.json()]).toEqual([503, { error: 'outcome_unknown' }]);
    expect(response.headers.get('retry-after')).toBeNull();
    await untilIdle();
    expect(await countRows(culprit, `projects where name = 'unknown'`)).toBe(1);
  });
});

describe('a client that is gone', () => {
  it('gets no statement for requests that waited for a connection, and their connections go to others', async () => {
    await culprit.database.script(`create table if not exists test_statements (at timestamptz)`);
    const sockets: Socket[] = [];
    await whileLocked(culprit, LOCK_ALL, async () => {
      // More than there are connections: the first ones wait for the lock, the others for a connection.
      for (let i = 0; i < 12; i += 1) sockets.push(await ask('/v1/member/tokens', { label: `gone ${i}` }));
      await eventually(async () => {
        const waiting = await countRows(
          culprit,
          `pg_stat_activity where ${APPLICATION} and wait_event_type = 'Lock'`,
        );
        if (waiting < 1) throw new Error('no statement waits for the lock');
      });
      for (const socket of sockets) socket.destroy();
      await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
    });
    await untilIdle();
    // A statement that already waited for the lock may run to its end.
    const made = await countRows(culprit, `member_tokens where label like 'gone %'`);
    expect(made).toBeLessThanOrEqual(CONNECTIONS);
    const response = await send('POST', '/v1/member/tokens', { label: 'after' });
    expect(response.status).toBe(201);
  });
});

/** Sends a whole request and leaves its answer alone. */
function ask(path: string, body: object): Promise<Socket> {
  const text = JSON.stringify(body);
  const { hostname, port } = new URL(culprit.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${project.memberToken}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
        () => resolve(socket),
      );
    });
    socket.on('error', reject);
  });
}
