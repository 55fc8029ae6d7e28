import { readFileSync } from 'node:fs';
import { LIFECYCLE_KINDS } from '@culprit/contract/lifecycle-kinds';
import { expect, it } from 'vitest';

const SCHEMA = new URL('../../schema.sql', import.meta.url);

it('the table of the ledger takes each kind of the contract, and no other', () => {
  const [, list = ''] =
    /constraint lifecycle_events_kind_check CHECK \(\(kind = ANY \(ARRAY\[(.*?)\]\)\)\)/.exec(
      readFileSync(SCHEMA, 'utf8'),
    ) ?? [];
  const taken = [...list.matchAll(/'([^']+)'::text/g)].map(([, kind]) => kind);
  expect(taken.toSorted()).toEqual([...LIFECYCLE_KINDS].toSorted());
});
