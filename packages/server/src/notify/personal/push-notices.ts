import { discardSentJob } from '../../platform/jobs/discard-sent-job.ts';
import { discardJob, type Job } from '../../platform/jobs/job-queue.ts';
import type { LaneWork } from '../../platform/jobs/lane.ts';
import { sendGuarded } from '../../platform/outbound/send-guarded.ts';
import { RECEIVER_LIMITS } from '../../platform/row-queue/attempt-outcome.ts';
import type { Runtime } from '../../runtime.ts';
import { ntfyPlace, ntfyTopic } from '../alerts/channels/ntfy.ts';
import { openNtfy } from './personal-ntfy.ts';
import { readPush } from './push.jobs.ts';
import { findSettings } from './settings.queries.ts';

interface PushOptions extends Pick<Runtime, 'database' | 'outbound' | 'keys' | 'log'> {
  /** Breaks off what is under way, for a service that stops. */
  signal: AbortSignal;
}

/** The statuses with which a server of ntfy refuses a message permanently. */
const REFUSALS = [401, 403, 404];

/**
 * Publishes personal messages (docs/contract/team-workflow.md 6.4). The topic is read for every attempt, so nothing is
 * sent to a topic that was removed. Temporary failures are retried after growing delays.
 */
export function pushLane({ database, outbound, keys, log, signal }: PushOptions): LaneWork {
  async function send(job: Job): Promise<void> {
    const { userId, title, message, link } = readPush(job.payload);
    const { ntfy: stored } = await findSettings(database, userId);
    const ntfy = openNtfy(keys.receiverAddresses, stored, userId);
    if (ntfy === null) return await discardJob(database, job);
    const { target_url: url, token } = ntfy;
    const topic = ntfyTopic(url)?.topic;
    const actions = [{ action: 'view', label: 'Open incident', url: link }];
    const result = await sendGuarded(outbound, {
      method: 'POST',
      ...ntfyPlace(url, token),
      headers: { 'content-type': 'application/json', 'user-agent': 'culprit-notices/1' },
      body: JSON.stringify({ topic, title, message, click: link, actions }),
      ...RECEIVER_LIMITS,
      redirects: 'refuse',
      signal,
    });
    if (result.kind === 'failed') {
      if (result.word !== 'target_blocked') throw new Error(result.word);
      log.warn({ jobId: job.jobId, error: result.word }, 'personal message failed permanently');
    } else if (result.status < 200 || result.status > 299) {
      if (!REFUSALS.includes(result.status)) throw new Error(`http_${result.status}`);
      log.warn({ jobId: job.jobId, responseCode: result.status }, 'personal message failed permanently');
    }
    await discardSentJob(database, job);
  }

  return {
    claimMax: 1,
    async run(jobs) {
      for (const job of jobs) await send(job);
    },
  };
}
