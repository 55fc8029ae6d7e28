import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import { expect, onTestFinished } from 'vitest';
import { EX } from '../conformance/incidents-fixtures.ts';
import type { TestCulprit } from './culprit.ts';
import { eventually } from './eventually.ts';
import { connect, type IncidentClient } from './incident-client.ts';
import { newAddress } from './people.ts';
import { type Answer, sendRequest } from './send-events.ts';
import { startTrackerServer, type TrackerServer } from './tracker-server.ts';
import { TRACKER_TOKEN } from './trackers/tracker-store.ts';

/** A project with an incident and a connection to a tracker of its own. */
export interface TrackerBench {
  culprit: TestCulprit;
  server: TrackerServer;
  client: IncidentClient;
  id: string;
  trackerId: string;
  ask(method: string, path: string, body?: unknown, token?: string): Promise<Answer>;
  links(): Promise<JsonObject[]>;
  /** Waits until the newest link has these fields. */
  linked(fields: JsonObject): Promise<JsonObject>;
}

export async function startTrackerBench(
  culprit: TestCulprit,
  settings: JsonObject = {},
  options: { email?: string; server?: TrackerServer } = {},
): Promise<TrackerBench> {
  const { email = newAddress('owner'), server = await startTrackerServer() } = options;
  onTestFinished(() => server.close());
  const client = await connect(culprit, { email });
  await client.send(EX());
  const { incident_id: id } = await client.only();
  const ask: TrackerBench['ask'] = (method, path, body, token = client.project.memberToken) =>
    sendRequest(`${culprit.url}/v1${path}`, {
      method,
      token,
      json: body,
    });
  const made = await ask('POST', `/projects/${client.project.projectId}/trackers`, {
    ...{ kind: 'github', base_url: `${server.url}/`, target: 'acme/shop', token: TRACKER_TOKEN },
    ...settings,
  });
  expect(made.status).toBe(201);
  expect(JSON.stringify(made.body)).not.toContain(TRACKER_TOKEN);
  const links = async () => {
    const { body } = await ask('GET', `/incidents/${id}/links`);
    return isJsonObject(body) && Array.isArray(body.links)
      ? body.links.filter((each) => isJsonObject(each))
      : [];
  };
  return {
    ...{ culprit, server, client, id, ask, links },
    trackerId: textIn(made.body, 'tracker', 'tracker_id'),
    linked: (fields) =>
      eventually(async () => {
        const [link] = await links();
        expect(link).toMatchObject(fields);
        return link ?? {};
      }),
  };
}

export function textIn(body: unknown, ...path: string[]): string {
  let value = body;
  for (const key of path) value = isJsonObject(value) ? value[key] : undefined;
  if (typeof value !== 'string') throw new Error(`no ${path.join('.')} in ${JSON.stringify(body)}`);
  return value;
}

export const createTicket = ({ ask, id, trackerId }: TrackerBench) =>
  ask('POST', `/incidents/${id}/links`, { tracker_id: trackerId });
export const trackerPath = ({ client, trackerId }: TrackerBench) =>
  `/projects/${client.project.projectId}/trackers/${trackerId}`;
