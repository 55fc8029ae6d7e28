import { TICKET_SEARCH_LENGTH_MAX } from '@culprit/contract/alerts/tracker-words';
import {
  listTrackerFields,
  listTrackers,
  listTrackerTargets,
  listTrackerTickets,
  type Tracker,
  type TrackerTargets,
} from '@culprit/contract/alerts/trackers';
import type { BodyOf } from '@culprit/contract/endpoints/endpoint';
import { getIncidentHistory } from '@culprit/contract/incidents/incident-history';
import {
  createLink,
  deleteLink,
  type IncidentLink,
  listLinks,
  refreshLink,
  updateLink,
} from '@culprit/contract/incidents/incident-links';
import { getIncident } from '@culprit/contract/incidents/incidents';
import { queryOptions } from '@tanstack/react-query';
import { freshness } from './freshness.ts';
import { queryClient } from './query-client.ts';
import { call } from './transport.ts';

/** The issue trackers of a project, oldest first. */
export function trackersQuery(projectId: string) {
  return queryOptions({
    queryKey: [listTrackers.id, projectId],
    queryFn: async ({ signal }) => (await call(listTrackers, { params: { id: projectId }, signal })).trackers,
    ...freshness('settings'),
  });
}

/** Lists the targets in which a tracker can create tickets: a stored tracker, or a connection that is being entered. */
export async function readTargets(
  projectId: string,
  body: BodyOf<typeof listTrackerTargets>,
): Promise<TrackerTargets> {
  return await call(listTrackerTargets, { params: { id: projectId }, body });
}

/** Tickets of a tracker by their title or key; none without a tracker that can be searched. */
export function trackerTicketsQuery(projectId: string, tracker: Tracker | undefined, q: string) {
  const trackerId = tracker?.tracker_id ?? '';
  const params = { id: projectId, trackerId };
  return queryOptions({
    queryKey: [listTrackerTickets.id, trackerId, q],
    queryFn: async ({ signal }) => {
      const query = q === '' ? {} : { q };
      return (await call(listTrackerTickets, { params, query, signal })).tickets;
    },
    enabled: tracker !== undefined && q.length <= TICKET_SEARCH_LENGTH_MAX,
    staleTime: 30_000,
    retry: false,
  });
}

/** The priorities and labels that new tickets of a tracker can have. */
export function trackerFieldsQuery(projectId: string, tracker: Tracker | undefined) {
  const trackerId = tracker?.tracker_id ?? '';
  return queryOptions({
    queryKey: [listTrackerFields.id, trackerId],
    queryFn: ({ signal }) => call(listTrackerFields, { params: { id: projectId, trackerId }, signal }),
    enabled: tracker !== undefined && tracker.kind !== 'generic',
    staleTime: 300_000,
    retry: false,
  });
}

/** "GitHub Issues: acme/shop". */
export function trackerName({ name, target }: Pick<Tracker, 'name' | 'target'>): string {
  return `${name}: ${target}`;
}

const PENDING_EVERY_MS = 2000;

/** The tickets and links of an incident, newest first; read often while one is being created. */
export function linksQuery(incidentId: string) {
  const { staleTime, refetchInterval } = freshness('incident');
  return queryOptions({
    queryKey: [listLinks.id, incidentId],
    queryFn: async ({ signal }) => (await call(listLinks, { params: { id: incidentId }, signal })).links,
    staleTime,
    refetchInterval: (query) =>
      query.state.data?.some(({ state }) => state === 'pending') === true
        ? PENDING_EVERY_MS
        : refetchInterval(query),
  });
}

/** A link to add to an incident: a new ticket, one that exists, or an address. */
export type NewLink =
  | { tracker_id: string; key?: string; title?: string; labels?: string[]; priority?: string }
  | { url: string; title?: string };

export async function addLink(incidentId: string, body: NewLink): Promise<IncidentLink> {
  const { link } = await call(createLink, { params: { id: incidentId }, body });
  await rereadLinks(incidentId);
  return link;
}

export async function retryLink(incidentId: string, linkId: string): Promise<void> {
  await call(refreshLink, { params: { id: incidentId, linkId } });
  await rereadLinks(incidentId);
}

/** Fields of the sync of a ticket; null: as its tracker sets it. */
export type SyncChange = BodyOf<typeof updateLink>['sync'];

export async function setSync(incidentId: string, linkId: string, sync: SyncChange): Promise<void> {
  await call(updateLink, { params: { id: incidentId, linkId }, body: { sync } });
  await rereadLinks(incidentId);
}

export async function removeLink(incidentId: string, linkId: string): Promise<void> {
  await call(deleteLink, { params: { id: incidentId, linkId } });
  await rereadLinks(incidentId);
}

async function rereadLinks(incidentId: string): Promise<void> {
  void queryClient.invalidateQueries({ queryKey: [getIncidentHistory.id, incidentId] });
  void queryClient.invalidateQueries({ queryKey: [getIncident.id, incidentId] });
  await queryClient.invalidateQueries({ queryKey: [listLinks.id, incidentId] });
}
