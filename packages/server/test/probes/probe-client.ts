import type { ProbeDirective } from '@culprit/contract/events/events';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import { parseId } from '../../src/platform/ids.ts';
import type { TestCulprit, TestProject } from '../support/culprit.ts';
import { type Answer, sendEvents, sendRequest } from '../support/send-events.ts';

/** What a person does with remote probes, and what applications are told of them. */
export interface ProbeClient {
  project: TestProject;
  /** The raw answer; the body is the usual one with changes. */
  activate(body?: JsonObject, options?: { token?: string; url?: string }): Promise<Answer>;
  /** Id of a probe that was switched on; throws for a refusal. */
  activated(body?: JsonObject, url?: string): Promise<string>;
  deactivate(activationId: string, options?: { token?: string; url?: string }): Promise<Answer>;
  list(query?: string): Promise<Answer>;
  /** Ids of the active probes, newest first. */
  listed(): Promise<string[]>;
  /** What the answer to one event tells. */
  directives(url?: string): Promise<ProbeDirective[]>;
  config(options?: ConfigRequest): Promise<Answer>;
}

interface ConfigRequest {
  url?: string;
  query?: string;
  token?: string | null;
  headers?: Readonly<Record<string, string>>;
}

export const EVENT = {
  event_type: 'backend_exception',
  timestamp: '2026-03-24T10:30:00Z',
  service: { name: 'api-server', environment: 'production' },
  payload: { name: 'TypeError', message: 'x is undefined' },
};

export function probeClient(culprit: TestCulprit, project: TestProject): ProbeClient {
  const path = `/v1/projects/${project.projectId}/probes`;

  async function activate(body: JsonObject = {}, { token = project.memberToken, url = culprit.url } = {}) {
    return await sendRequest(`${url}${path}/activate`, {
      token,
      body: JSON.stringify({ label_pattern: 'auth.*', ...body }),
    });
  }

  async function list(query = '') {
    return await sendRequest(`${culprit.url}${path}${query}`, {
      method: 'GET',
      token: project.memberToken,
    });
  }

  return {
    project,
    activate,
    list,
    async activated(body, url) {
      const answer = await activate(body, url === undefined ? {} : { url });
      return String(activationIn(answer).activation_id);
    },
    async deactivate(activationId, { token = project.memberToken, url = culprit.url } = {}) {
      return await sendRequest(`${url}${path}/deactivate`, {
        token,
        body: JSON.stringify({ activation_id: activationId }),
      });
    },
    async listed() {
      return objectsAt(await list(), 'probes').map((probe) => String(probe.activation_id));
    },
    async directives(url = culprit.url) {
      const { status, body } = await sendEvents(url, project.projectToken, [EVENT]);
      if (status !== 202 || !isAcknowledged(body))
        throw new Error(`answered ${status} ${JSON.stringify(body)}`);
      return body.probe_directives.active_probes;
    },
    async config({ url = culprit.url, query = '', token = project.projectToken, headers = {} } = {}) {
      return await sendRequest(`${url}/v1/sdk/config${query}`, { method: 'GET', token, headers });
    },
  };
}

/** The activation of a `201`; throws for every other answer. */
export function activationIn({ status, body }: Answer): JsonObject {
  if (status !== 201 || !isJsonObject(body) || !isJsonObject(body.activation)) {
    throw new Error(`answered ${status} ${JSON.stringify(body)}`);
  }
  return body.activation;
}

/** The objects of a list in an answer; throws where there is none. */
export function objectsAt({ status, body }: Answer, key: string): JsonObject[] {
  const items = isJsonObject(body) ? body[key] : undefined;
  if (!Array.isArray(items)) throw new Error(`answered ${status} ${JSON.stringify(body)}`);
  return items.filter(isJsonObject);
}

function isAcknowledged(body: unknown): body is { probe_directives: { active_probes: ProbeDirective[] } } {
  return (
    isJsonObject(body) &&
    isJsonObject(body.probe_directives) &&
    Array.isArray(body.probe_directives.active_probes)
  );
}

export async function addRule(culprit: TestCulprit, project: TestProject, rule: object): Promise<Answer> {
  const answer = await sendRequest(`${culprit.url}/v1/projects/${project.projectId}/capture-rules`, {
    token: project.memberToken,
    body: JSON.stringify({ action: 'drop', ...rule }),
  });
  if (answer.status !== 201 || !isJsonObject(answer.body)) {
    throw new Error(`answered ${answer.status} ${JSON.stringify(answer.body)}`);
  }
  return answer;
}

export async function setPreset(culprit: TestCulprit, project: TestProject, preset: string): Promise<void> {
  await culprit.database.query(
    { name: 'test-preset-of', text: 'update projects set capture_preset = $2 where project_id = $1' },
    [bareId(project), preset],
  );
}

export function bareId(project: TestProject): string {
  return parseId(['proj'], project.projectId) ?? '';
}
