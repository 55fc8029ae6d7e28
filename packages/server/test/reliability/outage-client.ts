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
  post(): Promise<Answer>;
  /** Sends and asks, and expects a 503 for all of it, while the outage lasts. */
  expectRefusals(): Promise<void>;
  /** Expects that everything works again within `recoverMs`, new events being counted included. */
  expectRecovery(recoverMs: number): Promise<void>;
  /** Expects that whatever was ever promised was kept, once the leases of lost claims have run out. */
  expectPromisesKept(): Promise<void>;
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

  async function post(...others: EventLedger[]): Promise<Answer> {
    const events = Array.from({ length: 3 }, () => ledgerEvent(newUuid(), 'alpha', false));
    const bodies = events.map(({ body }) => body);
    const answer = await sendEvents(culprit.url, project.projectToken, bodies);
    for (const each of [ledger, ...others]) {
      each.note(events, answer.status === 202 ? 'accepted' : 'unknown');
    }
    return answer;
  }

  function read(path: string): Promise<Answer> {
    const token = path === '/v1/sdk/config' ? project.projectToken : project.memberToken;
    return sendRequest(culprit.url + path, { method: 'GET', token });
  }

  function askForCode(): Promise<Answer> {
    const body = JSON.stringify({ email: 'someone@example.test', accepted_terms: true });
    return sendRequest(`${culprit.url}/v1/auth/request-code`, { body });
  }

  return {
    post,
    async expectRefusals() {
      for (let wave = 0; wave < WAVES; wave += 1) {
        const posts = Array.from({ length: POSTS_PER_WAVE }, () => post());
        for (const answer of await Promise.all([...posts, ...READS.map(read), askForCode()])) {
          expect(answer).toMatchObject({ status: 503, body: { error: 'service_unavailable' } });
          expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
        }
      }
      expect((await read('/live')).status).toBe(200);
      expect((await read('/ready')).body).toMatchObject({ reason: 'db_unreachable' });
    },
    async expectRecovery(recoverMs) {
      const deadlineMs = performance.now() + recoverMs;
      const leftMs = () => deadlineMs - performance.now();
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
