import type { Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/statement.ts';
import type { IncidentKey } from '../processing/locked-incidents.queries.ts';

/** Statements on incidents and the keys that source maps give them. */

/** Notes that incidents have a mapped key; returns those that had none. */
export async function takeMappedKey(
  transaction: Transaction,
  incidentIds: readonly string[],
): Promise<Set<string>> {
  if (incidentIds.length === 0) return new Set();
  const rows = await transaction.query<{ incident_id: string }>(
    sql('incidents-take-mapped-key')`with free as (
          select incident_id from incidents where incident_id = any ($1::uuid[]) and not has_mapped_key
          order by incident_id for update
        )
        update incidents i set has_mapped_key = true from free where i.incident_id = free.incident_id
          and not i.has_mapped_key
        returning i.incident_id`,
    [[...incidentIds]],
  );
  return new Set(rows.map((row) => row.incident_id));
}

/** Leads keys to incidents; one that has a target already stays unchanged. */
export function insertMapAliases(
  transaction: Transaction,
  projectId: string,
  keys: readonly { key: IncidentKey; incidentId: string }[],
  origin: 'mapped' | 'unmapped',
): void {
  if (keys.length === 0) return;
  transaction.send(
    sql(
      'aliases-of-maps',
    )`insert into incident_aliases (service_id, fingerprint_version, fingerprint, project_id, incident_id, origin,
          created_at)
        select k.service_id, k.version, decode(k.fingerprint, 'hex'), $1, k.incident_id, $2, culprit_now()
        from unnest($3::uuid[], $4::text[], $5::text[], $6::uuid[]) as k (service_id, version, fingerprint, incident_id)
        where not exists (select from incidents i where i.service_id = k.service_id
          and i.fingerprint_version = k.version and i.fingerprint = decode(k.fingerprint, 'hex'))
        on conflict (service_id, fingerprint_version, fingerprint) do nothing`,
    [
      projectId,
      origin,
      keys.map(({ key }) => key.serviceId),
      keys.map(({ key }) => key.version),
      keys.map(({ key }) => key.value),
      keys.map(({ incidentId }) => incidentId),
    ],
  );
}
