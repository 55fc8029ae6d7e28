import { createDsnKey, listDsnKeys, revokeDsnKey, updateDsnKey } from '@culprit/contract/events/dsn-keys';
import type { Run } from '../../command.ts';
import type { JsonObject } from '../../config/json-file.ts';
import type { Input } from '../../input.ts';
import { findListed } from '../../records/find-listed.ts';
import { listCommand, recordCommand } from '../../records/record-commands.ts';
import { projectId } from '../../references/project-reference.ts';
import { KEY_CHANGES, KEY_FIELDS } from './flags.ts';

const RECORD = { project: 'params.id', key: 'key', id: 'token_id' } as const;

export const list: Run = listCommand({
  endpoint: listDsnKeys,
  project: 'params.id',
  key: 'keys',
  id: 'token_id',
  columns: [
    ['LABEL', 'label', 'wide'],
    ['DSN', 'dsn'],
    ['ORIGINS', 'allowed_origins'],
    ['LAST USE', ({ last_used_at }) => last_used_at ?? 'never'],
    ['STATE', ({ revoked_at }) => (revoked_at === null ? 'live' : 'revoked')],
    ['ID', 'token_id'],
  ],
  empty: 'No active DSN keys.',
  keep: (key: JsonObject, input: Input) => input.has('revoked') || key.revoked_at === null,
  isFirst: ({ revoked_at }) => revoked_at === null,
});

export const create: Run = recordCommand({
  ...RECORD,
  endpoint: createDsnKey,
  flags: KEY_FIELDS,
  body: (_, input) => ({ label: input.required('label') }),
});

export const update: Run = recordCommand({
  ...RECORD,
  endpoint: updateDsnKey,
  argument: 'tokenId',
  flags: KEY_CHANGES,
  needsChange: true,
});

export const revoke: Run = recordCommand({
  ...RECORD,
  endpoint: revokeDsnKey,
  argument: 'tokenId',
  async question(context, input) {
    const id = input.first;
    const api = await context.api();
    const params = { id: await projectId(context) };
    const key = await findListed(api, listDsnKeys, params, 'keys', ({ token_id }) => token_id === id);
    const named = key === null ? '' : ` "${String(key.label)}"`;
    return `Revoke ${id}${named}? Senders with this address get 401 immediately.`;
  },
});
