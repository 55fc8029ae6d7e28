// Proves 29.
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import { recordFigure } from '../proof/record-figure.ts';
import { eventually } from '../support/eventually.ts';
import { giveCredentials } from '../support/object-stores.ts';
import { type FinishedProgram, runAdmin, startAdmin, startProgram } from '../support/program.ts';
import { runSize } from '../support/run-size.ts';
import { startS3Server } from '../support/s3-server.ts';
import { chooseSeed, seededRandom } from '../support/seeded-random.ts';
import { startTestPostgres } from '../support/test-postgres.ts';
import { createEventLedger, type EventLedger, KEPT, readCountedEvents } from './event-ledger.ts';
import { startEventLoad } from './event-load.ts';
import { findLeftOverWork } from './left-over-work.ts';
import { createRealService, type RealService } from './real-service.ts';
import { settleWork } from './settle-work.ts';

/**
 * docs/contract/reliability.md test 29: backups of the program at work, each restored into an installation of its own,
 * under kills.
 */

const ROUNDS = runSize('CULPRIT_TEST_BACKUPS', { standard: 1, long: 8 });
const LOAD_BEFORE_MS = runSize('CULPRIT_TEST_BACKUP_LOAD_MS', { standard: 2500, long: 15_000 });
const CLIENTS = 4;
/** Of each restore, before the one that may end. */
const KILLS = 2;
/** How far it is then, as a share of what an undisturbed one takes. */
const KILL_AFTER_PERCENT = { min: 10, max: 70 };
const DONE_BEFORE = 'nothing was done: this backup was already restored into this database';
const SEED = chooseSeed();

describe(`a backup under load (${ROUNDS} times, seed ${SEED})`, () => {
  let directory: string;
  const services: RealService[] = [];
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'culprit-backup-'));
  });
  afterAll(async () => {
    await Promise.all(services.map((service) => service.remove()));
    await rm(directory, { recursive: true, force: true });
  });

  async function createService(): Promise<RealService> {
    const service = await createRealService();
    services.push(service);
    return service;
  }

  it('holds every event that was answered 202 before it began, and none twice', {
    timeout: 60_000 + ROUNDS * (LOAD_BEFORE_MS + 60_000),
  }, async () => {
    const service = await createService();
    await service.start();
    const { projectId, projectToken: token } = await service.bootstrap('shop');
    const ids = [parseId(['proj'], projectId) ?? ''];
    const ledger = forkableLedger();
    const load = startEventLoad({
      url: service.url,
      token,
      clients: CLIENTS,
      random: seededRandom(SEED),
      ledger,
    });
    const made: { to: string; known: EventLedger }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await delay(LOAD_BEFORE_MS);
      const to = join(directory, `backup-${round}`);
      const known = ledger.fork();
      printed(await runAdmin({ CULPRIT_DATA_DIR: service.dataDir }, ['backup', '--to', to, '--json']));
      made.push({ to, known });
    }
    await load.finish();
    expect(load.surprises()).toEqual([]);
    expect(await service.end('SIGTERM')).toBe(0);

    const random = seededRandom(SEED + 1);
    const endings: (number | NodeJS.Signals)[] = [];
    const undisturbed = await createService();
    const beganMs = performance.now();
    const from = made[0]?.to ?? '';
    printed(await runAdmin({ CULPRIT_DATA_DIR: undisturbed.dataDir }, ['restore', '--from', from, '--json']));
    const wholeMs = performance.now() - beganMs;
    for (const { to, known } of made) {
      expect(known.count('accepted')).toBeGreaterThan(100);
      const restored = await createService();
      let isOver = false;
      for (let kill = 0; kill < KILLS && !isOver; kill += 1) {
        const restore = startAdmin({ CULPRIT_DATA_DIR: restored.dataDir }, ['restore', '--from', to]);
        await delay((wholeMs * random.integer(KILL_AFTER_PERCENT.min, KILL_AFTER_PERCENT.max)) / 100);
        restore.kill('SIGKILL');
        const ending = await restore.ended;
        endings.push(ending);
        // It was faster than the one that was measured.
        isOver = ending === 0;
      }
      if (!isOver) {
        const again = ['restore', '--from', to, '--json'];
        const last = await runAdmin({ CULPRIT_DATA_DIR: restored.dataDir }, again);
        // The kill may have met one that had done everything and only stopped its database.
        if (!last.stderr.includes(DONE_BEFORE)) expect(printed(last).missing_objects).toBe(0);
      }
      await restored.start();
      const database = await settleWork(restored, ids);
      expect({
        verdict: known.judge(await readCountedEvents(database, ids)),
        stuck: await findLeftOverWork(database, ids),
      }).toEqual({ verdict: KEPT, stuck: {} });
      await database.close();
      await restored.end('SIGTERM');
    }
    expect(endings).toContain('SIGKILL');
    const total = made.reduce((sum, { known }) => sum + known.count('accepted'), 0);
    recordFigure(
      29,
      `${ROUNDS} backups under load, ${total} events accepted before, lost 0, twice 0 (seed ${SEED})`,
    );
  });

  it('moves from one machine to an external database and an S3 store', { timeout: 60_000 }, async () => {
    const s3 = await startS3Server();
    const forget = giveCredentials(s3.credentials);
    try {
      const url = await (await startTestPostgres()).createDatabase();
      const from = join(directory, 'backup-0');
      const settings = {
        CULPRIT_DATABASE_URL: url,
        CULPRIT_OBJECT_STORE: s3.setting,
        CULPRIT_DATA_DIR: join(directory, 'moved'),
        CULPRIT_DATA_KEY: (await readFile(join(from, 'data-key'), 'utf8')).trim(),
        CULPRIT_PORT: '0',
      };
      const otherKey = { ...settings, CULPRIT_DATA_KEY: randomBytes(32).toString('base64') };
      expect((await runAdmin(otherKey, ['restore', '--from', from])).stderr).toContain(
        'CULPRIT_DATA_KEY is not',
      );
      const { objects, rows } = printed(await runAdmin(settings, ['restore', '--from', from, '--json']));
      const moved = [...s3.objects.keys()].filter(
        (key) => !key.includes('/store/') && !key.includes('/tmp/'),
      );
      // What was appended while the backup was made is found in the objects, and gets ones of its own.
      expect(moved.length).toBeGreaterThanOrEqual(Number(objects));
      expect(objects).toBeGreaterThan(3);
      expect(rows).toBeGreaterThan(100);
      expect(await runAdmin(settings, ['restore', '--from', from, '--json'])).toMatchObject({
        ending: 1,
        stderr: expect.stringContaining(DONE_BEFORE),
      });

      const api = startProgram(settings, ['--roles', 'api']);
      await eventually(() => expect(api.stdout()).toContain('The api role is ready'));
      api.kill('SIGTERM');
      expect(await api.ended).toBe(0);
      const after = printed(
        await runAdmin(settings, ['backup', '--to', join(directory, 'of-moved'), '--json']),
      );
      expect(after).toMatchObject({
        objects: moved.length,
        missing_objects: 0,
        data_key: 'in_CULPRIT_DATA_KEY',
      });
    } finally {
      forget();
      await s3.close();
    }
  });
});

/** A ledger, and what it knew at a moment: what is answered later may be in a backup or not. */
function forkableLedger(): EventLedger & { fork(): EventLedger } {
  const told: Parameters<EventLedger['note']>[] = [];
  const forks: EventLedger[] = [];
  const whole = createEventLedger();
  return {
    ...whole,
    note(sent, answer) {
      told.push([sent, answer]);
      whole.note(sent, answer);
      for (const fork of forks) fork.note(sent, answer === 'accepted' ? 'unknown' : answer);
    },
    fork() {
      const fork = createEventLedger();
      for (const [sent, answer] of told) fork.note(sent, answer);
      forks.push(fork);
      return fork;
    },
  };
}

function printed({ ending, stdout, stderr }: FinishedProgram): Record<string, unknown> {
  if (ending !== 0) throw new Error(`ended with ${ending}: ${stderr}`);
  return JSON.parse(stdout);
}
