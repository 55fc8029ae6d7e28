import { ASSIGNEE_SYNCS, TRACKER_KINDS, WONT_FIX_EFFECTS } from '@culprit/contract/alerts/tracker-words';
import type { FieldFlag } from '../../records/fields.ts';

const word = (name: string, value: string, field: string, says: string): FieldFlag => ({
  name,
  value,
  field,
  says,
});
const choice = (name: string, field: string, says: string): FieldFlag => ({
  name,
  value: 'true|false',
  choices: ['true', 'false'],
  field,
  as: 'json',
  says,
});

export const TRACKER_FIELDS: readonly FieldFlag[] = [
  word('name', 'NAME', 'name', 'how people know it'),
  word(
    'target',
    'TARGET',
    'target',
    'where tickets are created: acme/shop, the key of a project or team, the name of a queue',
  ),
  {
    ...word('token-file', 'FILE', 'token', 'file with the token of the tracker'),
    as: 'content of a file',
  },
  word('user', 'ADDRESS', 'user', 'Jira Cloud: the address that belongs to the token'),
  word('issue-type', 'TYPE', 'issue_type', 'Jira: of the tickets that are created'),
  {
    ...word(
      'extra-fields',
      'JSON',
      'extra_fields',
      'Jira: required fields, [{"id":"components","value":"…"}]',
    ),
    as: 'json',
  },
  choice('close-on-resolve', 'close_on_resolve', 'whether a resolved incident closes its ticket'),
  choice('reopen-on-regress', 'reopen_on_regress', 'whether an incident that is active again reopens it'),
  choice('resolve-on-close', 'resolve_on_close', 'whether a closed ticket resolves its incident'),
  {
    ...word('wont-fix', 'EFFECT', 'wont_fix', 'of a ticket that is closed as not to be fixed'),
    choices: [...WONT_FIX_EFFECTS],
  },
  {
    ...word('sync-assignee', 'DIRECTION', 'sync_assignee', 'in which direction the assignee crosses'),
    choices: [...ASSIGNEE_SYNCS],
  },
  choice('sync-notes', 'sync_notes', 'whether notes become comments of the ticket, and comments notes'),
];

/** The fields of a list of targets: a connection that is not stored, and a text to search for. */
export const TARGETS_FIELDS: readonly FieldFlag[] = [
  ...TRACKER_FIELDS.filter(({ name }) => ['token-file', 'user', 'target'].includes(name)),
  word('query', 'TEXT', 'q', 'a part of the name'),
];

export const KIND_FIELDS: readonly FieldFlag[] = [
  { ...word('kind', 'KIND', 'kind', 'the product'), choices: [...TRACKER_KINDS] },
  word('base-url', 'URL', 'base_url', 'of the API; the public one of the product where it is left out'),
];

export const HOOK_FIELDS: readonly FieldFlag[] = [
  {
    ...word('secret-file', 'FILE', 'secret', 'file with a secret that the tracker made, as Linear does'),
    as: 'content of a file',
  },
];
