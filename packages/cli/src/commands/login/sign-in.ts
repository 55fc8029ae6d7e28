import type { CreatedMemberToken } from '@culprit/contract/workspace/tokens';
import type { Api } from '../../api/api.ts';
import { usageError } from '../../cli-error.ts';
import type { Context } from '../../context.ts';
import type { MadeBy } from '../../credentials/credential-file.ts';
import type { Input } from '../../input.ts';
import { askChoice } from '../../output/ask.ts';

/** The number of times that a typed code or token can be wrong. */
export const TRIES_MAX = 3;

/** The result of every way to sign in: an ordinary member token. */
export interface SignIn {
  token: string;
  madeBy: MadeBy;
  label: string | null;
  email: string | null;
  userId: string | null;
  /** The record of the new token, as `whoami` shows it. */
  record: TokenRecord | null;
  /** Named by the output of a bootstrap. */
  projectId: string | null;
  projectToken: string | null;
}

interface TokenRecord {
  token_id: string;
  label: string;
  token_preview: string;
  created_at: string;
  last_used_at: string | null;
}

/** The place and the options of a sign-in. */
export interface SignInPlace {
  context: Context;
  input: Input;
  /** Without a credential. */
  api: Api;
  origin: string;
  /** The label of the new token. */
  label: string;
}

/** The part of a created token that is shown. */
export function tokenRecord({
  token_id,
  label,
  token_preview,
  created_at,
  last_used_at,
}: TokenRecord): TokenRecord {
  return { token_id, label, token_preview, created_at, last_used_at };
}

/** Requires the consent to the terms of the server, without which no account can exist. */
export async function requireTerms({ context, input, origin }: SignInPlace): Promise<void> {
  if (input.has('accept-terms')) return;
  await askChoice(
    context,
    `Do you accept the terms of ${origin}?`,
    [{ value: 'yes', label: 'yes, I accept them' }],
    () => usageError('Signing in needs consent to the terms of the server.', 'add --accept-terms'),
  );
}

/** The sign-in that ended with a new token of the server. */
export function signInOf(token: CreatedMemberToken, madeBy: MadeBy): SignIn {
  return {
    token: token.plaintext,
    madeBy,
    label: token.label,
    email: null,
    userId: token.user_id,
    record: tokenRecord(token),
    projectId: null,
    projectToken: null,
  };
}
