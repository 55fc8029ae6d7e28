import { LIFECYCLE_KINDS } from '@culprit/contract/incidents/lifecycle-kinds';
import { expect, it } from 'vitest';
import { openDatabase } from '../../src/platform/db/database.ts';
import { createTestDatabase } from '../support/test-database.ts';

it('the table of the ledger takes each kind of the contract, and no other', async () => {
  const database = openDatabase({
    url: await createTestDatabase(),
    connectionsMax: 1,
    applicationName: 'kinds-test',
  });
  try {
    const [row] = await database.query<{ definition: string }>({
      name: 'test-kinds',
      text: `select pg_get_constraintdef(oid) as definition from pg_constraint
        where conname = 'lifecycle_events_kind_check'`,
    });
    const taken = [...(row?.definition ?? '').matchAll(/'([^']+)'::text/g)].map(([, kind]) => kind);
    expect(taken.toSorted()).toEqual([...LIFECYCLE_KINDS].toSorted());
  } finally {
    await database.close();
  }
});
