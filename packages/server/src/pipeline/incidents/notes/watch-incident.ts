import { type IncidentWatch, WATCHERS_SHOWN_MAX } from '@culprit/contract/incidents/incident-watch';
import type { Queryable } from '../../../platform/db/database.ts';
import type { Runtime } from '../../../runtime.ts';
import type { RecordAccess } from '../../../workspace/access/authorize.ts';
import { deleteWatcher, findWatchers, insertWatchers, isWatcher } from './watchers.queries.ts';

/** Returns the people who watch an incident, and whether the caller does (docs/contract/team-workflow.md 4.1). */
export async function describeWatch(
  { database }: { database: Queryable },
  userId: string,
  { projectId, recordId: incidentId }: RecordAccess,
): Promise<IncidentWatch> {
  const watchers = await findWatchers(database, projectId, incidentId, WATCHERS_SHOWN_MAX);
  return {
    is_watched: await isWatcher(database, { projectId, incidentId, userId }),
    watchers: watchers.map(({ userId: id, name }) => ({ user_id: id, name })),
  };
}

/** Starts or stops watching an incident for the caller; a repeated call changes nothing. */
export async function changeWatch(
  { database }: Pick<Runtime, 'database'>,
  userId: string,
  access: RecordAccess,
  isWatched: boolean,
): Promise<IncidentWatch> {
  const { projectId, recordId: incidentId } = access;
  return await database.transaction(async (transaction) => {
    const watcher = { projectId, incidentId, userId };
    if (isWatched) insertWatchers(transaction, [watcher]);
    else deleteWatcher(transaction, watcher);
    return await describeWatch({ database: transaction }, userId, access);
  });
}
