import { usageError } from '../../cli-error.ts';
import { isObject } from '../../config/json-file.ts';
import type { Context } from '../../context.ts';
import { requireTokenKind } from '../../credentials/token-words.ts';
import { askSecret, readStandardInput } from '../../output/ask.ts';
import type { SignIn } from './sign-in.ts';

const INPUT_BYTES_MAX = 65_536;

/** A token from standard input or a prompt without echo, or everything that `admin bootstrap --json` printed. */
export async function readPastedToken(context: Context): Promise<SignIn & { url: string | null }> {
  const text = context.terminal.isInTerminal
    ? await askSecret(context, 'Member token', () =>
        usageError('Which token?', 'culprit login --with-token < FILE'),
      )
    : (await readStandardInput(INPUT_BYTES_MAX)).trim();
  if (text === '') throw usageError('Standard input is empty.', 'culprit login --with-token < FILE');
  if (text.startsWith('{')) return ofBootstrap(text);
  const token = text.split('\n')[0]?.trim() ?? '';
  requireTokenKind(token, 'member', 'Standard input');
  return { ...EMPTY, token, url: null };
}

const EMPTY: Omit<SignIn, 'token'> = {
  madeBy: 'paste',
  label: null,
  email: null,
  userId: null,
  record: null,
  projectId: null,
  projectToken: null,
};

function ofBootstrap(text: string): SignIn & { url: string | null } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw usageError('Standard input is neither a token nor the output of admin bootstrap --json.');
  }
  const field = (name: string): string | null => {
    const read = isObject(value) ? value[name] : undefined;
    return typeof read === 'string' ? read : null;
  };
  const token = field('member_token');
  if (token === null)
    throw usageError(
      'The JSON has no "member_token".',
      'npm run -s admin -- bootstrap … --json | culprit login --with-token',
    );
  requireTokenKind(token, 'member', 'Standard input');
  return {
    ...EMPTY,
    token,
    email: field('email'),
    userId: field('user_id'),
    projectId: field('project_id'),
    projectToken: field('project_token'),
    url: field('base_url') ?? field('url'),
  };
}
