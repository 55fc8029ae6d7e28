import type { ProbeDirective } from '@culprit/contract/events';
import type { Logger } from 'pino';
import { ingestionRateLimits, type PlanSettings, planOverride } from '../billing/plan.ts';
import { createExactFingerprints, type ExactFingerprints } from '../capture/exact-fingerprints.ts';
import { EVENTS_LANE } from '../incidents/incidents.jobs.ts';
import type { Database } from '../platform/db/database.ts';
import type { ObjectStore } from '../platform/objects/object-store.ts';
import { probeDirectives } from '../probes/probe-directives.ts';
import { areRemoteProbesOpen } from '../probes/remote-probes-open.ts';
import { type DecidedRequest, divideIntoParts, storePart } from './batch-parts.ts';
import { countFates, measureWindow } from './count-fates.ts';
import type { RuleDecisions } from './decide-by-rules.ts';
import { decideEvents } from './decide-events.ts';
import {
  createFingerprintJoin,
  type FingerprintDemand,
  type FingerprintsNeeded,
  type WindowRequest,
  withBudgetOf,
} from './fingerprint-join.ts';
import {
  type Admission,
  admitRequests,
  commitWindow,
  type NewBatch,
  returnRateBudget,
} from './ingest.queries.ts';
import { type CheckedBatch, type IntakeAnswer, type IntakeRequest, UNAVAILABLE } from './intake-request.ts';
import { createPolicies } from './window-policies.ts';
import { createWindowRules, type WindowRules } from './window-rules.ts';

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
/**
 * How long a window waits for the senders of the one before, who are just reading their answers. Without it the first
 * of them is alone in a window, all others wait for that one, and half of all windows are wasted.
 */
const GATHER_MS = 2;
const REQUESTS_PER_WINDOW_MAX = 256;
const NO_DIRECTIVES: readonly ProbeDirective[] = [];

interface Waiting {
  request: WindowRequest;
  answer: (answer: IntakeAnswer | FingerprintsNeeded) => void;
}

/** An admitted request whose events are being stored. */
interface Accepting extends DecidedRequest {
  waiting: Waiting;
  activeProbes: readonly ProbeDirective[];
}

export function createIntakeWindow(options: {
  database: Database;
  objects: ObjectStore;
  plans: PlanSettings;
  log: Logger;
  /** Fails in tests. */
  exact?: ExactFingerprints;
}): IntakeWindow {
  const { database, objects, log } = options;
  const plan = { override: planOverride(options.plans), rateLimits: ingestionRateLimits(options.plans) };
  const policyOf = createPolicies(options.plans);
  const exact = options.exact ?? createExactFingerprints(log);
  const demand: FingerprintDemand = new Set();
  const windowRules = createWindowRules({ database, policyOf, demand });
  let waiting: Waiting[] = [];
  let windowsUnderWay = 0;
  let openedAtMs = 0;
  /** How many requests the next window should find: as many as the last one had, or as waited when it ended. */
  let expectedRequests = 0;
  let endedAtMs = 0;
  /** Opens the next window when its wait is over; each look sets it anew, for the reason to wait may have changed. */
  let timer: NodeJS.Timeout | undefined;
  let idle: (() => void)[] = [];

  function open(): void {
    while (waiting.length > 0 && windowsUnderWay < WINDOWS_MAX) {
      const waitMs = waitBeforeWindowMs();
      if (waitMs > 0) {
        clearTimeout(timer);
        timer = setTimeout(open, waitMs);
        return;
      }
      const members = waiting.slice(0, REQUESTS_PER_WINDOW_MAX);
      waiting = waiting.slice(REQUESTS_PER_WINDOW_MAX);
      windowsUnderWay += 1;
      openedAtMs = performance.now();
      void runWindow(members).finally(() => {
        windowsUnderWay -= 1;
        endedAtMs = performance.now();
        expectedRequests = Math.max(members.length, Math.min(waiting.length, REQUESTS_PER_WINDOW_MAX));
        if (waiting.length > 0) open();
        else if (windowsUnderWay === 0) {
          for (const resolve of idle) resolve();
          idle = [];
        }
      });
    }
  }

  function waitBeforeWindowMs(): number {
    const nowMs = performance.now();
    if (windowsUnderWay > 0) return openedAtMs + WINDOW_ALONE_MS - nowMs;
    return waiting.length < expectedRequests ? endedAtMs + GATHER_MS - nowMs : 0;
  }

  async function runWindow(members: Waiting[]): Promise<void> {
    try {
      const admissions = await admit(members);
      const accepting = await judge(members, admissions, await readRules(admissions));
      await store(accepting);
    } catch (error) {
      log.error({ error: errorText(error) }, 'intake window failed');
    } finally {
      // Whoever was not answered yet was not stored for certain.
      for (const member of members) member.answer(UNAVAILABLE);
    }
  }

  async function admit(members: Waiting[]): Promise<Admission[]> {
    const admissions = await admitRequests(
      database,
      members.map(({ request }) => ({
        tokenHash: request.tokenHash,
        origin: request.origin,
        isBeacon: request.isBeacon,
        isCountable: !('problem' in request.content) && request.earlier === null,
        shapeValidCount: 'problem' in request.content ? 0 : request.content.shapeValidCount,
      })),
      plan,
    ).catch((error: unknown) => {
      giveBack(members.flatMap(({ request }) => request.earlier ?? []));
      throw error;
    });
    return admissions.map((admission, index) =>
      withBudgetOf(members[index]?.request.earlier ?? null, admission),
    );
  }

  async function readRules(admissions: Admission[]): Promise<WindowRules> {
    try {
      return await windowRules.load(admissions);
    } catch (error) {
      giveBack(admissions.filter((admission) => admission.verdict === 'admitted'));
      throw error;
    }
  }

  /** Answers the refused requests and decides the events of the others. */
  async function judge(
    members: Waiting[],
    admissions: Admission[],
    rules: WindowRules,
  ): Promise<Accepting[]> {
    const accepting: Accepting[] = [];
    for (const [index, member] of members.entries()) {
      const admission = admissions[index];
      if (admission === undefined) continue;
      try {
        const asked = rules.decide(member.request, admission);
        const decided = asked === null ? null : await asked;
        if (decided !== null && 'needsFingerprints' in decided) {
          member.answer(decided);
          continue;
        }
        const accepted = judgeOne(member, admission, decided);
        if (accepted !== null) accepting.push(accepted);
      } catch (error) {
        // A defect that one request meets must not cost the others of its window their answer.
        log.error({ error: errorText(error), projectId: admission.projectId }, 'request could not be judged');
        giveBack([admission]);
      }
    }
    return accepting;
  }

  function judgeOne(
    member: Waiting,
    admission: Admission,
    ruleDecisions: RuleDecisions | null,
  ): Accepting | null {
    const { content, earlier } = member.request;
    if (admission.verdict !== 'admitted') {
      if (earlier !== null) giveBack([earlier]);
      const retryAfterSeconds = admission.verdict === 'rate_limited' ? admission.retryAfterSeconds : null;
      member.answer({ problem: admission.verdict, retryAfterSeconds });
    } else if ('problem' in content) {
      member.answer({ problem: content.problem, retryAfterSeconds: null });
    } else if (content.checks.length === 0) {
      member.answer({
        status: 202,
        accepted: 0,
        errors: [],
        retryAfterSeconds: null,
        activeProbes: directivesFor(admission, content),
      });
    } else {
      const decisions = decideEvents(content, policyOf(admission), {
        eventsTaken: admission.eventsTaken,
        requestIndex: 0,
        userKey: admission.userKey,
        ruleDecisions,
      });
      return { waiting: member, admission, decisions, activeProbes: directivesFor(admission, content) };
    }
    return null;
  }

  /** What the answer to a batch tells of remote probes (ingestion.md 3.9); mostly there are none. */
  function directivesFor({ activeProbes, plan }: Admission, batch: CheckedBatch): readonly ProbeDirective[] {
    if (activeProbes === null || !areRemoteProbesOpen(options.plans, plan)) return NO_DIRECTIVES;
    return probeDirectives(
      activeProbes,
      batch.checks.filter((check) => typeof check !== 'string'),
    );
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
        const fates = countFates(durable);
        live = await commitWindow(database, batches, fates, EVENTS_LANE);
        measureWindow(fates, durable, live);
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
        activeProbes: member.activeProbes,
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

  function enter(request: WindowRequest, answer: Waiting['answer']): void {
    waiting.push({ request, answer });
    open();
  }

  return {
    join: createFingerprintJoin({ enter, giveBack, exact, demand }),
    async drain() {
      await exact.close();
      if (windowsUnderWay > 0 || waiting.length > 0) await new Promise<void>((resolve) => idle.push(resolve));
    },
  };
}

function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
