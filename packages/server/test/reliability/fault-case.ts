import { newUuid } from '../../src/platform/ids.ts';
import { eventually } from '../support/eventually.ts';
import {
  type ClientAnswer,
  createEventLedger,
  type EventLedger,
  ledgerEvent,
  makeFaulty,
  readCountedEvents,
  type SentEvent,
  type Verdict,
} from './event-ledger.ts';
import { type FaultPlan, planNoFault } from './fault-plan.ts';
import type { InProcessPipeline, Life, LifeOptions, PipelineProject } from './in-process-pipeline.ts';
import { findLeftOverWork } from './left-over-work.ts';

/** Where the fault of a case strikes: between request and answer, or between job and bundle. */
export type FaultPath = 'intake' | 'worker';

interface FaultCase extends LifeOptions {
  path: FaultPath;
  plan: FaultPlan;
  /** A 503 means for certain that nothing was stored, so that nothing may be counted. */
  isStrict?: boolean;
  patienceMs?: number;
  /** How often the queue hands out each batch. */
  deliveries?: number;
}

interface CaseOutcome {
  verdict: Verdict;
  /** What could not be brought to an end, by name. */
  stuck: Record<string, number>;
  /** Requests that were answered 503. */
  unavailable: number;
  deadLetters: number;
}

const GROUPS = ['alpha', 'bravo'] as const;
/** What takes longer is stuck. */
const PATIENCE_MS = 20_000;

/**
 * Sends requests of two projects, lets one step go wrong, lets everybody recover, and judges what became of each event.
 */
export async function runFaultCase(pipeline: InProcessPipeline, options: FaultCase): Promise<CaseOutcome> {
  const { path, plan, deliveries = 1, patienceMs = PATIENCE_MS, ...lifeOptions } = options;
  const projects = [await pipeline.createProject(), await pipeline.createProject()];
  const ledger = createEventLedger();
  let life = await pipeline.startLife(path === 'intake' ? plan : planNoFault(), lifeOptions);
  if (path === 'intake') plan.arm();
  const again = await sendAll(life, requestsOf(projects, path), ledger, options.isStrict === true);
  await options.plant?.settled?.();
  if (path === 'intake') plan.disarm();

  const projectIds = projects.map((project) => project.projectId);
  for (let delivery = 1; delivery < deliveries; delivery += 1) await deliverAgain(pipeline, projectIds);

  // Whoever is still alive recovers by itself; the dead are followed by a new life.
  if (path === 'worker') {
    await life.end();
    life = await pipeline.startLife(plan, lifeOptions);
    plan.arm();
    life.work();
    await eventually(async () => {
      if (!plan.isDead()) await assertFinished(pipeline, projects);
    }, patienceMs).catch(() => {});
  }
  if (plan.isDead()) {
    await life.end();
    await pipeline.passLeases();
    life = await pipeline.startLife(planNoFault(), lifeOptions);
  }
  if (path === 'intake') await sendAll(life, again, ledger, false);
  if (path === 'intake' || plan.isDead()) life.work();
  await eventually(() => assertFinished(pipeline, projects), patienceMs).catch(() => {});
  await life.end();

  return {
    verdict: ledger.judge(await readCountedEvents(pipeline.database, projectIds)),
    stuck: await findLeftOverWork(pipeline.database, projectIds),
    unavailable: again.length,
    deadLetters: await countDeadLetters(pipeline, projectIds),
  };
}

interface Request {
  token: string;
  events: SentEvent[];
  /** Its events have ids, so that it may be sent again. */
  isRepeatable: boolean;
}

/** To the intake enough that some wait for the windows of others and share one; to the worker three batches. */
function requestsOf(projects: readonly PipelineProject[], path: FaultPath): Request[] {
  return Array.from({ length: path === 'intake' ? 6 : 3 }, (_, index) => {
    const isRepeatable = index % 3 !== 1;
    const make = () => ledgerEvent(newUuid(), GROUPS[index % GROUPS.length] ?? 'alpha', isRepeatable);
    return {
      token: projects[index % projects.length]?.token ?? '',
      events: [
        ...Array.from({ length: 1 + (index % 3) }, make),
        ...(index % 4 === 0 ? [makeFaulty(make())] : []),
      ],
      isRepeatable,
    };
  });
}

/** Sends all at once; tells the ledger, and which requests a client would send again. */
async function sendAll(
  life: Life,
  requests: readonly Request[],
  ledger: EventLedger,
  isStrict: boolean,
): Promise<Request[]> {
  const again: Request[] = [];
  await Promise.all(
    requests.map(async (request) => {
      const { token, events } = request;
      const answer = await life.send(
        token,
        events.map(({ body }) => body),
      );
      const isAccepted = !('problem' in answer);
      const otherwise: ClientAnswer = isStrict ? 'refused' : 'unknown';
      ledger.note(events, isAccepted ? 'accepted' : otherwise);
      if (isAccepted) {
        const faulty = events.filter((event) => event.isFaulty).length;
        const refused = answer.refused.reduce((sum, { count }) => sum + count, 0);
        if (refused !== faulty || answer.accepted !== events.length - faulty)
          throw new Error(`answered ${JSON.stringify(answer)}`);
      } else if (answer.problem !== 'service_unavailable') {
        throw new Error(`answered ${answer.problem}`);
      } else if (request.isRepeatable) {
        again.push(request);
      }
    }),
  );
  return again;
}

/** Like a lease that ran out while its holder went on: some time after the first delivery. */
async function deliverAgain(pipeline: InProcessPipeline, projectIds: readonly string[]): Promise<void> {
  await pipeline.database.query(
    {
      name: 'test-deliver-again',
      text: `insert into jobs (lane, kind, fairness_key, payload, run_at)
        select distinct on (payload) lane, kind, fairness_key, payload, run_at + interval '5 s'
        from jobs where fairness_key = any ($1::uuid[]) order by payload, run_at desc`,
    },
    [[...projectIds]],
  );
}

async function assertFinished(
  pipeline: InProcessPipeline,
  projects: readonly PipelineProject[],
): Promise<void> {
  const left = await findLeftOverWork(
    pipeline.database,
    projects.map((project) => project.projectId),
  );
  if (Object.keys(left).length > 0) throw new Error(`left over: ${JSON.stringify(left)}`);
}

async function countDeadLetters(pipeline: InProcessPipeline, projectIds: readonly string[]): Promise<number> {
  const [row] = await pipeline.database.query<{ letters: number }>(
    {
      name: 'test-dead-letters',
      text: 'select count(*) as letters from dead_letters where project_id = any ($1::uuid[])',
    },
    [[...projectIds]],
  );
  return row?.letters ?? 0;
}
