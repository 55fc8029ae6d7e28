import { ALERT_ADDRESSES } from '../notify/alerts/alert-rules.queries.ts';
import { REPORT_ADDRESSES } from '../notify/reports/channels.queries.ts';
import type { Database } from '../platform/db/database.ts';
import { sealStoredAddresses } from '../platform/secrets/seal-stored-addresses.ts';
import type { Secret } from '../platform/secrets/secret.ts';

/**
 * Seals every address that is stored as plain text: those of older releases at the start, and those that one wrote
 * beside this release while it was replaced. Returns how many rows it sealed.
 * @param addressKey `receiverAddresses` of the keys
 */
export async function sealAddresses(database: Database, addressKey: Secret<Buffer>): Promise<number> {
  let sealed = 0;
  for (const addresses of [ALERT_ADDRESSES, REPORT_ADDRESSES]) {
    sealed += await sealStoredAddresses(database, addressKey, addresses);
  }
  return sealed;
}
