import { getCapturePolicy } from '@culprit/contract/capture/capture-policy';
import { queryOptions } from '@tanstack/react-query';
import { freshness } from './freshness.ts';
import { call } from './transport.ts';

/** Reads the capture policy of a project. */
export function policyQuery(projectId: string) {
  return queryOptions({
    queryKey: [getCapturePolicy.id, projectId],
    queryFn: ({ signal }) => call(getCapturePolicy, { params: { id: projectId }, signal }),
    ...freshness('settings'),
  });
}
