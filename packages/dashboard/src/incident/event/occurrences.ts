import type { Incident } from '@culprit/contract/incidents/incidents';
import { getIncidentOccurrences, type Occurrences } from '@culprit/contract/incidents/occurrences';
import { useQuery } from '@tanstack/react-query';
import { freshness } from '../../api/freshness.ts';
import { useFeature } from '../../api/server.ts';
import { call, serverNow } from '../../api/transport.ts';

const DAY_MS = 86_400_000;
const DAYS_MAX = 90;

/** The range that is counted: the days of the last 90, the hours of a number of milliseconds, or all since a moment. */
type Counting = 'days' | { lastMs: number } | { from: string };

/** Counts of the incident over time; undefined until they are there. Null asks for nothing. */
export function useOccurrences(incident: Incident, counting: Counting | null): Occurrences | undefined {
  const hasHistory = useFeature('occurrence_history');
  const { data } = useQuery({
    queryKey: [getIncidentOccurrences.id, incident.incident_id, counting],
    queryFn: async ({ signal }) => {
      const query = { from: fromOf(counting ?? 'days') };
      const params = { id: incident.incident_id };
      return await call(getIncidentOccurrences, { params, query, signal });
    },
    enabled: hasHistory && counting !== null,
    ...freshness('incident'),
  });
  return data;
}

function fromOf(counting: Counting): string {
  if (typeof counting === 'object' && 'from' in counting) return counting.from;
  const lastMs = counting === 'days' ? DAYS_MAX * DAY_MS : counting.lastMs;
  return new Date(serverNow() - lastMs).toISOString();
}
