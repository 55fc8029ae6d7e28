import { GITHUB_REQUEST_TIMEOUT_MS, type GithubSettings } from '../accounts/github/github-settings.ts';
import type { Config } from '../platform/config.ts';

/** The GitHub application from the settings; null when there is none, and so no sign-in with GitHub. */
export function githubSettings(config: Config): GithubSettings | null {
  const { githubClientId: clientId, githubClientSecret: clientSecret } = config;
  if (clientId === null || clientSecret === null) return null;
  return {
    clientId,
    clientSecret,
    url: config.githubUrl,
    apiUrl: config.githubApiUrl,
    isExchangeOn: config.isGithubExchangeOn,
    exchangeClients: config.githubExchangeClients,
    requestTimeoutMs: GITHUB_REQUEST_TIMEOUT_MS,
  };
}
