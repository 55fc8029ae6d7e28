import { localPolicy, readLocalIncidents } from '@culprit/evidence/local/local-incidents';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { TYPED_SECRETS } from '../../../../demo/browser/visits.ts';
import { EXPECTED_INCIDENTS } from '../../../../demo/expected-incidents.ts';
import { tellStory } from '../../../../demo/story/tell-story.ts';
import { readEventFiles } from '../../../cli/src/local/read-event-files.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { clientOf } from '../support/incident-client.ts';
import {
  bundleFacts,
  incidentFacts,
  type Outcome,
  readServed,
  writeLocalDirectory,
} from '../support/local-mode.ts';
import { type RecordingProxy, startRecordingProxy } from '../support/recording-proxy.ts';

/** The proof of docs/contract/clients.md 11.5: the demo's events through a real service, and as files of local mode. */

const STORY_MS = 240_000;
/** That of a project whose service has no plan limits. */
const PRESET = 'investigative';

let culprit: TestCulprit;
let proxy: RecordingProxy;
let directory: ReturnType<typeof writeLocalDirectory>;
let served: Outcome;
let local: Outcome;

beforeAll(async () => {
  culprit = await startCulprit();
  proxy = await startRecordingProxy(culprit.url);
  const project = await culprit.createProject({ preset: PRESET });
  const silence = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    const { projectId, projectToken, memberToken } = project;
    const ids = { projectId, projectToken, memberToken };
    const connection = { baseUrl: proxy.url, version: 'test', email: 'demo@example.test', ...ids };
    const checks = await tellStory(connection, new Date());
    expect(checks.missing).toEqual([]);
  } finally {
    silence.mockRestore();
  }
  served = await readServed(culprit, clientOf(culprit, project));
  directory = writeLocalDirectory(proxy, served, PRESET);
  local = directory.outcome();
}, STORY_MS);

afterAll(async () => {
  directory?.remove();
  await proxy?.stop();
  await culprit?.stop();
});

describe('the demo as files of local mode', () => {
  it('holds nothing that a visitor typed as a secret, because the libraries sent none of it', () => {
    const sent = JSON.stringify(proxy.batches);
    expect(sent).toContain('@culprit/node');
    expect(sent).toContain('@culprit/browser');
    for (const secret of TYPED_SECRETS) expect(sent).not.toContain(secret);
  });

  it('has the incidents of the service: fingerprints, titles, causes, counts, severities and states', () => {
    expect(incidentFacts(local)).toEqual(incidentFacts(served));
    expect(local.size).toBe(EXPECTED_INCIDENTS.length);
    expect([...local.values()].map(({ incident }) => incident.status)).toContain('regressed');
  });

  it('has their bundles: context, summary, reproduction and everything but ids, links and times of receipt', () => {
    expect(bundleFacts(local)).toEqual(bundleFacts(served));
  });

  it('prints equal bytes each time, and in whatever order the files are given', () => {
    const bundles = [...local.values()].map(({ incident }) => ['bundle', incident.incident_id]);
    for (const command of [['list'], ...bundles]) expect(directory.run(command)).toBe(directory.run(command));
    const { files } = readEventFiles([directory.events]);
    const options = { policy: localPolicy(PRESET), resolvedAtMs: new Map() };
    const [forwards, backwards] = [files, files.toReversed()].map((given) =>
      readLocalIncidents(given, options),
    );
    expect(JSON.stringify(backwards?.incidents)).toBe(JSON.stringify(forwards?.incidents));
  });
});
