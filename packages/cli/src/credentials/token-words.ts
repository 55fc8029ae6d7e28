import { authError, type CliError } from '../cli-error.ts';
import { type SecretKind, secretKindOf } from '../output/secrets.ts';

const WRONG: Readonly<Record<SecretKind, readonly [string, string]>> = {
  member: [
    'That is a member token: it reads and changes, and does not send events.',
    'a project token begins with svc_proj_: culprit tokens create --label NAME',
  ],
  project: [
    'That is a project token: it sends events and cannot read anything. A member token begins with svc_mem_.',
    'make one in the dashboard, or sign in another way: culprit login --email ADDRESS',
  ],
  invite: ['That is an invite, not a token.', 'accept it with: culprit invites accept'],
  webhook: [
    'That is the secret of a webhook, which signs deliveries and opens nothing.',
    'it belongs to: culprit webhooks verify',
  ],
  probe: [
    'That is a trigger token of a probe, which belongs into a request header of your application.',
    'culprit probes list',
  ],
  github: ['That is a token of GitHub.', 'exchange it with: culprit login --github-token'],
  other: ['That is not a token of Culprit. A member token begins with svc_mem_.', 'culprit login'],
};

/** Refuses a secret of another kind before anything is sent, with words that say what it is. */
export function requireTokenKind(token: string, wanted: 'member' | 'project', from: string): void {
  const kind = secretKindOf(token);
  if (kind !== wanted) throw wrongKind(kind, wanted, from);
}

function wrongKind(kind: SecretKind, wanted: 'member' | 'project', from: string): CliError {
  const [what, mend] = WRONG[kind];
  const isOther = kind === 'other' && wanted === 'project';
  return authError(
    `${from}: ${isOther ? 'That is not a token of Culprit. A project token begins with svc_proj_.' : what}`,
    isOther ? 'culprit tokens create --label NAME' : mend,
  );
}
