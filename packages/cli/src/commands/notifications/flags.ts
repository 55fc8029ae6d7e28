import { updatePersonalSettings } from '@culprit/contract/alerts/personal-messages';
import { flagsOf } from '../../records/field-flags.ts';

const flag = flagsOf(updatePersonalSettings);

export const NOTIFICATION_FIELDS = [
  flag('--assigned WAY', 'incidents that another person assigns to you or your team'),
  flag('--mentions WAY', 'notes that mention you or your team', 'mentioned'),
  flag('--regressions WAY', 'incidents that regress and that you have or watch', 'own_regressed'),
  flag('--snoozes WAY', 'ends of snoozes that you set, or of incidents that you have or watch', 'own_woke'),
  flag('--notes WAY', 'notes about incidents that you have or watch', 'watched'),
  flag('--digest MINUTES', 'how long a mail waits for more that goes into it', 'digest_minutes'),
  flag(
    '--ntfy URL',
    'topic at an ntfy server that gets them too, such as https://ntfy.sh/my-topic',
    'ntfy.url',
  ),
  flag('--ntfy-token-file FILE', 'holds the access token of that server, optional', 'ntfy.token'),
  flag('--no-ntfy', 'stop sending to ntfy', { field: 'ntfy', as: 'null' }),
];
