import type { ProbeDirective } from '@culprit/contract/events/events';
import type { Logger } from 'pino';
import { createExactFingerprints, type ExactFingerprints } from '../../capture/exact-fingerprints.ts';
import type { Database } from '../../platform/db/database.ts';
import { errorFields } from '../../platform/error-fields.ts';
import { createLoopScheduler, type LoopScheduler } from '../../platform/http/limits/loop-scheduler.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import { allowsRemoteProbes } from '../../probes/allows-remote-probes.ts';
import { probeDirectives } from '../../probes/probe-directives.ts';
import { ingestionRateLimits, type PlanSettings, planOverride } from '../../workspace/billing/plan.ts';
import { type DecidedRequest, divideIntoParts, storePart } from './batch-parts.ts';
import { workSizeOf } from './body-scheduler.ts';
import { countFates, countRejections, measureWindow } from './count-fates.ts';
import type { RuleDecisions } from './decide-by-rules.ts';
import { decideEvents } from './decide-events.ts';
import {
  createFingerprintJoin,
  type FingerprintDemand,
  type FingerprintsNeeded,
  senderOf,
  type WindowRequest,
  withBudgetOf,
} from './fingerprint-join.ts';
import {
  type Admission,
  admitRequests,
  commitWindow,
  type FateCount,
  type NewBatch,
  type RejectionCount,
  returnRateBudget,
  wakeForBatches,
} from './ingest.queries.ts';
import { type CheckedBatch, type IntakeAnswer, type IntakeRequest, UNAVAILABLE } from './intake-request.ts';
import { createRejectionHints } from './rejection-hints.ts';
import { notifyOfRejections } from './rejections.queries.ts';
import { createWakeUpPace } from './wake-up-pace.ts';
import { createPolicies } from './window-policies.ts';
import { createWindowQueue } from './window-queue.ts';
import { createWindowRules, type WindowRules } from './window-rules.ts';

/** Requests that arrive while others are being committed form the next window (architecture: group commit). */
export interface IntakeWindow {
  /** Answers when the request's events are durable, or say why they are not. Never rejects. */
  join(request: IntakeRequest): Promise<IntakeAnswer>;
  /** Waits for the windows under way. */
  drain(): Promise<void>;
}

/** The number of windows under way. */
const WINDOWS_MAX = 3;
/** The same of those with large bodies: what it takes to store them delays no small request. */
const LARGE_WINDOWS_MAX = 2;
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
  exact?: Pick<ExactFingerprints, 'compute' | 'close'>;
  /** Those of the process; of the window alone in tests. */
  loop?: LoopScheduler;
}): IntakeWindow {
  const { database, objects, log } = options;
  const plan = { override: planOverride(options.plans), rateLimits: ingestionRateLimits(options.plans) };
  const policyOf = createPolicies(options.plans);
  const loop = options.loop ?? createLoopScheduler({ requestsInFlight: () => 0 });
  const exact = options.exact ?? createExactFingerprints(log);
  const demand: FingerprintDemand = new Map();
  const pace = createWakeUpPace(() => wakeForBatches(database));
  const hints = createRejectionHints((projectIds) => notifyOfRejections(database, projectIds));
  const windowRules = createWindowRules({ database, policyOf, demand });
  const windows = createWindowQueue(WINDOWS_MAX, runWindow);
  const largeWindows = createWindowQueue(LARGE_WINDOWS_MAX, runWindow);

  async function runWindow(members: Waiting[]): Promise<void> {
    try {
      const admissions = await admit(members);
      const accepting = await judge(members, admissions, await readRules(admissions));
      await store(accepting);
    } catch (error) {
      log.error(errorFields(error), 'event intake window failed');
    } finally {
      // The events of a member without an answer may not be stored.
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
      returnBudget(members.flatMap(({ request }) => request.earlier ?? []));
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
      returnBudget(admissions.filter((admission) => admission.verdict === 'admitted'));
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
        const accepted = await judgeOne(member, admission, decided);
        if (accepted !== null) accepting.push(accepted);
      } catch (error) {
        // A defect that one request meets must not cost the others of its window their answer.
        log.error({ ...errorFields(error), projectId: admission.projectId }, 'request could not be decided');
        returnBudget([admission]);
      }
    }
    return accepting;
  }

  async function judgeOne(
    member: Waiting,
    admission: Admission,
    ruleDecisions: RuleDecisions | null,
  ): Promise<Accepting | null> {
    const { content, earlier } = member.request;
    if (admission.verdict !== 'admitted') {
      if (earlier !== null) returnBudget([earlier]);
      const retryAfterSeconds = admission.verdict === 'rate_limited' ? admission.retryAfterSeconds : null;
      member.answer({ problem: admission.verdict, retryAfterSeconds });
    } else if ('problem' in content) {
      member.answer({ ...content, retryAfterSeconds: null });
    } else if (content.checks.length === 0) {
      member.answer({
        status: 202,
        accepted: 0,
        refused: [],
        retryAfterSeconds: null,
        activeProbes: directivesFor(admission, content, member.request),
      });
    } else {
      const deciding = decideEvents(content, policyOf(admission), {
        eventsTaken: admission.eventsTaken,
        requestIndex: 0,
        userKey: admission.userKey,
        ruleDecisions,
      });
      const decisions = await loop.run(senderOf(member.request), workSizeOf(content.body.length), deciding);
      if (decisions === null) return null;
      return {
        waiting: member,
        admission,
        isOriginBound: admission.isOriginBound || member.request.isFromPage === true,
        decisions,
        activeProbes: directivesFor(admission, content, member.request),
      };
    }
    return null;
  }

  /** Returns the remote probes for the answer to a batch (docs/contract/ingestion.md 3.9); mostly there are none. */
  function directivesFor(
    { activeProbes, plan }: Admission,
    batch: CheckedBatch,
    reader: IntakeRequest,
  ): readonly ProbeDirective[] {
    if (activeProbes === null || !allowsRemoteProbes(options.plans, plan)) return NO_DIRECTIVES;
    return probeDirectives(
      activeProbes,
      batch.checks.filter((check) => typeof check !== 'string'),
      reader,
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
          log.warn(errorFields(error), 'raw object could not be stored');
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
        const rejections = countRejections(durable);
        live = await commit(batches, fates, rejections);
        hints.note(rejections.map(({ project_id: id }) => id).filter((id) => live.has(id)));
        measureWindow(fates, durable, live);
      }
    } catch (error) {
      log.warn(errorFields(error), 'event intake commit failed');
      returnBudget(accepting.map((member) => member.admission));
      return;
    }
    returnBudget([...failed].map((member) => member.admission));
    for (const member of durable) {
      if (!live.has(member.admission.projectId)) {
        member.waiting.answer({ problem: 'invalid_project_token', retryAfterSeconds: null });
        continue;
      }
      const { decisions, admission } = member;
      member.waiting.answer({
        status: 202,
        accepted: decisions.records.length,
        refused: decisions.refused,
        retryAfterSeconds: decisions.isRateLimited ? (admission.retryAfterSeconds ?? 1) : null,
        activeProbes: member.activeProbes,
      });
    }
  }

  async function commit(
    batches: NewBatch[],
    fates: FateCount[],
    rejections: readonly RejectionCount[],
  ): Promise<Set<string>> {
    if (batches.length === 0) return await commitWindow(database, batches, fates, false, rejections);
    const wakeUp = pace.begin();
    let isCommitted = false;
    try {
      const live = await commitWindow(database, batches, fates, wakeUp.wakes, rejections);
      // If no project is left, nothing was stored, and no worker was woken.
      isCommitted = live.size > 0;
      return live;
    } finally {
      wakeUp.end(isCommitted);
    }
  }

  function returnBudget(admissions: Admission[]): void {
    const limited = admissions.filter((admission) => admission.retryAfterSeconds !== null);
    if (limited.length === 0) return;
    returnRateBudget(database, limited).catch((error: Error) =>
      log.warn(errorFields(error), 'rate budget could not be refunded'),
    );
  }

  function enter(request: WindowRequest, answer: Waiting['answer']): void {
    const { content } = request;
    const isLarge = !('problem' in content) && workSizeOf(content.body.length) === 'large';
    (isLarge ? largeWindows : windows).add({ request, answer });
  }

  return {
    join: createFingerprintJoin({ enter, returnBudget, exact, demand }),
    async drain() {
      await exact.close();
      await Promise.all([windows.drain(), largeWindows.drain()]);
      await Promise.all([pace.flush(), hints.flush()]);
    },
  };
}
