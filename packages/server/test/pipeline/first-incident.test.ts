import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';

// Runs on the oldest PostgreSQL too.

const EVENT = {
  event_type: 'backend_exception',
  timestamp: new Date().toISOString(),
  service: { name: 'checkout-api', environment: 'production' },
  sdk: { name: 'custom', version: '1.0.0' },
  context: {},
  payload: {
    error_class: 'TypeError',
    message: "Cannot read properties of undefined (reading 'theme')",
    stacktrace:
      "TypeError: Cannot read properties of undefined (reading 'theme')\n    at renderTheme (/srv/releases/20260324101500/src/checkout/theme.js:42:27)\n    at async CheckoutService.submit (/srv/releases/20260324101500/src/checkout/service.js:118:12)\n    at async /srv/releases/20260324101500/src/http/routes.js:77:5\n    at Layer.handle [as handle_request] (/srv/releases/20260324101500/node_modules/express/lib/router/layer.js:95:5)\n    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)",
  },
};

describe('the main job', () => {
  let culprit: TestCulprit;
  let project: TestProject;
  beforeAll(async () => {
    culprit = await startCulprit();
    project = await culprit.createProject();
  });
  afterAll(() => culprit.stop());

  it('turns an accepted event into an incident with a bundle', async () => {
    const sent = await fetch(`${culprit.url}/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${project.projectToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ events: [EVENT] }),
    });
    expect(await sent.json()).toEqual({
      accepted: 1,
      rejected: 0,
      errors: [],
      probe_directives: { active_probes: [] },
    });
    expect(sent.status).toBe(202);
    await culprit.drain();
    const headers = { authorization: `Bearer ${project.memberToken}` };
    const list = await (await fetch(`${culprit.url}/v1/incidents`, { headers })).json();
    expect(list.incidents[0]).toMatchObject({
      fingerprint: 'fa006c3229eed44563677272044dd2e563b3bf756ad902afeb3b389617c7c018',
      occurrence_count: 1,
      status: 'open',
    });
    const id = list.incidents[0].incident_id;
    const bundle = await (await fetch(`${culprit.url}/v1/incidents/${id}/bundle`, { headers })).json();
    expect(bundle).toMatchObject({ bundle_version: 1, metadata: { generation_number: 1 } });
  });
});
