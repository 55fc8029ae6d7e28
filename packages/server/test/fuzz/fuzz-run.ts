import { api } from '@culprit/contract/endpoints/api';
import { CREDENTIAL_PROBLEM, type Endpoint } from '@culprit/contract/endpoints/endpoint';
import { askingActor, type Caller, type CallerStage, callers, verdictFor } from '../security/callers.ts';
import type { OperationRequest } from '../security/operation-request.ts';
import { operationRequests } from '../security/operation-requests.ts';
import { changesPeople, type Theatre } from '../security/stage.ts';
import { type SeededRandom, seededRandom } from '../support/seeded-random.ts';
import { breakRequest, varyRequest } from './break-request.ts';
import { bytesOf, type Draft, draftOf, targetOf } from './draft-request.ts';
import { faultIn } from './judge-answer.ts';
import { type FuzzAnswer, openSender } from './send-draft.ts';

/** What a run came to. */
export interface FuzzOutcome {
  requests: number;
  /** A line for each wrong answer, with all that is needed to ask again. */
  faults: string[];
  /** Operations that answered with a success, by endpoint id. */
  succeeded: Set<string>;
  /** How often each status came. */
  statuses: Map<number, number>;
}

/** Lists of a stage grow with every request, and the contract limits them: another stage now and then. */
const REQUESTS_OF_A_STAGE = 400;

/** Longer than the time limit of every operation. */
const ANSWER_TIMEOUT_MS = 35_000;

const UNAUTHENTICATED: readonly string[] = [...Object.values(CREDENTIAL_PROBLEM), 'invalid_csrf_token'];

/**
 * Asks every operation as it should be asked, and then sends requests of which each is made by the number of its step
 * and the seed alone: as they should be, varied within the schemas, and broken.
 */
export async function fuzz(
  theatre: Theatre,
  options: { seed: number; requests: number; lanes: number },
): Promise<FuzzOutcome> {
  const outcome: FuzzOutcome = { requests: 0, faults: [], succeeded: new Set(), statuses: new Map() };
  const steps = Array.from({ length: options.requests }, (_, step) => step).values();

  async function runLane(): Promise<void> {
    const sender = openSender(theatre.culprit.url, ANSWER_TIMEOUT_MS);
    const stages = openStages(theatre);
    for (const step of steps) {
      // Neighbouring numbers make unlike sequences only behind the first few draws.
      const random = seededRandom(Math.imul(options.seed + step, 0x9e3779b1));
      const endpoint = api[step] ?? random.pick(api);
      const form = api[step] === undefined ? random.pick(FORMS) : 'as it should be';
      const caller = callerFor(endpoint, random, form === 'as it should be');
      const { request, presented } = await prepare(stages, endpoint, caller);
      const draft = draftOf(endpoint, request, presented);
      if (form === 'varied') varyRequest(draft, endpoint, random);
      if (form === 'broken') breakRequest(draft, endpoint, random, random.pick([1, 1, 1, 2, 3]));
      const target = targetOf(endpoint, draft);
      const answer = await sender.send(draft.method, target, headersOf(draft), bytesOf(draft));
      outcome.requests += 1;
      const fault = judge(answer, draft, endpoint, caller);
      if (fault !== null) {
        outcome.faults.push(`step ${step}: ${fault}: ${describe(endpoint, caller, draft, target, answer)}`);
      }
      const { status } = answer;
      if (status !== null) outcome.statuses.set(status, (outcome.statuses.get(status) ?? 0) + 1);
      if (status !== null && status < 400 && draft.method === endpoint.method) {
        outcome.succeeded.add(endpoint.id);
        if (endpoint.id === 'deleteAccount') stages.renew(endpoint);
      }
    }
    sender.close();
  }

  await Promise.all(Array.from({ length: options.lanes }, runLane));
  return outcome;
}

const FORMS = ['as it should be', 'varied', 'varied', 'broken', 'broken', 'broken', 'broken'] as const;

/** Mostly somebody who gets as far as the operation. */
function callerFor(endpoint: Endpoint, random: SeededRandom, succeeds: boolean): Caller {
  const proper = callers.filter((caller) => typeof verdictFor(endpoint, caller) === 'number');
  const first = proper.find(({ person }) => person === undefined || person.role === 'owner');
  if (succeeds && first !== undefined) return first;
  return random.pick(proper.length > 0 && random.chance(0.75) ? proper : callers);
}

interface Stages {
  stageFor(endpoint: Endpoint): Promise<CallerStage>;
  renew(endpoint: Endpoint): void;
}

/** Two at a time: what leaves people with another organization or plan is not done on the stage of the others. */
function openStages(theatre: Theatre): Stages {
  const open = new Map<boolean, { stage: Promise<CallerStage>; requests: number }>();
  return {
    stageFor(endpoint) {
      const kind = changesPeople(endpoint);
      let entry = open.get(kind);
      if (entry === undefined || entry.requests >= REQUESTS_OF_A_STAGE) {
        entry = { stage: theatre.newStage(), requests: 0 };
        open.set(kind, entry);
      }
      entry.requests += 1;
      return entry.stage;
    },
    renew(endpoint) {
      open.delete(changesPeople(endpoint));
    },
  };
}

/** How often a request is made up: one before may have ended what it needs, or the machine may be short of breath. */
const ATTEMPTS = 3;

/** A request that would succeed, and what its caller presents; on another stage where it cannot be made up on this one. */
async function prepare(
  stages: Stages,
  endpoint: Endpoint,
  caller: Caller,
): Promise<{ request: OperationRequest; presented: Readonly<Record<string, string>> }> {
  const make = operationRequests[endpoint.id];
  if (make === undefined) throw new Error(`no request is made up for ${endpoint.id}`);
  for (let attempt = 1; ; attempt += 1) {
    try {
      const stage = await stages.stageFor(endpoint);
      const request = await make(stage, askingActor(stage, caller));
      return { request, presented: await caller.present(stage) };
    } catch (error) {
      if (attempt === ATTEMPTS) throw new Error(`no request of ${endpoint.id} came about`, { cause: error });
      stages.renew(endpoint);
    }
  }
}

function headersOf({ headers, json, bytes }: Draft): [string, string][] {
  const hasType = headers.some(([name]) => name === 'content-type');
  const hasBody = json !== undefined || bytes !== null;
  return hasBody && !hasType ? [...headers, ['content-type', 'application/json']] : headers;
}

function judge(answer: FuzzAnswer, draft: Draft, endpoint: Endpoint, caller: Caller): string | null {
  const asked = isRoute(draft) ? operationAt(draft.method, endpoint.path) : null;
  // A path that was changed may be that of anything; it is judged as what it was meant for, and as nothing.
  const fault = faultIn(answer, draft.method, asked);
  if (fault !== null && (isRoute(draft) || faultIn(answer, draft.method, endpoint) !== null)) return fault;
  // Browsers are sent on with the bad news, too.
  if (answer.status === null || answer.status >= 300 || draft.method !== endpoint.method) return null;
  if (draft.isWrong) return 'a success of a wrong request';
  const verdict = verdictFor(endpoint, caller);
  return typeof verdict === 'string' && UNAUTHENTICATED.includes(verdict)
    ? `a success without ${verdict}`
    : null;
}

/** Whether every part of the path is one segment, so that the router finds the operation. */
function isRoute({ params }: Draft): boolean {
  return [...params.values()].every((value) => value !== '');
}

/** What a method and the path of an operation name: with another method, `…/test` may be the id of something. */
function operationAt(method: string, path: string): Endpoint | null {
  const segments = path.split('/');
  const matches = api.filter((endpoint) => {
    const others = endpoint.path.split('/');
    return (
      endpoint.method === method &&
      others.length === segments.length &&
      others.every((segment, index) => segment.startsWith(':') || segment === segments[index])
    );
  });
  return matches.find((endpoint) => endpoint.path === path) ?? matches[0] ?? null;
}

const SHOWN_LENGTH_MAX = 600;

function describe(
  endpoint: Endpoint,
  caller: Caller,
  draft: Draft,
  target: string,
  answer: FuzzAnswer,
): string {
  const bytes = bytesOf(draft);
  const shown = {
    operation: endpoint.id,
    caller: caller.name,
    changes: draft.breaks,
    request: `${draft.method} ${target.slice(0, SHOWN_LENGTH_MAX)}`,
    headers: headersOf(draft).map(([name, value]) => `${name}: ${value.slice(0, 80)}`),
    body: bytes === null ? null : Buffer.from(bytes).toString('utf8').slice(0, SHOWN_LENGTH_MAX),
    answer:
      answer.status === null ? answer.ending : `${answer.status} ${answer.text.slice(0, SHOWN_LENGTH_MAX)}`,
  };
  return JSON.stringify(shown);
}
