import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUNDLES_LANE } from '../../src/pipeline/bundles/queue/bundles.jobs.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { newUuid } from '../../src/platform/ids.ts';
import { WAKE_CHANNEL } from '../../src/platform/jobs/wake-listener.ts';
import { createLogger } from '../../src/platform/log.ts';
import { laneRow } from '../../src/roles/lanes.ts';
import { startWakeRouter } from '../../src/roles/wake-router.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';

const RETRY_SCALE = 0.05;
const LOOK = 'due-work';
const PLAN = 'next-due-work';

describe('the watch for due work', () => {
  let culprit: TestCulprit;
  let router: ReturnType<typeof startWakeRouter>;
  /** Names of its statements, in their order. */
  const asked: string[] = [];
  const woken: (readonly string[] | undefined)[] = [];
  beforeAll(async () => {
    culprit = await startCulprit({ hasWorker: false });
    const { database } = culprit;
    const listening: Database = {
      ...database,
      query(statement, parameters) {
        asked.push(statement.name);
        return database.query(statement, parameters);
      },
    };
    router = startWakeRouter({
      database: listening,
      databaseUrl: culprit.databaseUrl,
      targets: [
        { serves: [{ name: BUNDLES_LANE, wakeChannel: BUNDLES_LANE }], wake: (names) => woken.push(names) },
      ],
      retryScale: RETRY_SCALE,
      log: createLogger({ level: 'silent', role: 'test' }),
    });
  });
  afterAll(async () => {
    await router?.stop();
    await culprit.stop();
  });

  const plans = () => asked.filter((name) => name === PLAN).length;
  async function untilPlans(count: number): Promise<void> {
    await eventually(() => expect(plans()).toBeGreaterThanOrEqual(count));
  }

  it('rests after ten looks that found nothing, and then looks only once in a rest', async () => {
    await untilPlans(1);
    expect(asked.slice(0, asked.indexOf(PLAN)).filter((name) => name === LOOK).length).toBeGreaterThanOrEqual(
      10,
    );
    await untilPlans(plans() + 1);
    const from = asked.length;
    await untilPlans(plans() + 4);
    const looks = asked.slice(from).filter((name) => name === LOOK).length;
    expect(looks).toBeLessThanOrEqual(asked.slice(from).filter((name) => name === PLAN).length + 1);
  });

  it('finds what becomes due during a rest without a notification', async () => {
    woken.length = 0;
    await culprit.database.script(
      `insert into jobs (lane, kind, fairness_key, run_at) values ('${BUNDLES_LANE}', '${laneRow(BUNDLES_LANE).kinds[0]}',
        '${newUuid()}', culprit_now() + interval '300 ms')`,
    );
    await eventually(() => expect(woken).toContainEqual([BUNDLES_LANE]));
    await culprit.database.script('delete from jobs');
  });

  it('looks often again after a notification', async () => {
    await untilPlans(plans() + 1);
    await culprit.database.script(`select pg_notify('${WAKE_CHANNEL}', '${BUNDLES_LANE}')`);
    const from = asked.length;
    await untilPlans(plans() + 1);
    await eventually(() => expect(asked.slice(from).join(' ')).toContain(`${LOOK} `.repeat(9)));
  });
});
