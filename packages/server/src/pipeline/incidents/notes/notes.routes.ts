import * as fixes from '@culprit/contract/incidents/incident-fixes';
import * as notes from '@culprit/contract/incidents/incident-notes';
import * as watch from '@culprit/contract/incidents/incident-watch';
import type { Binder } from '../../../platform/http/binding/bind-endpoint.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiCallers } from '../../../workspace/access/api-callers.ts';
import { actorOf } from '../triage/triage.routes.ts';
import { createFix, deleteFix, listFixes } from './change-fixes.ts';
import { createNote, deleteNote, updateNote } from './change-notes.ts';
import { checkNotesPage, listNotes } from './list-notes.ts';
import { changeWatch, describeWatch } from './watch-incident.ts';

/** Binds the notes of people and agents about incidents. */
export function bindNoteRoutes(binder: Binder<ApiCallers>, runtime: Runtime): void {
  binder
    .bind(notes.listNotes)
    .checked(checkNotesPage)
    .answers((request) => listNotes(runtime, request));
  binder.bind(notes.createNote).answers((request) => createNote(runtime, actorOf(request), request));
  binder
    .bind(notes.updateNote)
    .answers(({ caller, access, params, body }) =>
      updateNote(runtime, caller, access, { noteId: params.noteId, body: body.body }),
    );
  binder
    .bind(notes.deleteNote)
    .answers(({ caller, access, params }) => deleteNote(runtime, caller, access, params.noteId));
  binder
    .bind(watch.getIncidentWatch)
    .answers(({ caller, access }) => describeWatch(runtime, caller.userId, access));
  binder
    .bind(watch.watchIncident)
    .answers(({ caller, access }) => changeWatch(runtime, caller.userId, access, true));
  binder
    .bind(watch.unwatchIncident)
    .answers(({ caller, access }) => changeWatch(runtime, caller.userId, access, false));
  binder.bind(fixes.listFixes).answers(({ access }) => listFixes(runtime, access));
  binder.bind(fixes.createFix).answers((request) => createFix(runtime, actorOf(request), request));
  binder
    .bind(fixes.deleteFix)
    .answers(({ caller, access, params }) => deleteFix(runtime, caller, access, params.fixId));
}
