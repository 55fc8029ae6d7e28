import { BillingSummary } from '@culprit/contract/workspace/billing';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { compileValidator } from '../../src/platform/http/binding/schema-validator.ts';
import type { TestCulprit, TestProject } from './culprit.ts';
import { holdClock } from './move-clock.ts';
import { setPlanOf } from './organizations.ts';
import { type Answer, sendRequest } from './send-events.ts';

/** What an owner does with billing, over HTTP. */
export interface BillingClient {
  /** Throws for every other answer than a summary. */
  read(): Promise<BillingSummary>;
  startTrial(body?: unknown): Promise<Answer>;
  increase(units: unknown): Promise<Answer>;
  reduce(units: unknown): Promise<Answer>;
  cancelReduction(): Promise<Answer>;
}

/** A client that presents this member token. */
export function billingClient(culprit: Pick<TestCulprit, 'url'>, memberToken: string): BillingClient {
  function send(method: string, path: string, body?: unknown): Promise<Answer> {
    return sendRequest(`${culprit.url}/v1/billing${path}`, {
      method,
      token: memberToken,
      json: body,
    });
  }
  const units = (target: unknown) => ({ target_additional_capacity_units: target });
  return {
    read: async () => billingOf(await send('GET', '')),
    startTrial: (body) => send('POST', '/trial/start', body),
    increase: (target) => send('POST', '/capacity/increase', units(target)),
    reduce: (target) => send('POST', '/capacity/scheduled-reduction', units(target)),
    cancelReduction: () => send('DELETE', '/capacity/scheduled-reduction'),
  };
}

const isSummary = compileValidator(BillingSummary);

/** The summary of an answer; throws for every other one. */
export function billingOf({ status, body }: Answer): BillingSummary {
  const billing = isJsonObject(body) ? body.billing : undefined;
  if (status !== 200 || !hasSummaryShape(billing)) {
    throw new Error(`no summary: ${status} ${JSON.stringify(body)}`);
  }
  return billing;
}

function hasSummaryShape(value: unknown): value is BillingSummary {
  return isSummary(value);
}

/** Somebody who owns an organization, on Free where that is the default, and how they use billing. */
export async function newOwner(
  culprit: TestCulprit,
): Promise<{ owner: TestProject; billing: BillingClient }> {
  const owner = await culprit.createProject();
  return { owner, billing: billingClient(culprit, owner.memberToken) };
}

/** The same on Solo, set by the operator at a moment at which the clock stays. */
export async function newSoloOwner(
  culprit: TestCulprit,
  atMs: number,
): Promise<{ owner: TestProject; billing: BillingClient }> {
  await holdClock(culprit.database, atMs);
  const found = await newOwner(culprit);
  await setPlanOf(culprit.database, found.owner.userId, 'solo');
  return found;
}
