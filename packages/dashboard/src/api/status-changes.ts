import {
  getIncident,
  type Incident,
  listIncidents,
  reopenIncidents,
  resolveIncidents,
} from '@culprit/contract/incidents/incidents';
import { getProject, listProjects } from '@culprit/contract/workspace/projects';
import { createSignal } from '../ui/signal.ts';
import { ATTENTION_COUNT } from './attention.ts';
import { isShort } from './incident-pages.ts';
import { queryClient } from './query-client.ts';
import { bodyOf, lastingClient } from './transport.ts';

/**
 * Resolving and reopening. The screen changes immediately and the request waits, because a resolve notifies webhooks
 * immediately and a reopen would turn *regressed* into *open*: what is undone in time was never sent.
 */

export type Target = 'resolved' | 'open';

/** The release in which something is resolved (docs/contract/source-maps.md 10.4). */
type ResolvedIn = { in: 'next_release' } | { in: 'release'; version: string };

export interface StatusChange {
  ids: readonly string[];
  to: Target;
  /** Only for a resolve. */
  within?: ResolvedIn;
  /** The same in words, behind the number of incidents. */
  words?: string;
}

/** The fields that a resolve in a release adds to a change. */
export type ResolvedChange = Pick<StatusChange, 'within' | 'words'>;

export interface Outcome {
  /** The error of the change; null when it succeeded. */
  problem: unknown;
  change: StatusChange;
}

/** The statuses that are shown and not sent yet, or sent and not answered, by incident. */
export const heldStatuses = createSignal<ReadonlyMap<string, Target>>(new Map());
let waiting: { change: StatusChange; onSent: (outcome: Outcome) => void } | null = null;

/** Shows the change, and sends what waited before it. */
export function holdChange(change: StatusChange, onSent: (outcome: Outcome) => void): void {
  sendHeld();
  waiting = { change, onSent };
  show(change.ids, change.to);
}

/** Takes the waiting change back; nothing was sent. */
export function undoHeld(): boolean {
  if (waiting === null) return false;
  hide(waiting.change.ids);
  waiting = null;
  return true;
}

/** Sends the waiting change now; it arrives even when the page is being left. */
export function sendHeld(): void {
  if (waiting === null) return;
  const { change, onSent } = waiting;
  waiting = null;
  void send(change).then(
    () => onSent({ change, problem: null }),
    (problem: unknown) => onSent({ change, problem }),
  );
}

async function send({ ids, to, within }: StatusChange): Promise<void> {
  const incidentIds = { incident_ids: [...ids] };
  try {
    const { incidents } = await bodyOf(
      to === 'resolved'
        ? lastingClient.call(resolveIncidents, { body: { ...incidentIds, ...within } })
        : lastingClient.call(reopenIncidents, { body: incidentIds }),
    );
    takeRecords(incidents);
  } finally {
    hide(ids);
    rereadLists();
  }
}

/** Reads the lists and counts again that a change of incidents may move. */
export function rereadLists(): void {
  for (const id of [listIncidents.id, listProjects.id, getProject.id, ATTENTION_COUNT]) {
    void queryClient.invalidateQueries({ queryKey: [id], predicate: isShort });
  }
}

/** Puts records that an answer brought to where they are shown. */
export function takeRecords(incidents: readonly Incident[]): void {
  const byId = new Map(incidents.map((incident) => [incident.incident_id, incident]));
  for (const [id, incident] of byId) queryClient.setQueryData([getIncident.id, id], incident);
  queryClient.setQueriesData<{ pages: { incidents: Incident[] }[] }>(
    { queryKey: [listIncidents.id] },
    (list) =>
      list === undefined || !('pages' in list)
        ? list
        : {
            ...list,
            pages: list.pages.map((page) => ({
              ...page,
              incidents: page.incidents.map((row) => byId.get(row.incident_id) ?? row),
            })),
          },
  );
}

/** Returns an incident for display: with the status of a change that is not answered yet. */
export function asShown<I extends Pick<Incident, 'incident_id' | 'status'>>(
  incident: I,
  held: ReadonlyMap<string, Target>,
): I {
  const status = held.get(incident.incident_id);
  return status === undefined ? incident : { ...incident, status };
}

function show(ids: readonly string[], to: Target): void {
  heldStatuses.set(new Map([...heldStatuses.get(), ...ids.map((id) => [id, to] as const)]));
}

function hide(ids: readonly string[]): void {
  const rest = new Map(heldStatuses.get());
  for (const id of ids) rest.delete(id);
  heldStatuses.set(rest);
}

window.addEventListener('pagehide', sendHeld);
