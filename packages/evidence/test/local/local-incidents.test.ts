import { DebugBundle } from '@culprit/contract/incidents/bundle';
import { Incident } from '@culprit/contract/incidents/incidents';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { writeBundle } from '../../src/bundles/document/bundle-bytes.ts';
import type { LocalFile } from '../../src/local/local-file.ts';
import { localPolicy, readLocalIncidents } from '../../src/local/local-incidents.ts';
import { fixture } from '../events/event-fixtures.ts';
import { localFile, readFiles, START_MS } from './local-files.ts';

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
const isBundle = ajv.compile(DebugBundle);
const isIncident = ajv.compile(Incident);

const MINUTE_MS = 60_000;

/** The only incident of some files. */
function only(files: readonly LocalFile[], resolved: Record<string, number> = {}) {
  const read = readFiles(files, resolved);
  const [incident] = read.incidents;
  if (incident === undefined || read.incidents.length > 1) {
    throw new Error(`${read.incidents.length} incidents`);
  }
  return { ...read, incident };
}

describe('an incident of local files', () => {
  it('is grouped, counted and shown in the forms of the API', () => {
    const later = { timestamp: '2026-03-24T10:31:00.000Z' };
    const { incident, bundle, counts } = only([
      localFile([fixture('A'), fixture('A', later)]),
      localFile([fixture('A')], START_MS + MINUTE_MS),
    ]);
    expect(isIncident(incident), JSON.stringify(isIncident.errors)).toBe(true);
    expect(incident).toMatchObject({
      project_id: 'proj_local',
      service_name: 'api-server',
      title: 'TypeError: total is undefined',
      severity: 'high',
      status: 'open',
      occurrence_count: 3,
      first_seen_at: '2026-03-24T10:30:00.000Z',
      last_seen_at: '2026-03-24T10:31:00.000Z',
      incident_reason: { kind: 'backend_exception', matched_policy: 'always_incident' },
    });
    expect(counts).toEqual({ submitted: 3, processed: 3, duplicate: 0, refusedByPolicy: 0, invalid: 0 });
    const document = bundle(incident.incident_id);
    expect(isBundle(document), JSON.stringify(isBundle.errors)).toBe(true);
    expect(document?.signal).toMatchObject({ fingerprint: incident.fingerprint, occurrence_count: 3 });
    expect(document?.links.incident).toBe(`local:/incidents/${incident.incident_id}`);
  });

  it('has an id that depends on environment, service and fingerprint alone', () => {
    const [first, again] = [
      only([localFile([fixture('A')])]),
      only([localFile([fixture('A')], START_MS + 1, 7)]),
    ];
    expect(first.incident.incident_id).toMatch(
      /^inc_[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(again.incident.incident_id).toBe(first.incident.incident_id);
    const elsewhere = only([localFile([fixture('A', { 'service.environment': 'staging' })])]);
    expect(elsewhere.incident.fingerprint).toBe(first.incident.fingerprint);
    expect(elsewhere.incident.incident_id).not.toBe(first.incident.incident_id);
  });

  it('counts an event id once, in however many files it is', () => {
    const event = fixture('A', { event_id: 'evt-1' });
    const { incident, counts } = only([localFile([event, event]), localFile([event], START_MS + 1)]);
    expect(incident.occurrence_count).toBe(1);
    expect(counts).toMatchObject({ submitted: 3, processed: 1, duplicate: 2 });
  });

  it('is refused by the policy as in the service, and kept under another preset', () => {
    const files = [localFile([fixture('LOG', { 'payload.level': 'info' }), fixture('A')])];
    expect(readFiles(files).counts).toMatchObject({ processed: 1, refusedByPolicy: 1 });
    const investigative = readLocalIncidents(files, {
      policy: localPolicy('investigative'),
      resolvedAtMs: new Map(),
    });
    expect(investigative.counts).toMatchObject({ processed: 2, refusedByPolicy: 0 });
  });

  it('shows the context that shares its trace', () => {
    const { incident, bundle } = only([
      localFile([
        fixture('LOG', {
          schema_version: '2026-03-01',
          'payload.level': 'warning',
          'payload.message': 'the cart is empty',
          correlation: { trace_id: 't-1' },
        }),
        fixture('W', { 'correlation.trace_id': 't-1' }),
      ]),
    ]);
    expect(JSON.stringify(bundle(incident.incident_id)?.context.logs)).toContain('the cart is empty');
  });

  it('hides listed keys and the ids of users', () => {
    const { incident, bundle } = only([
      localFile([
        fixture('W', {
          project_token: 'svc_proj_secret',
          'payload.request.headers': { authorization: 'Bearer abc', accept: '*/*' },
          context: { user_id: 'ada@example.test' },
        }),
      ]),
    ]);
    const text = JSON.stringify(bundle(incident.incident_id));
    expect(text).toContain('[REDACTED]');
    for (const secret of ['Bearer abc', 'ada@example.test', 'svc_proj_secret'])
      expect(text).not.toContain(secret);
  });

  it('names the deploy it ran under, whatever file told of it', () => {
    const { incident, bundle } = only([
      localFile([fixture('DEPLOY', { schema_version: '2026-03-01' })]),
      localFile([fixture('A')], START_MS + 1),
    ]);
    expect(incident.latest_deployment_id).not.toBeNull();
    expect(bundle(incident.incident_id)?.context.deploy).toMatchObject({ deploy_version: '2.4.0' });
  });

  it('has no document when its id is not known', () => {
    expect(readFiles([localFile([fixture('A')])]).bundle('inc_nowhere')).toBeNull();
  });
});

describe('a resolved local incident', () => {
  const files = [localFile([fixture('A')]), localFile([fixture('A')], START_MS + MINUTE_MS)];
  const { incident_id: id } = only(files).incident;

  it('stays resolved while no later file tells of it', () => {
    const { incident } = only(files, { [id]: START_MS + MINUTE_MS });
    expect(incident).toMatchObject({
      status: 'resolved',
      occurrence_count: 2,
      resolved_at: new Date(START_MS + MINUTE_MS).toISOString(),
    });
  });

  it('is regressed by a later file, also when the earlier ones are gone', () => {
    const regressed = { status: 'regressed', resolved_at: null };
    const regressedAt = new Date(START_MS + MINUTE_MS).toISOString();
    expect(only(files, { [id]: START_MS }).incident).toMatchObject({
      ...regressed,
      occurrence_count: 2,
      regressed_at: regressedAt,
    });
    expect(only(files.slice(1), { [id]: START_MS }).incident).toMatchObject({
      ...regressed,
      occurrence_count: 1,
      regressed_at: regressedAt,
    });
  });
});

describe('repeats that a library did not send', () => {
  const report = {
    'payload.suppressed_count': 40,
    'payload.first_seen': '2026-03-24T10:30:01Z',
    'payload.last_seen': '2026-03-24T10:30:20Z',
  };

  it('count in the incident of the event that the report names', () => {
    const { incident } = only([
      localFile([fixture('A', { event_id: 'e-1' })]),
      localFile([fixture('SUP', { ...report, 'payload.sample_event_id': 'e-1' })], START_MS + MINUTE_MS),
    ]);
    expect(incident).toMatchObject({ occurrence_count: 41, last_seen_at: '2026-03-24T10:30:20.000Z' });
  });

  it('count in the one incident of their time, and nowhere when there are two', () => {
    const sdk = { name: 'handmade', version: '1.0.0' };
    const files = [
      localFile([fixture('A'), fixture('LOG', { sdk, 'payload.level': 'warning' })]),
      localFile([fixture('SUP', { ...report, sdk })], START_MS + MINUTE_MS),
    ];
    expect(only(files).incident.occurrence_count).toBe(41);
    const both = readFiles([localFile([fixture('LOG', { sdk })], START_MS + 1, 2), ...files]);
    expect(both.incidents.map((each) => each.occurrence_count)).toEqual([1, 1]);
  });
});

describe('what local files tell', () => {
  const files = [
    localFile([fixture('W', { 'correlation.trace_id': 't-1' }), fixture('FE')], START_MS, 2),
    localFile([fixture('LOG', { 'payload.level': 'warning' }), fixture('REQ')], START_MS, 10_000),
    localFile([fixture('A'), fixture('DEPLOY')], START_MS + 500, 1),
  ];

  it('is the same in every order of the files, to the byte', () => {
    const bytesOf = (given: readonly LocalFile[]) => {
      const read = readFiles(given);
      return JSON.stringify([
        read.incidents,
        read.counts,
        read.incidents.map(({ incident_id: id }) => {
          const document = read.bundle(id);
          return document === null ? null : writeBundle(document).bytes.toString();
        }),
      ]);
    };
    const expected = bytesOf(files);
    expect(bytesOf(files)).toBe(expected);
    expect(bytesOf(files.toReversed())).toBe(expected);
  });

  it('leaves out files that are no list of events, and events that intake would refuse', () => {
    const broken: LocalFile[] = ['{"events":[]}', '[{"event_type":', '[],"more":[]', ''].map((text, n) => ({
      ...localFile([], START_MS, n),
      bytes: Buffer.from(text),
    }));
    const marked = localFile([], START_MS, 8);
    const read = readFiles([
      ...broken,
      { ...marked, bytes: Buffer.concat([Buffer.from('\ufeff'), marked.bytes]) },
      localFile([fixture('A'), { event_type: 'nonsense' }, fixture('A')], START_MS, 9),
    ]);
    expect(read.unusable.map(({ file }) => file)).toEqual(broken.map(({ name }) => name));
    expect(read.counts).toMatchObject({ submitted: 3, processed: 2, invalid: 1 });
    expect(read.incidents[0]?.occurrence_count).toBe(2);
  });

  it('reads one event from each line, and goes on after a line that is none', () => {
    const text = `${JSON.stringify(fixture('A'))}\n\nnot json\n${JSON.stringify(fixture('A'))}\r\n`;
    const { incident, counts } = only([{ ...localFile([]), format: 'lines', bytes: Buffer.from(text) }]);
    expect(incident.occurrence_count).toBe(2);
    expect(counts).toMatchObject({ submitted: 3, invalid: 1 });
  });
});
