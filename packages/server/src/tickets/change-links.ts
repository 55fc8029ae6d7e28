import { randomUUID } from 'node:crypto';
import { LINKS_MAX, type TrackerKind } from '@culprit/contract/alerts/tracker-words';
import type { Tracker } from '@culprit/contract/alerts/trackers';
import type { BodyOf } from '@culprit/contract/endpoints/endpoint';
import type {
  createLink as createEndpoint,
  IncidentLink,
  updateLink as updateEndpoint,
} from '@culprit/contract/incidents/incident-links';
import { askTracker } from '../notify/trackers/asked-trackers.queries.ts';
import { backLinksOf } from '../notify/trackers/back-links.ts';
import { openTracker } from '../notify/trackers/open-trackers.queries.ts';
import { plainKey } from '../notify/trackers/plain-key.ts';
import { problemOf } from '../notify/trackers/test-tracker.ts';
import type { Ticket } from '../notify/trackers/tracker-api.ts';
import { callsOf, TRACKER_APIS } from '../notify/trackers/tracker-apis.ts';
import { TrackerFailure } from '../notify/trackers/tracker-call.ts';
import { findTracker, lockTracker } from '../notify/trackers/trackers.queries.ts';
import { findMergedInto } from '../pipeline/incidents/grouping/aliases.queries.ts';
import { lockIncidents } from '../pipeline/incidents/processing/locked-incidents.queries.ts';
import type { Actor } from '../pipeline/incidents/triage/change-triage.ts';
import { insertLifecycleEvents } from '../pipeline/ledger/lifecycle.queries.ts';
import type { Transaction } from '../platform/db/database.ts';
import { invalidPayload } from '../platform/http/binding/payload-fault.ts';
import { Problem } from '../platform/http/binding/problem.ts';
import { parseId } from '../platform/ids.ts';
import type { Runtime } from '../runtime.ts';
import type { ApiRequest } from '../workspace/access/api-callers.ts';
import type { RecordAccess } from '../workspace/access/authorize.ts';
import { wantBackLink } from './back-links.queries.ts';
import {
  insertLink,
  listLinkRows,
  type NewLink,
  removeLink,
  resetLink,
  saveSeen,
  saveSync,
  saveTicket,
  saveTicketAssignee,
} from './links.queries.ts';
import { noteUnlinked } from './unlinked-tickets.queries.ts';

/** The link that a request adds to an incident. */
type LinkRequest =
  | { kind: 'create'; trackerId: string; title: string | null; labels: string[]; priority: string | null }
  | { kind: 'ticket'; trackerId: string; key: string }
  | { kind: 'address'; url: string; title: string | null };

/** @throws Problem `invalid_payload` */
export function checkLink({ body }: { body: BodyOf<typeof createEndpoint> }): LinkRequest {
  const { tracker_id: trackerId, key, url } = body;
  const title = body.title?.trim() ?? null;
  const { labels = [], priority = null } = body;
  const isNew = trackerId !== undefined && key === undefined;
  if (!isNew && labels.length > 0) throw invalidPayload('/labels', 'are only for a new ticket');
  if (!isNew && priority !== null) throw invalidPayload('/priority', 'is only for a new ticket');
  if ((trackerId === undefined) === (url === undefined)) {
    throw invalidPayload('/tracker_id', 'or "url" must be given, and not both');
  }
  if (trackerId === undefined) {
    if (key !== undefined) throw invalidPayload('/key', 'needs "tracker_id"');
    const address = URL.parse(url ?? '');
    if (
      address === null ||
      address.protocol !== 'https:' ||
      address.username !== '' ||
      address.password !== ''
    ) {
      throw invalidPayload('/url', 'must be an https address without credentials');
    }
    return { kind: 'address', url: address.href, title };
  }
  if (key === undefined) return { kind: 'create', trackerId, title, labels, priority };
  if (title !== null) throw invalidPayload('/title', 'is that of the ticket');
  return { kind: 'ticket', trackerId, key };
}

/**
 * Adds a ticket or an address to an incident (docs/contract/team-workflow.md 7.3). A new ticket is `pending` until a
 * worker has created it; one that exists is read before the answer. A repeat finds the link.
 * @throws Problem `tracker_not_found`, `ticket_not_found`, `link_exists`, `resource_limit_reached`, `tracker_refused`,
 * `tracker_unreachable`
 */
export async function createLink(
  runtime: Pick<Runtime, 'database' | 'keys' | 'outbound'>,
  actor: Actor,
  {
    access: { projectId, recordId: named },
    checked: asked,
    repeatId,
  }: Pick<ApiRequest<typeof createEndpoint, LinkRequest>, 'access' | 'checked' | 'repeatId'>,
): Promise<IncidentLink> {
  const { database } = runtime;
  const tracker = asked.kind === 'address' ? null : await trackerOf(runtime, projectId, asked.trackerId);
  const trackerId = tracker?.tracker_id ?? null;
  if (asked.kind === 'create' && tracker !== null) checkFields(tracker.kind, asked);
  const read =
    asked.kind === 'ticket' && trackerId !== null ? await readTicket(runtime, trackerId, asked.key) : null;
  const ticket = read?.ticket ?? null;
  const linkId = repeatId ?? newLinkId();
  return await database.transaction(async (transaction) => {
    // Two concurrent requests create one ticket. The incident into which another was merged has its links.
    const before = (await findMergedInto(transaction, [named])).get(named);
    const held = await lockIncidents(transaction, before === undefined ? [named] : [named, before]);
    const incidentId = (await findMergedInto(transaction, [named])).get(named) ?? named;
    const link: NewLink = {
      ...{ linkId, projectId, incidentId, trackerId, userId: actor.userId },
      url: asked.kind === 'address' ? asked.url : null,
      title: asked.kind === 'ticket' ? null : asked.title,
      state: asked.kind === 'create' ? 'pending' : 'open',
      ...(asked.kind === 'create' ? { labels: asked.labels, priority: asked.priority } : {}),
    };
    if (trackerId !== null && (await lockTracker(transaction, projectId, trackerId)) === null) {
      throw new Problem('tracker_not_found');
    }
    const isResolved = held.find((each) => each.incidentId === incidentId)?.state.status === 'resolved';
    const links = await listLinkRows(transaction, incidentId);
    const earlier = links.find(({ link_id: id }) => id === repeatId);
    if (earlier !== undefined) return earlier;
    if (links.length >= LINKS_MAX) throw new Problem('resource_limit_reached');
    if (links.some((each) => isSame(each, link, ticket))) throw new Problem('link_exists');
    await insertLink(transaction, link);
    if (ticket !== null) {
      await saveTicket(transaction, linkId, ticket);
      // The earlier state of both sides is no change.
      await saveSeen(transaction, linkId, { isResolved, isClosed: ticket.isClosed });
      await saveTicketAssignee(transaction, linkId, ticket.assignee?.id ?? null);
      if (read !== null && backLinksOf(read.kind) !== null) await wantBackLink(transaction, linkId);
    }
    const data = { user_id: actor.userId, via: actor.via, link_id: linkId, ticket: ticket?.key ?? link.url };
    insertLifecycleEvents(transaction, [{ projectId, incidentId, kind: 'incident.linked', data }]);
    if (trackerId !== null) await askTracker(transaction, trackerId);
    return await onlyLink(transaction, incidentId, linkId);
  });
}

/** An id of version 4, because one tracker takes no other for the id of a ticket. */
export function newLinkId(): string {
  return randomUUID();
}

function isSame(before: IncidentLink, link: NewLink, ticket: Ticket | null): boolean {
  if (link.trackerId === null) return before.url === link.url;
  if (before.tracker_id !== link.trackerId) return false;
  if (ticket !== null) return before.key === ticket.key;
  return before.state !== 'failed' && before.state !== 'gone';
}

async function trackerOf(
  { database }: Pick<Runtime, 'database'>,
  projectId: string,
  id: string,
): Promise<Tracker> {
  const trackerId = parseId([], id);
  const tracker = trackerId === null ? null : await findTracker(database, projectId, trackerId);
  if (tracker === null) throw new Problem('tracker_not_found');
  return tracker;
}

/** @throws Problem `invalid_payload` for fields that the tickets of a kind have not */
function checkFields(
  kind: TrackerKind,
  { labels, priority }: Extract<LinkRequest, { kind: 'create' }>,
): void {
  if (kind === 'generic' && labels.length > 0)
    throw invalidPayload('/labels', 'are not for a custom tracker');
  if (priority !== null && kind !== 'jira' && kind !== 'linear') {
    throw invalidPayload('/priority', 'is only for Jira and Linear');
  }
}

async function readTicket(
  { database, keys, outbound }: Pick<Runtime, 'database' | 'keys' | 'outbound'>,
  trackerId: string,
  text: string,
): Promise<{ ticket: Ticket; kind: TrackerKind }> {
  const tracker = await openTracker(database, keys, trackerId);
  if (tracker === null) throw new Problem('tracker_not_found');
  const { connection, kind } = tracker;
  const api = TRACKER_APIS[kind];
  const id = api.readKey(connection, plainKey(text.trim(), connection.baseUrl));
  if (id === null) throw new Problem('ticket_not_found');
  try {
    return { ticket: await api.read(connection, callsOf(outbound, tracker), id), kind };
  } catch (error) {
    if (!(error instanceof TrackerFailure)) throw error;
    throw error.kind === 'missing' ? new Problem('ticket_not_found') : problemOf(error);
  }
}

/**
 * Sets what crosses between an incident and one of its tickets, otherwise than its tracker does.
 * @throws Problem `link_not_found`, `invalid_payload` for a plain address
 */
export async function updateLink(
  { database }: Pick<Runtime, 'database'>,
  { recordId: incidentId }: RecordAccess,
  linkId: string,
  { sync }: BodyOf<typeof updateEndpoint>,
): Promise<IncidentLink> {
  return await database.transaction(async (transaction) => {
    const link = await onlyLink(transaction, incidentId, linkId);
    if (link.tracker_id === null) throw invalidPayload('/sync', 'is only for tickets of a tracker');
    await askTracker(transaction, link.tracker_id);
    await saveSync(transaction, link.link_id, JSON.stringify(sync));
    return await onlyLink(transaction, incidentId, linkId);
  });
}

/** Lets a link be worked on again. @throws Problem `link_not_found` */
export async function refreshLink(
  { database }: Pick<Runtime, 'database'>,
  { recordId: incidentId }: RecordAccess,
  linkId: string,
): Promise<IncidentLink> {
  return await database.transaction(async (transaction) => {
    const link = await onlyLink(transaction, incidentId, linkId);
    if (link.tracker_id === null) return link;
    // First the tracker: one that is deleted at this moment is locked before its links.
    await askTracker(transaction, link.tracker_id);
    await resetLink(transaction, link.link_id);
    return await onlyLink(transaction, incidentId, linkId);
  });
}

/** Removes a link; its ticket does not change. @throws Problem `link_not_found` */
export async function deleteLink(
  { database }: Pick<Runtime, 'database'>,
  { userId, via }: Actor,
  { projectId, recordId: incidentId }: RecordAccess,
  linkId: string,
): Promise<IncidentLink> {
  return await database.transaction(async (transaction) => {
    const link = await onlyLink(transaction, incidentId, linkId);
    if (link.tracker_id !== null) await askTracker(transaction, link.tracker_id);
    await noteUnlinked(transaction, link.link_id);
    if (!(await removeLink(transaction, link.link_id))) throw new Problem('link_not_found');
    const data = { user_id: userId, via, link_id: link.link_id, ticket: link.key ?? link.url };
    const heldId = parseId(['inc'], link.incident_id) ?? incidentId;
    insertLifecycleEvents(transaction, [{ projectId, incidentId: heldId, kind: 'incident.unlinked', data }]);
    return link;
  });
}

async function onlyLink(transaction: Transaction, incidentId: string, linkId: string): Promise<IncidentLink> {
  const id = parseId([], linkId);
  const link = (await listLinkRows(transaction, incidentId)).find((each) => each.link_id === id);
  if (link === undefined) throw new Problem('link_not_found');
  return link;
}
