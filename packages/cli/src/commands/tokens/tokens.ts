import type { Endpoint } from '@culprit/contract/endpoints/endpoint';
import {
  createMemberToken,
  createProjectToken,
  listMemberTokens,
  listProjectTokens,
  revokeMemberToken,
  revokeProjectToken,
  rotateMemberToken,
  rotateProjectToken,
} from '@culprit/contract/workspace/tokens';
import type { Run } from '../../command.ts';
import type { JsonObject } from '../../config/json-file.ts';
import type { Context } from '../../context.ts';
import { changeCredentialFile } from '../../credentials/credential-file.ts';
import type { Input } from '../../input.ts';
import { findListed } from '../../records/find-listed.ts';
import {
  type ListOptions,
  listCommand,
  type RecordColumn,
  recordCommand,
} from '../../records/record-commands.ts';
import { projectId } from '../../references/project-reference.ts';
import { ACCESS_FIELDS, OVERLAP_FIELDS, TOKEN_FIELDS } from './flags.ts';

const COLUMNS: readonly RecordColumn[] = [
  ['LABEL', 'label', 'wide'],
  ['TOKEN', 'token_preview'],
  ['LAST USE', ({ last_used_at }) => last_used_at ?? 'never'],
  ['STATE', stateOf],
  ['ID', 'token_id'],
];

function stateOf({ revoked_at, expires_at }: JsonObject): string {
  if (revoked_at !== null) return 'revoked';
  return typeof expires_at === 'string' ? `ends ${expires_at}` : 'live';
}

const LIST: Pick<ListOptions, 'key' | 'id' | 'columns' | 'empty' | 'keep' | 'isFirst'> = {
  key: 'tokens',
  id: 'token_id',
  columns: COLUMNS,
  empty: 'No active tokens.',
  keep: (token: JsonObject, input: Input) => input.has('revoked') || token.revoked_at === null,
  isFirst: ({ revoked_at }) => revoked_at === null,
};
const listOfProject = listCommand({
  ...LIST,
  endpoint: listProjectTokens,
  project: 'params.id',
  columns: [...COLUMNS.slice(0, 2), ['ORIGINS', 'allowed_origins'], ...COLUMNS.slice(2)],
});
const listOfMember = listCommand({ ...LIST, endpoint: listMemberTokens, project: 'none' });

const SECRET = { field: 'plaintext', says: 'The token', facts: ['token_id', 'label'] };
const createOfProject = recordCommand({
  endpoint: createProjectToken,
  project: 'params.id',
  key: 'token',
  id: 'token_id',
  flags: TOKEN_FIELDS,
  body: (_, input) => ({ label: input.required('label') }),
  secret: SECRET,
});
const createOfMember = recordCommand({
  endpoint: createMemberToken,
  project: 'none',
  key: 'token',
  id: 'token_id',
  flags: [...TOKEN_FIELDS.slice(0, 1), ...ACCESS_FIELDS],
  body: (_, input) => ({ label: input.required('label') }),
  secret: SECRET,
});

const ROTATION = {
  argument: 'tokenId',
  key: 'token',
  id: 'token_id',
  flags: OVERLAP_FIELDS,
  hasBody: true,
  secret: SECRET,
} as const;
const rotateOfProject = recordCommand({ ...ROTATION, endpoint: rotateProjectToken, project: 'params.id' });
const rotateOfMember = recordCommand({ ...ROTATION, endpoint: rotateMemberToken, project: 'none' });

const revokeOfProject = recordCommand({
  endpoint: revokeProjectToken,
  project: 'params.id',
  argument: 'tokenId',
  key: 'token',
  id: 'token_id',
  question: async (context, input) =>
    await revokeQuestion(context, input, listProjectTokens, { id: await projectId(context) }, 'sends events'),
});
const revokeOfMember = recordCommand({
  endpoint: revokeMemberToken,
  project: 'none',
  argument: 'tokenId',
  key: 'token',
  id: 'token_id',
  question: (context, input) => revokeQuestion(context, input, listMemberTokens, {}, 'signs in'),
});

/**
 * Returns the question, which names the token as its list does: the time of its last use shows whether something still
 * needs it.
 */
async function revokeQuestion(
  context: Context,
  input: Input,
  endpoint: Endpoint,
  params: JsonObject,
  what: string,
): Promise<string> {
  const id = input.first;
  const api = await context.api();
  const token = await findListed(api, endpoint, params, LIST.key, ({ token_id }) => token_id === id);
  const named = token === null ? '' : ` "${String(token.label)}"`;
  const used =
    token === null
      ? ''
      : typeof token.last_used_at === 'string'
        ? ` It was last used ${token.last_used_at}.`
        : ' It was never used.';
  return `Revoke ${id}${named}?${used} Whatever ${what} with it is refused from then on.`;
}

export const list: Run = (context, input) =>
  (input.has('member') ? listOfMember : listOfProject)(context, input);
export const create: Run = (context, input) =>
  (input.has('member') ? createOfMember : createOfProject)(context, input);

export const rotate: Run = async (context, input) => {
  if (!input.has('member')) return await rotateOfProject(context, input);
  const { stored } = await context.credential();
  const exit = await rotateOfMember(context, input);
  if (stored?.token_id === input.first && !input.has('dry-run')) {
    context.terminal.err('This profile uses the token. Run "culprit login" before it expires.\n');
  }
  return exit;
};

export const revoke: Run = async (context, input) => {
  if (!input.has('member')) return await revokeOfProject(context, input);
  const credential = await context.credential();
  const exit = await revokeOfMember(context, input);
  const { origin, profileName } = context.settings();
  const isInUse = credential.stored?.token_id === input.first;
  if (isInUse && profileName !== null && !input.has('dry-run')) {
    changeCredentialFile(context.environment, (file) => {
      delete file.origins[origin]?.members[profileName];
    });
    context.terminal.err(`This profile used it: profile "${profileName}" is signed out.\n`);
  }
  return exit;
};
