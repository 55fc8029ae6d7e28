import { updateView } from '@culprit/contract/search/views';
import { flagsOf } from '../../records/field-flags.ts';

const flag = flagsOf(updateView);

export const VIEW_FIELDS = [
  flag('--search QUERY', 'query of the list', 'q'),
  flag('--status WORD', 'status of its incidents'),
  flag('--sort ORDER', 'order of the list'),
  flag('--share', 'share it with the members of its project', 'is_shared'),
  flag('--no-share', 'make it private', { field: 'is_shared', as: 'false' }),
  flag('--position N', 'position among the views'),
];
