import type { Transaction } from '../../../platform/db/database.ts';
import { addClientCounts, type ClientCount, clientCountKey } from './client-counts.queries.ts';
import type { CountedEvent } from './counted-event.ts';
import type { ServiceEvent } from './hold-groups.ts';

const DAY_MS = 86_400_000;

/**
 * Counts the events of a transaction by library and version, the loss that they report and their tags that were left
 * out, in one statement for any number of events (docs/contract/incidents.md 7.1.1). Events of the service itself count for no client.
 */
export async function countClients(
  transaction: Transaction,
  projectId: string,
  events: readonly ServiceEvent[],
): Promise<void> {
  const counts = new Map<string, ClientCount>();
  // Events of one client mostly follow one another, which spares the text of the key.
  let latest: { count: ClientCount; dayNumber: number } | null = null;
  for (const { event, serviceId, tokenId, facts } of events) {
    if (tokenId === null) continue;
    const dayNumber = Math.floor(event.receivedAtMs / DAY_MS);
    if (latest === null || latest.dayNumber !== dayNumber || !isOf(latest.count, serviceId, event)) {
      latest = { count: countOf(counts, receivedCount(serviceId, event)), dayNumber };
    }
    latest.count.events += 1;
    for (const [outcome, lost] of event.losses) {
      countOf(counts, { ...latest.count, outcome, events: 0 }).events += lost;
    }
    if (facts !== null && facts.tagsLeft > 0) {
      countOf(counts, { ...latest.count, outcome: 'tags', events: 0 }).events += facts.tagsLeft;
    }
  }
  await addClientCounts(transaction, projectId, [...counts.values()]);
}

function isOf(count: ClientCount, serviceId: string, { sdk }: CountedEvent): boolean {
  return count.serviceId === serviceId && count.sdkVersion === sdk.version && count.sdkName === sdk.name;
}

function receivedCount(serviceId: string, { sdk, receivedAtMs }: CountedEvent): ClientCount {
  return {
    day: new Date(receivedAtMs).toISOString().slice(0, 10),
    serviceId,
    sdkName: sdk.name,
    sdkVersion: sdk.version,
    outcome: 'received',
    events: 0,
  };
}

/** The count with the same key; the given one where there is none yet. */
function countOf(counts: Map<string, ClientCount>, fresh: ClientCount): ClientCount {
  const key = clientCountKey(fresh);
  const known = counts.get(key);
  if (known === undefined) counts.set(key, fresh);
  return known ?? fresh;
}
