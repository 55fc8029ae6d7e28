import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCulprit } from '../support/culprit.ts';
import { connect } from '../support/incident-client.ts';
import { managementClient } from '../support/management-client.ts';
import { sendEvents } from '../support/send-events.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { EX, FRONTEND } from './incidents-fixtures.ts';

/** Who can have sent the signals of an incident (docs/contract/server-additions.md S24). */
describe.concurrent('source_trust', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  it('is server for events with a secret token, in the bundle too', async () => {
    const client = await connect(culprit);
    await client.send(EX());
    const incident = await client.only();
    expect(incident.source_trust).toBe('server');
    expect((await client.bundle(incident.incident_id)).signal.source_trust).toBe('server');
  });

  it('is browser for events of browsers, also as a relay forwards them', async () => {
    const client = await connect(culprit);
    await client.send(FRONTEND());
    const incident = await client.only();
    expect(incident.source_trust).toBe('browser');
    expect((await client.bundle(incident.incident_id)).signal.source_trust).toBe('browser');
  });

  it('is mixed from the first signal of the other kind on, which an origin-bound token makes', async () => {
    const client = await connect(culprit);
    await client.send(EX());
    await client.only();
    const origin = 'https://shop.example';
    const { plaintext } = await managementClient(culprit, client.project.memberToken).createProjectToken(
      client.project.projectId,
      { allowed_origins: [origin] },
    );
    const answer = await sendEvents(culprit.url, plaintext, [EX()], { origin });
    expect(answer.status).toBe(202);
    expect((await client.only(2)).source_trust).toBe('mixed');
    await client.send(EX());
    expect((await client.only(3)).source_trust).toBe('mixed');
  });
});
