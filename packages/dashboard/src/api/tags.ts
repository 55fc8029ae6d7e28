import { listIncidentTags } from '@culprit/contract/incidents/incident-tags';
import { queryOptions } from '@tanstack/react-query';
import { freshness } from './freshness.ts';
import { call } from './transport.ts';

/** The tags of an incident, the most telling first. */
export function tagsQuery(incidentId: string) {
  return queryOptions({
    queryKey: [listIncidentTags.id, incidentId],
    queryFn: async ({ signal }) =>
      (await call(listIncidentTags, { params: { id: incidentId }, signal })).tags,
    ...freshness('days'),
  });
}
