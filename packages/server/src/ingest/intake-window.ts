import type { Logger } from 'pino';
import { ingestionRateLimits, type PlanSettings, planOverride } from '../billing/plan.ts';
import { type ResolvedCapturePolicy, resolveCapturePolicy } from '../capture/capture-policy.ts';
import { EVENTS_LANE } from '../incidents/incidents.jobs.ts';
import type { Database } from '../platform/db/database.ts';
import type { ObjectStore } from '../platform/objects/object-store.ts';
import { type DecidedRequest, divideIntoParts, storePart } from './batch-parts.ts';
import { decideEvents } from './decide-events.ts';
import {
  type Admission,
  admitRequests,
  commitWindow,
  type FateCount,
  type NewBatch,
  returnRateBudget,
} from './ingest.queries.ts';
import { type IntakeAnswer, type IntakeRequest, UNAVAILABLE } from './intake-request.ts';

/** Requests that arrive while others are being committed form the next window (architecture: group commit). */
export interface IntakeWindow {
  /** Answers when the request's events are durable, or say why they are not. Never rejects. */
  join(request: IntakeRequest): Promise<IntakeAnswer>;
  /** Waits for the windows under way. */
  drain(): Promise<void>;
}

/** Windows under way at once, so that a slow object holds back only its own. */
const WINDOWS_MAX = 3;
/**
 * How long a window is the only one. Two ordinary windows side by side are each half as full, and pay twice for the
 * same number of requests: their objects, commits and wake-ups cost the processor as much as the events do.
 */
const WINDOW_ALONE_MS = 20;
const REQUESTS_PER_WINDOW_MAX = 256;
const POLICY_CACHE_MAX = 1000;
const NO_RULE = '00000000-0000-0000-0000-000000000000';

interface Waiting {
  request: IntakeRequest;
  answer: (answer: IntakeAnswer) => void;
}

/** An admitted request whose events are being stored. */
interface Accepting extends DecidedRequest {
  waiting: Waiting;
}

export function createIntakeWindow(options: {
  database: Database;
  objects: ObjectStore;
  plans: PlanSettings;
  log: Logger;
}): IntakeWindow {
  const { database, objects, log } = options;
  const plan = { override: planOverride(options.plans), rateLimits: ingestionRateLimits(options.plans) };
  const policies = new Map<string, ResolvedCapturePolicy>();
  let waiting: Waiting[] = [];
  let windowsUnderWay = 0;
  let openedAtMs = 0;
  let isTimerSet = false;
  let idle: (() => void)[] = [];

  function open(): void {
    while (waiting.length > 0 && windowsUnderWay < WINDOWS_MAX) {
      const waitMs = windowsUnderWay === 0 ? 0 : openedAtMs + WINDOW_ALONE_MS - performance.now();
      if (waitMs > 0) {
        if (isTimerSet) return;
        isTimerSet = true;
        setTimeout(() => {
          isTimerSet = false;
          open();
        }, waitMs);
        return;
      }
      const members = waiting.slice(0, REQUESTS_PER_WINDOW_MAX);
      waiting = waiting.slice(REQUESTS_PER_WINDOW_MAX);
      windowsUnderWay += 1;
      openedAtMs = performance.now();
      void runWindow(members).finally(() => {
        windowsUnderWay -= 1;
        if (waiting.length > 0) open();
        else if (windowsUnderWay === 0) {
          for (const resolve of idle) resolve();
          idle = [];
        }
      });
    }
  }

  async function runWindow(members: Waiting[]): Promise<void> {
    try {
      const accepting = judge(members, await admit(members));
      await store(accepting);
    } catch (error) {
      log.error({ error: errorText(error) }, 'intake window failed');
    } finally {
      // Whoever was not answered yet was not stored for certain.
      for (const member of members) member.answer(UNAVAILABLE);
    }
  }

  async function admit(members: Waiting[]): Promise<Admission[]> {
    return await admitRequests(
      database,
      members.map(({ request }) => ({
        tokenHash: request.tokenHash,
        origin: request.origin,
        isBeacon: request.isBeacon,
        isCountable: !('problem' in request.content),
        shapeValidCount: 'problem' in request.content ? 0 : request.content.shapeValidCount,
      })),
      plan,
    );
  }

  /** Answers the refused requests and decides the events of the others. */
  function judge(members: Waiting[], admissions: Admission[]): Accepting[] {
    const accepting: Accepting[] = [];
    members.forEach((member, index) => {
      const admission = admissions[index];
      if (admission === undefined) return;
      try {
        const accepted = judgeOne(member, admission);
        if (accepted !== null) accepting.push(accepted);
      } catch (error) {
        // A defect that one request meets must not cost the others of its window their answer.
        log.error({ error: errorText(error), projectId: admission.projectId }, 'request could not be judged');
        giveBack([admission]);
      }
    });
    return accepting;
  }

  function judgeOne(member: Waiting, admission: Admission): Accepting | null {
    const { content } = member.request;
    if (admission.verdict !== 'admitted') {
      const retryAfterSeconds = admission.verdict === 'rate_limited' ? admission.retryAfterSeconds : null;
      member.answer({ problem: admission.verdict, retryAfterSeconds });
    } else if ('problem' in content) {
      member.answer({ problem: content.problem, retryAfterSeconds: null });
    } else if (content.checks.length === 0) {
      member.answer({ status: 202, accepted: 0, errors: [], retryAfterSeconds: null });
    } else {
      const decisions = decideEvents(content, policyOf(admission), {
        eventsTaken: admission.eventsTaken,
        requestIndex: 0,
        userKey: admission.userKey,
      });
      return { waiting: member, admission, decisions };
    }
    return null;
  }

  function policyOf(admission: Admission): ResolvedCapturePolicy {
    const key = `${admission.plan} ${admission.capturePreset} ${admission.captureOverrides}`;
    let policy = policies.get(key);
    if (policy === undefined) {
      policy = resolveCapturePolicy({
        preset: admission.capturePreset,
        overrides: JSON.parse(admission.captureOverrides),
        plan: admission.plan,
      });
      if (policies.size >= POLICY_CACHE_MAX) policies.clear();
      policies.set(key, policy);
    }
    return policy;
  }

  /** Stores the objects, then makes them count in one transaction, then answers. */
  async function store(accepting: Accepting[]): Promise<void> {
    const parts = divideIntoParts(accepting);
    const failed = new Set<Accepting>();
    const batches: NewBatch[] = [];
    await Promise.all(
      parts.map(async (part) => {
        try {
          batches.push(await storePart(objects, part));
        } catch (error) {
          log.warn({ error: errorText(error) }, 'raw object not stored');
          for (const member of part.members) failed.add(member);
        }
      }),
    );
    // Each request is in one object, so a failed object fails just the requests it held.
    const durable = accepting.filter((member) => !failed.has(member));
    let live = new Set<string>();
    try {
      if (durable.length > 0) {
        live = await commitWindow(database, batches, countFates(durable), EVENTS_LANE);
      }
    } catch (error) {
      log.warn({ error: errorText(error) }, 'intake commit failed');
      giveBack(accepting.map((member) => member.admission));
      return;
    }
    giveBack([...failed].map((member) => member.admission));
    for (const member of durable) {
      if (!live.has(member.admission.projectId)) {
        member.waiting.answer({ problem: 'invalid_project_token', retryAfterSeconds: null });
        continue;
      }
      const { decisions, admission } = member;
      member.waiting.answer({
        status: 202,
        accepted: decisions.records.length,
        errors: decisions.errors,
        retryAfterSeconds: decisions.isRateLimited ? (admission.retryAfterSeconds ?? 1) : null,
      });
    }
  }

  function giveBack(admissions: Admission[]): void {
    const limited = admissions.filter((admission) => admission.retryAfterSeconds !== null);
    if (limited.length === 0) return;
    returnRateBudget(database, limited).catch((error: Error) =>
      log.warn({ error: error.message }, 'rate budget not given back'),
    );
  }

  return {
    join(request) {
      return new Promise((resolve) => {
        waiting.push({ request, answer: resolve });
        open();
      });
    },
    async drain() {
      if (windowsUnderWay > 0 || waiting.length > 0) await new Promise<void>((resolve) => idle.push(resolve));
    },
  };
}

function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function countFates(members: readonly DecidedRequest[]): FateCount[] {
  const counts = new Map<string, FateCount>();
  for (const { admission, decisions } of members) {
    const hour = new Date(Math.floor(admission.receivedAtMs / 3_600_000) * 3_600_000).toISOString();
    for (const [fate, events] of decisions.fates) {
      const key = `${admission.tokenId} ${fate}`;
      const known = counts.get(key);
      if (known !== undefined) known.events += events;
      else {
        counts.set(key, {
          token_id: admission.tokenId,
          project_id: admission.projectId,
          hour,
          fate,
          rule_id: NO_RULE,
          events,
        });
      }
    }
  }
  return [...counts.values()];
}
