import { listDsnKeys } from '@culprit/contract/dsn-keys';
import { queryOptions } from '@tanstack/react-query';
import { freshness } from './freshness.ts';
import { readAllPages } from './pages.ts';
import { bodyOf, client } from './transport.ts';

/** Every DSN key of a project, live and revoked, newest first. */
export function dsnKeysQuery(projectId: string) {
  return queryOptions({
    queryKey: [listDsnKeys.id, projectId],
    queryFn: ({ signal }) =>
      readAllPages(
        (query) => bodyOf(client.call(listDsnKeys, { params: { id: projectId }, query, signal })),
        ({ keys }) => keys,
      ),
    ...freshness('settings'),
  });
}
