import {
  createHeartbeat,
  deleteHeartbeat,
  getHeartbeat,
  listHeartbeatDays,
  listHeartbeatRuns,
  listHeartbeats,
  rotateHeartbeatKey,
  updateHeartbeat,
} from '@culprit/contract/monitor/heartbeats';
import { ageText } from '../../duration.ts';
import { listCommand, recordCommand } from '../../records/record-commands.ts';
import { HEARTBEAT_FIELDS, PAUSE_FLAGS, scheduleIn } from './flags.ts';

const RECORD = { project: 'params.id', key: 'heartbeat', id: 'heartbeat_id' } as const;

export const list = listCommand({
  endpoint: listHeartbeats,
  project: 'params.id',
  key: 'heartbeats',
  id: 'heartbeat_id',
  columns: [
    ['STATUS', 'status'],
    ['NAME', 'name', 'wide'],
    ['ENVIRONMENT', 'environment'],
    ['NEXT', 'next_expected_at'],
    ['ID', 'heartbeat_id'],
  ],
  empty: 'No heartbeats.',
});

export const show = recordCommand({ ...RECORD, endpoint: getHeartbeat, argument: 'heartbeatId' });

export const create = recordCommand({
  ...RECORD,
  endpoint: createHeartbeat,
  flags: HEARTBEAT_FIELDS,
  body: (_, input) => ({
    slug: input.required('slug'),
    schedule: scheduleIn(input) ?? { type: 'crontab', value: input.required('cron') },
    ...(input.has('environment') ? { environment: input.required('environment') } : {}),
  }),
});

export const update = recordCommand({
  ...RECORD,
  endpoint: updateHeartbeat,
  argument: 'heartbeatId',
  flags: [...HEARTBEAT_FIELDS, ...PAUSE_FLAGS],
  body: (_, input) => {
    const schedule = scheduleIn(input);
    return schedule === null ? {} : { schedule };
  },
});

export const rotate = recordCommand({
  ...RECORD,
  endpoint: rotateHeartbeatKey,
  argument: 'heartbeatId',
  question: (_, input) =>
    `Give the heartbeat ${input.first} a new address? Jobs that request the old one fail.`,
});

export const remove = recordCommand({
  endpoint: deleteHeartbeat,
  project: 'params.id',
  argument: 'heartbeatId',
  question: (_, input) => `Delete the heartbeat ${input.first} with its runs? Its address stops working.`,
  done: () => 'The heartbeat is deleted.',
});

export const runs = listCommand({
  endpoint: listHeartbeatRuns,
  project: 'params.id',
  argument: 'heartbeatId',
  key: 'check_ins',
  id: 'check_in_id',
  columns: [
    ['STATUS', 'status'],
    ['TIME', ({ duration_ms }) => (duration_ms === null ? '' : `${duration_ms} ms`)],
    ['AGE', ({ started_at }) => ageText(String(started_at), Date.now())],
    ['ID', 'check_in_id'],
  ],
  empty: 'No runs yet.',
});

export const days = listCommand({
  endpoint: listHeartbeatDays,
  project: 'params.id',
  argument: 'heartbeatId',
  key: 'daily_rollups',
  id: 'day',
  columns: [
    ['DAY', 'day'],
    ['RUNS', 'total_runs'],
    ['OK', 'ok'],
    ['ERROR', 'error'],
    ['MISSED', 'missed'],
    ['TIMEOUT', 'timeout'],
    ['AVERAGE', ({ avg_duration_ms }) => (avg_duration_ms === null ? '' : `${avg_duration_ms} ms`)],
  ],
  empty: 'No runs yet.',
});
