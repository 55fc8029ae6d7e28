// Proves 35.

import type { Verdict } from '@culprit/contract/capture/policy';
import { api } from '@culprit/contract/endpoints/api';
import type { Endpoint } from '@culprit/contract/endpoints/endpoint';
import { PROBLEM_STATUS } from '@culprit/contract/endpoints/problems';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordFigure } from '../proof/record-figure.ts';
import { askingActor, type Caller, type CallerStage, callers, verdictFor } from './callers.ts';
import { type OperationRequest, type RawAnswer, sendOperation } from './operation-request.ts';
import { operationRequests } from './operation-requests.ts';
import { changesPeople, openTheatre, type Theatre } from './stage.ts';

/**
 * docs/contract/reliability.md test 35 and A-53: every operation of the contract for every kind of caller. The
 * operations come from the contract package, the expected answers from its policy table (docs/contract/account.md 12);
 * a new operation without a row there or without a request here fails by its name.
 */

let theatre: Theatre;
let common: CallerStage;
beforeAll(async () => {
  theatre = await openTheatre();
  common = await theatre.newStage();
});
afterAll(() => theatre?.stop());

/** One cell of the matrix. */
interface Cell {
  caller: Caller;
  verdict: Verdict;
}

/** Asks an operation for every caller; gives a line for each answer that is not the one of the contract. */
async function wrongAnswers(endpoint: Endpoint): Promise<string[]> {
  const cells = callers.map((caller): Cell => ({ caller, verdict: verdictFor(endpoint, caller) }));
  const refused = cells.filter(({ verdict }) => typeof verdict === 'string');
  const accepted = cells.filter(({ verdict }) => typeof verdict === 'number');
  let stage = changesPeople(endpoint) ? await theatre.newStage() : common;
  const wrong: string[] = [];

  async function ask({ caller, verdict }: Cell, request: OperationRequest): Promise<void> {
    const answer = await sendOperation(stage.culprit.url, endpoint, request, await caller.present(stage));
    const fault = faultOf(endpoint, { caller, verdict }, answer, stage);
    if (fault !== null) wrong.push(`${caller.name}: ${fault}`);
  }

  // All that are refused ask for the same thing, and then somebody who may: a refusal that did something would show.
  const owner = accepted.findIndex(({ caller }) => (caller.person?.role ?? 'owner') === 'owner');
  const [first] = accepted.splice(Math.max(owner, 0), 1);
  const request = await makeRequest(endpoint, stage, first?.caller);
  for (const cell of refused) await ask(cell, request);
  if (first !== undefined) await ask(first, request);
  for (const cell of accepted) {
    if (endpoint.id === 'deleteAccount') stage = await theatre.newStage();
    await ask(cell, await makeRequest(endpoint, stage, cell.caller));
  }
  return wrong;
}

async function makeRequest(
  endpoint: Endpoint,
  stage: CallerStage,
  caller: Caller | undefined,
): Promise<OperationRequest> {
  const make = operationRequests[endpoint.id];
  if (make === undefined) throw new Error(`no request is made up for ${endpoint.id}`);
  return await make(stage, caller === undefined ? stage.tenant.owner : askingActor(stage, caller));
}

function faultOf(
  { responses }: Endpoint,
  { caller, verdict }: Cell,
  answer: RawAnswer,
  stage: CallerStage,
): string | null {
  const { status, headers, text } = answer;
  if (typeof verdict === 'string') {
    const isRight = status === PROBLEM_STATUS[verdict] && text === `{"error":"${verdict}"}`;
    if (!isRight) return `${status} ${text.slice(0, 200)}, not ${verdict}`;
    return status === 401 && headers.get('www-authenticate') !== 'Bearer'
      ? '401 without WWW-Authenticate'
      : null;
  }
  // An endpoint may have several answers to what it carries out.
  const isDone = status < 400 && Object.hasOwn(responses, status);
  if (!isDone) return `${status} ${text.slice(0, 200)}, not ${verdict}`;
  const failure = /[?&]error=(\w+)/.exec(headers.get('location') ?? '')?.[1];
  if (failure !== undefined) return `sent on with ${failure}`;
  if (caller.person?.role !== 'stranger') return null;
  const leaked = namesOf(stage).find((name) => text.includes(name));
  return leaked === undefined ? null : `shows ${leaked} to a stranger`;
}

/** What nobody outside the tenant may learn. */
function namesOf({ tenant }: CallerStage): string[] {
  const { project, organizationId, owner, admin, member } = tenant;
  return [
    project.projectId.replace('proj_', ''),
    organizationId,
    ...[owner, admin, member].flatMap(({ userId, email }) => [userId, email]),
  ];
}

describe('the authorization matrix', () => {
  it('has requests only for operations of the contract', () => {
    const ids = api.map(({ id }) => id);
    expect(Object.keys(operationRequests).filter((id) => !ids.includes(id))).toEqual([]);
  });

  it('asks as at least 14 kinds of caller, and as each role in each way', () => {
    expect(new Set(callers.map(({ name }) => name)).size).toBe(callers.length);
    expect(callers.length).toBeGreaterThanOrEqual(14);
    expect(callers.filter(({ person }) => person !== undefined)).toHaveLength(13);
    recordFigure(35, `${api.length} operations, ${callers.length} callers`);
  });

  it.each(api.map((endpoint): [string, Endpoint] => [`${endpoint.method} ${endpoint.path}`, endpoint]))(
    'A-53 %s answers every kind of caller as the contract says',
    async (_name, endpoint) => {
      expect(await wrongAnswers(endpoint)).toEqual([]);
    },
  );
});
