import {
  createFix,
  deleteFix,
  type Fix,
  listFixes,
  Verification,
} from '@culprit/contract/incidents/incident-fixes';
import {
  createNote,
  deleteNote,
  listNotes,
  type Note,
  updateNote,
} from '@culprit/contract/incidents/incident-notes';
import { usageError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { printRecord } from '../../output/print.ts';
import { listCommand } from '../../records/record-commands.ts';
import { incidentIdOf } from '../../references/incident-reference.ts';

const authorOf = (record: Pick<Note, 'author' | 'via'>) =>
  record.author?.name ?? (record.via === 'tracker' ? 'tracker' : '-');

const listOfNotes = listCommand({
  endpoint: listNotes,
  project: 'none',
  argument: 'id',
  key: 'notes',
  id: 'note_id',
  columns: [
    ['WHEN', 'created_at'],
    ['WHO', 'author.name'],
    ['VIA', 'via'],
    ['NOTE', 'body', 'wide'],
    ['ID', 'note_id'],
  ],
  keep: ({ deleted_at: deletedAt }) => deletedAt === null,
  empty: 'No notes.',
});
export const notes: Run = async (context, input) =>
  await listOfNotes(context, input.withArguments([await incidentIdOf(context, input.first)]));

const listOfFixes = listCommand({
  endpoint: listFixes,
  project: 'none',
  argument: 'id',
  isWhole: true,
  key: 'fixes',
  id: 'fix_id',
  columns: [
    ['WHEN', 'created_at'],
    ['WHO', 'author.name'],
    ['VERDICT', 'verification.verdict'],
    ['DEPLOYED', 'deployed_in'],
    ['ADDRESS', 'url', 'wide'],
    ['ID', 'fix_id'],
  ],
  empty: 'No fixes.',
});
export const fixes: Run = async (context, input) =>
  await listOfFixes(context, input.withArguments([await incidentIdOf(context, input.first)]));

export const note: Run = async (context, input) => {
  const id = await incidentIdOf(context, input.first);
  const api = await context.api();
  const [text, edited, deleted] = [input.text('message'), input.text('edit'), input.text('delete')];
  if (deleted !== null) {
    const answer = await api.call(deleteNote, { params: { id, noteId: deleted } });
    return printNote(answer);
  }
  if (text === null) throw usageError('What is the note?', 'culprit incidents note @1 -m TEXT');
  const body = { body: text };
  return printNote(
    edited === null
      ? await api.call(createNote, { params: { id }, body })
      : await api.call(updateNote, { params: { id, noteId: edited }, body }),
  );

  function printNote(answer: { note: Note }) {
    const { note: shown } = answer;
    printRecord(context, {
      body: answer,
      key: 'note',
      id: shown.note_id,
      rows: [
        ['Note', shown.body ?? 'deleted'],
        ['Author', authorOf(shown)],
        ['Id', shown.note_id],
      ],
    });
    return EXIT.ok;
  }
};

export const fix: Run = async (context, input) => {
  const id = await incidentIdOf(context, input.first);
  const api = await context.api();
  const deleted = input.text('delete');
  if (deleted !== null) return printFix(await api.call(deleteFix, { params: { id, fixId: deleted } }));
  const [, url] = input.args;
  if (url === undefined) throw usageError('Which fix?', 'culprit incidents fix @1 https://…');
  const [commit, release, summary] = [input.text('commit'), input.text('release'), input.text('summary')];
  const verdict = input.choice('verdict', Verification.properties.verdict.enum);
  return printFix(
    await api.call(createFix, {
      params: { id },
      body: {
        url,
        ...(commit === null ? {} : { commit_sha: commit }),
        ...(release === null ? {} : { release }),
        ...(summary === null ? {} : { summary }),
        ...(verdict === null ? {} : { verification: { verdict } }),
        ...(input.has('resolves') ? { resolves: true } : {}),
      },
    }),
  );

  function printFix(answer: { fix: Fix }) {
    const { fix: shown } = answer;
    printRecord(context, {
      body: answer,
      key: 'fix',
      id: shown.fix_id,
      rows: [
        ['Fix', shown.url],
        ['Author', authorOf(shown)],
        ['Verdict', shown.verification?.verdict],
        ['Id', shown.fix_id],
      ],
    });
    return EXIT.ok;
  }
};
