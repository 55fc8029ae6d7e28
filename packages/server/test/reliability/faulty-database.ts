import type { Database, Queryable } from '../../src/platform/db/database.ts';
import { type StepGuard, takeStep } from './fault-plan.ts';

/** Really ends the connection it runs on, so that the errors are those of the driver. */
const CUT_CONNECTION = { name: 'test-cut', text: 'select pg_terminate_backend(pg_backend_pid())' };

/** The real database; its statements, begins and commits are steps of the plan. */
export function faultyDatabase(real: Database, plan: StepGuard): Database {
  return {
    query: (statement, parameters) =>
      takeStep(
        plan,
        `query ${statement.name}`,
        () => real.query(statement, parameters),
        () => cutConnection(real),
      ),
    async transaction(work) {
      const noEffect = async () => {};
      await takeStep(plan, 'begin', noEffect, () => cutConnection(real));
      const { result, fault } = await real.transaction(async (transaction) => {
        const result = await work(faultyTransaction(transaction, plan));
        const fault = plan.arrive('commit');
        if (fault !== null && !fault.isLate) await fault.happen(() => cutConnection(transaction));
        return { result, fault };
      });
      if (fault !== null) await fault.happen(() => cutConnection(real));
      plan.assertAlive();
      return result;
    },
    script: (text) => real.script(text),
    close: () => real.close(),
  };
}

function faultyTransaction(transaction: Queryable, plan: StepGuard): Queryable {
  return {
    query: (statement, parameters) =>
      takeStep(
        plan,
        `statement ${statement.name}`,
        () => transaction.query(statement, parameters),
        () => cutConnection(transaction),
      ),
  };
}

async function cutConnection(queryable: Queryable): Promise<never> {
  await queryable.query(CUT_CONNECTION);
  throw new Error('the connection was not cut');
}
