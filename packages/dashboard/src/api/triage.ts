import { getIncidentHistory } from '@culprit/contract/incidents/incident-history';
import { createNote, deleteNote, listNotes, updateNote } from '@culprit/contract/incidents/incident-notes';
import {
  type SnoozeRequest,
  snoozeIncidents,
  wakeIncidents,
} from '@culprit/contract/incidents/incident-snooze';
import { type TriageChange, updateIncidents } from '@culprit/contract/incidents/incident-triage';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { listPeople } from '@culprit/contract/workspace/people';
import { queryOptions } from '@tanstack/react-query';
import { freshness } from './freshness.ts';
import { readAllPages } from './pages.ts';
import { queryClient } from './query-client.ts';
import { rereadLists, takeRecords } from './status-changes.ts';
import { call } from './transport.ts';

/** Everyone to whom an incident of the project can be given: its people and teams. */
export function peopleQuery(projectId: string) {
  return queryOptions({
    queryKey: [listPeople.id, projectId],
    queryFn: ({ signal }) => call(listPeople, { params: { id: projectId }, signal }),
    ...freshness('settings'),
  });
}

/** The notes about an incident, oldest first; deleted ones are left out. */
export function notesQuery(incidentId: string) {
  return queryOptions({
    queryKey: [listNotes.id, incidentId],
    queryFn: async ({ signal }) => {
      const notes = await readAllPages(
        (query) => call(listNotes, { params: { id: incidentId }, query, signal }),
        ({ notes }) => notes,
      );
      return notes.filter(({ deleted_at: deletedAt }) => deletedAt === null);
    },
    ...freshness('incident'),
  });
}

/** Writes a note, or another text of one. */
export async function sendNote(incidentId: string, noteId: string | null, body: string): Promise<void> {
  await (noteId === null
    ? call(createNote, { params: { id: incidentId }, body: { body } })
    : call(updateNote, { params: { id: incidentId, noteId }, body: { body } }));
  await rereadNotes(incidentId);
}

export async function removeNote(incidentId: string, noteId: string): Promise<void> {
  await call(deleteNote, { params: { id: incidentId, noteId } });
  await rereadNotes(incidentId);
}

async function rereadNotes(incidentId: string): Promise<void> {
  void queryClient.invalidateQueries({ queryKey: [getIncidentHistory.id, incidentId] });
  await queryClient.invalidateQueries({ queryKey: [listNotes.id, incidentId] });
}

/** Assigns incidents, or sets their priority. */
export async function setTriage(ids: readonly string[], set: TriageChange): Promise<void> {
  take((await call(updateIncidents, { body: { incident_ids: [...ids], set } })).incidents);
}

export async function snooze(ids: readonly string[], asked: SnoozeRequest): Promise<void> {
  const body = { incident_ids: [...ids], ...asked };
  take((await call(snoozeIncidents, { body })).incidents);
}

export async function wake(ids: readonly string[]): Promise<void> {
  take((await call(wakeIncidents, { body: { incident_ids: [...ids] } })).incidents);
}

function take(incidents: readonly Incident[]): void {
  takeRecords(incidents);
  rereadLists();
  for (const { incident_id: id } of incidents)
    void queryClient.invalidateQueries({ queryKey: [getIncidentHistory.id, id] });
}
