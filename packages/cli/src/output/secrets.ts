const SECRET = /svc_(mem|proj|invite|probe|whsec)_[0-9A-Za-z._-]{8,}/g;

/** Replaces whatever has the form of one of our secrets: the last filter before anything is written. */
export function maskSecrets(text: string): string {
  return text.replace(SECRET, (_, kind: string) => `svc_${kind}_[HIDDEN]`);
}

/** The kinds of secret by how they begin, with words for people who use one in the wrong place. */
export type SecretKind = 'member' | 'project' | 'invite' | 'webhook' | 'probe' | 'github' | 'other';

const BEGINNINGS: readonly (readonly [string, SecretKind])[] = [
  ['svc_mem_', 'member'],
  ['svc_proj_', 'project'],
  ['svc_invite_', 'invite'],
  ['svc_whsec_', 'webhook'],
  ['svc_probe_', 'probe'],
  ['ghp_', 'github'],
  ['gho_', 'github'],
  ['github_pat_', 'github'],
];

/** Returns the kind of secret of a text, by its beginning. */
export function secretKindOf(text: string): SecretKind {
  return BEGINNINGS.find(([beginning]) => text.startsWith(beginning))?.[1] ?? 'other';
}

/** First four characters, three periods, last four: as the server shows a token (docs/contract/account.md 4.2). */
export function tokenPreview(token: string): string {
  return `${token.slice(0, 4)}...${token.slice(-4)}`;
}
