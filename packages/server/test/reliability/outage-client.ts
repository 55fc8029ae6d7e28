import { expect } from 'vitest';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { newUuid, parseId } from '../../src/platform/ids.ts';
import { LEASE_SECONDS } from '../../src/platform/jobs/job-queue.ts';
import type { TestCulprit, TestProject } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { moveClock } from '../support/move-clock.ts';
import { type Answer, sendEvents, sendRequest } from '../support/send-events.ts';
import { createEventLedger, type EventLedger, KEPT, ledgerEvent, readCountedEvents } from './event-ledger.ts';

/** Applications and members of one project while its database is away. */
export interface OutageClient {
  /** Sends three events. */
  post(): Promise<TimedAnswer>;
  /** Sends and asks, and expects a 503 for all of it, each within `answerMs`. */
  expectRefusals(answerMs: number): Promise<void>;
  /** Expects that everything works again within `recoverMs`, new events being counted included. */
  expectRecovery(recoverMs: number): Promise<void>;
  /** Expects that whatever was ever promised was kept, once the leases of lost claims have run out. */
  expectPromisesKept(): Promise<void>;
}

export interface TimedAnswer extends Answer {
  tookMs: number;
}

/** The second wave meets what became of the connections that the first one found. */
const WAVES = 3;
const POSTS_PER_WAVE = 6;
const READS = ['/v1/projects', '/v1/incidents', '/v1/sdk/config'];

/** @param directUrl where the database itself is, past whatever goes wrong */
export function outageClient(
  culprit: TestCulprit,
  project: TestProject,
  directUrl: () => string,
): OutageClient {
  const ledger = createEventLedger();
  let leasesPassed = 0;
  const projectIds = [parseId(['proj'], project.projectId) ?? ''];

  async function withDatabase(work: (database: Database) => Promise<void>): Promise<void> {
    const database = openDatabase({ url: directUrl(), connectionsMax: 1, applicationName: 'test-outage' });
    try {
      await work(database);
    } finally {
      await database.close();
    }
  }

  async function post(...others: EventLedger[]): Promise<TimedAnswer> {
    const events = Array.from({ length: 3 }, () => ledgerEvent(newUuid(), 'alpha', false));
    const bodies = events.map(({ body }) => body);
    const answer = await timed(() => sendEvents(culprit.url, project.projectToken, bodies));
    for (const each of [ledger, ...others]) {
      each.note(events, answer.status === 202 ? 'accepted' : 'unknown');
    }
    return answer;
  }

  function read(path: string): Promise<TimedAnswer> {
    const token = path === '/v1/sdk/config' ? project.projectToken : project.memberToken;
    return timed(() => sendRequest(culprit.url + path, { method: 'GET', token }));
  }

  function askForCode(): Promise<TimedAnswer> {
    const body = JSON.stringify({ email: 'someone@example.test', accepted_terms: true });
    return timed(() => sendRequest(`${culprit.url}/v1/auth/request-code`, { body }));
  }

  return {
    post,
    async expectRefusals(answerMs) {
      for (let wave = 0; wave < WAVES; wave += 1) {
        const posts = Array.from({ length: POSTS_PER_WAVE }, () => post());
        for (const answer of await Promise.all([...posts, ...READS.map(read), askForCode()])) {
          expect(answer).toMatchObject({ status: 503, body: { error: 'service_unavailable' } });
          expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
          expect(answer.tookMs).toBeLessThan(answerMs);
        }
      }
      expect((await read('/live')).status).toBe(200);
      expect((await read('/ready')).body).toMatchObject({ reason: 'db_unreachable' });
    },
    async expectRecovery(recoverMs) {
      const beganMs = performance.now();
      const leftMs = () => recoverMs - (performance.now() - beganMs);
      for (const path of [...READS, '/ready']) {
        await eventually(async () => expect((await read(path)).status).toBe(200), leftMs());
      }
      const fresh = createEventLedger();
      await eventually(async () => expect((await post(fresh)).status).toBe(202), leftMs());
      await withDatabase(async (database) => {
        await eventually(async () => {
          const { lost } = fresh.judge(await readCountedEvents(database, projectIds));
          expect(lost).toEqual([]);
        }, leftMs());
      });
    },
    async expectPromisesKept() {
      await withDatabase(async (database) => {
        leasesPassed += 1;
        await moveClock(database, leasesPassed * LEASE_SECONDS * 1000);
        await eventually(async () =>
          expect(ledger.judge(await readCountedEvents(database, projectIds))).toEqual(KEPT),
        );
      });
    },
  };
}

async function timed(request: () => Promise<Answer>): Promise<TimedAnswer> {
  const beganMs = performance.now();
  const answer = await request();
  return { ...answer, tookMs: performance.now() - beganMs };
}
