import { listGroupGrants } from '@culprit/contract/workspace/group-grants';
import { queryOptions } from '@tanstack/react-query';
import { freshness } from '../api/freshness.ts';
import { call } from '../api/transport.ts';

/** The access that groups of the sign-in provider give, by group. Only the owner can read it. */
export const groupGrantsQuery = queryOptions({
  queryKey: [listGroupGrants.id],
  queryFn: async ({ signal }) => (await call(listGroupGrants, { signal })).group_grants,
  ...freshness('settings'),
});
