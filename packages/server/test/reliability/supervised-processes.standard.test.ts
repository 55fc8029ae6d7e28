import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createRealService, type RealService } from './real-service.ts';

/** Stops and deaths that meet the restart of the database. */

let service: RealService;
beforeAll(async () => {
  service = await createRealService();
});
afterEach(() => service.end('SIGTERM'));
afterAll(() => service.remove());

async function expectNothingRuns(): Promise<void> {
  expect(service.postgresProcess()).toBeNull();
  expect(await service.roleProcesses()).toEqual([]);
}

/** Kills the database server and waits for the process that takes its place, which is not ready yet. */
async function replacePostgres(): Promise<number> {
  const before = service.postgresProcess();
  expect(service.kill('postgres')).toBe(true);
  return await eventually(() => {
    const found = service.postgresProcess();
    if (found === null || found === before) throw new Error('no other server was started');
    return found;
  });
}

describe('the supervisor', { timeout: 60_000 }, () => {
  it('stops cleanly while the database is started again', async () => {
    await service.start();
    const starting = await replacePostgres();
    // Held, so that it is still starting when everything else has stopped.
    process.kill(starting, 'SIGSTOP');
    const stopping = service.end('SIGTERM');
    await eventually(async () => expect(await service.roleProcesses()).toEqual([]));
    process.kill(starting, 'SIGCONT');
    expect(await stopping).toBe(0);
    await expectNothingRuns();
  });

  it('starts the database again also when it dies while it recovers', async () => {
    await service.start();
    for (let death = 0; death < 3; death += 1) await replacePostgres();
    expect(service.kill('postgres')).toBe(true);
    await eventually(async () => expect((await fetch(`${service.url}/ready`)).status).toBe(200));
    expect(await service.end('SIGTERM')).toBe(0);
  });
});
