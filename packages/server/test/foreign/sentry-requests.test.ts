import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import {
  authOf,
  errorEnvelope,
  newEventId,
  post,
  type SentryTarget,
  sentryTarget,
} from '../support/sentry-client.ts';

/** docs/contract/foreign-protocols.md 3. */
describe('requests of Sentry libraries', () => {
  let culprit: TestCulprit;
  let client: IncidentClient;
  let target: SentryTarget;

  beforeAll(async () => {
    culprit = await startCulprit();
    client = await connect(culprit);
    target = await sentryTarget(culprit, client.project);
  });
  afterAll(() => culprit.stop());

  it('F-17 the answer carries the id of the event, and the same envelope again counts once', async () => {
    const eventId = newEventId();
    const body = errorEnvelope(eventId);
    for (let i = 0; i < 2; i += 1) {
      const answer = await post(target.envelope, body, authOf(target.key));
      expect(answer).toMatchObject({ status: 200, body: { id: eventId } });
    }
    const incident = await client.only(1);
    expect(incident.title).toContain('TypeError');
  });
});
