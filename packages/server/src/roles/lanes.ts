import { LATE_MAPS_LANE, MAP_LATE, MAPS_LANE, READ_MAP_UPLOAD } from '../maps/maps.jobs.ts';
import { AVAILABILITY_WAKE } from '../monitor/availability/availability.jobs.ts';
import {
  ALERT_MESSAGES_WAKE,
  ALERTS_LANE,
  EVALUATE_ALERTS,
  EVALUATE_LATE,
} from '../notify/alerts/alerts.jobs.ts';
import { MAIL_NOTICES, TELL_PEOPLE } from '../notify/personal/personal.jobs.ts';
import { PUSH_LANE, PUSH_NOTICE } from '../notify/personal/push.jobs.ts';
import { REPORTS_LANE, SEND_SLACK_REPORT } from '../notify/reports/reports.jobs.ts';
import { FOLLOW_INCIDENTS, TICKETS_LANE, TRACKERS_WAKE } from '../notify/trackers/trackers.jobs.ts';
import { DELIVERIES_WAKE, FAN_OUT, WEBHOOKS_LANE } from '../notify/webhooks/webhooks.jobs.ts';
import { BUILD_BUNDLE, BUNDLES_LANE, REFRESHES_LANE } from '../pipeline/bundles/queue/bundles.jobs.ts';
import { giveUpBundle } from '../pipeline/bundles/queue/give-up-bundle.ts';
import { giveUpImprovementBundle } from '../pipeline/improvements/give-up-improvement-bundle.ts';
import {
  BUILD_IMPROVEMENT_BUNDLE,
  IMPROVEMENT_BUNDLES_LANE,
  IMPROVEMENTS_LANE,
  TAKE_OBSERVATIONS,
} from '../pipeline/improvements/improvements.jobs.ts';
import { SETTLE_FIXES } from '../pipeline/incidents/notes/fixes.jobs.ts';
import { giveUpBatch } from '../pipeline/incidents/processing/give-up-batch.ts';
import {
  EVENTS_LANE,
  PROCESS_BATCH,
  PROCESS_EVENT,
} from '../pipeline/incidents/processing/incidents.jobs.ts';
import { FACTS_LANE, TAKE_FACTS } from '../pipeline/incidents/searching/facts.jobs.ts';
import { OWN_INCIDENTS } from '../pipeline/ledger/ownership.jobs.ts';
import { enqueuedKinds, type JobKind } from '../platform/jobs/enqueue.ts';
import type { RetryDelays } from '../platform/jobs/job-queue.ts';
import { discardsAfterRetries, type GiveUp, neverGivesUp } from '../platform/jobs/lane.ts';
import { MAIL_LANE, SEND_MAIL } from '../platform/mail/mail.jobs.ts';
import { CLEAN_PROJECT, RETENTION_LANE } from '../upkeep/retention/retention.jobs.ts';
import { REMOVE_SAMPLE_DATA, SAMPLE_DATA_LANE } from '../upkeep/sample-data/sample-data.jobs.ts';
import { ALLOWANCE_CHECK, BILLING_LANE, PLAN_MAIL } from '../workspace/billing/billing.jobs.ts';
import { PEOPLE_LANE, UNASSIGN_PERSON } from '../workspace/members/members.jobs.ts';
import { CLEANUP_LANE, PURGE_PROJECT } from '../workspace/projects/projects.jobs.ts';
import { RETIRE_TOKEN, TOKENS_LANE } from '../workspace/tokens/tokens.jobs.ts';

/**
 * Every lane of the job queue, and every table whose rows are claimed like jobs. Worker, worker threads, wake-up
 * routing and metrics read these tables; what is not in them is not served, and a process does not start with it.
 */

/**
 * The runners that claim the jobs of a lane: a kind of worker thread, or a loop in the main thread of the worker
 * process.
 */
export const RUNNERS = {
  /** The configured number of threads. */
  events: { isThread: true, loops: 1 },
  /** One thread. */
  bundles: { isThread: true, loops: 1 },
  /** Parallel messages: one slow server must not delay the rest. */
  messages: { isThread: false, loops: 3 },
  fanOut: { isThread: false, loops: 1 },
  alerts: { isThread: false, loops: 1 },
  /** Parallel reports on their way to Slack. */
  reports: { isThread: false, loops: 3 },
  /** Emptying the storage of a large project takes long, and the old data of others does not wait for it. */
  purge: { isThread: false, loops: 1 },
  retention: { isThread: false, loops: 1 },
  /** A map may take two minutes; the thread that reads it is one of the process. */
  maps: { isThread: false, loops: 1 },
} as const satisfies Record<string, { isThread: boolean; loops: number }>;

export type Runner = keyof typeof RUNNERS;

/** One lane. */
export interface LaneRow {
  readonly name: string;
  /** Kinds of jobs that are enqueued in it. */
  readonly kinds: readonly string[];
  /** Lanes of one runner are claimed in the order of the table. */
  readonly runner: Runner;
  /** The waits after failed attempts, the last one repeating; or the configured ones of deliveries. */
  readonly retryDelaysMs: RetryDelays | ((deliveryScheduleMs: RetryDelays) => RetryDelays);
  readonly giveUp: GiveUp;
  /** The payload of the notification that wakes it immediately; null for one that waits for the watch for due work. */
  readonly wakeChannel: string | null;
}

/** The delays for work that a transaction of the database can refuse for a while (docs/contract/incidents.md 5.1). */
const STANDARD_DELAYS_MS = [1_000, 5_000, 30_000, 120_000, 600_000] as const;
/**
 * The delays for one generation of a document; after the last attempt it is abandoned (docs/contract/incidents.md 3.9).
 */
const BUNDLE_DELAYS_MS = [1_000, 5_000, 30_000, 120_000] as const;
/** The delays for work that is never urgent and must succeed eventually. */
const CLEANUP_DELAYS_MS = [1_000, 30_000, 300_000, 3_600_000] as const;
/** Retries of a report: the first delays of webhook deliveries. */
const REPORT_RETRIES = 5;

export const LANES: readonly LaneRow[] = [
  {
    name: EVENTS_LANE,
    kinds: [PROCESS_BATCH, PROCESS_EVENT],
    runner: 'events',
    retryDelaysMs: STANDARD_DELAYS_MS,
    giveUp: giveUpBatch,
    wakeChannel: EVENTS_LANE,
  },
  {
    name: BUNDLES_LANE,
    kinds: [BUILD_BUNDLE],
    runner: 'bundles',
    retryDelaysMs: BUNDLE_DELAYS_MS,
    giveUp: giveUpBundle,
    wakeChannel: BUNDLES_LANE,
  },
  {
    name: FACTS_LANE,
    kinds: [TAKE_FACTS],
    runner: 'bundles',
    retryDelaysMs: STANDARD_DELAYS_MS,
    giveUp: neverGivesUp,
    wakeChannel: FACTS_LANE,
  },
  // Before the refreshes, which a busy service never runs out of.
  {
    name: IMPROVEMENTS_LANE,
    kinds: [TAKE_OBSERVATIONS],
    runner: 'bundles',
    retryDelaysMs: STANDARD_DELAYS_MS,
    giveUp: neverGivesUp,
    wakeChannel: null,
  },
  {
    name: IMPROVEMENT_BUNDLES_LANE,
    kinds: [BUILD_IMPROVEMENT_BUNDLE],
    runner: 'bundles',
    retryDelaysMs: BUNDLE_DELAYS_MS,
    giveUp: giveUpImprovementBundle,
    wakeChannel: IMPROVEMENT_BUNDLES_LANE,
  },
  {
    name: LATE_MAPS_LANE,
    kinds: [MAP_LATE],
    runner: 'bundles',
    retryDelaysMs: STANDARD_DELAYS_MS,
    giveUp: neverGivesUp,
    wakeChannel: LATE_MAPS_LANE,
  },
  {
    name: REFRESHES_LANE,
    kinds: [BUILD_BUNDLE],
    runner: 'bundles',
    retryDelaysMs: BUNDLE_DELAYS_MS,
    giveUp: giveUpBundle,
    wakeChannel: REFRESHES_LANE,
  },
  {
    name: MAIL_LANE,
    kinds: [SEND_MAIL],
    runner: 'messages',
    // Those of alert deliveries (docs/contract/notifications.md 1.11).
    retryDelaysMs: STANDARD_DELAYS_MS,
    giveUp: discardsAfterRetries('mail failed permanently'),
    wakeChannel: MAIL_LANE,
  },
  {
    name: BILLING_LANE,
    kinds: [PLAN_MAIL, ALLOWANCE_CHECK],
    runner: 'messages',
    retryDelaysMs: STANDARD_DELAYS_MS,
    giveUp: discardsAfterRetries('message about a plan failed permanently'),
    wakeChannel: BILLING_LANE,
  },
  {
    name: PEOPLE_LANE,
    kinds: [UNASSIGN_PERSON, TELL_PEOPLE.kind, MAIL_NOTICES.kind, OWN_INCIDENTS.kind, SETTLE_FIXES.kind],
    runner: 'messages',
    retryDelaysMs: STANDARD_DELAYS_MS,
    giveUp: neverGivesUp,
    wakeChannel: PEOPLE_LANE,
  },
  {
    name: TOKENS_LANE,
    kinds: [RETIRE_TOKEN.kind],
    runner: 'messages',
    retryDelaysMs: STANDARD_DELAYS_MS,
    giveUp: neverGivesUp,
    wakeChannel: null,
  },
  {
    name: SAMPLE_DATA_LANE,
    kinds: [REMOVE_SAMPLE_DATA.kind],
    runner: 'messages',
    retryDelaysMs: STANDARD_DELAYS_MS,
    giveUp: neverGivesUp,
    wakeChannel: SAMPLE_DATA_LANE,
  },
  {
    name: WEBHOOKS_LANE,
    kinds: [FAN_OUT],
    runner: 'fanOut',
    retryDelaysMs: STANDARD_DELAYS_MS,
    giveUp: neverGivesUp,
    wakeChannel: WEBHOOKS_LANE,
  },
  {
    name: TICKETS_LANE,
    kinds: [FOLLOW_INCIDENTS],
    runner: 'fanOut',
    retryDelaysMs: STANDARD_DELAYS_MS,
    giveUp: neverGivesUp,
    wakeChannel: TICKETS_LANE,
  },
  {
    name: ALERTS_LANE,
    kinds: [EVALUATE_ALERTS, EVALUATE_LATE],
    runner: 'alerts',
    retryDelaysMs: STANDARD_DELAYS_MS,
    giveUp: neverGivesUp,
    wakeChannel: ALERTS_LANE,
  },
  {
    name: REPORTS_LANE,
    kinds: [SEND_SLACK_REPORT],
    runner: 'reports',
    retryDelaysMs: (deliveryScheduleMs) => deliveryScheduleMs.slice(0, REPORT_RETRIES),
    giveUp: discardsAfterRetries('report failed permanently'),
    wakeChannel: REPORTS_LANE,
  },
  {
    name: PUSH_LANE,
    kinds: [PUSH_NOTICE.kind],
    runner: 'reports',
    retryDelaysMs: (deliveryScheduleMs) => deliveryScheduleMs.slice(0, REPORT_RETRIES),
    giveUp: discardsAfterRetries('personal message failed permanently'),
    wakeChannel: PUSH_LANE,
  },
  {
    name: RETENTION_LANE,
    kinds: [CLEAN_PROJECT],
    runner: 'retention',
    retryDelaysMs: CLEANUP_DELAYS_MS,
    giveUp: neverGivesUp,
    wakeChannel: RETENTION_LANE,
  },
  {
    name: MAPS_LANE,
    kinds: [READ_MAP_UPLOAD],
    runner: 'maps',
    retryDelaysMs: STANDARD_DELAYS_MS,
    giveUp: neverGivesUp,
    wakeChannel: MAPS_LANE,
  },
  {
    name: CLEANUP_LANE,
    kinds: [PURGE_PROJECT],
    runner: 'purge',
    retryDelaysMs: CLEANUP_DELAYS_MS,
    giveUp: neverGivesUp,
    wakeChannel: null,
  },
];

const DELIVERIES =
  'select next_attempt_at as due_at from webhook_deliveries where next_attempt_at is not null';
const MESSAGES = 'select next_attempt_at as due_at from alert_messages where next_attempt_at is not null';
const CHECKS = 'select next_check_at as due_at from availability_checks where is_enabled';

const TRACKERS = 'select due_at from trackers where due_at is not null';

/** Records that are claimed as the rows they are; each kind counts as a lane in the metrics. */
export const ROW_QUEUES = [
  {
    name: 'webhook-deliveries',
    wakeChannel: DELIVERIES_WAKE,
    planned: DELIVERIES,
    waiting: DELIVERIES,
  },
  {
    name: 'alert-messages',
    wakeChannel: ALERT_MESSAGES_WAKE,
    planned: MESSAGES,
    waiting: MESSAGES,
  },
  {
    name: 'availability-checks',
    wakeChannel: AVAILABILITY_WAKE,
    planned: CHECKS,
    // A check is always planned, so only late ones wait.
    waiting: `${CHECKS} and next_check_at <= culprit_now()`,
  },
  {
    name: 'trackers',
    wakeChannel: TRACKERS_WAKE,
    planned: TRACKERS,
    // One with tickets is always planned.
    waiting: `${TRACKERS} and due_at <= culprit_now()`,
  },
] as const satisfies readonly {
  name: string;
  wakeChannel: string;
  /** Everything that will be due at some time. */
  planned: string;
  /** The rows that the metrics count as waiting. */
  waiting: string;
}[];

/**
 * The row of a lane.
 * @throws for a lane without one
 */
export function laneRow(name: string): LaneRow {
  const row = LANES.find((each) => each.name === name);
  if (row === undefined) throw new Error(`the lane ${name} has no row in roles/lanes.ts`);
  return row;
}

/**
 * Called at the start of each process.
 * @throws for a job that its modules would enqueue and no row serves
 */
export function requireLaneRows(enqueued: readonly JobKind[] = enqueuedKinds()): void {
  for (const { lane, kind } of enqueued) {
    if (!laneRow(lane).kinds.includes(kind)) {
      throw new Error(`the lane ${lane} does not name the kind ${kind} in roles/lanes.ts`);
    }
  }
}
