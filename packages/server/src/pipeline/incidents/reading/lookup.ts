import {
  type lookUpId as endpoint,
  LOOKUP_MATCHES_MAX,
  type LookupAnswer,
  type LookupMatch,
} from '@culprit/contract/incidents/lookup';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import { eventIdKey } from '@culprit/evidence/events/redact/event-id-key';
import { identifierHash } from '@culprit/evidence/events/redact/identifier-hash';
import { parseId, prefixedId } from '../../../platform/ids.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiRequest } from '../../../workspace/access/api-callers.ts';
import { findDetectedAt } from '../../improvements/improvements.queries.ts';
import { type FoundById, findById } from './lookup.queries.ts';

/** Returns the records of an id among those that the member can see (docs/contract/server-additions.md S8). */
export async function lookUp(
  { database }: Runtime,
  { access: { projectIds }, query: { id } }: ApiRequest<typeof endpoint>,
): Promise<LookupAnswer> {
  const uuid = parseId(['inc', 'bun'], id);
  const found = await findById(database, projectIds, {
    text: id,
    uuid,
    hash: identifierHash(id),
    eventKey: eventIdKey(id),
  });
  const matches = found.map((each) => matchOf(each, id));
  const detectedAtMs = uuid === null ? null : await findDetectedAt(database, projectIds, uuid);
  if (uuid !== null && detectedAtMs !== null) {
    const occurredAt = formatTimestamp(detectedAtMs);
    matches.push({
      kind: 'improvement',
      incident_id: null,
      improvement_id: prefixedId('bun', uuid),
      event_id: null,
      occurred_at: occurredAt,
    });
    matches.sort((a, b) => (a.occurred_at < b.occurred_at ? 1 : -1));
  }
  return { matches: matches.slice(0, LOOKUP_MATCHES_MAX) };
}

function matchOf({ kind, incidentId, occurredAtMs }: FoundById, id: string): LookupMatch {
  return {
    // A bundle has the id of its incident under another prefix.
    kind: kind === 'incident' && id.startsWith('bun_') ? 'bundle' : kind,
    incident_id: incidentId === null ? null : prefixedId('inc', incidentId),
    improvement_id: null,
    event_id: kind === 'event' ? id : null,
    occurred_at: formatTimestamp(occurredAtMs),
  };
}
