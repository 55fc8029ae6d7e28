// Proves 20.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordFigure } from '../proof/record-figure.ts';
import { SELF_HOSTED, startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { type RoleProcess, startApiProcess } from '../support/role-process.ts';
import { acknowledgement, sendRequest } from '../support/send-events.ts';

/** docs/contract/reliability.md test 20: many bodies of 1 MB in the worst shapes at once. */

const BODIES = 200;
const BODY_BYTES = 1_048_576;
const PEAK_MB_MAX = 512;

const LOG =
  '{"event_type":"log_event","timestamp":"2026-03-24T10:30:00Z","service":{"name":"a","environment":"p"},"payload":{"level":"error","message":"m"}}';

/** Each becomes far more than its megabyte when it is parsed, judged or answered. */
const SHAPES: Readonly<Record<string, string>> = {
  'a number each': many('7'),
  'an empty object each': many('{}'),
  'an unknown field each': many('{"a":0}'),
  'small events': many(LOG),
  'small events with a user': many(LOG.replace('"payload"', '"context":{"user":1},"payload"')),
  'lists of numbers': many(`[${repeated('1', 19_990)}]`),
  'a text of a megabyte': many(LOG.replace('"m"', `"${'x'.repeat(1_048_000)}"`)),
  'deep objects': many(withContext(`${'{"a":'.repeat(28)}1${'}'.repeat(28)}`)),
  'deep objects with a user': many(withContext(`${'{"a":'.repeat(27)}{"user":1}${'}'.repeat(27)}`)),
  'empty objects': many(withContext(`[${repeated('{}', 9000)}]`)),
  'empty lists': many(withContext(`[${repeated('[]', 9000)}]`)),
  'short texts': many(withContext(`[${repeated('"ab"', 9000)}]`)),
  'a key of its own for each object': distinctKeys(),
};

function many(item: string): string {
  return `{"events":[${repeated(item, Math.floor((BODY_BYTES - 16) / (item.length + 1)))}]}`;
}

function repeated(item: string, times: number): string {
  return Array<string>(times).fill(item).join();
}

function withContext(json: string): string {
  return LOG.replace('"payload"', `"context":{"c":${json}},"payload"`);
}

function distinctKeys(): string {
  const events = Array.from({ length: 9 }, (_, event) => {
    const objects = Array.from(
      { length: 9000 },
      (_, index) => `{"${(event * 9000 + index).toString(36)}":0}`,
    );
    return withContext(`[${objects.join()}]`);
  });
  return `{"events":[${events.join()}]}`;
}

describe('bodies of a megabyte in the worst shapes', () => {
  let culprit: TestCulprit;
  let project: TestProject;
  let api: RoleProcess;
  beforeAll(async () => {
    culprit = await startCulprit({ hasWorker: false });
    project = await culprit.createProject();
    api = await startApiProcess(culprit, { plans: SELF_HOSTED });
  });
  afterAll(async () => {
    await api.kill();
    await culprit.stop();
  });

  const send = (body: string) =>
    sendRequest(`${api.report}/v1/events`, { token: project.projectToken, body });

  it.each(Object.entries(SHAPES))('of %s are answered one by one', async (_name, body) => {
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(BODY_BYTES);
    expect((await send(body)).status).toBe(202);
  });

  it(`need at most ${PEAK_MB_MAX} MB when ${BODIES} come at once, and those that wait too long are told to come back`, {
    timeout: 120_000,
  }, async () => {
    const shapes = Object.values(SHAPES);
    const answers = await Promise.all(
      Array.from({ length: BODIES }, (_, index) => send(shapes[index % shapes.length] ?? '')),
    );
    const accepted = answers.filter((answer) => answer.status === 202);
    const refused = answers.filter((answer) => answer.status === 503);
    expect(accepted.length).toBeGreaterThan(0);
    expect(accepted.length + refused.length).toBe(BODIES);
    for (const { body, headers } of refused) {
      expect([body, headers.get('retry-after')]).toEqual([{ error: 'service_unavailable' }, '5']);
    }
    const peak = peakMb(api.pid);
    recordFigure(
      20,
      `peak ${Math.round(peak)} MB, ${accepted.length} accepted, ${refused.length} told to come back`,
    );
    expect(peak).toBeLessThan(PEAK_MB_MAX);
  });

  it('leave a server that accepts the next one', async () => {
    expect(acknowledgement(await send(`{"events":[${LOG}]}`)).accepted).toBe(1);
  });
});

/** The most memory the process ever had resident. */
function peakMb(pid: number): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}
