import type { FieldFlag } from '../../records/fields.ts';

const way = (name: string, field: string, says: string): FieldFlag => ({
  name,
  value: 'WAY',
  choices: ['mail', 'off'],
  field,
  says,
});

export const NOTIFICATION_FIELDS: readonly FieldFlag[] = [
  way('assigned', 'assigned', 'incidents that another person assigns to you or your team'),
  way('mentions', 'mentioned', 'notes that mention you or your team'),
  way('regressions', 'own_regressed', 'incidents that regress and that you have or watch'),
  way('snoozes', 'own_woke', 'ends of snoozes that you set, or of incidents that you have or watch'),
  way('notes', 'watched', 'notes about incidents that you have or watch'),
  {
    name: 'digest',
    value: 'MINUTES',
    kind: 'integer',
    min: 0,
    max: 1440,
    field: 'digest_minutes',
    as: 'number',
    says: 'how long a mail waits for more that goes into it',
  },
  {
    name: 'ntfy',
    value: 'URL',
    field: 'ntfy.url',
    says: 'topic at an ntfy server that gets them too, such as https://ntfy.sh/my-topic',
  },
  {
    name: 'ntfy-token-file',
    value: 'FILE',
    field: 'ntfy.token',
    as: 'content of a file',
    says: 'holds the access token of that server, optional',
  },
  { name: 'no-ntfy', field: 'ntfy', as: 'null', says: 'stop sending to ntfy' },
];
