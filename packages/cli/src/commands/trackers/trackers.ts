import {
  createTracker,
  createTrackerHook,
  deleteTracker,
  listTrackers,
  listTrackerTargets,
  testTracker,
  updateTracker,
} from '@culprit/contract/alerts/trackers';
import { listCommand, recordCommand } from '../../records/record-commands.ts';
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

export const test = recordCommand({ ...RECORD, endpoint: testTracker, argument: 'trackerId' });

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
    `Disconnect the tracker ${input.first}? Tickets and incidents no longer follow each other.`,
  done: () => 'The tracker is disconnected.',
});
