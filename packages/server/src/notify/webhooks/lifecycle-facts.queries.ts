import { SEVERITIES } from '@culprit/evidence/events/normalize/severity';
import type { Transaction } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';
import type { LifecycleFacts } from './webhook-payload.ts';

/** The data of the ledger row `l`; for a note, also the beginning of its text, which is in the note's row alone. */
export const LEDGER_DATA = `(l.data || coalesce((
  select jsonb_build_object('text', left(n.body, 500)) from incident_notes n
  where l.kind = 'incident.noted' and n.note_id = (l.data->>'note_id')::uuid), '{}'))`;

/** A ledger row in the form in which it is fanned out. */
export interface LedgerFacts extends LifecycleFacts {
  lifecycleId: number;
}

/**
 * Returns ledger rows of a project with the data of their incidents and improvements, in order; null when the project
 * is gone. The project is held until the transaction ends, so that nothing is written for one that is deleted in the
 * meantime.
 */
export async function findLifecycleFacts(
  transaction: Transaction,
  projectId: string,
  lifecycleIds: readonly number[],
): Promise<{ organizationId: string; facts: LedgerFacts[] } | null> {
  const [project] = await transaction.query<{ organization_id: string }>(
    sql(
      'webhook-fan-out-project',
    )`select organization_id from projects where project_id = $1 and deleted_at is null for key share`,
    [projectId],
  );
  if (project === undefined) return null;
  const rows = await transaction.query<{
    lifecycle_id: number;
    kind: LifecycleFacts['kind'];
    occurred_at: number;
    data: Record<string, unknown>;
    subject_id: string;
    bundle_type: LifecycleFacts['bundleType'];
    service_name: string;
    environment: string;
    severity: number;
    title: string;
    is_verification: boolean;
  }>(
    sql('webhook-fan-out-facts')`select l.lifecycle_id, l.kind, l.occurred_at, ${LEDGER_DATA} as data, s.*
        from lifecycle_events l cross join lateral (
          select i.incident_id as subject_id, 'failure' as bundle_type, i.service_name, i.environment, i.severity,
            i.title, i.is_verification
          from incidents i where i.incident_id = l.incident_id and i.sample_id is null
          union all
          select m.improvement_id, 'improvement', m.service_name, m.environment, m.severity, m.title,
            coalesce((l.data->>'verification')::boolean, false)
          from improvements m where m.improvement_id = l.improvement_id
        ) s
        where l.lifecycle_id = any ($2::bigint[]) and l.project_id = $1
        order by l.lifecycle_id`,
    [projectId, [...lifecycleIds]],
  );
  const facts = rows.map((row) => ({
    lifecycleId: row.lifecycle_id,
    kind: row.kind,
    occurredAtMs: row.occurred_at,
    projectId,
    subjectId: row.subject_id,
    bundleType: row.bundle_type,
    service: row.service_name,
    environment: row.environment,
    severity: SEVERITIES[row.severity] ?? 'low',
    title: row.title,
    isVerification: row.is_verification,
    data: row.data,
  }));
  return { organizationId: project.organization_id, facts };
}

/**
 * Removes the text of a deleted note from what webhooks were sent or wait for. A fan-out that has read the text holds the
 * project, so it ends first; a later one finds none.
 */
export async function removeNoteText(
  transaction: Transaction,
  { projectId, incidentId, noteId }: { projectId: string; incidentId: string; noteId: string },
): Promise<void> {
  await transaction.query(sql('note-text-hold')`select 1 from projects where project_id = $1 for update`, [
    projectId,
  ]);
  await transaction.query(
    sql('note-text-remove')`update webhook_deliveries d
        set body = jsonb_set(d.body::jsonb, '{triage,text}', 'null')::text
        from lifecycle_events l, webhooks w
        where l.incident_id = $2 and l.kind = 'incident.noted' and l.data ->> 'note_id' = $3
          and w.project_id = $1 and d.webhook_id = w.webhook_id and d.lifecycle_id = l.lifecycle_id`,
    [projectId, incidentId, noteId],
  );
}
