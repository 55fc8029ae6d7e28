import { mkdirSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@culprit/contract/endpoints/client';
import { getIncidentBundle } from '@culprit/contract/incidents/incident-bundle';
import { listIncidents } from '@culprit/contract/incidents/incidents';
import { EXPECTED_INCIDENTS, fits } from './expected-incidents.ts';
import { connect } from './service/connect.ts';

/**
 * Stores the incidents of the demo with their bundles, which tests and the benchmark read what agents are shown of them
 * from: `node demo/record-evidence.ts packages/mcp/test/corpus`, with a running server in which the demo has run once.
 */
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Usage: node demo/record-evidence.ts FOLDER');
const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
mkdirSync(folder, { recursive: true });
const { baseUrl, memberToken, projectId } = await connect(process.env, {
  email: undefined,
  ask: null,
});
const api = createClient({ baseUrl, token: memberToken });
const listed = await api.call(listIncidents, { query: { project_id: projectId, limit: 100 } });
if (!listed.ok) throw new Error(`the incidents cannot be read: ${listed.error}`);
for (const expected of EXPECTED_INCIDENTS) {
  const incident = listed.body.incidents.find((each) => fits(each, expected));
  if (incident === undefined) throw new Error(`there is no incident for ${expected.what}`);
  const answer = await api.call(getIncidentBundle, { params: { id: incident.incident_id } });
  if (!answer.ok || !('bundle_version' in answer.body)) throw new Error(`no bundle for ${expected.what}`);
  const content = { incident, bundle: answer.body };
  // Facts about the recording machine are not kept.
  const text = JSON.stringify(content, null, 1)
    .replaceAll(ROOT, '/srv/shop')
    .replaceAll(tmpdir(), '/srv')
    .replaceAll(hostname(), 'shop-1');
  writeFileSync(join(folder, `${expected.name}.json`), `${text}\n`);
}
