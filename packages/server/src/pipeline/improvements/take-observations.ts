import type { ImprovementSensitivity } from '@culprit/contract/incidents/improvements';
import { resolveCapturePolicy } from '@culprit/evidence/capture/capture-policy';
import { SEVERITIES } from '@culprit/evidence/events/normalize/severity';
import { planOfCapture } from '../../capture/plan-of-capture.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { finishJobs, type Job } from '../../platform/jobs/job-queue.ts';
import type { LaneWork } from '../../platform/jobs/lane.ts';
import { type PlanSettings, planOverride } from '../../workspace/billing/plan.ts';
import { countRetryGroups } from './count-retry-groups.ts';
import {
  type CountedKey,
  candidateOf,
  countedKeys,
  counterAdditions,
  isMatching,
  type LockedKey,
  lastReceivedAtMs,
  matchedOf,
  samplesOf,
  windowFromMs,
} from './counted-key.ts';
import { addToCounters, keepImprovementSamples, sumCounters } from './counters.queries.ts';
import { DETECTORS, type Finding, judgeEvents, judgeRecurrence, type WindowSums } from './detectors.ts';
import { generatesImprovements } from './improvement-access.ts';
import { isBundleWanted } from './improvement-bundle-due.ts';
import { requestImprovementBundles } from './improvement-bundles.queries.ts';
import {
  advanceImprovement,
  type DescribedFinding,
  type ImprovementState,
  type Matched,
} from './improvement-state.ts';
import { BATCHES_MAX, readObservedBatch } from './improvements.jobs.ts';
import {
  countRecords,
  dropCandidates,
  insertCandidates,
  type LockedImprovement,
  lockImprovements,
  lockObservedProject,
  type ObservedProject,
  updateImprovements,
} from './locked-improvements.queries.ts';
import type { ObservedBatch } from './observation.ts';
import { findObservedIncidents } from './observed-incidents.queries.ts';
import { evidenceOf, summaryOf, titleOf } from './subject.ts';

/**
 * The bounds of one project. Beyond them the candidates with the fewest observations are removed; a removed key
 * restarts with its next observation. A project that has its full number of records gets no new ones until some expire.
 */
const CANDIDATES_MAX = 2000;
const RECORDS_MAX = 1000;

/** A candidate that is only part of a total need not be written each time. */
const TOUCH_INTERVAL_MS = 600_000;

interface ObservationsOptions {
  database: Database;
  plans: PlanSettings;
}

/** Counts observations and opens improvements (docs/contract/incidents.md 6). */
export function observationsLane(options: ObservationsOptions): LaneWork {
  return {
    claimMax: BATCHES_MAX,
    run: (jobs) => takeObservations(jobs, options),
  };
}

/** Counts the observations of some jobs of one project and moves what they are about, all in one transaction. */
async function takeObservations(
  jobs: readonly Job[],
  { database, plans }: Pick<ObservationsOptions, 'database' | 'plans'>,
): Promise<void> {
  const projectId = jobs[0]?.fairnessKey ?? '';
  const batches = jobs.map((job) => readObservedBatch(job.payload));
  await database.transaction(async (transaction) => {
    const project = await lockObservedProject(transaction, projectId);
    if (project !== null && generatesImprovements(plans, planOverride(plans) ?? project.plan)) {
      await count(transaction, projectId, project, batches, plans);
    }
    await finishJobs(transaction, jobs);
  });
}

const NO_SUMS: WindowSums = {
  matches: { high_confidence: 0, balanced: 0, verbose: 0 },
  severe: { high_confidence: 0, balanced: 0, verbose: 0 },
  total: 0,
  buckets: 0,
  firstAtMs: null,
  lastAtMs: null,
};

async function count(
  transaction: Transaction,
  projectId: string,
  project: ObservedProject,
  batches: readonly ObservedBatch[],
  plans: PlanSettings,
): Promise<void> {
  const incidentIds = [
    ...new Set(batches.flatMap(({ incidents }) => incidents.map((each) => each.incidentId))),
  ];
  const incidents = await findObservedIncidents(transaction, projectId, incidentIds, project.nowMs);
  const policy = resolveCapturePolicy({
    preset: project.capturePreset,
    overrides: project.captureOverrides,
    plan: planOfCapture(plans, project.plan),
  });
  const capturesAllRequests = policy.capture_request_events === 'all';
  const keys = countedKeys(batches, incidents, project.nowMs).filter(
    // Totals are only asked for where every request is there to be counted.
    (key) => capturesAllRequests || key.attempts.length > 0 || key.tallies.some(isMatching),
  );
  if (keys.length === 0) return;
  const made = await insertCandidates(transaction, projectId, keys.map(candidateOf));
  const lockedKeys = await lockKeys(transaction, keys);
  await countRetryGroups(transaction, projectId, lockedKeys);
  const newBuckets = await addToCounters(
    transaction,
    projectId,
    lockedKeys.flatMap(({ key, held }) => counterAdditions(key, held)),
  );
  const matching = lockedKeys.filter(({ key }) => key.tallies.some(isMatching));
  const sums = await sumCounters(
    transaction,
    matching.map(({ key, held }) => ({ improvementId: held.improvementId, fromMs: windowFromMs(key) })),
  );
  const { sensitivity } = project;
  const judged = lockedKeys.map(({ key, held }) => {
    const { improvementId } = held;
    const matched = matchedOf(key, sensitivity, newBuckets.get(improvementId) ?? 0);
    const finding =
      matched === null
        ? null
        : judge(key, held, sums.get(improvementId) ?? NO_SUMS, { sensitivity, capturesAllRequests });
    return { key, held, state: movedState(key, held.state, matched, finding) };
  });
  const kept = await withoutExcess(transaction, projectId, judged);
  await updateImprovements(
    transaction,
    kept
      .filter(({ held, state }) => state !== held.state)
      .map(({ key, held, state }) => ({
        improvementId: held.improvementId,
        state,
        relatedIncidentIds: key.incident === null ? [] : [key.incident.incidentId],
      })),
  );
  await keepImprovementSamples(
    transaction,
    projectId,
    matching.flatMap(({ key, held: { improvementId } }) =>
      samplesOf(key, sensitivity).map((sample) => ({ improvementId, ...sample })),
    ),
  );
  await requestImprovementBundles(
    transaction,
    projectId,
    kept
      .filter(
        ({ key, held, state }) =>
          DETECTORS[key.detector].signalType !== null &&
          (state.episode > held.state.episode || isBundleWanted(state, held.bundle, project.nowMs)),
      )
      .map(({ held }) => held.improvementId),
  );
  if (made > 0) await dropCandidates(transaction, projectId, CANDIDATES_MAX);
}

async function lockKeys(transaction: Transaction, keys: readonly CountedKey[]): Promise<LockedKey[]> {
  const held = new Map(
    (await lockImprovements(transaction, keys)).map((each) => [
      `${each.serviceId} ${each.fingerprint}`,
      each,
    ]),
  );
  return keys.flatMap((key) => {
    const row = held.get(`${key.serviceId} ${key.fingerprint}`);
    return row === undefined ? [] : [{ key, held: row }];
  });
}

function judge(
  key: CountedKey,
  { state }: LockedImprovement,
  sums: WindowSums,
  { sensitivity, capturesAllRequests }: { sensitivity: ImprovementSensitivity; capturesAllRequests: boolean },
): DescribedFinding | null {
  const { detector, incident } = key;
  let finding: Finding | null;
  if (detector === 'recurring_incident' || detector === 'post_deploy_regression') {
    if (incident === null) return null;
    const severity = SEVERITIES[incident.severity] ?? 'low';
    const regressions = incident.regressions.filter(({ atMs }) => atMs > (state.resolvedAtMs ?? 0));
    const afterDeploys = regressions.filter(({ isAfterDeploy }) => isAfterDeploy).length;
    finding =
      detector === 'recurring_incident'
        ? judgeRecurrence(regressions.length, sums.buckets, severity, sensitivity)
        : afterDeploys === 0
          ? null
          : { observed: afterDeploys, threshold: 1, severity, values: {} };
  } else {
    finding = judgeEvents(detector, sums, sensitivity, capturesAllRequests);
  }
  if (finding === null) return null;
  return {
    ...finding,
    firstAtMs: sums.firstAtMs ?? state.firstDetectedAtMs,
    lastAtMs: sums.lastAtMs ?? state.lastDetectedAtMs,
    title: titleOf(detector, key.key, incident),
    summary: summaryOf(detector, key.key, finding),
    evidence: evidenceOf(detector, key.key, finding),
  };
}

/** Returns the state after a run; the same object when there is nothing to write. */
function movedState(
  key: CountedKey,
  before: ImprovementState,
  matched: Matched | null,
  finding: DescribedFinding | null,
): ImprovementState {
  if (matched !== null) return advanceImprovement(before, matched, finding);
  const receivedAtMs = lastReceivedAtMs(key);
  const isTouched =
    before.status === 'candidate' && receivedAtMs - before.lastReceivedAtMs >= TOUCH_INTERVAL_MS;
  return isTouched ? { ...before, lastReceivedAtMs: receivedAtMs } : before;
}

/** Leaves those candidates as they were that would become more records than a project may have. */
async function withoutExcess<Judged extends LockedKey & { state: ImprovementState }>(
  transaction: Transaction,
  projectId: string,
  judged: readonly Judged[],
): Promise<Judged[]> {
  const opened = judged.filter(
    ({ held, state }) => held.state.status === 'candidate' && state.status === 'open',
  );
  if (opened.length === 0) return [...judged];
  const capacity = Math.max(0, RECORDS_MAX - (await countRecords(transaction, projectId)));
  const excess = new Set(opened.slice(capacity));
  return judged.filter((each) => !excess.has(each));
}
