import { createLogger } from '../../src/platform/log.ts';
import { openObjectStore } from '../../src/platform/objects/open-object-store.ts';
import { deriveKeys } from '../../src/platform/secrets/keys.ts';
import type { TicketOptions } from '../../src/tickets/create-ticket.ts';
import { SELF_HOSTED, type TestCulprit } from './culprit.ts';

/** What the work on trackers of this service works with. */
export async function ticketOptions(culprit: TestCulprit): Promise<TicketOptions> {
  const { database, outbound, dataKey, baseUrl } = culprit;
  return {
    ...{ database, outbound, plans: SELF_HOSTED, appUrl: baseUrl },
    keys: deriveKeys(dataKey),
    objects: await openObjectStore(culprit.objectStore),
    log: createLogger({ level: 'fatal', role: 'test' }),
  };
}
