import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { bootstrap } from '../../src/admin/bootstrap.ts';
import { checkBatch } from '../../src/pipeline/ingest/check-batch.ts';
import { createIntakeWindow } from '../../src/pipeline/ingest/intake-window.ts';
import {
  type Database,
  openDatabase,
  type Parameter,
  type Statement,
} from '../../src/platform/db/database.ts';
import { createLogger } from '../../src/platform/log.ts';
import { createFileObjectStore } from '../../src/platform/objects/file-object-store.ts';
import { tokenHash } from '../../src/workspace/tokens/token.ts';
import { EX } from '../conformance/incidents-fixtures.ts';
import { SELF_HOSTED } from '../support/culprit.ts';
import { runThrough } from '../support/run-through.ts';
import { createTestDatabase } from '../support/test-database.ts';

/** That intake keeps to the pace of `wake-up-pace.ts`, whose rules have tests of their own. */

let database: Database;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'culprit-wake-ups-'));
  database = openDatabase({
    url: await createTestDatabase(),
    connectionsMax: 4,
    applicationName: 'culprit-test',
  });
});
afterAll(async () => {
  vi.restoreAllMocks();
  await database.close();
  await rm(directory, { recursive: true, force: true });
});

it('windows that come at once wake the worker once, and once more for those that did not', async () => {
  const { project_token } = await bootstrap(database, {
    email: 'owner@example.test',
    projectName: 'project',
    baseUrl: 'http://localhost:4800',
    plans: SELF_HOSTED,
  });
  const told: string[] = [];
  const window = createIntakeWindow({
    database: {
      ...database,
      query<Row extends object>(statement: Statement, parameters: readonly Parameter[] = []) {
        if (statement.name === 'ingest-commit') told.push(parameters[2] === true ? 'commit wakes' : 'commit');
        if (statement.name === 'ingest-wake') told.push('wake');
        return database.query<Row>(statement, parameters);
      },
    },
    objects: await createFileObjectStore({ directory, writeTimeoutMs: 10_000 }),
    plans: SELF_HOSTED,
    log: createLogger({ level: 'silent', role: 'test', toStandardError: true }),
  });
  // However slow the machine is.
  vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  for (let n = 0; n < 3; n += 1) {
    const answer = await window.join({
      tokenHash: tokenHash(project_token),
      origin: null,
      isBeacon: false,
      isPublishedLibrary: false,
      readsWildcards: true,
      content: runThrough(checkBatch(Buffer.from(JSON.stringify({ events: [EX()] })), () => true)),
    });
    expect(answer).toMatchObject({ status: 202, accepted: 1 });
  }
  await window.drain();
  expect(told.filter((each) => each !== 'wake')).toEqual(['commit wakes', 'commit', 'commit']);
  // The last commit is told of, by a statement of its own.
  expect(told.at(-1)).toBe('wake');
});
