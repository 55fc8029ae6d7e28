import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCulprit } from '../support/culprit.ts';
import { connect } from '../support/incident-client.ts';
import { acknowledgement, sendEvents } from '../support/send-events.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { ago, EX, EX_FINGERPRINT, EX_TITLE, HOUR, SECOND } from './incidents-fixtures.ts';

const BEGAN_MS = Date.now();

/** What the ledger says of a reopening that no deploy explains. */
const NO_DEPLOY = {
  regression_after_deploy: false,
  deploy_version: null,
  deploy_commit_sha: null,
  deploy_branch: null,
  deploy_deployed_at: null,
  minutes_since_deploy: null,
};

describe.concurrent('the life of an incident', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  async function openIncident() {
    const client = await connect(culprit);
    await client.send(EX());
    return { client, incident_id: (await client.only()).incident_id };
  }

  async function resolvedIncident() {
    const incident = await openIncident();
    await incident.client.resolve(incident.incident_id);
    return incident;
  }

  //
  it('an exception opens exactly one incident with the full record', async () => {
    const client = await connect(culprit, { name: 'shop' });
    const event = EX();
    await client.send(event);
    const incident = await client.only();
    expect(incident).toEqual({
      incident_id: expect.stringMatching(/^inc_[0-9a-f-]{36}$/),
      project_id: client.project.projectId,
      project_name: 'shop',
      service_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      service_name: 'checkout-api',
      latest_deployment_id: null,
      is_sample: false,
      environment: 'production',
      fingerprint: EX_FINGERPRINT,
      fingerprint_version: 'v2',
      title: EX_TITLE,
      severity: 'high',
      status: 'open',
      first_seen_at: event.timestamp,
      last_seen_at: event.timestamp,
      occurrence_count: 1,
      spike_detected_at: null,
      resolved_at: null,
      regressed_at: null,
      source_trust: 'server',
      matched_fields: ['environment', 'service', 'error_type', 'normalized_message', 'top_frames'],
      incident_reason: {
        kind: 'backend_exception',
        description: expect.stringMatching(/./),
        event_type: 'backend_exception',
        event_class: 'incident_signal',
        matched_policy: 'always_incident',
      },
      triage: {
        priority: { level: 'high', reasons: ['new'], is_manual: false },
        assignee: null,
        snooze: null,
        notes: 0,
        links: [],
      },
      symbolication: null,
      first_release: null,
      last_release: null,
      regressed_in_release: null,
      resolved_in: null,
      short_id: expect.stringMatching(/^SHOP[0-9A-F]*-1$/),
    });
    expect(await client.read(incident.incident_id)).toEqual(incident);
    expect(await client.ledger('incident.opened')).toMatchObject([{ incidentId: incident.incident_id }]);
  });

  //
  it('two events with different ids are two occurrences of one incident', async () => {
    const client = await connect(culprit);
    await client.send(EX({ event_id: 'evt_a02_1', timestamp: ago(SECOND) }));
    await client.send(EX({ event_id: 'evt_a02_2' }));
    const incident = await client.only(2);
    expect(Date.parse(incident.first_seen_at)).toBeLessThanOrEqual(Date.parse(incident.last_seen_at));
    expect(await client.ledger('incident.opened')).toHaveLength(1);
  });

  //
  it('one event id sent three times is accepted three times and counted once', async () => {
    const client = await connect(culprit);
    const event = EX({ event_id: 'evt_dup_1' });
    for (let time = 1; time <= 3; time += 1) {
      const answer = await sendEvents(culprit.url, client.project.projectToken, [event]);
      expect(acknowledgement(answer)).toEqual({ accepted: 1, rejected: 0, errors: [] });
      expect(answer.body).toHaveProperty('probe_directives');
    }
    await client.processed();
    expect((await client.only()).occurrence_count).toBe(1);
  });

  //
  it('resolving moves an open incident and tells it once', async () => {
    const { client, incident_id } = await openIncident();
    const answer = await client.post(`/v1/incidents/${incident_id}/resolve`);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ incident: { incident_id, status: 'resolved', regressed_at: null } });
    const incident = await client.read(incident_id);
    expect(answer.body).toEqual({ incident });
    expect(Date.parse(incident.resolved_at ?? '')).toBeGreaterThanOrEqual(BEGAN_MS);
    expect(Date.parse(incident.resolved_at ?? '')).toBeLessThanOrEqual(Date.now());
    expect(await client.ledger('incident.resolved')).toEqual([
      { kind: 'incident.resolved', incidentId: incident_id, data: { user_id: client.project.userId } },
    ]);
  });

  //
  it('resolving again changes nothing and tells nothing', async () => {
    const { client, incident_id } = await openIncident();
    const first = await client.resolve(incident_id);
    const second = await client.resolve(incident_id);
    expect(second).toEqual(first);
    expect(await client.ledger('incident.resolved')).toHaveLength(1);
  });

  //
  it('a new event regresses a resolved incident and no deploy is blamed for it', async () => {
    const { client, incident_id } = await resolvedIncident();
    await client.send(EX());
    const incident = await client.only(2);
    expect(incident).toMatchObject({ incident_id, status: 'regressed', resolved_at: null });
    expect(Date.parse(incident.regressed_at ?? '')).toBeGreaterThanOrEqual(BEGAN_MS);
    expect(Date.parse(incident.regressed_at ?? '')).toBeLessThanOrEqual(Date.now());
    expect(await client.ledger('incident.regressed')).toEqual([
      {
        ...{ kind: 'incident.regressed', incidentId: incident_id },
        data: { release: null, severity: 'high', ...NO_DEPLOY },
      },
    ]);
    expect(await client.ledger('incident.reopened')).toEqual([]);
  });

  it('a regressed incident counts further events without regressing again', async () => {
    const { client } = await resolvedIncident();
    await client.send(EX());
    const { regressed_at } = await client.only(2);
    await client.send(EX());
    expect(await client.only(3)).toMatchObject({ status: 'regressed', regressed_at });
    expect(await client.ledger('incident.regressed')).toHaveLength(1);
  });

  it('an incident that regresses twice tells it twice and keeps the later time', async () => {
    const { client, incident_id } = await resolvedIncident();
    await client.send(EX());
    const first = await client.only(2);
    await client.resolve(incident_id);
    await client.send(EX());
    const second = await client.only(3);
    expect(Date.parse(second.regressed_at ?? '')).toBeGreaterThan(Date.parse(first.regressed_at ?? ''));
    expect(await client.ledger('incident.regressed')).toHaveLength(2);
  });

  //
  it('a member reopens a resolved incident, which is no regression', async () => {
    const { client, incident_id } = await resolvedIncident();
    const answer = await client.post(`/v1/incidents/${incident_id}/reopen`);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      incident: { status: 'open', resolved_at: null, regressed_at: null },
    });
    expect(await client.ledger('incident.reopened')).toMatchObject([
      { incidentId: incident_id, data: NO_DEPLOY },
    ]);
    expect(await client.ledger('incident.regressed')).toEqual([]);
  });

  //
  it('reopening an open incident changes nothing and tells nothing', async () => {
    const client = await connect(culprit);
    await client.send(EX());
    const before = await client.only();
    expect(await client.reopen(before.incident_id)).toEqual(before);
    expect(await client.ledger('incident.reopened')).toEqual([]);
  });

  it('reopening a regressed incident changes nothing and tells nothing', async () => {
    const { client, incident_id } = await resolvedIncident();
    await client.send(EX());
    const regressed = await client.only(2);
    expect(await client.reopen(incident_id)).toEqual(regressed);
    expect(await client.ledger('incident.reopened')).toEqual([]);
  });

  //
  it('resolving a regressed incident keeps the time of its regression', async () => {
    const { client, incident_id } = await resolvedIncident();
    await client.send(EX());
    const { regressed_at } = await client.only(2);
    const resolved = await client.resolve(incident_id);
    expect(resolved).toMatchObject({ status: 'resolved', regressed_at });
    expect(resolved.resolved_at).not.toBeNull();
    const reopened = await client.reopen(incident_id);
    expect(reopened).toMatchObject({ status: 'open', resolved_at: null, regressed_at });
  });

  //
  it('two first events at once make one incident that counts both', async () => {
    const client = await connect(culprit);
    await Promise.all([client.send(EX()), client.send(EX())]);
    await client.only(2);
    expect(await client.ledger('incident.opened')).toHaveLength(1);
  });

  it('forty first events at once make one incident that counts all of them', async () => {
    const client = await connect(culprit);
    await Promise.all(Array.from({ length: 40 }, () => client.send(EX({ timestamp: ago(HOUR) }))));
    await client.only(40);
    expect(await client.ledger('incident.opened')).toHaveLength(1);
  });

  it('a resolve and a reopen at once end in one of the two states with the ledger to match', async () => {
    const { client, incident_id } = await resolvedIncident();
    await Promise.all(
      Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? client.reopen : client.resolve)(incident_id)),
    );
    const { status } = await client.read(incident_id);
    const moves = (await client.ledger()).filter(({ kind }) => /resolved|reopened/.test(kind));
    moves.forEach(({ kind }, n) => {
      expect(kind).toBe(n % 2 === 0 ? 'incident.resolved' : 'incident.reopened');
    });
    expect(status).toBe(moves.length % 2 === 1 ? 'resolved' : 'open');
  });
});
