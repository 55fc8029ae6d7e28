import { listMembers } from '@culprit/contract/workspace/members';
import type { Project } from '@culprit/contract/workspace/projects';
import { isSampleService } from '@culprit/contract/workspace/sample-services';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { alertsQuery } from '../../api/alerts.ts';
import { serverQuery } from '../../api/server.ts';
import { deploymentsQuery } from '../../api/services.ts';
import { call } from '../../api/transport.ts';

interface SetupSteps {
  hasAlerts: boolean;
  hasDeploys: boolean;
  hasMembers: boolean;
}

/** Which steps after the first event are done; null while they are read. */
export function useSetupSteps({ project_id: pid, effective_role: role }: Project): SetupSteps | null {
  const { data: alerts } = useQuery(alertsQuery(pid));
  const { data: server } = useQuery(serverQuery);
  const { data: deployments } = useInfiniteQuery(deploymentsQuery(pid));
  const { data: members = 1 } = useQuery({
    queryKey: [listMembers.id, pid, 'setup'],
    queryFn: async ({ signal }) =>
      (await call(listMembers, { params: { id: pid }, query: { limit: 2 }, signal })).members.length,
    // Admins alone may read it.
    enabled: role !== 'member',
  });
  if (alerts === undefined || deployments === undefined || server === undefined) return null;
  return {
    hasAlerts: alerts.some(
      ({ is_enabled: isEnabled, channel }) =>
        isEnabled && (channel !== 'email' || server.auth.email !== 'off'),
    ),
    hasDeploys: deployments.pages.some((page) =>
      page.deployments.some(({ service_name: name }) => !isSampleService(name)),
    ),
    hasMembers: members > 1,
  };
}
