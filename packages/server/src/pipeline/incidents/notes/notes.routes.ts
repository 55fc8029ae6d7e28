import * as fixes from '@culprit/contract/incident-fixes';
import * as notes from '@culprit/contract/incident-notes';
import type { Binder } from '../../../platform/http/bind-endpoint.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiCallers } from '../../../workspace/access/api-callers.ts';
import { actorOf } from '../triage/triage.routes.ts';
import { createFix, deleteFix, listFixes } from './change-fixes.ts';
import { createNote, deleteNote, updateNote } from './change-notes.ts';
import { checkNotesPage, listNotes } from './list-notes.ts';

/** What people and agents write about incidents. */
export function bindNoteRoutes(binder: Binder<ApiCallers>, runtime: Runtime): void {
  binder
    .bind(notes.listNotes)
    .checked(checkNotesPage)
    .to(async (request) => ({ status: 200, body: await listNotes(runtime, request) }));
  binder.bind(notes.createNote).to(async (request) => ({
    status: 201,
    body: { note: await createNote(runtime, actorOf(request), request.access, request.body.body) },
  }));
  binder.bind(notes.updateNote).to(async ({ caller, access, params, body }) => ({
    status: 200,
    body: { note: await updateNote(runtime, caller, access, { noteId: params.noteId, body: body.body }) },
  }));
  binder.bind(notes.deleteNote).to(async ({ caller, access, params }) => ({
    status: 200,
    body: { note: await deleteNote(runtime, caller, access, params.noteId) },
  }));
  binder.bind(fixes.listFixes).to(async ({ access }) => ({
    status: 200,
    body: { fixes: await listFixes(runtime, access) },
  }));
  binder.bind(fixes.createFix).to(async (request) => ({
    status: 201,
    body: { fix: await createFix(runtime, actorOf(request), request.access, request.body) },
  }));
  binder.bind(fixes.deleteFix).to(async ({ caller, access, params }) => ({
    status: 200,
    body: { fix: await deleteFix(runtime, caller, access, params.fixId) },
  }));
}
