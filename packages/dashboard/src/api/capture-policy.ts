import { getCapturePolicy } from '@culprit/contract/capture/capture-policy';
import { queryOptions } from '@tanstack/react-query';
import { freshness } from './freshness.ts';
import { bodyOf, client } from './transport.ts';

/** Reads the capture policy of a project. */
export function policyQuery(projectId: string) {
  return queryOptions({
    queryKey: [getCapturePolicy.id, projectId],
    queryFn: ({ signal }) => bodyOf(client.call(getCapturePolicy, { params: { id: projectId }, signal })),
    ...freshness('settings'),
  });
}
