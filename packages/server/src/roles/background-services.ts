import { createFormMaker } from '../maps/making/form-maker.ts';
import { mapsLane } from '../maps/making/read-upload.ts';
import { MAPS_LANE } from '../maps/maps.jobs.ts';
import { startChecks } from '../monitor/availability/run-checks.ts';
import { ALERTS_LANE } from '../notify/alerts/alerts.jobs.ts';
import { alertsLane } from '../notify/alerts/evaluate-alerts.ts';
import { startAlerts } from '../notify/alerts/send-alerts.ts';
import { PUSH_LANE } from '../notify/personal/push.jobs.ts';
import { pushLane } from '../notify/personal/push-notices.ts';
import { REPORTS_LANE } from '../notify/reports/reports.jobs.ts';
import { slackReportLane } from '../notify/reports/send-slack-reports.ts';
import { TICKETS_LANE } from '../notify/trackers/trackers.jobs.ts';
import { startDeliveries } from '../notify/webhooks/deliver.ts';
import { fanOutLane } from '../notify/webhooks/fan-out.ts';
import { WEBHOOKS_LANE } from '../notify/webhooks/webhooks.jobs.ts';
import { fitQueries } from '../pipeline/incidents/searching/fit-queries.ts';
import { peopleLane } from '../pipeline/incidents/triage/people-lane.ts';
import type { JobLoop } from '../platform/jobs/job-loop.ts';
import type { LaneWork } from '../platform/jobs/lane.ts';
import { MAIL_LANE } from '../platform/mail/mail.jobs.ts';
import { mailLane } from '../platform/mail/mail-lane.ts';
import { createMailTransport, type MailSettings } from '../platform/mail/mail-transport.ts';
import type { SendLoop } from '../platform/row-queue/send-loop.ts';
import { fileTicket } from '../tickets/file-ticket.ts';
import { ticketsLane } from '../tickets/follow-incidents.ts';
import { startTrackers } from '../tickets/work-on-trackers.ts';
import { cleanupLane } from '../upkeep/purge/purge-project.ts';
import { retentionLane } from '../upkeep/retention/clean-project.ts';
import { RETENTION_LANE } from '../upkeep/retention/retention.jobs.ts';
import { sampleDataLane } from '../upkeep/sample-data/remove-sample-data.ts';
import { SAMPLE_DATA_LANE } from '../upkeep/sample-data/sample-data.jobs.ts';
import { BILLING_LANE } from '../workspace/billing/billing.jobs.ts';
import { billingLane } from '../workspace/billing/billing-lane.ts';
import { PEOPLE_LANE } from '../workspace/members/members.jobs.ts';
import { CLEANUP_LANE } from '../workspace/projects/projects.jobs.ts';
import { TOKENS_LANE } from '../workspace/tokens/tokens.jobs.ts';
import { tokensLane } from '../workspace/tokens/tokens-lane.ts';
import { startLoops, wakeTargetOf } from './lane-loops.ts';
import { ROW_QUEUES, RUNNERS, type Runner } from './lanes.ts';
import { startSchedules } from './run-schedules.ts';
import type { DeliverySettings } from './settings.ts';
import type { WakeTarget } from './wake-router.ts';
import type { WorkerRuntime } from './worker-runtime.ts';

type ThreadRunner = { [R in Runner]: (typeof RUNNERS)[R]['isThread'] extends true ? R : never }[Runner];
type MainRunner = Exclude<Runner, ThreadRunner>;
type RowQueue = (typeof ROW_QUEUES)[number]['name'];

/** The time that a message under way can still take when the service stops (docs/contract/reliability.md A7). */
const STOP_PATIENCE_MS = 4000;

/**
 * Starts the work of a worker process in its main thread: work that waits for others, and periodic tasks. Nothing here
 * touches event text, so no event text can block it. All of it sleeps until its target is woken.
 */
export async function startBackgroundServices(
  runtime: WorkerRuntime,
  options: {
    mail: MailSettings;
    deliveries: DeliverySettings;
    /** Multiplies the retry delays and short intervals; 1 outside tests. */
    retryScale: number;
  },
): Promise<{ targets: WakeTarget[]; stop(): Promise<void> }> {
  const { database, keys, log } = runtime;
  const { retryScale, deliveries } = options;
  const abort = new AbortController();
  const stopping = new AbortController();
  const transport = await createMailTransport({ ...options.mail, baseUrl: runtime.baseUrl }, abort.signal);
  const mailKey = keys.queuedMail.reveal();
  const shared = {
    ...runtime,
    mailKey,
    stopping: stopping.signal,
  };
  const maker = createFormMaker((reason) => log.warn({ reason }, 'the thread that reads source maps failed'));
  const work: Record<MainRunner, Record<string, LaneWork>> = {
    messages: {
      [MAIL_LANE]: mailLane({ database, transport, key: mailKey, log }),
      [BILLING_LANE]: billingLane(shared),
      [PEOPLE_LANE]: peopleLane(runtime),
      [TOKENS_LANE]: tokensLane(database),
      [SAMPLE_DATA_LANE]: sampleDataLane(database),
    },
    fanOut: { [WEBHOOKS_LANE]: fanOutLane(runtime), [TICKETS_LANE]: ticketsLane(runtime) },
    alerts: { [ALERTS_LANE]: alertsLane({ ...runtime, isMailConfigured: transport !== null, fitQueries }) },
    reports: {
      [REPORTS_LANE]: slackReportLane({ ...shared, signal: abort.signal }),
      [PUSH_LANE]: pushLane({ ...shared, signal: abort.signal }),
    },
    purge: { [CLEANUP_LANE]: cleanupLane(shared) },
    retention: { [RETENTION_LANE]: retentionLane(shared) },
    maps: { [MAPS_LANE]: mapsLane({ ...runtime, maker, budgetBytes: runtime.maps.budgetBytes }) },
  };
  const laneOptions = { database, log, retryScale, deliveryScheduleMs: deliveries.scheduleMs };
  const loops: [Runner, JobLoop][] = Object.entries(RUNNERS).flatMap(([name, { isThread }]) =>
    isThread || !isMainRunner(name, work) ? [] : [[name, startLoops(name, work[name], laneOptions)]],
  );
  const sending = { ...shared, ...deliveries, retryScale };
  const senders: Record<RowQueue, SendLoop> = {
    'webhook-deliveries': startDeliveries(sending),
    'alert-messages': startAlerts({
      ...sending,
      transport,
      fileTicket: (request) => fileTicket(runtime, request),
    }),
    'availability-checks': startChecks(sending),
    trackers: startTrackers(sending),
  };
  const schedules = startSchedules(runtime, { retryScale });
  return {
    targets: [
      ...loops.map(([name, loop]) => wakeTargetOf(name, loop.wake)),
      ...ROW_QUEUES.map((queue) => ({ serves: [queue], wake: () => senders[queue.name].wake() })),
      ...schedules.targets,
    ],
    async stop() {
      stopping.abort();
      const timer = setTimeout(() => abort.abort(), STOP_PATIENCE_MS);
      await Promise.all([
        schedules.stop(),
        ...loops.map(([, loop]) => loop.stop()),
        ...Object.values(senders).map((sender) => sender.stop(STOP_PATIENCE_MS)),
      ]);
      await maker.close();
      clearTimeout(timer);
    },
  };
}

function isMainRunner(name: string, work: Record<MainRunner, unknown>): name is MainRunner {
  return Object.hasOwn(work, name);
}
