import { deriveKey } from '../../platform/data-key.ts';
import type { Secret } from '../../platform/secret.ts';
import type { SignInRoom } from '../sign-in-room.ts';
import { createGithubApi, type GithubApi } from './github-api.ts';
import { createGithubOauth, type GithubOauth } from './github-oauth.ts';
import type { GithubSettings } from './github-settings.ts';

/** What the operations of signing in with GitHub work with. */
export interface GithubRoom extends Pick<SignInRoom, 'database' | 'plans' | 'settings'> {
  github: GithubSettings;
  oauth: GithubOauth;
  api: GithubApi;
  /** Makes the PKCE verifier of a state. */
  verifierKey: Buffer;
  /** Encrypts GitHub's device codes. */
  deviceCodeKey: Buffer;
  /** Where GitHub sends browsers back to. */
  callbackUrl: string;
  appUrl: string;
}

/** Opens the room for the configured GitHub application. */
export function openGithubRoom(
  room: Pick<SignInRoom, 'database' | 'plans' | 'settings'>,
  options: { github: GithubSettings; dataKey: Secret<Buffer>; baseUrl: string; appUrl: string },
): GithubRoom {
  const { github, dataKey, baseUrl, appUrl } = options;
  const { database, plans, settings } = room;
  return {
    database,
    plans,
    settings,
    github,
    oauth: createGithubOauth(github),
    api: createGithubApi(github),
    verifierKey: deriveKey(dataKey, 'github-pkce'),
    deviceCodeKey: deriveKey(dataKey, 'github-device-codes'),
    callbackUrl: `${baseUrl}/v1/auth/github/callback`,
    appUrl,
  };
}
