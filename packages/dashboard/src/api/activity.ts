import {
  ACTIVITY_INCIDENTS_MAX,
  getIncidentActivity,
  type IncidentActivity,
} from '@culprit/contract/incidents/incident-activity';
import { queryOptions } from '@tanstack/react-query';
import { freshness } from './freshness.ts';
import { call } from './transport.ts';

const KEPT_MS = 60_000;

/** Trend, users and place of some rows, by incident. */
export function activityQuery(ids: readonly string[]) {
  const asked = ids.slice(0, ACTIVITY_INCIDENTS_MAX);
  return queryOptions({
    queryKey: [getIncidentActivity.id, asked.join(',')],
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, IncidentActivity>> => {
      const query = { incident_ids: asked.join(',') };
      const { activity } = await call(getIncidentActivity, { query, signal });
      return new Map(activity.map((each) => [each.incident_id, each]));
    },
    enabled: asked.length > 0,
    staleTime: 15_000,
    // A person who scrolls through a long list passes more trends than they will see again.
    gcTime: KEPT_MS,
    refetchInterval: freshness('incidents').refetchInterval,
  });
}
