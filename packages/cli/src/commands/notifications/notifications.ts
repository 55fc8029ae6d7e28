import { getPersonalSettings, updatePersonalSettings } from '@culprit/contract/alerts/personal-messages';
import { recordCommand } from '../../records/record-commands.ts';
import { NOTIFICATION_FIELDS } from './flags.ts';

export const show = recordCommand({ endpoint: getPersonalSettings, project: 'none', key: 'notifications' });

export const set = recordCommand({
  endpoint: updatePersonalSettings,
  project: 'none',
  key: 'notifications',
  flags: NOTIFICATION_FIELDS,
  needsChange: true,
});
