import type { Secret } from '../../../platform/secrets/secret.ts';

/** The GitHub application of this installation (docs/contract/account.md 3, 14). */
export interface GithubSettings {
  clientId: string;
  clientSecret: Secret;
  /** GitHub, or a GitHub Enterprise server; without a final slash. */
  url: string;
  /** Its API, likewise. */
  apiUrl: string;
  /** True if GitHub tokens are exchanged for member tokens at all (docs/contract/account.md 3.5). */
  isExchangeOn: boolean;
  /** Client ids, besides our own and the GitHub command line's, whose tokens are accepted there. */
  exchangeClients: readonly string[];
  /** For one request to GitHub, its body included. */
  requestTimeoutMs: number;
}

/** Three requests in a row still end before the 30 s a request of ours may take. */
export const GITHUB_REQUEST_TIMEOUT_MS = 8_000;
