import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@culprit/contract/endpoints/client';
import { parseDsn } from '@culprit/contract/events/dsn';
import { createHeartbeat } from '@culprit/contract/monitor/heartbeats';
import { newUuid } from '../../src/platform/ids.ts';
import { expectOk } from '../support/expect-ok.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import { envelope } from '../support/sentry-client.ts';
import type { CheckInAnswer, CheckInLedger, SentStatus } from './check-in-ledger.ts';

/** A scheduler whose jobs check in at a service which may be gone at any moment, and tell the ledger what they learnt. */
interface CheckInLoad {
  /** Answers that no job should ever get. */
  surprises(): string[];
  /** Begins no new run when so many check-ins were accepted; what was sent is sent until it is answered. */
  finish(acceptedMin: number): Promise<void>;
}

interface Target {
  url: string;
  projectId: string;
  projectToken: string;
  memberToken: string;
  dsn: string;
}

/** Each has its own limit a minute, so that many jobs send what one may not. */
const JOBS = 90;
const PINGED_JOBS = 10;
/** Jobs run one after the other in each. */
const SCHEDULES = 2;
const ANSWER_TIMEOUT_MS = 5000;
const PAUSE_MS = { min: 50, max: 250 };
const ONCE_A_DAY = { type: 'interval', value: 1, unit: 'day' } as const;
/** No run is to be late before the test looks at it. */
const RUNTIME_MINUTES_MAX = 10_080;

/** The service must answer while this begins. */
export async function startCheckInLoad(options: {
  target: Target;
  random: SeededRandom;
  ledger: CheckInLedger;
}): Promise<CheckInLoad> {
  const jobs = [...namedJobs(options.target), ...(await pingedJobs(options.target))];
  const { ledger, random } = options;
  const surprises: string[] = [];
  let turn = 0;
  let acceptedMin = Number.POSITIVE_INFINITY;
  async function runSchedule(): Promise<void> {
    while (ledger.count('accepted') < acceptedMin) {
      const send = jobs[turn % jobs.length];
      turn += 1;
      if (send !== undefined) await runJob(send, { random, ledger, surprises });
      await delay(random.integer(PAUSE_MS.min, PAUSE_MS.max));
    }
  }
  const schedules = Array.from({ length: SCHEDULES }, runSchedule);
  return {
    surprises: () => surprises,
    async finish(least) {
      acceptedMin = least;
      await Promise.all(schedules);
    },
  };
}

type Send = (checkInId: string, status: SentStatus) => Promise<Response>;

async function runJob(
  send: Send,
  { random, ledger, surprises }: { random: SeededRandom; ledger: CheckInLedger; surprises: string[] },
): Promise<void> {
  const end = random.pick(['ok', 'ok', 'error'] as const);
  const checkInId = newUuid();
  for (const status of random.chance(0.5) ? (['in_progress', end] as const) : [end]) {
    for (;;) {
      const answer = await answerOf(() => send(checkInId, status));
      if (typeof answer === 'number') surprises.push(`${answer} for a check-in`);
      const known = typeof answer === 'number' ? 'refused' : answer;
      ledger.note(checkInId, status, known);
      if (known === 'refused') return;
      // Sometimes a job does not trust its answer.
      if (known === 'accepted' && !random.chance(0.1)) break;
      await delay(random.integer(PAUSE_MS.min, PAUSE_MS.max));
    }
  }
}

/** @returns the status where it is neither a success, the limit nor an outage */
async function answerOf(send: () => Promise<Response>): Promise<CheckInAnswer | number> {
  try {
    const answer = await send();
    const text = await answer.text();
    if (answer.status === 503) return 'unknown';
    if (answer.status === 429) return 'refused';
    if (answer.status !== 200 && answer.status !== 202) return answer.status;
    return text.includes('"rejected"') ? 'refused' : 'accepted';
  } catch {
    return 'unknown';
  }
}

/** Jobs whose heartbeats are made by their first check-in, by each way in which it can be sent. */
function namedJobs({ url, dsn, projectToken }: Target): Send[] {
  const { key = '', number = '' } = parseDsn(dsn) ?? {};
  const config = { schedule: ONCE_A_DAY, max_runtime_minutes: RUNTIME_MINUTES_MAX };
  const monitor_config = { schedule: ONCE_A_DAY, max_runtime: RUNTIME_MINUTES_MAX };
  return Array.from({ length: JOBS }, (_, job): Send => {
    const slug = `job-${job}`;
    switch (job % 3) {
      case 0:
        return (check_in_id, status) =>
          post(`${url}/v1/check-ins`, JSON.stringify({ heartbeat: slug, status, check_in_id, config }), {
            authorization: `Bearer ${projectToken}`,
          });
      case 1:
        return (check_in_id, status) =>
          post(
            `${url}/api/${number}/cron/${slug}/${key}/?status=${status}&check_in_id=${check_in_id}`,
            JSON.stringify({ monitor_config }),
          );
      default:
        return (check_in_id, status) => {
          const payload = { check_in_id, monitor_slug: slug, status, monitor_config };
          const body = envelope([{ type: 'check_in', payload }]);
          return post(`${url}/api/${number}/envelope/?sentry_key=${key}`, new Uint8Array(body));
        };
    }
  });
}

const PING_ACTIONS = { in_progress: '/start', ok: '', error: '/fail' };

/** Jobs that request an address. */
async function pingedJobs({ url, projectId, memberToken }: Target): Promise<Send[]> {
  const api = createClient({ baseUrl: url, token: memberToken });
  const jobs: Send[] = [];
  for (let job = 0; job < PINGED_JOBS; job += 1) {
    const body = {
      slug: `pinged-${job}`,
      schedule: ONCE_A_DAY,
      max_runtime_minutes: RUNTIME_MINUTES_MAX,
    };
    const { heartbeat } = expectOk(await api.call(createHeartbeat, { params: { id: projectId }, body }));
    const address = url + new URL(heartbeat.ping_url ?? '').pathname;
    jobs.push((id, status) => post(`${address}${PING_ACTIONS[status]}?check_in_id=${id}`, null));
  }
  return jobs;
}

async function post(
  address: string,
  body: string | Uint8Array<ArrayBuffer> | null,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return await fetch(address, {
    method: 'POST',
    headers,
    body,
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  });
}
