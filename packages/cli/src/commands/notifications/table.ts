import type { CommandGroup } from '../../command.ts';
import { DRY_RUN } from '../../records/dry-run-flag.ts';
import { NOTIFICATION_FIELDS } from './flags.ts';

export const NOTIFICATIONS: CommandGroup = {
  noun: 'notifications',
  aliases: ['notification'],
  says: 'show and change your own notifications',
  heading: 'Set up',
  commands: [
    {
      path: 'notifications show',
      says: 'show your notification settings',
      examples: ['notifications show', 'notifications show --json'],
      endpoints: ['getPersonalSettings'],
      load: () => import('./notifications.ts').then(({ show }) => show),
    },
    {
      path: 'notifications set',
      says: 'change your notification settings',
      flags: [...NOTIFICATION_FIELDS, DRY_RUN],
      examples: ['notifications set --notes off', 'notifications set --digest 30'],
      endpoints: ['updatePersonalSettings'],
      load: () => import('./notifications.ts').then(({ set }) => set),
    },
  ],
};
