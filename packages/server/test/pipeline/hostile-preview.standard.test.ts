import { createClient } from '@culprit/contract/endpoints/client';
import { previewGrouping } from '@culprit/contract/incidents/grouping-preview';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { managementClient } from '../support/management-client.ts';
import { acknowledgement, sendEvents } from '../support/send-events.ts';

/** docs/contract/grouping.md 7: a preview is bounded in time and holds up no other request. */

const EVENTS = 60;
const STACK_CHARS = 60_000;
const rulesOf = (end: string) =>
  Array.from({ length: 50 }, (_, n) => `${'*?a'.repeat(60 - (n % 10))}*${end}${n} own`);

let culprit: TestCulprit;
beforeAll(async () => {
  // Events that are stored and not yet counted are read by the preview all the same.
  culprit = await startCulprit({ hasWorker: false });
});
afterAll(() => culprit.stop());

/** An exception at the caps, with files that are all different. */
function hostileEvent(n: number): object {
  const stack = (cause: number) => {
    let text = 'Error: x\n';
    for (let line = 0; text.length < STACK_CHARS; line += 1) {
      text += `    at f${line} (/srv/${'a'.repeat(190)}${n}-${cause}-${line}.js:1:2)\n`;
    }
    return text;
  };
  return {
    event_type: 'backend_exception',
    timestamp: new Date().toISOString(),
    service: { name: 'shop', environment: 'production' },
    sdk: { name: 'custom', version: '1.0.0' },
    payload: {
      name: 'Error',
      message: `failure ${n}`,
      stack: stack(0),
      causes: [1, 2, 3].map((cause) => ({ name: 'Error', message: 'cause', stack: stack(cause) })),
    },
  };
}

describe('a preview whose work would take much longer than its time', () => {
  it('answers with what it could read, and liveness is answered all the while', {
    timeout: 120_000,
  }, async () => {
    const project = await culprit.createProject({ plan: 'team' });
    for (let n = 0; n < EVENTS; n += 3) {
      const events = [n, n + 1, n + 2].map(hostileEvent);
      expect(acknowledgement(await sendEvents(culprit.url, project.projectToken, events)).accepted).toBe(3);
    }
    const { status } = await managementClient(culprit, project.memberToken).patch(
      `/v1/projects/${project.projectId}`,
      { stack_rules: rulesOf('b') },
    );
    expect(status).toBe(200);
    const api = createClient({ baseUrl: culprit.url, token: project.memberToken });
    const preview = { isAnswered: false };
    const answering = api
      .call(previewGrouping, {
        params: { id: project.projectId },
        body: { stack_rules: rulesOf('c'), hours: 1 },
      })
      .finally(() => {
        preview.isAnswered = true;
      });
    let lives = 0;
    while (!preview.isAnswered) {
      expect((await fetch(`${culprit.url}/live`)).status).toBe(200);
      lives += 1;
    }
    expect(await answering).toMatchObject({ ok: true, body: { is_complete: false } });
    // One after the other: while the event loop is held up there is none.
    expect(lives).toBeGreaterThan(EVENTS);
  });
});
