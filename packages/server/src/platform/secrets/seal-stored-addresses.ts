import type { Database } from '../db/database.ts';
import { HAS_PLAIN_ADDRESS, sealConfig } from './sealed-address.ts';
import type { Secret } from './secret.ts';

/** A table whose rows have a `config` with addresses, and the column with their id. */
export interface AddressTable {
  table: string;
  idColumn: string;
}

/** Rows sealed in one transaction. */
const ROWS_PER_STEP = 200;

/**
 * Seals addresses that an older release stored as plain text, in small steps: whoever is interrupted goes on where it
 * was, and several at once do no harm. Returns how many rows it sealed.
 * @param key `receiverAddresses` of the keys
 */
export async function sealStoredAddresses(
  database: Database,
  key: Secret<Buffer>,
  { table, idColumn }: AddressTable,
): Promise<number> {
  let sealed = 0;
  for (;;) {
    const step = await database.transaction(async (transaction) => {
      const rows = await transaction.query<{ id: string; config: object }>(
        {
          name: `plain-addresses-${table}`,
          text: `select ${idColumn} as id, config from ${table} where ${HAS_PLAIN_ADDRESS}
            order by ${idColumn} limit $1 for no key update`,
        },
        [ROWS_PER_STEP],
      );
      if (rows.length === 0) return 0;
      await transaction.query(
        {
          name: `seal-addresses-${table}`,
          text: `update ${table} t set config = s.config
            from unnest($1::uuid[], $2::jsonb[]) as s (id, config) where t.${idColumn} = s.id`,
        },
        [rows.map(({ id }) => id), rows.map(({ id, config }) => JSON.stringify(sealConfig(key, config, id)))],
      );
      return rows.length;
    });
    sealed += step;
    if (step < ROWS_PER_STEP) return sealed;
  }
}
