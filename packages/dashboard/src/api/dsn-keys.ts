import { type DsnKey, listDsnKeys } from '@culprit/contract/events/dsn-keys';
import { queryOptions } from '@tanstack/react-query';
import { freshness } from './freshness.ts';
import { readAllPages } from './pages.ts';
import { call } from './transport.ts';

/** Every DSN key of a project, live and revoked, newest first. */
export function dsnKeysQuery(projectId: string) {
  return queryOptions({
    queryKey: [listDsnKeys.id, projectId],
    queryFn: ({ signal }) =>
      readAllPages(
        (query) => call(listDsnKeys, { params: { id: projectId }, query, signal }),
        ({ keys }) => keys,
      ),
    ...freshness('settings'),
  });
}

/** The key that most senders use: the oldest live one without origins. */
export function defaultKeyOf(newestFirst: readonly DsnKey[] | undefined): DsnKey | undefined {
  return newestFirst?.findLast(
    ({ revoked_at: at, allowed_origins: origins }) => at === null && origins.length === 0,
  );
}
