import { updateView } from '@culprit/contract/search/views';
import { flagsOf } from '../../records/field-flags.ts';

const flag = flagsOf(updateView);

export const VIEW_FIELDS = [
  flag('--search QUERY', 'words and filters of the list', 'q'),
  flag('--status WORD', 'status of its incidents'),
  flag('--sort ORDER', 'order of the list'),
  flag('--share', 'share it with the people of its project', 'is_shared'),
  flag('--no-share', 'keep it to its maker', { field: 'is_shared', as: 'false' }),
  flag('--position N', 'where it is among the views'),
];
