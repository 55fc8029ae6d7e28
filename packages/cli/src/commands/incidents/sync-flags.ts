import { updateLink } from '@culprit/contract/incidents/incident-links';
import { flagsOf } from '../../records/field-flags.ts';

const flag = flagsOf(updateLink);

/** The flags that set what is synchronized between an incident and one of its tickets. */
export const SYNC_FLAGS = [
  flag(
    '--close-on-resolve true|false',
    'whether resolving the incident closes the ticket',
    'sync.close_on_resolve',
  ),
  flag(
    '--reopen-on-regress true|false',
    'whether the incident reopens the ticket when it is active again',
    'sync.reopen_on_regress',
  ),
  flag(
    '--resolve-on-close true|false',
    'whether closing the ticket resolves the incident',
    'sync.resolve_on_close',
  ),
  flag('--wont-fix EFFECT', 'of the ticket when it is closed as not to be fixed', 'sync.wont_fix'),
  flag('--assignee DIRECTION', 'direction in which the assignee is synchronized', 'sync.assignee'),
  flag('--comments EVENT', 'which events of the incident create comments', 'sync.comments'),
  flag('--notes true|false', 'whether notes become comments of the ticket, and comments notes', 'sync.notes'),
];
