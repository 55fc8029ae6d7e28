import { discardSentJob } from '../../platform/jobs/discard-sent-job.ts';
import { discardJob, type Job } from '../../platform/jobs/job-queue.ts';
import type { LaneWork } from '../../platform/jobs/lane.ts';
import type { Runtime } from '../../runtime.ts';
import { deactivateSlackDestination } from '../slack/deactivate-slack-destination.ts';
import { type OpenSlackDestination, openSlackDestination } from '../slack/find-slack-destination.ts';
import { postSlackMessage } from '../slack/post-slack-message.ts';
import { findReceivingChannel } from './channels.queries.ts';
import { readSlackReport } from './reports.jobs.ts';

interface SlackReportOptions
  extends Pick<Runtime, 'database' | 'plans' | 'outbound' | 'keys' | 'appUrl' | 'log'> {
  /** Breaks off what is under way, for a service that stops. */
  signal: AbortSignal;
}

/** The current receiver of a report. */
interface Receiver {
  url: string;
  /** Null for an address that was given with the channel. */
  destination: OpenSlackDestination | null;
}

/**
 * Sends reports to Slack. The receiver of each is looked up for every attempt: nothing is sent for a channel that was
 * disabled or deleted in the meantime. Failures that may pass are tried again after growing delays
 * (docs/contract/notifications.md 1.11).
 */
export function slackReportLane(options: SlackReportOptions): LaneWork {
  const { database, outbound, log } = options;

  async function send(job: Job): Promise<void> {
    const { channelId, message } = readSlackReport(job.payload);
    const receiver = await findReceiver(options, channelId);
    if (receiver === null) return await discardJob(database, job);
    const { url, destination } = receiver;
    const outcome = await postSlackMessage(outbound, url, message, options.signal);
    if (outcome.kind === 'failed' && !outcome.isFinal) throw new Error(outcome.error);
    if (outcome.kind !== 'delivered') {
      log.warn(
        { jobId: job.jobId, channelId, responseCode: outcome.responseCode },
        'report failed permanently',
      );
    }
    if (outcome.kind !== 'rejected' || destination === null) return await discardSentJob(database, job);
    await database.transaction(async (transaction) => {
      await discardJob(transaction, job);
      await deactivateSlackDestination(transaction, options, destination);
    });
  }

  return {
    claimMax: 1,
    async run(jobs) {
      for (const job of jobs) await send(job);
    },
  };
}

/** Returns null if nothing should be sent, because of the current state of the channel or its destination. */
async function findReceiver(options: SlackReportOptions, channelId: string): Promise<Receiver | null> {
  const { database } = options;
  const channel = await findReceivingChannel(database, options.keys.receiverAddresses, channelId);
  if (channel === null || 'to' in channel.config) return null;
  if ('webhook_url' in channel.config) return { url: channel.config.webhook_url, destination: null };
  const { slack_destination_id: id } = channel.config;
  const destination = await openSlackDestination(database, options, channel.organizationId, id);
  if (destination === null || !destination.isActive || !destination.isInPlan) return null;
  return { url: destination.url, destination };
}
