import type { Logger } from 'pino';
import { forgetSignIns } from '../accounts/forget-sign-ins.ts';
import { ALERT_MESSAGES_WAKE, ALERTS_LANE, EVALUATE_LADDER_MS } from '../alerts/alerts.jobs.ts';
import { alertsLane } from '../alerts/evaluate-alerts.ts';
import { forgetAlerts } from '../alerts/forget-alerts.ts';
import { startAlerts } from '../alerts/send-alerts.ts';
import { AVAILABILITY_WAKE } from '../availability/availability.jobs.ts';
import { restartSchedules } from '../availability/claims.queries.ts';
import { forgetResults } from '../availability/forget-results.ts';
import { startChecks } from '../availability/run-checks.ts';
import { BILLING_LADDER_MS, BILLING_LANE } from '../billing/billing.jobs.ts';
import { billingLane } from '../billing/billing-lane.ts';
import type { PlanSettings } from '../billing/plan.ts';
import { forgetObservations } from '../improvements/forget-improvements.ts';
import type { Database } from '../platform/db/database.ts';
import { startJobLoop } from '../platform/jobs/job-loop.ts';
import { listenForWakeUps } from '../platform/jobs/wake-listener.ts';
import { MAIL_LADDER_MS, MAIL_LANE } from '../platform/mail/mail.jobs.ts';
import { mailLane } from '../platform/mail/mail-lane.ts';
import { createMailTransport, type MailSettings } from '../platform/mail/mail-transport.ts';
import type { ObjectStore } from '../platform/objects/object-store.ts';
import type { OutboundPolicy } from '../platform/outbound/outbound-policy.ts';
import type { Secret } from '../platform/secret.ts';
import { forgetInvites } from '../projects/forget-invites.ts';
import { forgetReports } from '../reports/forget-reports.ts';
import { REPORTS_LANE } from '../reports/reports.jobs.ts';
import { startReportScheduler } from '../reports/schedule-loop.ts';
import { slackReportLane } from '../reports/send-slack-reports.ts';
import { startDeliveries } from '../webhooks/deliver.ts';
import { fanOutLane } from '../webhooks/fan-out.ts';
import { forgetDeliveries } from '../webhooks/forget-deliveries.ts';
import { DELIVERIES_WAKE, FAN_OUT_LADDER_MS, WEBHOOKS_LANE } from '../webhooks/webhooks.jobs.ts';
import type { DeliverySettings } from './delivery-settings.ts';

/** Messages under way at once: one slow server must not hold up the rest. */
const MAIL_LOOPS = 3;
const LANES: readonly string[] = [MAIL_LANE, BILLING_LANE];
/** For work that becomes due silently: retries, and mail at a time of its own. */
const POLL_INTERVAL_MS = 1000;
const POLL_INTERVAL_MIN_MS = 20;
const FORGET_INTERVAL_MS = 300_000;
/** A report is made in the minute in which it is due. */
const REPORT_LOOK_INTERVAL_MS = 15_000;
/** Reports on their way to Slack at once, and their retries: the short part of those of webhooks. */
const REPORT_LOOPS = 3;
const REPORT_RETRIES = 5;
/** How long a message under way may still take when the service stops (reliability rule A7). */
const STOP_PATIENCE_MS = 4000;

/**
 * What a worker process does in its main thread: work that waits for others, and small work at its time. Nothing here
 * touches event text, so nothing here can hang in it.
 */
export async function startErrands(options: {
  database: Database;
  databaseUrl: string;
  mail: MailSettings;
  /** Seals messages while they are queued. */
  mailKey: Buffer;
  /** Opens the secrets that sign webhook deliveries. */
  webhookSecretKey: Secret<Buffer>;
  /** Opens the addresses of connected Slack destinations. */
  slackUrlKey: Secret<Buffer>;
  outbound: OutboundPolicy;
  /** Where failed availability checks leave their events. */
  objects: ObjectStore;
  deliveries: DeliverySettings;
  plans: PlanSettings;
  appUrl: string;
  retryScale: number;
  log: Logger;
}): Promise<{ stop(): Promise<void> }> {
  const { database, plans, mailKey, appUrl, log } = options;
  const scaled = (ladder: readonly number[]) => ladder.map((waitMs) => waitMs * options.retryScale);
  const pollIntervalMs = Math.max(POLL_INTERVAL_MIN_MS, POLL_INTERVAL_MS * options.retryScale);
  const breakOff = new AbortController();
  const transport = await createMailTransport(options.mail, breakOff.signal);
  const loops = Array.from({ length: MAIL_LOOPS }, () =>
    startJobLoop({
      database,
      lanes: [
        mailLane({ database, transport, key: mailKey, ladder: scaled(MAIL_LADDER_MS), pollIntervalMs, log }),
        billingLane({ database, plans, mailKey, appUrl, ladder: scaled(BILLING_LADDER_MS), log }),
      ],
      log,
    }),
  );
  // Loops of their own: neither waits for a message under way.
  const fanOut = startJobLoop({
    database,
    lanes: [fanOutLane({ database, plans, appUrl, ladder: scaled(FAN_OUT_LADDER_MS), pollIntervalMs })],
    log,
  });
  const { scheduleMs, disableAfterMs } = options.deliveries;
  const deliveries = startDeliveries({
    database,
    outbound: options.outbound,
    secretKey: options.webhookSecretKey,
    mailKey,
    appUrl,
    scheduleMs,
    disableAfterMs,
    pollIntervalMs,
    log,
  });
  const evaluation = startJobLoop({
    database,
    lanes: [
      alertsLane({
        database,
        plans,
        isMailConfigured: transport !== null,
        ladder: scaled(EVALUATE_LADDER_MS),
        pollIntervalMs,
      }),
    ],
    log,
  });
  const alerts = startAlerts({
    database,
    plans,
    outbound: options.outbound,
    transport,
    slackUrlKey: options.slackUrlKey,
    mailKey,
    appUrl,
    scheduleMs,
    pollIntervalMs,
    log,
  });
  const { objects, outbound } = options;
  const checks = startChecks({ database, objects, plans, outbound, pollIntervalMs, log });
  const reportScheduler = startReportScheduler({
    database,
    mailKey,
    appUrl,
    lookIntervalMs: Math.max(POLL_INTERVAL_MIN_MS, REPORT_LOOK_INTERVAL_MS * options.retryScale),
    log,
  });
  const reportLoops = Array.from({ length: REPORT_LOOPS }, () =>
    startJobLoop({
      database,
      lanes: [
        slackReportLane({
          database,
          plans,
          outbound: options.outbound,
          slackUrlKey: options.slackUrlKey,
          mailKey,
          appUrl,
          ladder: scheduleMs.slice(0, REPORT_RETRIES),
          pollIntervalMs,
          signal: breakOff.signal,
          log,
        }),
      ],
      log,
    }),
  );
  const listener = listenForWakeUps(options.databaseUrl, (lane) => {
    // Events are queued all the time and are no business of this thread.
    if (lane === null || LANES.includes(lane)) for (const loop of loops) loop.wake();
    if (lane === null || lane === WEBHOOKS_LANE) fanOut.wake();
    if (lane === null || lane === DELIVERIES_WAKE) deliveries.wake();
    if (lane === null || lane === AVAILABILITY_WAKE) checks.wake();
    if (lane === null || lane === ALERTS_LANE) evaluation.wake();
    if (lane === null || lane === ALERT_MESSAGES_WAKE) alerts.wake();
    if (lane === null || lane === REPORTS_LANE) for (const loop of reportLoops) loop.wake();
  });
  const forgetting = setInterval(() => {
    forgetSignIns(database).catch((error: Error) =>
      log.warn({ error: error.message }, 'old sign-ins not removed'),
    );
    forgetInvites(database).catch((error: Error) =>
      log.warn({ error: error.message }, 'old invites not removed'),
    );
    forgetDeliveries(database).catch((error: Error) =>
      log.warn({ error: error.message }, 'old deliveries not removed'),
    );
    forgetObservations(database).catch((error: Error) =>
      log.warn({ error: error.message }, 'old observations not removed'),
    );
    forgetResults(database).catch((error: Error) =>
      log.warn({ error: error.message }, 'old availability results not removed'),
    );
    restartSchedules(database).catch((error: Error) =>
      log.warn({ error: error.message }, 'availability schedules not looked through'),
    );
    forgetAlerts(database).catch((error: Error) =>
      log.warn({ error: error.message }, 'old alerts not removed'),
    );
    forgetReports(database).catch((error: Error) =>
      log.warn({ error: error.message }, 'old report slots not removed'),
    );
  }, FORGET_INTERVAL_MS);
  forgetting.unref();
  return {
    async stop() {
      clearInterval(forgetting);
      const timer = setTimeout(() => breakOff.abort(), STOP_PATIENCE_MS);
      await listener.close();
      await Promise.all([
        fanOut.stop(),
        deliveries.stop(STOP_PATIENCE_MS),
        checks.stop(STOP_PATIENCE_MS),
        evaluation.stop(),
        alerts.stop(STOP_PATIENCE_MS),
        reportScheduler.stop(),
        ...[...loops, ...reportLoops].map((loop) => loop.stop()),
      ]);
      clearTimeout(timer);
    },
  };
}
