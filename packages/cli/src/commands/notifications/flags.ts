import { updatePersonalSettings } from '@culprit/contract/alerts/personal-messages';
import { flagsOf } from '../../records/field-flags.ts';

const flag = flagsOf(updatePersonalSettings);

export const NOTIFICATION_FIELDS = [
  flag('--assigned WAY', 'incidents that another person assigns to you or your team'),
  flag('--mentions WAY', 'notes that mention you or your team', 'mentioned'),
  flag('--regressions WAY', 'regressions of incidents that you are assigned to or watch', 'own_regressed'),
  flag(
    '--snoozes WAY',
    'snoozes that end, if you set them or are assigned to or watch the incident',
    'own_woke',
  ),
  flag('--notes WAY', 'notes on incidents that you are assigned to or watch', 'watched'),
  flag('--digest MINUTES', 'minutes to collect messages into one mail', 'digest_minutes'),
  flag('--ntfy URL', 'ntfy topic that also receives them, such as https://ntfy.sh/my-topic', 'ntfy.url'),
  flag('--ntfy-token-file FILE', 'file with the access token of that server (optional)', 'ntfy.token'),
  flag('--no-ntfy', 'stop sending to ntfy', { field: 'ntfy', as: 'null' }),
];
