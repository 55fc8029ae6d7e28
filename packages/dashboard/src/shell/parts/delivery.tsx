import alertIcon from 'virtual:icon/alert';
import checkIcon from 'virtual:icon/check';
import blockedIcon from 'virtual:icon/circle-slash';
import clockIcon from 'virtual:icon/clock';
import syncIcon from 'virtual:icon/sync';
import xIcon from 'virtual:icon/x';
import { Icon } from '../../ui/icon.tsx';
import styles from './delivery.module.css';

const MARKS: Readonly<Record<string, string>> = {
  pending: clockIcon,
  retrying: syncIcon,
  delivered: checkIcon,
  failed: xIcon,
  disabled: blockedIcon,
};

/** Shows the state of a message by shape and word. */
export function DeliveryMark({ status }: { status: string }) {
  return (
    <span className={styles.mark} data-status={status}>
      <Icon path={MARKS[status] ?? alertIcon} size={12} />
      {status}
    </span>
  );
}

const WORDS: Readonly<Record<string, string>> = {
  timeout: 'Timed out',
  dns_error: 'The host name was not found',
  tls_error: 'The certificate was not accepted',
  connection_error: 'The connection failed',
  invalid_response: 'The response was not valid HTTP',
  target_blocked: "The address is in the server's own network",
  webhook_disabled: 'The webhook was disabled',
  webhook_auto_disabled: 'The webhook was disabled after too many failures',
  alert_disabled: 'The rule was disabled',
  incident_resolved: 'The incident was resolved first',
  page_pending: 'The page is not open yet',
  ticket_pending: 'The tracker has not created the ticket yet',
  fields_refused: 'The tracker requires a field, or refuses one',
  tracker_refused: 'The tracker refuses its token',
  tracker_not_found: 'The issue tracker is disconnected',
  page_not_opened: 'No page was opened',
  page_opened_again: 'The incident came back first',
  email_not_configured: 'No mail server is set up',
  mail_rejected: 'The mail server refused the message',
  mail_unavailable: 'The mail server could not be reached',
  slack_rejected: 'Slack refused the channel',
  internal_error: 'Something went wrong on the server',
};

/** Returns the error of a delivery in words; a code of a newer server is returned unchanged. */
export function deliveryErrorWords(error: string): string {
  const status = /^http_(\d{3})$/.exec(error)?.[1];
  if (status !== undefined) return `Answered ${status}`;
  return Object.hasOwn(WORDS, error) ? (WORDS[error] ?? error) : error;
}
