import type { Logger } from 'pino';
import { forgetSignIns } from '../accounts/forget-sign-ins.ts';
import { BILLING_LADDER_MS, BILLING_LANE } from '../billing/billing.jobs.ts';
import type { PlanSettings } from '../billing/plan.ts';
import { billingLane } from '../billing/send-plan-mails.ts';
import type { Database } from '../platform/db/database.ts';
import { startJobLoop } from '../platform/jobs/job-loop.ts';
import { listenForWakeUps } from '../platform/jobs/wake-listener.ts';
import { MAIL_LADDER_MS, MAIL_LANE } from '../platform/mail/mail.jobs.ts';
import { mailLane } from '../platform/mail/mail-lane.ts';
import { createMailTransport, type MailSettings } from '../platform/mail/mail-transport.ts';
import type { OutboundPolicy } from '../platform/outbound/outbound-policy.ts';
import type { Secret } from '../platform/secret.ts';
import { forgetInvites } from '../projects/forget-invites.ts';
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
/** How long a message under way may still take when the service stops (reliability rule A7). */
const STOP_PATIENCE_MS = 4000;

/**
 * What a worker process does in its main thread: work that waits for others, and small work at its time. Nothing here
 * touches event text, so nothing here can hang in it.
 */
export function startErrands(options: {
  database: Database;
  databaseUrl: string;
  mail: MailSettings;
  /** Seals messages while they are queued. */
  mailKey: Buffer;
  /** Opens the secrets that sign webhook deliveries. */
  webhookSecretKey: Secret<Buffer>;
  outbound: OutboundPolicy;
  deliveries: DeliverySettings;
  plans: PlanSettings;
  appUrl: string;
  retryScale: number;
  log: Logger;
}): { stop(): Promise<void> } {
  const { database, plans, mailKey, appUrl, log } = options;
  const scaled = (ladder: readonly number[]) => ladder.map((waitMs) => waitMs * options.retryScale);
  const pollIntervalMs = Math.max(POLL_INTERVAL_MIN_MS, POLL_INTERVAL_MS * options.retryScale);
  const breakOff = new AbortController();
  const transport = createMailTransport(options.mail, breakOff.signal);
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
  const listener = listenForWakeUps(options.databaseUrl, (lane) => {
    // Events are queued all the time and are no business of this thread.
    if (lane === null || LANES.includes(lane)) for (const loop of loops) loop.wake();
    if (lane === null || lane === WEBHOOKS_LANE) fanOut.wake();
    if (lane === null || lane === DELIVERIES_WAKE) deliveries.wake();
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
        ...loops.map((loop) => loop.stop()),
      ]);
      clearTimeout(timer);
    },
  };
}
