import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newUuid } from '../../src/platform/ids.ts';
import { ledgerEvent } from '../reliability/event-ledger.ts';
import { eventually } from '../support/eventually.ts';
import { logEntries, type ProgramSettings, runProgram, startProgram } from '../support/program.ts';
import { acknowledgement, sendEvents, sendRequest } from '../support/send-events.ts';
import { createSplitService, type SplitService } from '../support/split-service.ts';
import { startTestPostgres, type TestPostgres } from '../support/test-postgres.ts';

/** The program as processes of one role each, on an external database and an S3 store. */

const TIMEOUT_MS = 120_000;
const SENDERS = 2;
const SENDER_PAUSE_MS = 20;
/** Processes that start side by side share the processors. */
const START_TIMEOUT_MS = 60_000;

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.stop());

describe('processes of one role each', { timeout: TIMEOUT_MS }, () => {
  let service: SplitService;
  let tokens: { projectToken: string; memberToken: string };
  beforeAll(async () => {
    service = await createSplitService(await postgres.createDatabase(), {
      CULPRIT_DRAIN_MS: '500',
      CULPRIT_LOG_LEVEL: 'info',
    });
  }, TIMEOUT_MS);
  afterAll(() => service.stop());

  it('start at once on an empty database, and each migration is applied once', async () => {
    const started = await Promise.all(
      (['api', 'worker', 'api', 'worker'] as const).map((role) => service.start(role)),
    );
    const applied = started.flatMap(({ program }) =>
      logEntries(program, 'database schema brought up to date').flatMap(({ migrations }) =>
        Array.isArray(migrations) ? migrations : [],
      ),
    );
    expect(applied.length).toBeGreaterThan(0);
    expect(new Set(applied).size).toBe(applied.length);
    expect(service.s3.requests.filter((request) => request === 'PUT culprit/store/identity')).toHaveLength(1);
    tokens = await service.bootstrap('shop');
  });

  it('share their work: what one API accepts, any worker counts, and any API shows', async () => {
    const [first, second] = await Promise.all(
      service.parts().flatMap(({ role, ready }) => (role === 'api' ? [ready] : [])),
    );
    const event = ledgerEvent(newUuid(), 'alpha', false).body;
    const sent = await sendEvents(String(first), tokens.projectToken, [event]);
    expect(acknowledgement(sent).accepted).toBe(1);
    const read = async (path: string) => {
      const { status, body } = await sendRequest(String(second) + path, {
        method: 'GET',
        token: tokens.memberToken,
      });
      if (status !== 200 || !isJsonObject(body)) throw new Error(`${path} answered ${status}`);
      return body;
    };
    const incidentId = await eventually(async () => {
      const { incidents } = await read('/v1/incidents');
      const [incident] = Array.isArray(incidents) ? incidents : [];
      if (!isJsonObject(incident)) throw new Error('no incident yet');
      return String(incident.incident_id);
    });
    await eventually(async () =>
      expect(await read(`/v1/incidents/${incidentId}/bundle`)).toMatchObject({ bundle_version: 1 }),
    );
    expect([...service.s3.objects.keys()].some((key) => key.startsWith('culprit/raw/'))).toBe(true);
  });

  it('are replaced one after the other under load without one failed request', async () => {
    await eventually(() => expect(service.balancer.readyCount()).toBe(2));
    let isOver = false;
    const statuses = new Map<number, number>();
    const sending = Array.from({ length: SENDERS }, async () => {
      while (!isOver) {
        const event = ledgerEvent(newUuid(), 'bravo', false).body;
        const { status } = await sendEvents(service.url, tokens.projectToken, [event]);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        await delay(SENDER_PAUSE_MS);
      }
    });
    try {
      for (const old of service.parts().filter(({ role }) => role === 'api')) {
        await service.start('api');
        await eventually(() => expect(service.balancer.readyCount()).toBe(3));
        expect(await service.end(old, 'SIGTERM')).toBe(0);
      }
    } finally {
      isOver = true;
      await Promise.all(sending);
    }
    expect([...statuses.keys()]).toEqual([202]);
    expect(statuses.get(202)).toBeGreaterThan(30);
  });
});

describe('a role does not start', { timeout: TIMEOUT_MS }, () => {
  let service: SplitService;
  beforeAll(async () => {
    service = await createSplitService(await postgres.createDatabase());
  });
  afterAll(() => service.stop());

  const withStore = (text: string) => () => ({ CULPRIT_OBJECT_STORE: text });
  it.each<[string, () => ProgramSettings, RegExp]>([
    [
      'without a database of its own',
      () => ({ CULPRIT_DATABASE_URL: '' }),
      /CULPRIT_ROLES cannot be set with the embedded database/,
    ],
    ['without the key that all share', () => ({ CULPRIT_DATA_KEY: '' }), /CULPRIT_DATA_KEY is required/],
    [
      'with keys in the address of the store',
      withStore('s3://AKIA:hunter2@bucket'),
      /CULPRIT_OBJECT_STORE must be an address like .*AWS_ACCESS_KEY_ID/,
    ],
    [
      'on a bucket that is not there',
      () => ({ CULPRIT_OBJECT_STORE: service.s3.setting.replace('culprit-test', 'another-bucket') }),
      /there is no bucket for s3:\/\/another-bucket\/culprit at http/,
    ],
    [
      'in the wrong region',
      () => ({ CULPRIT_OBJECT_STORE: service.s3.setting.replace('test-region-1', 'moon-1') }),
      /the region of .* is not the right one \(AuthorizationHeaderMalformed\)/,
    ],
    [
      'on a store that is not there',
      withStore('s3://bucket?endpoint=http://127.0.0.1:1'),
      /the object store cannot be used: s3:\/\/bucket at http:\/\/127\.0\.0\.1:1: ECONNREFUSED/,
    ],
  ])('%s', async (_what, changes, message) => {
    const { ending, stderr } = await runProgram({ ...service.settings, ...changes() }, ['--roles', 'worker']);
    expect({ ending, lines: stderr.trim().split('\n').length <= 2 }).toEqual({ ending: 1, lines: true });
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('hunter2');
    expect(stderr).not.toContain('    at ');
  });

  it('with credentials the store does not take, or without permission', async () => {
    const { AWS_SECRET_ACCESS_KEY: secret } = process.env;
    try {
      process.env.AWS_SECRET_ACCESS_KEY = 'hunter2';
      const { ending, stderr } = await runProgram(service.settings, ['--roles', 'api']);
      expect(ending).toBe(1);
      expect(stderr).toMatch(
        /does not accept the credentials \(SignatureDoesNotMatch\); set AWS_ACCESS_KEY_ID/,
      );
      expect(stderr).not.toContain('hunter2');
    } finally {
      process.env.AWS_SECRET_ACCESS_KEY = secret;
    }
    service.s3.fault = ({ method }) =>
      method === 'DELETE' ? { kind: 'refuses', status: 403, code: 'AccessDenied' } : null;
    const { ending, stderr } = await runProgram(service.settings, ['--roles', 'api']);
    expect(ending).toBe(1);
    expect(stderr).toMatch(/does not grant all required permissions \(AccessDenied\)/);
    service.s3.fault = () => null;
  });

  it('with files of another host beside those of the first', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'culprit-hosts-'));
    const databaseUrl = await postgres.createDatabase();
    const onHost = (name: string): ProgramSettings => ({
      ...service.settings,
      CULPRIT_DATABASE_URL: databaseUrl,
      CULPRIT_OBJECT_STORE: '',
      CULPRIT_DATA_DIR: join(directory, name),
    });
    const first = startProgram(onHost('one'), ['--roles', 'worker']);
    const sameHost = startProgram(onHost('one'), ['--roles', 'worker']);
    try {
      for (const program of [first, sameHost])
        await eventually(
          () => expect(program.stdout()).toContain('The worker role is ready.'),
          START_TIMEOUT_MS,
        );
      const { ending, stderr } = await runProgram(onHost('two'), ['--roles', 'api']);
      expect(ending).toBe(1);
      expect(stderr).toMatch(
        /two\/objects is not the object store of this database: .*same CULPRIT_OBJECT_STORE/,
      );
      for (const program of [first, sameHost]) program.kill('SIGTERM');
      expect(await Promise.all([first.ended, sameHost.ended])).toEqual([0, 0]);
    } finally {
      for (const program of [first, sameHost]) program.kill('SIGKILL');
      await rm(directory, { recursive: true, force: true });
    }
  });
});
