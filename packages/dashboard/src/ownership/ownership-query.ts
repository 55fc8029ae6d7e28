import { getOwnership } from '@culprit/contract/ownership';
import { queryOptions } from '@tanstack/react-query';
import { freshness } from '../api/freshness.ts';
import { bodyOf, client } from '../api/transport.ts';

/** Who gets which new incidents of a project, with what each line decided lately. */
export function ownershipQuery(projectId: string) {
  return queryOptions({
    queryKey: [getOwnership.id, projectId],
    queryFn: async ({ signal }) =>
      (await bodyOf(client.call(getOwnership, { params: { id: projectId }, signal }))).ownership,
    ...freshness('settings'),
  });
}
