import { listIncidents } from '@culprit/contract/incidents/incidents';
import { listDeployments } from '@culprit/contract/releases/deployments';
import { getProject, listProjects } from '@culprit/contract/workspace/projects';
import {
  addSampleData,
  getSampleData,
  removeSampleData,
  type SampleData,
} from '@culprit/contract/workspace/sample-data';
import { queryOptions } from '@tanstack/react-query';
import { freshness } from './freshness.ts';
import { queryClient } from './query-client.ts';
import { call } from './transport.ts';

const LOOK_EVERY_MS = 1000;

/** The sample data of a project, read each second while they come or go. */
export function sampleDataQuery(projectId: string) {
  return queryOptions({
    queryKey: [getSampleData.id, projectId],
    queryFn: async ({ signal }) =>
      (await call(getSampleData, { params: { id: projectId }, signal })).sample_data,
    staleTime: freshness('settings').staleTime,
    refetchInterval: ({ state }) => (isMoving(state.data) ? LOOK_EVERY_MS : false),
  });
}

/** Returns true while the sample data are being added or removed. */
export function isMoving(data: SampleData | undefined): boolean {
  return data?.state === 'adding' || data?.state === 'removing';
}

/** Adds the sample data of a project, or removes them. */
export async function changeSampleData(projectId: string, verb: 'add' | 'remove'): Promise<void> {
  const endpoint = verb === 'add' ? addSampleData : removeSampleData;
  const { sample_data: data } = await call(endpoint, { params: { id: projectId } });
  queryClient.setQueryData(sampleDataQuery(projectId).queryKey, data);
}

/** Reads again what shows incidents, when the sample data have come or gone. */
export function rereadIncidents(): void {
  for (const { id } of [listIncidents, listDeployments, listProjects, getProject])
    void queryClient.invalidateQueries({ queryKey: [id] });
}
