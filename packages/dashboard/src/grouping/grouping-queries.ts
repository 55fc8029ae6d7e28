import { type GroupingPreview, previewGrouping } from '@culprit/contract/incidents/grouping-preview';
import { listIncidents } from '@culprit/contract/incidents/incidents';
import {
  applyRegrouping,
  listRegroupings,
  type Regrouping,
  undoRegrouping,
} from '@culprit/contract/incidents/regroupings';
import { queryOptions } from '@tanstack/react-query';
import { freshness } from '../api/freshness.ts';
import { projectQuery, projectsQuery } from '../api/projects.ts';
import { queryClient } from '../api/query-client.ts';
import { call } from '../api/transport.ts';

/** Rules, and the time whose events are grouped by them. */
export interface Change {
  stack_rules: string[];
  hours: number;
}

/** Changes of grouping that were applied, newest first. */
export function regroupingsQuery(projectId: string) {
  return queryOptions({
    queryKey: [listRegroupings.id, projectId],
    queryFn: async ({ signal }) =>
      (await call(listRegroupings, { params: { id: projectId }, signal })).regroupings,
    ...freshness('settings'),
  });
}

export async function preview(projectId: string, change: Change): Promise<GroupingPreview> {
  return await call(previewGrouping, { params: { id: projectId }, body: change });
}

export async function apply(projectId: string, change: Change): Promise<Regrouping> {
  const params = { id: projectId };
  const { regrouping } = await call(applyRegrouping, { params, body: change });
  return regrouping;
}

export async function takeBack(projectId: string, id: string): Promise<Regrouping> {
  const params = { id: projectId };
  const { regrouping } = await call(undoRegrouping, { params, body: { regrouping_id: id } });
  return regrouping;
}

/** Reads again what a change of grouping moves: the rules, the list of changes, and the incidents. */
export async function readAgain(projectId: string): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries(projectQuery(projectId)),
    queryClient.invalidateQueries(projectsQuery),
    queryClient.invalidateQueries(regroupingsQuery(projectId)),
    queryClient.invalidateQueries({ queryKey: [listIncidents.id] }),
  ]);
}
