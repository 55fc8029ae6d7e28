import { getServer, type ServerDescription } from '@culprit/contract/endpoints/server';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { call } from './transport.ts';

/** Reads the features of the installation; they change with a restart only. */
export const serverQuery = queryOptions({
  queryKey: [getServer.id],
  queryFn: async ({ signal }): Promise<ServerDescription> => await call(getServer, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

/**
 * Returns true if the server has an addition to its API; false until it is known, so that nothing is shown that may not
 * work.
 */
export function useFeature(name: string): boolean {
  const { data } = useQuery(serverQuery);
  return data?.features.includes(name) === true;
}
