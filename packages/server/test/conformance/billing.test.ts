import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { billingOf, newOwner, newSoloOwner } from '../support/billing-client.ts';
import { createCollaborator } from '../support/collaborators.ts';
import { HOSTED, startCulprit, type TestCulprit } from '../support/culprit.ts';
import { problem } from '../support/expect-problem.ts';
import { holdClock, moveClock } from '../support/move-clock.ts';
import { setPlanOf } from '../support/organizations.ts';
import { newAddress, type Person, signInAs } from '../support/people.ts';
import { sendRequest } from '../support/send-events.ts';

/** Billing of docs/contract/account.md 15. A-35 stands with the meters of the pipeline. */

const DAY_MS = 86_400_000;
const START = '2026-01-10T12:00:00.000Z';
const START_MS = Date.parse(START);

let culprit: TestCulprit;

beforeAll(async () => {
  culprit = await startCulprit({ duties: [], plans: HOSTED });
});
afterAll(() => culprit.stop());
afterEach(() => moveClock(culprit.database, 0));

describe('the summary', () => {
  //
  it('of a new organization is that of Free', async () => {
    const person = await signInAs(culprit, newAddress());
    await holdClock(culprit.database, START_MS);
    const answer = await person.request('GET', '/v1/billing');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.body).toEqual({
      billing: {
        plan: 'free',
        billing_state: null,
        stripe_customer_id: null,
        active_projects: 0,
        capacity_units: { total: 1, included: 1, additional_purchased: 0, pending_reduction: null },
        usage_window: { starts_at: '2026-01-01T00:00:00.000Z', ends_at: '2026-02-01T00:00:00.000Z' },
        allowances: {
          monthly_bundle_requests: { used: 0, limit: 100 },
          monthly_raw_ingested_events: { used: 0, limit: 750 },
          retained_bundle_cap: { used: 0, limit: 50 },
          monthly_remote_activations: { used: 0, limit: 0 },
          monthly_alert_deliveries: { used: 0, limit: 25 },
          monthly_webhook_deliveries: { used: 0, limit: 100 },
        },
        trial: {
          available: true,
          active: false,
          plan: null,
          started_at: null,
          ends_at: null,
          used_at: null,
          converted_at: null,
          expired_at: null,
          days_remaining: null,
        },
      },
    });
  });

  it('has its keys in the order of the contract', async () => {
    const { billing } = await newOwner(culprit);
    expect(Object.keys(await billing.read())).toEqual([
      'plan',
      'billing_state',
      'stripe_customer_id',
      'active_projects',
      'capacity_units',
      'usage_window',
      'allowances',
      'trial',
    ]);
  });

  it('counts the live projects of the organization', async () => {
    const { owner, billing } = await newOwner(culprit);
    const make = (name: string) =>
      sendRequest(`${culprit.url}/v1/projects`, {
        token: owner.memberToken,
        body: JSON.stringify({ name }),
      });
    expect((await make('second')).status).toBe(201);
    expect((await billing.read()).active_projects).toBe(2);
    const deleted = await sendRequest(`${culprit.url}/v1/projects/${owner.projectId}`, {
      method: 'DELETE',
      token: owner.memberToken,
    });
    expect(deleted.status).toBe(200);
    expect((await billing.read()).active_projects).toBe(1);
  });
});

describe('people who own no organization', () => {
  const calls: readonly (readonly [string, string, unknown])[] = [
    ['GET', '', undefined],
    ['POST', '/trial/start', { target_plan: 'team' }],
    ['POST', '/capacity/increase', { target_additional_capacity_units: 1 }],
    ['POST', '/capacity/scheduled-reduction', { target_additional_capacity_units: 1 }],
    ['DELETE', '/capacity/scheduled-reduction', undefined],
  ];
  const sessionCalls: readonly (readonly [string, unknown])[] = [
    ['/checkout', { target_plan: 'solo' }],
    ['/checkout/confirm', { session_id: 'cs_1' }],
    ['/portal', undefined],
  ];

  //
  it.each(['admin', 'member'] as const)('are kept out of billing, as %s of a project', async (role) => {
    const project = await culprit.createProject({ plan: 'team' });
    const { memberToken, email } = await createCollaborator(culprit, project, role);
    for (const [method, path, body] of calls) {
      const answer = await sendRequest(`${culprit.url}/v1/billing${path}`, {
        method,
        token: memberToken,
        json: body,
      });
      expect([path, answer]).toMatchObject([path, problem(403, 'forbidden')]);
    }
    const person = await signInAs(culprit, email);
    for (const [path, body] of sessionCalls) {
      const byToken = await sendRequest(`${culprit.url}/v1/billing${path}`, {
        token: memberToken,
        json: body,
      });
      expect([path, byToken]).toMatchObject([path, problem(401, 'invalid_session')]);
      const answer = await person.request('POST', `/v1/billing${path}`, body);
      expect([path, answer]).toMatchObject([path, problem(403, 'forbidden')]);
    }
  });
});

describe('a trial', () => {
  //
  it('starts at once, once, and ends after 30 days', async () => {
    await holdClock(culprit.database, START_MS);
    const { billing } = await newOwner(culprit);
    const trial = {
      available: false,
      active: true,
      plan: 'team',
      started_at: START,
      ends_at: '2026-02-09T12:00:00.000Z',
      used_at: START,
      converted_at: null,
      expired_at: null,
      days_remaining: 30,
    };
    const started = billingOf(await billing.startTrial({ target_plan: 'team' }));
    expect(started).toMatchObject({
      plan: 'team',
      billing_state: 'trialing',
      capacity_units: { total: 15, included: 15, additional_purchased: 0 },
      usage_window: { starts_at: START, ends_at: '2026-02-09T12:00:00.000Z' },
      trial,
    });
    expect(await billing.read()).toEqual(started);
    expect(await billing.startTrial({ target_plan: 'team' })).toMatchObject(
      problem(409, 'trial_unavailable'),
    );

    await holdClock(culprit.database, START_MS + 29 * DAY_MS + 1);
    expect((await billing.read()).trial.days_remaining).toBe(1);
    await holdClock(culprit.database, START_MS + 30 * DAY_MS);
    expect(await billing.read()).toMatchObject({
      plan: 'free',
      billing_state: 'trial_expired',
      capacity_units: { total: 1, included: 1 },
      usage_window: { starts_at: '2026-02-01T00:00:00.000Z', ends_at: '2026-03-01T00:00:00.000Z' },
      trial: { ...trial, active: false, expired_at: '2026-02-09T12:00:00.000Z', days_remaining: null },
    });
    expect(await billing.startTrial({ target_plan: 'solo' })).toMatchObject(
      problem(409, 'trial_unavailable'),
    );
  });

  it.each<[string, unknown, string]>([
    ['of Team without a body', undefined, 'team'],
    ['of Team without a plan', {}, 'team'],
    ['of Solo', { target_plan: 'solo' }, 'solo'],
  ])('can be one %s', async (_, body, plan) => {
    const { billing } = await newOwner(culprit);
    expect(billingOf(await billing.startTrial(body))).toMatchObject({ plan, trial: { plan } });
  });

  //
  it.each([{ target_plan: 'free' }, { target_plan: null }, { plan: 'team' }, [], 'team'])(
    'is refused with the body %j',
    async (body) => {
      const { billing } = await newOwner(culprit);
      expect(await billing.startTrial(body)).toMatchObject(problem(400, 'invalid_payload'));
      expect((await billing.read()).trial.available).toBe(true);
    },
  );

  it('is started once by many who ask at once', async () => {
    const { billing } = await newOwner(culprit);
    const answers = await Promise.all(Array.from({ length: 10 }, () => billing.startTrial()));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
  });

  it('is refused to whoever has a plan', async () => {
    const { billing } = await newSoloOwner(culprit, START_MS);
    expect((await billing.read()).trial.available).toBe(false);
    expect(await billing.startTrial()).toMatchObject(problem(409, 'trial_unavailable'));
  });

  //
  it('is in the way of capacity changes', async () => {
    const { billing } = await newOwner(culprit);
    await billing.startTrial({ target_plan: 'solo' });
    const refused = problem(409, 'trial_conversion_required');
    expect(await billing.increase(1)).toMatchObject(refused);
    expect(await billing.reduce(0)).toMatchObject(refused);
    expect(await billing.cancelReduction()).toMatchObject(refused);
  });

  it('is converted when the operator sets a plan', async () => {
    await holdClock(culprit.database, START_MS);
    const { owner, billing } = await newOwner(culprit);
    await billing.startTrial({ target_plan: 'team' });
    await holdClock(culprit.database, START_MS + DAY_MS);
    await setPlanOf(culprit.database, owner.userId, 'solo');
    const converted = {
      plan: 'solo',
      billing_state: 'admin_override',
      capacity_units: { total: 3 },
      trial: {
        available: false,
        active: false,
        plan: 'team',
        converted_at: '2026-01-11T12:00:00.000Z',
        expired_at: null,
        days_remaining: null,
      },
    };
    expect(await billing.read()).toMatchObject(converted);
    await holdClock(culprit.database, START_MS + 40 * DAY_MS);
    expect(await billing.read()).toMatchObject(converted);
  });
});

describe('without a payment provider', () => {
  let person: Person;
  beforeAll(async () => {
    person = await signInAs(culprit, newAddress());
  });

  it.each<[string, unknown]>([
    ['/checkout', { target_plan: 'solo' }],
    ['/checkout/confirm', { session_id: 'x'.repeat(255) }],
    ['/portal', undefined],
  ])('A-37 %s tells that nothing can be bought', async (path, body) => {
    const url = `${culprit.url}/v1/billing${path}`;
    expect(await person.request('POST', `/v1/billing${path}`, body)).toMatchObject(
      problem(503, 'billing_not_configured'),
    );
    const { cookie } = { cookie: person.headers.cookie ?? '' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    expect(await sendRequest(url, { headers: { cookie }, ...sent })).toMatchObject(
      problem(403, 'invalid_csrf_token'),
    );
    expect(await sendRequest(url, sent)).toMatchObject(problem(401, 'invalid_session'));
  });

  it.each<[string, unknown]>([
    ['/checkout', { target_plan: 'free' }],
    ['/checkout', {}],
    ['/checkout/confirm', { session_id: '' }],
    ['/checkout/confirm', { session_id: 'x'.repeat(256) }],
    ['/portal', { a: 1 }],
  ])('%s with %j is refused before', async (path, body) => {
    expect(await person.request('POST', `/v1/billing${path}`, body)).toMatchObject(
      problem(400, 'invalid_payload'),
    );
  });

  it('nobody can deliver events of one', async () => {
    expect(await sendRequest(`${culprit.url}/v1/billing/stripe-webhook`, { body: '{}' })).toMatchObject(
      problem(404, 'not_found'),
    );
  });
});
