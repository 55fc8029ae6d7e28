import { INCIDENT_SORTS } from '@culprit/contract/incidents/incidents';
import { VIEW_STATUSES } from '@culprit/contract/search/views';
import type { FieldFlag } from '../../records/fields.ts';

export const VIEW_FIELDS: readonly FieldFlag[] = [
  { name: 'search', value: 'QUERY', field: 'q', says: 'words and filters of the list' },
  { name: 'status', value: 'WORD', choices: VIEW_STATUSES, field: 'status', says: 'status of its incidents' },
  { name: 'sort', value: 'ORDER', choices: INCIDENT_SORTS, field: 'sort', says: 'order of the list' },
  { name: 'share', field: 'is_shared', as: 'true', says: 'share it with the people of its project' },
  { name: 'no-share', field: 'is_shared', as: 'false', says: 'keep it to its maker' },
  {
    name: 'position',
    value: 'N',
    kind: 'integer',
    min: 0,
    max: 1000,
    field: 'position',
    as: 'number',
    says: 'where it is among the views',
  },
];
