import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EX } from '../conformance/incidents-fixtures.ts';
import { eventually } from '../support/eventually.ts';
import {
  addressOf,
  createDataDirectory,
  type FinishedProgram,
  type RunningProgram,
  runAdmin,
  startProgram,
} from '../support/program.ts';
import { sendEvents, sendRequest } from '../support/send-events.ts';

/** The database of one machine is lost, its objects are not, and the only backup is older (docs/operations.md). */

let data: Awaited<ReturnType<typeof createDataDirectory>>;
let settings: Record<`CULPRIT_${string}`, string>;
let backup: string;
let tokens: { member_token: string; project_token: string };
let server: RunningProgram | null = null;
beforeAll(async () => {
  data = await createDataDirectory();
  settings = { CULPRIT_DATA_DIR: data.path, CULPRIT_PORT: '0' };
  backup = join(data.path, 'backup');
});
afterAll(async () => {
  server?.kill('SIGKILL');
  await server?.ended;
  await data.remove();
});

async function start(): Promise<string> {
  server = startProgram(settings);
  return await addressOf(server);
}

async function stop(): Promise<void> {
  server?.kill('SIGTERM');
  expect(await server?.ended).toBe(0);
  server = null;
}

async function counted(address: string, occurrences: number): Promise<void> {
  await eventually(async () => {
    const { body } = await sendRequest(`${address}/v1/incidents`, {
      method: 'GET',
      token: tokens.member_token,
    });
    const incidents = isJsonObject(body) && Array.isArray(body.incidents) ? body.incidents : [];
    expect(incidents).toMatchObject([{ occurrence_count: occurrences }]);
  }, 60_000);
}

const restore = (): Promise<FinishedProgram> => runAdmin(settings, ['restore', '--from', backup, '--json']);

describe('restore with the objects of a lost database', { timeout: 240_000 }, () => {
  it('brings back what the backup holds and what was accepted after it', async () => {
    let address = await start();
    const made = await runAdmin(settings, [
      'bootstrap',
      '--email',
      'you@example.com',
      '--project',
      'my-app',
      '--json',
    ]);
    tokens = JSON.parse(made.stdout);
    await sendEvents(address, tokens.project_token, [EX(), EX()]);
    await counted(address, 2);
    expect((await runAdmin(settings, ['backup', '--to', backup])).ending).toBe(0);
    await sendEvents(address, tokens.project_token, [EX(), EX(), EX()]);
    await counted(address, 5);
    expect(await restore()).toMatchObject({
      ending: 1,
      stdout: '',
      stderr: expect.stringContaining('nothing was done: a server is running in'),
    });
    await stop();
    await rm(join(data.path, 'postgres'), { recursive: true });

    const { ending, stdout } = await restore();
    expect({ ending, ...JSON.parse(stdout) }).toMatchObject({
      ending: 0,
      found_events: 3,
      lost_events: 0,
      unusable_objects: 0,
    });
    expect(await restore()).toMatchObject({
      ending: 1,
      stdout: '',
      stderr: expect.stringContaining('nothing was done: this backup was already restored'),
    });
    address = await start();
    await counted(address, 5);
    await stop();
    expect(await restore()).toMatchObject({
      ending: 1,
      stderr: expect.stringContaining('nothing was done'),
    });
  });
});
