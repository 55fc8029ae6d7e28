import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCulprit } from '../support/culprit.ts';
import { connect } from '../support/incident-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { EX, EXR, LOG, OPAQUE, REQ, RESOURCE, type SentEvent } from './incidents-fixtures.ts';

const FEASIBILITY = {
  standard_http_bugs: 'high',
  frontend_interaction_plus_failing_request: 'medium-high',
  background_jobs: 'medium',
  race_conditions: 'low',
  external_outage_timing: 'low-medium',
};

function impossible(reason: string): object {
  return { possible: false, confidence: 0, reason, artifacts: null, feasibility_reference: FEASIBILITY };
}

describe.concurrent('the reproduction of an incident', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  /** The reproduction endpoint's answer for the incident of one event; the bundle says the same. */
  async function reproductionOf(event: SentEvent): Promise<unknown> {
    const client = await connect(culprit);
    await client.send(event);
    const { incident_id } = await client.only();
    const bundle = await client.bundle(incident_id);
    const answer = await client.get(`/v1/incidents/${incident_id}/reproduction`);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(bundle.reproduction);
    return answer.body;
  }

  //
  it('of a captured request is two commands and a description of it', async () => {
    const body = '{"cart_id":"cart_81","password":"[REDACTED]"}';
    const url = 'https://api.shop.example/api/checkout';
    expect(await reproductionOf(EXR())).toEqual({
      possible: true,
      confidence: 0.8,
      reason: 'request_context_available',
      artifacts: {
        curl: `curl -X POST '${url}?step=payment' -H 'authorization: [REDACTED]' -H 'content-type: application/json' --data-raw '${body}'`,
        httpie: `printf '%s' '${body}' | http POST '${url}?step=payment' 'authorization:[REDACTED]' 'content-type:application/json'`,
        json_spec: {
          method: 'POST',
          url,
          headers: { authorization: '[REDACTED]', 'content-type': 'application/json' },
          query: { step: 'payment' },
          body: { cart_id: 'cart_81', password: '[REDACTED]' },
        },
      },
      feasibility_reference: FEASIBILITY,
    });
  });

  //
  it('of an exception without a request is not possible', async () => {
    expect(await reproductionOf(EX())).toEqual(impossible('no_request_context'));
  });

  //
  it('of an opaque browser error is not possible', async () => {
    expect(await reproductionOf(OPAQUE())).toEqual(impossible('opaque_browser_event'));
    expect(await reproductionOf(RESOURCE())).toEqual(impossible('opaque_browser_event'));
  });

  //
  it('of a log line is not possible', async () => {
    expect(await reproductionOf(LOG('error', 'slow disk'))).toEqual(impossible('insufficient_context'));
  });

  it.each<[string, SentEvent]>([
    ['the method FOO of an exception', EXR({}, { method: 'FOO' })],
    ['the path x y of an exception', EXR({}, { path: 'x y' })],
    ['the method FOO', REQ({ payload: { method: 'FOO' } })],
    ['the path x y', REQ({ payload: { path: 'x y' } })],
    ['a line feed in a header', EXR({}, { headers: { 'x-a': 'b\nc' } })],
  ])('A-47 of a request with %s is not possible', async (_, event) => {
    expect(await reproductionOf(event)).toMatchObject({ possible: false, reason: 'invalid_request_line' });
  });

  it('of a request without a known origin takes the base address from a variable', async () => {
    expect(await reproductionOf(REQ())).toMatchObject({
      possible: true,
      confidence: 0.65,
      reason: 'request_context_without_origin',
      artifacts: {
        curl: `curl -X POST "\${BASE_URL}"'/api/orders/48213/pay'`,
        json_spec: { url: '/api/orders/48213/pay' },
      },
    });
  });

  it('follows the newest generation: a request that comes later makes it possible', async () => {
    const client = await connect(culprit);
    await client.send(EX());
    const { incident_id } = await client.only();
    await client.settled();
    await client.send(EXR());
    await client.only(2);
    await client.settled();
    const { body } = await client.get(`/v1/incidents/${incident_id}/reproduction`);
    expect(body).toMatchObject({ possible: true, reason: 'request_context_available' });
  });
});
