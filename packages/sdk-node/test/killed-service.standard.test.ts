import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { parseId } from '../../server/src/platform/ids.ts';
import { createRealService, type RealService } from '../../server/test/reliability/real-service.ts';
import { settleWork } from '../../server/test/reliability/settle-work.ts';
import { captureException, close, flush, getDiagnostics, init, withRequest } from '../src/index.ts';

/**
 * Section 15 of docs/contract/clients.md, C-31: the program as an operator runs it, whose API is killed while batches
 * are under way.
 */

const KILLS = 4;
const KINDS = 20;
/** Of each kind, after each kill: more than the three that are sent as events. */
const FAILURES = 13;
const LIMIT_MS = 120_000;

let service: RealService;
beforeAll(async () => {
  service = await createRealService();
  await service.start();
}, LIMIT_MS);
afterAll(async () => {
  await close(0);
  await service.remove();
});

function failingRequest(round: number, kind: number): void {
  withRequest({ url: `/orders/${kind}` }, () => {
    const error = new Error('refused');
    error.name = `${letter(round)}${letter(kind)}Error`;
    captureException(error);
  });
}

/** A flush takes a minute at most; the API may need longer on a busy machine, and the library waits longer each time. */
async function isEmptied(): Promise<boolean> {
  for (let minute = 0; minute < 4; minute++) if (await flush(60_000)) return true;
  return false;
}

function letter(number: number): string {
  return String.fromCharCode(65 + number);
}

it('counts each of 1,040 failing requests once, although the API is killed again and again', {
  timeout: 8 * LIMIT_MS,
}, async () => {
  const { projectId, projectToken } = await service.bootstrap('killed');
  init({
    token: projectToken,
    endpoint: service.url,
    service: 'shop',
    environment: 'production',
    capture: { requests: false, outgoing: false, console: 'off', warnings: false },
    batchEvents: 10,
    spool: false,
  });
  await vi.waitUntil(() => getDiagnostics().policyPreset !== null, { timeout: LIMIT_MS });
  for (let round = 0; round < KILLS; round++) {
    const { requests } = getDiagnostics();
    for (let i = 0; i < KINDS * FAILURES; i++) failingRequest(round, i % KINDS);
    // Another batch each time, wherever it is on its way.
    await vi.waitUntil(() => getDiagnostics().requests > requests + round, {
      timeout: LIMIT_MS,
      interval: 1,
    });
    await vi.waitUntil(() => service.kill('api'), { timeout: LIMIT_MS });
    expect(await isEmptied()).toBe(true);
  }
  const { captured, sent, retries, waiting, dropped } = getDiagnostics();
  expect(retries).toBeGreaterThan(0);
  const { suppressed, ...lost } = dropped ?? {};
  expect(new Set(Object.values(lost))).toEqual(new Set([0]));
  expect([waiting, captured]).toEqual([0, Number(sent) + Number(suppressed)]);
  // What was held back is reported.
  expect(await close(LIMIT_MS / 2)).toBe(true);

  const project = parseId(['proj'], projectId) ?? '';
  const database = await settleWork(service, [project]);
  try {
    const rows = await database.query<{ count: number }>(
      {
        name: 'test-counted-of-each',
        text: 'select occurrence_count::integer as count from incidents where project_id = $1',
      },
      [project],
    );
    expect(rows.map(({ count }) => count)).toEqual(Array.from({ length: KILLS * KINDS }, () => FAILURES));
  } finally {
    await database.close();
  }
});
