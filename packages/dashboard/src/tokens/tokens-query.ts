import { listProjectTokens } from '@culprit/contract/workspace/tokens';
import { queryOptions } from '@tanstack/react-query';
import { freshness } from '../api/freshness.ts';
import { readAllPages } from '../api/pages.ts';
import { call } from '../api/transport.ts';

/** Every token of a project, live and revoked, newest first. */
export function tokensQuery(projectId: string) {
  return queryOptions({
    queryKey: [listProjectTokens.id, projectId],
    queryFn: ({ signal }) =>
      readAllPages(
        (query) => call(listProjectTokens, { params: { id: projectId }, query, signal }),
        ({ tokens }) => tokens,
      ),
    ...freshness('settings'),
  });
}
