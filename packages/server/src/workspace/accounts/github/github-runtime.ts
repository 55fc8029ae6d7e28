import type { Runtime } from '../../../runtime.ts';
import { createGithubApi, type GithubApi } from './github-api.ts';
import { createGithubOauth, type GithubOauth } from './github-oauth.ts';
import type { GithubSettings } from './github-settings.ts';

/** Keeps the state of a sign-in with GitHub in its browser. */
export const GITHUB_COOKIE = { name: 'svc_oauth', path: '/v1/auth/github' };

/** The runtime of an installation that has a GitHub application, with what is made once from it to speak to GitHub. */
export interface GithubRuntime extends Runtime {
  readonly github: GithubSettings;
  readonly githubOauth: GithubOauth;
  readonly githubApi: GithubApi;
  /** The address to which GitHub sends browsers back. */
  readonly githubCallbackUrl: string;
}

/** Null without a GitHub application. */
export function openGithub(runtime: Runtime): GithubRuntime | null {
  const { github, baseUrl } = runtime;
  if (github === null) return null;
  return {
    ...runtime,
    github,
    githubOauth: createGithubOauth(github),
    githubApi: createGithubApi(github),
    githubCallbackUrl: `${baseUrl}/v1/auth/github/callback`,
  };
}
