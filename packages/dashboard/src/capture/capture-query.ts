import { listCaptureRules } from '@culprit/contract/capture/capture-rules';
import { queryOptions } from '@tanstack/react-query';
import { freshness } from '../api/freshness.ts';
import { readAllPages } from '../api/pages.ts';
import { call } from '../api/transport.ts';

/** Every rule of a project, newest first. Hits are counted while people look. */
export function rulesQuery(projectId: string) {
  return queryOptions({
    queryKey: [listCaptureRules.id, projectId],
    queryFn: ({ signal }) =>
      readAllPages(
        (query) => call(listCaptureRules, { params: { id: projectId }, query, signal }),
        ({ capture_rules: rules }) => rules,
      ),
    ...freshness('deliveries'),
  });
}
