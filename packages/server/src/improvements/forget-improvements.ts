import type { Database, Queryable, Statement } from '../platform/db/database.ts';
import { removeSome } from '../platform/db/remove-some.ts';
import { projectFolder } from '../projects/project-objects.ts';
import { DETECTORS } from './detectors.ts';

/** Windows of the detectors, as rows of a statement. */
const WINDOWS = Object.entries(DETECTORS)
  .map(([detector, { windowMs }]) => `('${detector}', interval '${windowMs} ms')`)
  .join(', ');

// The clock is asked once: asked for each row, it would keep the indexes from being used.
const STATEMENTS: readonly Statement[] = [
  removal(
    'improvement_counters',
    'select ctid from improvement_counters where expires_at < (select culprit_now())',
  ),
  removal(
    'improvement_attempts',
    'select ctid from improvement_attempts where expires_at < (select culprit_now())',
  ),
  removal(
    'improvements',
    `select i.ctid from improvements i join (values ${WINDOWS}) as d (detector, counted) using (detector)
      where i.status = 'candidate' and i.last_received_at < (select culprit_now()) - d.counted`,
  ),
];

function removal(table: string, old: string): Statement {
  return {
    name: `forget-${table}`,
    text: `with gone as (
        delete from ${table} where ctid = any (array(${old} limit $1)) returning 1
      )
      select count(*) as removed from gone`,
  };
}

/** Removes counters that no window reaches any more, and candidates of which nothing was seen for as long. */
export async function forgetObservations(database: Database): Promise<void> {
  while (await removeSome(database, STATEMENTS));
}

/**
 * Removes improvements of a project whose newest observation was received before a moment, with what the ledger told of
 * them (incidents.md 6.3, 8), and buries the folders of their bundles: a bundle whose commit failed is named by no row.
 * Some at a time; returns how many.
 */
export async function removeOldImprovements(
  database: Queryable,
  projectId: string,
  receivedBeforeMs: number,
  limit: number,
): Promise<number> {
  const [row] = await database.query<{ removed: number }>(
    {
      name: 'improvements-remove-old',
      // The project is held: nothing may be buried behind its deletion.
      text: `
        with live as (
          select project_id from projects where project_id = $1 and deleted_at is null for key share
        ), old as (
          select i.improvement_id from improvements i join live using (project_id)
          where i.last_received_at < $2 and i.status <> 'candidate'
          order by i.improvement_id limit $3 for update of i skip locked
        ), gone as (
          delete from improvements i using old where i.improvement_id = old.improvement_id
          returning i.improvement_id
        ), told as (
          delete from lifecycle_events l using old where l.improvement_id = old.improvement_id
        ), buried as (
          insert into object_tombstones (object_key, project_id)
          select $4 || '/' || improvement_id || '/', $1 from gone on conflict do nothing
        )
        select count(*) as removed from gone`,
    },
    [projectId, new Date(receivedBeforeMs), limit, projectFolder('bundles', projectId)],
  );
  return row?.removed ?? 0;
}
