import type { Secret } from '../../platform/secret.ts';
import type { GithubSettings } from './github-settings.ts';

/** The application behind `gh`, GitHub's own command line; the same for GitHub Enterprise servers. */
const GITHUB_CLI_CLIENT_ID = '178c6fc778ccc68e1d6a';

/** How tokens of applications begin; those that a person made by hand begin with `ghp_` or `github_pat_`. */
const APPLICATION_TOKEN = /^gh[ours]_/;

/**
 * Whether a GitHub token may be exchanged (account.md 3.5): one made by hand, or one of an application we know. Any
 * other application's token is refused, for every application a person ever authorized has one.
 * @param issuingClientId as GitHub names it; a token of an application for which it names none is not known to be ours
 */
export function isExchangeable(
  accessToken: Secret,
  issuingClientId: string | null,
  github: Pick<GithubSettings, 'clientId' | 'exchangeClients'>,
): boolean {
  if (issuingClientId === null) return !APPLICATION_TOKEN.test(accessToken.reveal());
  return [github.clientId, GITHUB_CLI_CLIENT_ID, ...github.exchangeClients].includes(issuingClientId);
}
