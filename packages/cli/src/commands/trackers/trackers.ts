import {
  createTracker,
  createTrackerHook,
  deleteTracker,
  installTrackerHook,
  listTrackerFields,
  listTrackers,
  listTrackerTargets,
  listTrackerTickets,
  testTracker,
  updateTracker,
} from '@culprit/contract/alerts/trackers';
import type { Run } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { printJson, printList, printRecord } from '../../output/print.ts';
import { listCommand, recordCommand } from '../../records/record-commands.ts';
import { rowsOf } from '../../records/record-rows.ts';
import { projectId } from '../../references/project-reference.ts';
import { HOOK_FIELDS, KIND_FIELDS, TARGETS_FIELDS, TRACKER_FIELDS } from './flags.ts';

const RECORD = { project: 'params.id', key: 'tracker', id: 'tracker_id' } as const;

export const list = listCommand({
  endpoint: listTrackers,
  project: 'params.id',
  isWhole: true,
  key: 'trackers',
  id: 'tracker_id',
  columns: [
    ['KIND', 'kind'],
    ['NAME', 'name', 'wide'],
    ['TARGET', 'target', 'wide'],
    ['PROBLEM', 'last_error'],
    ['ID', 'tracker_id'],
  ],
  empty: 'No issue trackers.',
});

export const targets = listCommand({
  endpoint: listTrackerTargets,
  project: 'params.id',
  argument: 'tracker_id',
  isWhole: true,
  flags: [...KIND_FIELDS, ...TARGETS_FIELDS],
  key: 'targets',
  id: 'target',
  columns: [
    ['TARGET', 'target', 'wide'],
    ['NAME', 'name', 'wide'],
  ],
  empty: 'No targets.',
});

export const tickets: Run = async (context, input) => {
  const params = { id: await projectId(context), trackerId: input.first };
  const q = input.text('query');
  const answer = await (await context.api()).call(listTrackerTickets, {
    params,
    query: q === null ? {} : { q },
  });
  printList(context, {
    items: answer.tickets,
    key: 'tickets',
    body: answer,
    columns: [
      { title: 'STATE', cell: ({ state }) => state },
      { title: 'KEY', cell: ({ key }) => key },
      { title: 'TITLE', cell: ({ title }) => title, isFlexible: true },
      { title: 'WHO', cell: ({ assignee_name: who }) => who },
    ],
    id: ({ key }) => key,
    empty: 'No tickets.',
  });
  return EXIT.ok;
};

export const fields: Run = async (context, input) => {
  const params = { id: await projectId(context), trackerId: input.first };
  const answer = await (await context.api()).call(listTrackerFields, { params });
  const items = [
    ...answer.priorities.map((each) => ({ ...each, field: 'priority' })),
    ...answer.labels.map((each) => ({ ...each, field: 'label' })),
  ];
  if (context.globals.json) {
    printJson(context, answer);
    return EXIT.ok;
  }
  printList(context, {
    items,
    key: 'fields',
    columns: [
      { title: 'FIELD', cell: ({ field }) => field },
      { title: 'NAME', cell: ({ name }) => name, isFlexible: true },
      { title: 'ID', cell: ({ id }) => id },
    ],
    id: ({ id }) => id,
    empty: 'The tracker lists no priorities and no labels.',
  });
  return EXIT.ok;
};

export const create = recordCommand({
  ...RECORD,
  endpoint: createTracker,
  flags: [...KIND_FIELDS, ...TRACKER_FIELDS],
  secret: {
    ...{ field: 'secret', says: 'The shared secret' },
    facts: ['tracker_id', 'name', 'base_url', 'target'],
  },
  body: (_, input) => {
    for (const name of ['kind', 'target']) input.required(name);
    return {};
  },
});

export const update = recordCommand({
  ...RECORD,
  endpoint: updateTracker,
  argument: 'trackerId',
  flags: TRACKER_FIELDS,
  needsChange: true,
});

export const test: Run = async (context, input) => {
  const params = { id: await projectId(context), trackerId: input.first };
  const answer = await (await context.api()).call(testTracker, { params });
  const rights = Object.entries(answer.rights).map(
    ([name, may]) => [`may ${name}`, may === null ? 'the tracker does not say' : may] as const,
  );
  printRecord(context, {
    body: answer,
    key: 'tracker',
    id: answer.tracker.tracker_id,
    rows: [...rowsOf(answer.tracker), ...rights],
  });
  return EXIT.ok;
};

export const install = recordCommand({
  ...RECORD,
  endpoint: installTrackerHook,
  argument: 'trackerId',
  done: () => 'The tracker has the webhook.',
});

export const hook = recordCommand({
  endpoint: createTrackerHook,
  project: 'params.id',
  argument: 'trackerId',
  flags: HOOK_FIELDS,
  hasBody: true,
  question: (_, input) =>
    `Create a new address for the webhook of ${input.first}? A webhook that calls the old one is refused.`,
});

export const remove = recordCommand({
  endpoint: deleteTracker,
  project: 'params.id',
  argument: 'trackerId',
  question: (_, input) =>
    `Disconnect the tracker ${input.first}? Tickets and incidents will no longer be synchronized.`,
  done: () => 'The tracker is disconnected.',
});
