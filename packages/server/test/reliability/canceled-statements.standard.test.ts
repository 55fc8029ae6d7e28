import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { whileLocked } from '../support/database-faults.ts';
import { eventually } from '../support/eventually.ts';

describe('a request whose statement the database cancels', () => {
  let culprit: TestCulprit;
  let project: TestProject;

  beforeAll(async () => {
    culprit = await startCulprit({ hasWorker: false });
    project = await culprit.createProject();
  });
  afterAll(() => culprit.stop());

  const listProjects = () =>
    fetch(`${culprit.url}/v1/projects`, { headers: { authorization: `Bearer ${project.memberToken}` } });

  /** Cancels what the service waits for, so many times. */
  async function cancelWaiting(times: number): Promise<void> {
    for (let canceled = 0; canceled < times; ) {
      const rows = await eventually(async () => {
        const found = await culprit.database.query({
          name: 'test-cancel',
          text: `select pg_cancel_backend(pid) from pg_stat_activity
            where datname = current_database() and application_name = 'culprit-api' and wait_event_type = 'Lock'`,
        });
        expect(found).not.toEqual([]);
        return found;
      });
      canceled += rows.length;
    }
  }

  it('is answered as if nothing had happened, because the statement is sent once more', async () => {
    const { answer } = await whileLocked(culprit, 'lock table member_tokens', async () => {
      const answer = listProjects();
      await cancelWaiting(1);
      return { answer };
    });
    expect((await answer).status).toBe(200);
  });

  it('again is answered 503 with Retry-After and not 500', async () => {
    await whileLocked(culprit, 'lock table member_tokens', async () => {
      const answer = listProjects();
      await cancelWaiting(2);
      const response = await answer;
      expect([response.status, await response.json()]).toEqual([503, { error: 'service_unavailable' }]);
      expect(response.headers.get('retry-after')).toBe('5');
    });
  });
});
