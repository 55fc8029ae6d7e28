import { getOwnership } from '@culprit/contract/workspace/ownership';
import { queryOptions } from '@tanstack/react-query';
import { freshness } from '../api/freshness.ts';
import { call } from '../api/transport.ts';

/** Reads the ownership of new incidents of a project, with the recent decisions of each line. */
export function ownershipQuery(projectId: string) {
  return queryOptions({
    queryKey: [getOwnership.id, projectId],
    queryFn: async ({ signal }) =>
      (await call(getOwnership, { params: { id: projectId }, signal })).ownership,
    ...freshness('settings'),
  });
}
