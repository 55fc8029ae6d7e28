import { getIncident } from '@culprit/contract/incidents/incidents';
import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { clientOf, type IncidentClient } from '../support/incident-client.ts';
import { bundleFacts, incidentFacts, readServed, writeLocalDirectory } from '../support/local-mode.ts';
import { managementClient } from '../support/management-client.ts';
import { type RecordingProxy, startRecordingProxy } from '../support/recording-proxy.ts';
import { chooseSeed, type SeededRandom, seededRandom } from '../support/seeded-random.ts';
import { sendEvents, sendRequest } from '../support/send-events.ts';

/**
 * Random events of every type through a real service, batch by batch, and as files of local mode: repeats, reports of
 * suppressed ones, deploys, resolutions, users and shared ids are counted alike. `CULPRIT_TEST_SEED` repeats a run.
 */

const SEED = chooseSeed();
const BATCHES = 14;
const EVENTS_PER_BATCH = 45;
const PRESET = 'balanced';
/** Each bundle is read by a process of the command line. */
const TIMEOUT_MS = 240_000;

describe(`random events as files of local mode (seed ${SEED})`, () => {
  let culprit: TestCulprit;
  let proxy: RecordingProxy;
  let client: IncidentClient;
  let directory: ReturnType<typeof writeLocalDirectory> | null = null;
  beforeAll(async () => {
    culprit = await startCulprit();
    proxy = await startRecordingProxy(culprit.url);
    client = clientOf(culprit, await culprit.createProject({ preset: PRESET }));
    // Local mode reads files anew each time, and learns nothing from one time for the next.
    const { projectId, memberToken } = client.project;
    await managementClient(culprit, memberToken).patch(`/v1/projects/${projectId}`, { learns_slots: false });
  }, TIMEOUT_MS);
  afterAll(async () => {
    directory?.remove();
    await proxy.stop();
    await culprit.stop();
  });

  it('become the incidents and bundles of the service', { timeout: TIMEOUT_MS }, async () => {
    const random = seededRandom(SEED);
    const makeEvent = eventSource(random);
    for (let batch = 0; batch < BATCHES; batch += 1) {
      const events = Array.from({ length: EVENTS_PER_BATCH }, makeEvent);
      expect((await sendEvents(proxy.url, client.project.projectToken, events)).status).toBe(202);
      await client.processed();
      if (batch === 5 || batch === 9) await resolveSome(random);
    }
    const served = await readServed(culprit, client);
    directory = writeLocalDirectory(proxy, served, PRESET);
    const local = directory.outcome();
    expect(incidentFacts(local)).toEqual(incidentFacts(served));
    expect(bundleFacts(local)).toEqual(bundleFacts(served));

    // Otherwise little would have been compared.
    const states = new Set([...served.values()].map(({ incident }) => incident.status));
    expect(served.size).toBeGreaterThan(8);
    expect(states).toEqual(new Set(['open', 'regressed', 'resolved']));
    const counted = [...served.values()].reduce((sum, { incident }) => sum + incident.occurrence_count, 0);
    expect(counted).toBeGreaterThan(BATCHES * EVENTS_PER_BATCH);
  });

  /** Some incidents of which more will come, and those of the service that falls silent. */
  async function resolveSome(random: SeededRandom): Promise<void> {
    for (const { incident_id: id, service_name: service } of await client.list()) {
      // The state of local mode has one resolution of each incident, the latest.
      if (proxy.resolutions.has(id) || (service !== 'silent' && !random.chance(0.3))) continue;
      const path = getIncident.path.replace(':id', id);
      const answer = await sendRequest(`${proxy.url}${path}/resolve`, { token: client.project.memberToken });
      expect(answer.status).toBe(200);
    }
  }
});

const NAMES = ['TypeError', 'RangeError', 'PaymentError', 'TimeoutError'];
const STATUSES = [200, 404, 408, 429, 500, 502, 503];
const LEVELS = ['info', 'warning', 'error', 'critical'];
const SPAN_MS = 2 * 3_600_000;

/** Events with ids of their own, now and then one that was sent before. */
function eventSource(random: SeededRandom): () => JsonObject {
  const sent: JsonObject[] = [];
  let count = 0;
  const oneOf = (prefix: string, size: number) => `${prefix}-${random.integer(1, size)}`;
  const maybe = <Value>(share: number, value: () => Value): Value | null =>
    random.chance(share) ? value() : null;

  function typeAndPayload(atMs: number): { event_type: string; payload: JsonObject } {
    const time = (ms: number) => new Date(ms).toISOString();
    const name = random.pick(NAMES);
    const stack = `${name}: it broke\n    at pay (/srv/${name}.js:4:2)\n    at main (/srv/main.js:9:1)`;
    const request = {
      method: 'POST',
      path: `/orders/${random.integer(1, 99)}`,
      query: {},
      headers: { host: 'shop.test', authorization: 'Bearer secret' },
      body: { cart: oneOf('cart', 9) },
    };
    const error = { name, message: `order ${random.integer(1, 999)} broke`, stack };
    switch (random.integer(0, 9)) {
      case 0:
      case 1:
      case 2:
        return {
          event_type: 'backend_exception',
          payload: {
            ...error,
            handled: false,
            request,
            response: { status_code: 500, headers: {}, body: null },
            runtime: { version: '24.1.0' },
          },
        };
      case 3:
        return {
          event_type: 'frontend_exception',
          payload: { ...error, route: '/cart', browser: { name: 'Chrome', version: '140' }, breadcrumbs: [] },
        };
      case 4: {
        const { method, path, query, headers } = request;
        const response_status = random.pick(STATUSES);
        return {
          event_type: 'request_event',
          payload: { method, path, query, headers, response_status, duration_ms: 12 },
        };
      }
      case 5:
      case 6:
        return {
          event_type: 'log_event',
          payload: {
            level: random.pick(LEVELS),
            message: `${random.pick(NAMES)} in order ${random.integer(1, 99)}`,
            attributes: { order: random.integer(1, 99) },
          },
        };
      case 7:
        return {
          event_type: 'frontend_breadcrumb',
          payload: { breadcrumb_type: 'click', route: '/cart', data: { selector: oneOf('#b', 9) } },
        };
      case 8: {
        const version = random.integer(1, 4);
        return {
          event_type: 'deploy_metadata',
          payload: {
            version: `1.${version}.0`,
            commit_sha: `c0ffee${version}`,
            branch: 'main',
            environment: 'production',
            deployed_at: time(START_MS - version * 900_000),
          },
        };
      }
      default: {
        const sample = sent.length > 0 && random.chance(0.6) ? random.pick(sent) : null;
        return {
          event_type: 'error_suppressed',
          payload: {
            fingerprint: oneOf('key', 6),
            suppressed_count: random.integer(1, 60),
            window_seconds: 30,
            first_seen: time(atMs - random.integer(1000, 60_000)),
            last_seen: time(atMs),
            ...(sample === null ? {} : { sample_event_id: sample.event_id ?? null }),
          },
        };
      }
    }
  }

  return () => {
    if (sent.length > 0 && random.chance(0.05)) return random.pick(sent);
    const atMs = START_MS - random.integer(0, SPAN_MS);
    count += 1;
    // Nothing comes from the silent service any more once its incidents are resolved.
    const isEarly = count <= 5 * EVENTS_PER_BATCH;
    const event: JsonObject = {
      schema_version: '2026-03-01',
      event_id: `e-${count}`,
      sdk_name: random.pick(['@culprit/node', '@debugbundle/sdk-node', 'debugbundle-python']),
      sdk_version: '1.0.0',
      occurred_at: new Date(atMs).toISOString(),
      service: {
        name: random.pick(isEarly ? ['api', 'web', 'silent'] : ['api', 'web']),
        environment: random.pick(['production', 'production', 'staging']),
        runtime: 'node',
        framework: null,
      },
      correlation: {
        trace_id: maybe(0.5, () => oneOf('t', 30)),
        request_id: maybe(0.5, () => oneOf('r', 30)),
        session_id: maybe(0.3, () => oneOf('s', 10)),
        user_id_hash: maybe(0.6, () => oneOf('u', 40)),
      },
      ...typeAndPayload(atMs),
    };
    sent.push(event);
    return event;
  };
}

const START_MS = Date.now();
