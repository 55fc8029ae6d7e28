import type { Database, Queryable } from '../../src/platform/db/database.ts';

/** The plans of the statements that some work runs, as if their tables were large. */
export async function plansOf(
  database: Database,
  work: (queryable: Queryable) => Promise<unknown>,
): Promise<string> {
  const plans: string[] = [];
  await work({
    async query(statement, parameters) {
      const rows = await database.transaction(async (transaction) => {
        await transaction.query({ name: 'test-no-scan', text: 'set local enable_seqscan = off' });
        return await transaction.query<{ 'QUERY PLAN': string }>(
          { name: `explain-${statement.name}`, text: `explain ${statement.text}` },
          parameters,
        );
      });
      plans.push(...rows.map((row) => row['QUERY PLAN']));
      return await database.query(statement, parameters);
    },
  });
  return plans.join('\n');
}
