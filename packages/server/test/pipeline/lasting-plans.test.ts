import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findOfferedContext } from '../../src/pipeline/bundles/evidence/offered-context.queries.ts';
import { findIncidentsSharingIds } from '../../src/pipeline/incidents/processing/attach-context.queries.ts';
import { createClosedDays } from '../../src/pipeline/incidents/processing/closed-days.ts';
import { findKnownIds } from '../../src/pipeline/incidents/processing/event-ids.queries.ts';
import { findDeployments } from '../../src/pipeline/incidents/reading/services.queries.ts';
import { type Database, openDatabase, type Transaction } from '../../src/platform/db/database.ts';
import { newUuid } from '../../src/platform/ids.ts';
import { createTestDatabase } from '../support/test-database.ts';

/**
 * Statements of each claim have one plan. The planner prefers a plan for the values of one execution where they spare it
 * days of events or rows of an array, and then takes longer to make it than the statement takes.
 */

const DAYS = 30;
const EXECUTIONS = 12;
/** The executions after which the planner decides. */
const FIRST_PLANS = 5;

let database: Database;
beforeAll(async () => {
  database = openDatabase({ url: await createTestDatabase(), connectionsMax: 1, applicationName: 'test' });
  await database.query(
    {
      name: 'test-days',
      text: `select ensure_event_partition(current_date - n) from generate_series(0, $1::integer) as n`,
    },
    [DAYS],
  );
});
afterAll(() => database.close());

describe('a statement of each claim keeps its plan', () => {
  const projectId = newUuid();
  it.each<[statement: string, execute: (transaction: Transaction) => Promise<unknown>]>([
    [
      'event-ids-known',
      (transaction) =>
        findKnownIds(
          transaction,
          projectId,
          createClosedDays({ bytesMax: 0, idsMin: 1 }).search(projectId, [1n], Date.now() - 7 * 86_400_000),
        ),
    ],
    [
      'incidents-sharing-ids',
      (transaction) =>
        findIncidentsSharingIds(
          transaction,
          projectId,
          { traces: [1n], requests: [2n], sessions: [], tracesOfJobs: [] },
          Date.now(),
        ),
    ],
    ['bundles-offered-context', (transaction) => findOfferedContext(transaction, [newUuid()], false)],
    [
      'deployments-find',
      (transaction) =>
        findDeployments(transaction, projectId, [
          { name: 'api', environment: 'production', earliestMs: Date.now(), latestMs: Date.now() },
        ]),
    ],
  ])('%s', async (statement, execute) => {
    await database.transaction(async (transaction) => {
      for (let n = 0; n < EXECUTIONS; n += 1) await execute(transaction);
      const plans = await transaction.query<{ custom: number; generic: number }>(
        {
          name: 'test-plans',
          text: `select custom_plans::integer as custom, generic_plans::integer as generic
            from pg_prepared_statements where name = $1`,
        },
        [statement],
      );
      expect(plans).toEqual([{ custom: FIRST_PLANS, generic: EXECUTIONS - FIRST_PLANS }]);
    });
  });
});
