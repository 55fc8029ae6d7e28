import type { Transaction } from '../../../platform/db/database.ts';
import { KNOWN_MS } from './attribute-suppressed.ts';
import { type Answered, isOfPage } from './find-answered-calls.ts';
import type { ServiceEvent } from './hold-groups.ts';
import { findIncidentsByDigest } from './suppression.queries.ts';

/** Looks of one transaction; failures beyond them open incidents of their page. */
const LOOKS_MAX = 100;

/**
 * The exceptions of pages that only say that the server failed, by a digest that the server's own exception of the same
 * environment has as well (docs/contract/incidents.md 5.10): one failure is one incident, that of the server.
 * @param signals that would be counted
 */
export async function findDigestedFailures(
  transaction: Transaction,
  projectId: string,
  signals: readonly ServiceEvent[],
): Promise<Map<ServiceEvent, Answered>> {
  const failures = signals.filter((each) => isOfPage(each) && digestKey(each) !== null).slice(0, LOOKS_MAX);
  if (failures.length === 0) return new Map();
  const answers = new Map<string, string | ServiceEvent>();
  for (const each of signals) {
    const key = each.event.eventType === 'backend_exception' ? digestKey(each) : null;
    if (key !== null) answers.set(key, each);
  }
  // One failure of a server reaches many pages: each digest is looked for once.
  const byKey = new Map(failures.map((each) => [digestKey(each) ?? '', each]));
  const unanswered = [...byKey].flatMap(([key, each]) => (answers.has(key) ? [] : each));
  const receivedFromMs = Math.min(...failures.map(({ event }) => event.receivedAtMs)) - KNOWN_MS;
  const known = await findIncidentsByDigest(
    transaction,
    projectId,
    unanswered.map(({ digest, event }) => ({
      digest: String(digest),
      environment: event.service.environment,
    })),
    receivedFromMs,
  );
  for (const row of known) answers.set(`${row.digest} ${row.environment}`, row.incidentId);
  const found = new Map<ServiceEvent, Answered>();
  for (const each of failures) {
    const answer = answers.get(digestKey(each) ?? '');
    if (answer !== undefined) {
      found.set(each, { kept: { ...each, record: { ...each.record, isDemoted: true } }, answer });
    }
  }
  return found;
}

function digestKey({ digest, event }: ServiceEvent): string | null {
  return digest === null ? null : `${digest} ${event.service.environment}`;
}
