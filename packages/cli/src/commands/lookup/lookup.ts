import { lookUpId } from '@culprit/contract/incidents/lookup';
import { notFoundError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { printList } from '../../output/print.ts';
import { chosenProjectId } from '../../references/project-reference.ts';

/** Prints the records that have an id, which is one of an application or of this service. */
export const run: Run = async (context, input) => {
  const projectId = await chosenProjectId(context, { isOptional: true });
  const body = await (await context.api()).call(lookUpId, {
    query: { id: input.first, ...(projectId === null ? {} : { project_id: projectId }) },
  });
  if (body.matches.length === 0 && !context.globals.json) {
    throw notFoundError(
      'Nothing with this id is visible to you.',
      'event ids are kept for seven days; search another project with --project',
    );
  }
  printList(context, {
    items: body.matches,
    key: 'matches',
    body,
    columns: [
      { title: 'KIND', cell: ({ kind }) => kind },
      { title: 'TIME', cell: ({ occurred_at }) => occurred_at },
      { title: 'INCIDENT', cell: ({ incident_id, improvement_id }) => incident_id ?? improvement_id },
      { title: 'EVENT', cell: ({ event_id }) => event_id, isFlexible: true },
    ],
    id: ({ incident_id, improvement_id, event_id }) => incident_id ?? improvement_id ?? event_id ?? '',
    empty: '',
  });
  return EXIT.ok;
};
