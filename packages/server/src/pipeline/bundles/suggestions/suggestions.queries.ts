import type { Queryable } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/statement.ts';
import { prefixedId } from '../../../platform/ids.ts';
import type { SuggestionIncident } from './suggestion-evidence.ts';

/** Returns the facts of an incident that suggestions need besides its bundle; null when it was deleted. */
export async function findSuggestionIncident(
  database: Queryable,
  incidentId: string,
): Promise<SuggestionIncident | null> {
  const [row] = await database.query<{
    fingerprint: string;
    fingerprint_version: string;
    fingerprint_kind: string;
    reason_event_type: string;
    reason_matched_policy: string;
  }>(
    sql('suggestion-incident')`select encode(i.fingerprint, 'hex') as fingerprint, i.fingerprint_version,
          i.fingerprint_kind, i.reason_event_type, i.reason_matched_policy
        from incidents i
        join projects p on p.project_id = i.project_id and p.deleted_at is null
        where i.incident_id = $1`,
    [incidentId],
  );
  if (row === undefined) return null;
  return {
    incidentId: prefixedId('inc', incidentId),
    fingerprint: row.fingerprint,
    fingerprintVersion: row.fingerprint_version,
    fingerprintKind: row.fingerprint_kind,
    eventType: row.reason_event_type,
    matchedPolicy: row.reason_matched_policy,
  };
}
