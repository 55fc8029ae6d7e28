import type { Weekday, WeeklyReportChannel } from '@culprit/contract/alerts/weekly-reports';
import { readMailbox, splitMailboxes } from '@culprit/contract/workspace/email-address';

/** The values of the form. */
export interface ReportValues {
  way: 'email' | 'slack_destination' | 'slack_url';
  /** Comma-separated. */
  to: string;
  destinationId: string;
  url: string;
  day: Weekday;
  hour: string;
  timezone: string;
}

export function valuesOf(stored: WeeklyReportChannel | null, way: ReportValues['way']): ReportValues {
  if (stored === null) {
    const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    return { way, to: '', destinationId: '', url: '', day: 'monday', hour: '9', timezone };
  }
  const { config, schedule } = stored;
  return {
    way: 'to' in config ? 'email' : 'webhook_url' in config ? 'slack_url' : 'slack_destination',
    to: 'to' in config ? config.to.join(', ') : '',
    destinationId: 'slack_destination_id' in config ? config.slack_destination_id : '',
    // The address is as good as a password: it is replaced, not shown.
    url: '',
    day: schedule.day_of_week,
    hour: String(schedule.hour_of_day),
    timezone: schedule.timezone,
  };
}

/** The addresses of a list, without the names before them. */
export function addressesIn(text: string): string[] {
  return [...new Set(splitMailboxes(text).map((each) => readMailbox(each)?.address ?? each))];
}

const ADDRESSES_MAX = 3;

/** Returns the reason why the report has no valid receiver yet; null when it has. */
export function faultOfTarget({ way, to, destinationId, url }: ReportValues): string | null {
  if (way === 'slack_destination') return destinationId === '' ? 'Choose a channel' : null;
  if (way === 'slack_url') {
    return /^https?:\/\/\S+$/.test(url.trim()) ? null : 'Enter an address that begins with https://';
  }
  const addresses = addressesIn(to);
  const isSound = addresses.length > 0 && addresses.every((each) => /^[^\s@]+@[^\s@]+$/.test(each));
  if (!isSound) return 'Enter addresses such as lead@example.com';
  return addresses.length > ADDRESSES_MAX ? `Enter at most ${ADDRESSES_MAX} addresses` : null;
}
