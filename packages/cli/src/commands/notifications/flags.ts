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
  way('notes', 'watched', 'notes about incidents of yours'),
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
];
