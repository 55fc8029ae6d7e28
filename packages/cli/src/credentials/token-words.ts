import { authError, type CliError } from '../cli-error.ts';
import { type SecretKind, secretKindOf } from '../output/secrets.ts';

const WRONG: Readonly<Record<SecretKind, readonly [string, string]>> = {
  member: [
    'That is a member token, which does not send events.',
    'a project token begins with svc_proj_: culprit tokens create --label NAME',
  ],
  project: [
    'That is a project token, which only sends events. A member token begins with svc_mem_.',
    'create one in the dashboard, or sign in another way: culprit login --email ADDRESS',
  ],
  invite: ['That is an invite, not a token.', 'accept it with: culprit invites accept'],
  webhook: [
    'That is the secret of a webhook, which only signs deliveries.',
    'it belongs to: culprit webhooks verify',
  ],
  probe: [
    'That is a trigger token of a probe, which belongs in a request header of your application.',
    'culprit probes list',
  ],
  github: ['That is a GitHub token.', 'exchange it with: culprit login --github-token'],
  other: ['That is not a Culprit token. A member token begins with svc_mem_.', 'culprit login'],
};

/** Refuses a secret of another kind before anything is sent, with words that say what it is. */
export function requireTokenKind(token: string, wanted: 'member' | 'project', from: string): void {
  const kind = secretKindOf(token);
  if (kind !== wanted) throw wrongKind(kind, wanted, from);
}

function wrongKind(kind: SecretKind, wanted: 'member' | 'project', from: string): CliError {
  const [what, hint] = WRONG[kind];
  const isOther = kind === 'other' && wanted === 'project';
  return authError(
    `${from}: ${isOther ? 'That is not a Culprit token. A project token begins with svc_proj_.' : what}`,
    isOther ? 'culprit tokens create --label NAME' : hint,
  );
}
