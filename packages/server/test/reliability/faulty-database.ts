import type { Database, Queryable, Transaction } from '../../src/platform/db/database.ts';
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
        const faulty = faultyTransaction(transaction, plan);
        const result = await work(faulty);
        await faulty.assertSent();
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

function faultyTransaction(
  transaction: Transaction,
  plan: StepGuard,
): Transaction & { assertSent(): Promise<void> } {
  /** What became of a statement that nobody waited for. */
  let sent: Promise<void> = Promise.resolve();
  return {
    async query(statement, parameters) {
      await sent;
      return await takeStep(
        plan,
        `statement ${statement.name}`,
        () => transaction.query(statement, parameters),
        () => cutConnection(transaction),
      );
    },
    send(statement, parameters) {
      sent = sent.then(async () => {
        const fault = plan.arrive(`statement ${statement.name}`);
        if (fault === null || fault.isLate) transaction.send(statement, parameters);
        if (fault !== null) await fault.happen(() => cutConnection(transaction));
      });
      sent.catch(() => {});
    },
    assertSent: () => sent,
  };
}

async function cutConnection(queryable: Queryable): Promise<never> {
  await queryable.query(CUT_CONNECTION);
  throw new Error('the connection was not cut');
}
