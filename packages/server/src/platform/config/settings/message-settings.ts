import {
  directory,
  httpAddress,
  listOf,
  mailSender,
  mailServer,
  oneOf,
  outboundTarget,
  plainText,
  secretText,
  secretUrl,
  wholeNumber,
} from '../setting-kinds.ts';
import { setting } from './setting.ts';

/** Settings of mail, Slack and outgoing requests. */
export const MESSAGE_SETTINGS = {
  emailTransport: setting({
    name: 'CULPRIT_EMAIL_TRANSPORT',
    kind: oneOf('smtp', 'console', 'file', 'off'),
    default: null,
    defaultWords: '`smtp` with `CULPRIT_SMTP_URL`; else `console` on a loopback base URL, otherwise `off`',
    doc: 'How mail is sent: through a mail server, printed to the terminal, as files, or not at all.',
  }),
  smtpUrl: setting({
    name: 'CULPRIT_SMTP_URL',
    kind: mailServer(),
    default: null,
    doc: 'Mail server. `smtps:` is encrypted from the start. `smtp:` is encrypted if the server offers STARTTLS, and must be if a password is sent to another machine; `?starttls=` overrides this. Culprit greets it with the host of the base URL if that is a full name, else with the domain of the sender; `?name=` overrides this.',
  }),
  emailFrom: setting({
    name: 'CULPRIT_EMAIL_FROM',
    kind: mailSender(),
    default: null,
    defaultWords: '`culprit@<host of the base URL>`',
    doc: 'Sender of all mail.',
  }),
  emailDir: setting({
    name: 'CULPRIT_EMAIL_DIR',
    kind: directory(),
    default: null,
    defaultWords: '`mail` in the data directory',
    doc: 'Where the `file` transport writes one JSON file per message.',
  }),
  slackClientId: setting({
    name: 'CULPRIT_SLACK_CLIENT_ID',
    kind: plainText('a text', 200),
    default: null,
    doc: 'Slack application for connected destinations, together with its secret.',
  }),
  slackClientSecret: setting({
    name: 'CULPRIT_SLACK_CLIENT_SECRET',
    kind: secretText(),
    default: null,
    doc: 'Secret of the Slack application.',
  }),
  slackUrl: setting({
    name: 'CULPRIT_SLACK_URL',
    kind: httpAddress(),
    default: 'https://slack.com',
    doc: 'Base address of Slack, or of a server with the same API.',
  }),
  webhookDisableAfterMs: setting({
    name: 'CULPRIT_WEBHOOK_DISABLE_AFTER_MS',
    kind: wholeNumber(0, 31_536_000_000),
    default: 86_400_000,
    doc: 'A webhook is disabled after 50 failed attempts in a row over at least this many milliseconds.',
  }),
  deliveryScheduleMs: setting({
    name: 'CULPRIT_DELIVERY_SCHEDULE_MS',
    kind: listOf(wholeNumber(0, 86_400_000)),
    default: [1_000, 5_000, 30_000, 120_000, 600_000, 3_600_000, 10_800_000, 21_600_000, 43_200_000],
    doc: 'The nine delays between delivery attempts, in milliseconds. This is meant for tests and refused when `NODE_ENV` is `production`.',
  }),
  outboundAllowlist: setting({
    name: 'CULPRIT_OUTBOUND_ALLOWLIST',
    kind: listOf(outboundTarget()),
    default: [],
    doc: 'Internal targets that webhooks, alerts and availability checks may call. Metadata services remain blocked.',
  }),
  outboundProxy: setting({
    name: 'CULPRIT_OUTBOUND_PROXY',
    kind: secretUrl('http://proxy.example.com:3128', 'http:', 'https:'),
    default: null,
    doc: 'Proxy for calls to addresses that users give. It must enforce the outbound policy itself.',
  }),
};
