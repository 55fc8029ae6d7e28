import { listTeams } from '@culprit/contract/workspace/teams';
import { queryOptions } from '@tanstack/react-query';
import { freshness } from './freshness.ts';
import { call } from './transport.ts';

/** The teams of the project's organization, by name. */
export function teamsQuery(projectId: string) {
  return queryOptions({
    queryKey: [listTeams.id, projectId],
    queryFn: async ({ signal }) => (await call(listTeams, { params: { id: projectId }, signal })).teams,
    ...freshness('settings'),
  });
}
