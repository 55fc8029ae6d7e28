import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';

/** What `X-Service-Problem` says of bodies (docs/contract/account.md 0). */
describe('a refused body', () => {
  let culprit: TestCulprit;
  let project: TestProject;

  beforeAll(async () => {
    culprit = await startCulprit({ hasWorker: false });
    project = await culprit.createProject();
  });
  afterAll(() => culprit.stop());

  const rule = { name: 'r', action: 'drop', matcher: { services: ['a'] } };

  it.each([
    ['/v1/projects', { name: ' ' }, '/name: must have a character besides white space'],
    [
      '/v1/projects',
      { name: 'n', weekly_report_timezone: '+01:00' },
      '/weekly_report_timezone: is not a time zone such as Europe/Berlin',
    ],
    [
      '/v1/projects/:id/tokens',
      { label: 'a', allowed_origins: ['nonsense'] },
      '/allowed_origins: must be origins such as https://shop.example',
    ],
    [
      '/v1/projects/:id/capture-rules',
      { ...rule, action: 'burn' },
      '/action: must be "demote" or "sample" or "drop"',
    ],
    [
      '/v1/projects/:id/capture-rules',
      { ...rule, action: 'sample', sample_rate: 0.5 },
      '/sample_event_class: is needed to sample',
    ],
    [
      '/v1/projects/:id/capture-rules',
      { ...rule, sample_rate: 0.5 },
      '/sample_rate: is for the action sample only',
    ],
    [
      '/v1/projects/:id/capture-rules',
      { ...rule, matcher: { event_types: ['log_event'] } },
      '/matcher: must have a key besides event_types',
    ],
    [
      '/v1/projects/:id/capture-rules',
      { ...rule, matcher: { services: 'a' } },
      '/matcher/services: must be a list',
    ],
    [
      '/v1/projects/:id/capture-rules',
      { ...rule, expires_at: '2020-01-01T00:00:00Z' },
      '/expires_at: must be in the future',
    ],
    [
      '/v1/auth/request-code',
      { email: 'nobody', accepted_terms: true },
      '/email: does not have the required form',
    ],
  ])('of %s that is %j is explained: %s', async (path, body, words) => {
    const response = await fetch(culprit.url + path.replace(':id', project.projectId), {
      method: 'POST',
      headers: { authorization: `Bearer ${project.memberToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect([response.status, await response.json()]).toEqual([400, { error: 'invalid_payload' }]);
    expect(response.headers.get('x-service-problem')).toBe(words);
  });
});
