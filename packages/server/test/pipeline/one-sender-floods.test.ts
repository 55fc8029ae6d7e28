// Proves 25.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { whileLocked } from '../support/database-faults.ts';
import { eventually } from '../support/eventually.ts';
import { type Answer, sendEvents } from '../support/send-events.ts';

/** docs/contract/reliability.md A6: 256 requests in flight, and none of them keeps another sender out. */

const EVENT = {
  event_type: 'log_event',
  timestamp: '2026-03-24T10:30:00Z',
  service: { name: 'api-server', environment: 'production' },
  payload: { level: 'error', message: 'payment failed' },
};

describe('a sender that floods', () => {
  let culprit: TestCulprit;
  let flooding: TestProject;
  let other: TestProject;

  beforeAll(async () => {
    culprit = await startCulprit({ hasWorker: false });
    [flooding, other] = [await culprit.createProject(), await culprit.createProject()];
  });
  afterAll(() => culprit.stop());

  function send(project: TestProject, count: number): Promise<Answer>[] {
    return Array.from({ length: count }, () => sendEvents(culprit.url, project.projectToken, [EVENT]));
  }

  it('is refused with 503 beyond its share, and the other one is not', async () => {
    // Nothing can be committed meanwhile, so whatever is let in stays under way.
    const { floods, others, late } = await whileLocked(
      culprit,
      'lock table batches in exclusive mode',
      async () => {
        const refused: Answer[] = [];
        const floods = send(flooding, 260);
        for (const answer of floods) void answer.then((each) => refused.push(each));
        await eventually(() => expect(refused).toHaveLength(36));
        const others = send(other, 20);
        // Far over its quarter now, although the process has room.
        const late = await Promise.all(send(flooding, 5));
        return { floods, others, late };
      },
    );
    for (const answer of late) {
      expect(answer).toMatchObject({ status: 503, body: { error: 'service_unavailable' } });
      expect(answer.headers.get('retry-after')).toBe('5');
    }
    const statuses = async (answers: Promise<Answer>[]) =>
      (await Promise.all(answers)).map((each) => each.status);
    expect(await statuses(others)).toEqual(Array(20).fill(202));
    expect((await statuses(floods)).filter((status) => status === 202)).toHaveLength(224);
    // The places are free again.
    expect(await statuses(send(flooding, 40))).toEqual(Array(40).fill(202));
  });

  it('keeps its place until its events are stored, even when it does not wait for the answer', async () => {
    await whileLocked(culprit, 'lock table batches in exclusive mode', async () => {
      const leaving = new AbortController();
      const body = JSON.stringify({ events: [EVENT] });
      const headers = {
        authorization: `Bearer ${flooding.projectToken}`,
        'content-type': 'application/json',
      };
      const request = { method: 'POST', headers, body, signal: leaving.signal };
      const statuses: (number | null)[] = [];
      const sent = Array.from({ length: 230 }, async () => {
        const response = await fetch(`${culprit.url}/v1/events`, request).catch(() => null);
        statuses.push(response?.status ?? null);
      });
      await eventually(() => expect(statuses).toEqual(Array(6).fill(503)));
      leaving.abort();
      await Promise.all(sent);
      expect(statuses.filter((status) => status === null)).toHaveLength(224);
      // The clients are gone, what they sent is still held.
      expect((await Promise.all(send(flooding, 3))).map((each) => each.status)).toEqual([503, 503, 503]);
    });
    await eventually(async () => {
      const [answer] = await Promise.all(send(flooding, 1));
      expect(answer?.status).toBe(202);
    });
  });
});
