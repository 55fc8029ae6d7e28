import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fixture } from '../../../evidence/test/events/event-fixtures.ts';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { eventually } from '../../../server/test/support/eventually.ts';
import { shareCulprit } from '../../../server/test/support/shared-culprit.ts';
import { type SignedIn, signIn } from '../support/signed-in.ts';
import { startOtherRelease } from '../support/stand-in.ts';
import { EVENTS } from './temporary-project.ts';

/** Events of files, and what the service makes of them once they are pushed (C-35). */

const EVENTS_IN_A_FILE = 150;
const FILES = 4;

let culprit: TestCulprit;
let signedIn: SignedIn;
beforeAll(async () => {
  culprit = await shareCulprit();
  signedIn = await signIn(culprit);
});
afterAll(() => signedIn.home.remove());

async function listed(args: readonly string[], key = 'incidents'): Promise<JsonObject[]> {
  const body = await signedIn.home.json(args);
  const rows = isJsonObject(body) ? body[key] : null;
  return Array.isArray(rows) ? rows.filter(isJsonObject) : [];
}

/** What two incidents of the same events have in common, wherever they were made. */
function sameOf({ fingerprint, title, service_name, environment, occurrence_count }: JsonObject) {
  return { fingerprint, title, service_name, environment, occurrence_count };
}

function inOrder(incidents: readonly JsonObject[]) {
  return incidents.map(sameOf).sort((a, b) => String(a.fingerprint).localeCompare(String(b.fingerprint)));
}

it('are grouped and told as the service does', { timeout: 120_000 }, async () => {
  const now = new Date().toISOString();
  const events = (['A', 'W', 'W', 'LOG'] as const).map((name, index) =>
    fixture(name, { event_id: `e-${crypto.randomUUID()}-${index}`, timestamp: now, occurred_at: now }),
  );
  signedIn.home.write(`${EVENTS}/${Date.now()}-0001-api-server.events.json`, JSON.stringify(events));
  const local = await listed(['local', 'list']);
  expect(local.length).toBeGreaterThan(1);
  const bundles = new Map<unknown, JsonObject>();
  for (const { incident_id, fingerprint } of local) {
    const bundle = await signedIn.home.json(['local', 'bundle', String(incident_id)]);
    if (isJsonObject(bundle)) bundles.set(fingerprint, bundle);
  }
  expect(await signedIn.home.run(['local', 'push'])).toMatchObject({ code: 0 });
  expect(await listed(['local', 'list'])).toEqual([]);
  await culprit.drain();
  const served = await eventually(async () => {
    const incidents = await listed(['incidents', 'list', '--status', 'all']);
    expect(inOrder(incidents)).toEqual(inOrder(local));
    return incidents;
  });
  for (const { incident_id, fingerprint } of served) {
    const bundle = await signedIn.home.json(['bundle', String(incident_id), '--wait']);
    const { context, summary } = bundles.get(fingerprint) ?? {};
    expect(bundle).toMatchObject({
      context: {
        error: isJsonObject(context) ? context.error : null,
        request: isJsonObject(context) ? context.request : null,
      },
      summary: {
        first_application_frame: isJsonObject(summary) ? summary.first_application_frame : null,
        likely_cause: isJsonObject(summary) ? summary.likely_cause : null,
      },
    });
  }
});

it('count once, also when the push is killed in the middle and made again', {
  timeout: 120_000,
}, async () => {
  const now = new Date().toISOString();
  for (let file = 0; file < FILES; file += 1) {
    const events = Array.from({ length: EVENTS_IN_A_FILE }, () =>
      fixture('LOG', {
        event_id: `e-${crypto.randomUUID()}`,
        timestamp: now,
        occurred_at: now,
        'service.name': 'pushed',
        'payload.message': 'push me',
      }),
    );
    const name = `${Date.now() + file}-000${file}-pushed.events.json`;
    signedIn.home.write(`${EVENTS}/${name}`, JSON.stringify(events));
  }
  const between = await startOtherRelease(culprit.url, {});
  const { projectToken: CULPRIT_PROJECT_TOKEN } = signedIn.project;
  const running = signedIn.home.start(['local', 'push'], {
    environment: { CULPRIT_URL: between.url, CULPRIT_PROJECT_TOKEN },
  });
  await eventually(() => expect(between.requests.length).toBeGreaterThan(1));
  running.kill('SIGKILL');
  await running.ended;
  await between.stop();
  expect(await signedIn.home.run(['local', 'push'])).toMatchObject({ code: 0 });
  await culprit.drain();
  await eventually(async () => {
    const [incident] = await listed(['incidents', 'list', '--service', 'pushed']);
    expect(incident?.occurrence_count).toBe(EVENTS_IN_A_FILE * FILES);
  });
});
