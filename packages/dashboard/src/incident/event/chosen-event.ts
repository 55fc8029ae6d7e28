import { getIncidentEvent } from '@culprit/contract/incidents/incident-events';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { call } from '../../api/transport.ts';

/** The event that the address names, and the way to another one; null is the latest, with the evidence of all. */
export function useChosenEvent(): { eventId: string | null; choose: (eventId: string | null) => void } {
  const { event } = useSearch({ strict: false });
  const navigate = useNavigate();
  return {
    eventId: event ?? null,
    choose: (eventId) =>
      void navigate({
        to: '.',
        search: ({ event: _before, ...rest }: { event?: string }) =>
          eventId === null ? rest : { ...rest, event: eventId },
        replace: true,
        resetScroll: false,
      }),
  };
}

/** One event as it was sent, with its neighbors. */
export function eventQuery(incidentId: string, eventId: string) {
  return queryOptions({
    queryKey: [getIncidentEvent.id, incidentId, eventId],
    queryFn: async ({ signal }) => {
      const params = { id: incidentId, eventId };
      return await call(getIncidentEvent, { params, signal });
    },
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });
}
