import { createClient } from '@culprit/contract/endpoints/client';
import * as projects from '@culprit/contract/workspace/projects';
import * as tokens from '@culprit/contract/workspace/tokens';
import type { TestCulprit } from './culprit.ts';
import { expectOk } from './expect-ok.ts';
import { type Answer, sendRequest } from './send-events.ts';

/** What a member does with projects and tokens, over HTTP. */
export interface ManagementClient {
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  patch(path: string, body: unknown): Promise<Answer>;
  delete(path: string): Promise<Answer>;
  /** These throw for every other answer than the one that is meant. */
  createProject(body?: { name?: string; slug?: string }): Promise<projects.Project>;
  readProject(projectId: string): Promise<projects.Project>;
  createProjectToken(
    projectId: string,
    body?: { label?: string; allowed_origins?: string[] },
  ): Promise<tokens.CreatedProjectToken>;
  listProjectTokens(projectId: string): Promise<tokens.ProjectToken[]>;
  createMemberToken(label?: string, access?: tokens.TokenAccess): Promise<tokens.CreatedMemberToken>;
  listMemberTokens(): Promise<tokens.MemberToken[]>;
}

/** A client that presents this member token. */
export function managementClient(culprit: Pick<TestCulprit, 'url'>, memberToken: string): ManagementClient {
  const api = createClient({ baseUrl: culprit.url, token: memberToken });

  function send(method: string, path: string, body?: unknown): Promise<Answer> {
    return sendRequest(culprit.url + path, {
      method,
      token: memberToken,
      json: body,
    });
  }

  return {
    get: (path) => send('GET', path),
    post: (path, body) => send('POST', path, body),
    patch: (path, body) => send('PATCH', path, body),
    delete: (path) => send('DELETE', path),
    async createProject(body = {}) {
      return expectOk(await api.call(projects.createProject, { body: { name: 'shop', ...body } })).project;
    },
    async readProject(id) {
      return expectOk(await api.call(projects.getProject, { params: { id } })).project;
    },
    async createProjectToken(id, body = {}) {
      const call = await api.call(tokens.createProjectToken, {
        params: { id },
        body: { label: 'test', ...body },
      });
      return expectOk(call).token;
    },
    async listProjectTokens(id) {
      const call = await api.call(tokens.listProjectTokens, { params: { id }, query: { limit: 100 } });
      return expectOk(call).tokens;
    },
    async createMemberToken(label = 'test', access = 'full') {
      return expectOk(await api.call(tokens.createMemberToken, { body: { label, access } })).token;
    },
    async listMemberTokens() {
      return expectOk(await api.call(tokens.listMemberTokens, { query: { limit: 100 } })).tokens;
    },
  };
}
