import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AlertFacts, AlertItem } from '../../../src/notify/alerts/alert-facts.ts';
import { alertMail } from '../../../src/notify/alerts/channels/email.ts';
import { lastMail, noticeMail } from '../../../src/notify/personal/notice-mail.ts';
import { reportMail } from '../../../src/notify/reports/report-mail.ts';
import { inactiveDestinationMail } from '../../../src/notify/slack/inactive-destination-mail.ts';
import { stoppedTrackerMail } from '../../../src/notify/trackers/stopped-tracker-mail.ts';
import { disabledWebhookMail } from '../../../src/notify/webhooks/disabled-webhook-mail.ts';
import type { Mail } from '../../../src/platform/mail/mail.ts';
import { SMTP_LIMITS, smtpTransport } from '../../../src/platform/mail/smtp-transport.ts';
import { Secret } from '../../../src/platform/secrets/secret.ts';
import { pausedLinkMail } from '../../../src/tickets/paused-link-mail.ts';
import { deletionMail } from '../../../src/workspace/account-data/deletion-mail.ts';
import {
  changeCodeMail,
  changedAddressMail,
  currentCodeMail,
  takenAddressMail,
} from '../../../src/workspace/account-data/email-change-mail.ts';
import { signInMail } from '../../../src/workspace/accounts/sign-in-mail.ts';
import { allowanceMail } from '../../../src/workspace/billing/allowance-mail.ts';
import { planMail } from '../../../src/workspace/billing/plan-mail.ts';
import { inviteMail } from '../../../src/workspace/members/invite-mail.ts';
import { type MailServer, startMailServer } from '../../support/mail-server.ts';

/** What a person sees of each mail, as a mail server got it. */

const SOURCE = new URL('../../../src/', import.meta.url).pathname;
const TO = 'dev@example.test';
const APP_URL = 'https://culprit.example';
const HOST = 'culprit.example';
const UUID = '01a227a8-03b7-7334-be78-a367cadf14a8';
const NOW_MS = Date.parse('2026-03-16T10:00:00.000Z');

const FACTS: AlertFacts = {
  condition: 'severity_threshold',
  lifecycle: 'new_incident',
  triggeredAt: '2026-03-16T09:59:00.000Z',
  projectId: `proj_${UUID}`,
  projectName: 'Northwind Shop',
  incident: {
    incidentId: `inc_${UUID}`,
    shortId: 'NW-142',
    bundleId: `bndl_${UUID}`,
    title: 'GiftCardError: The balance of the gift card is negative',
    description: '',
    kind: 'backend_exception',
    severity: 'high',
    status: 'open',
    serviceId: UUID,
    serviceName: 'checkout-api',
    environment: 'production',
    occurrenceCount: 15,
    firstSeenAt: '2026-03-16T09:55:00.000Z',
    lastSeenAt: '2026-03-16T09:59:00.000Z',
  },
  release: null,
  spike: { events5m: 60, baseline5m: 1.5, ratio: 40 },
  deploy: null,
};
const ALERT: AlertItem = {
  alertId: UUID,
  ruleName: 'New or regressed, high',
  alertDeliveryId: UUID,
  facts: FACTS,
};
const LATER = {
  affectedUsers: 13,
  cause: null,
  topFrame: { function: 'redeem', file: 'gift-cards/redeem.ts', line: 62, column: 11 },
  deploy: { version: '4.18.3', commitSha: '6e3ef9e', minutesBefore: 22 },
  assignee: null,
  ticket: null,
};
const SECOND: AlertItem = {
  ...ALERT,
  facts: { ...FACTS, incident: { ...FACTS.incident, incidentId: 'inc_2', title: 'CartError: empty' } },
};
const WEEK = { events: 1204, opened: 4, resolved: 2, regressed: 1 };
const REPORT = {
  projectId: `proj_${UUID}`,
  projectName: 'Northwind Shop',
  activity: {
    ...WEEK,
    before: WEEK,
    failureBundles: 12,
    improvementBundles: 1,
    incidents: [
      {
        incidentId: `inc_${UUID}`,
        title: FACTS.incident.title,
        service: 'checkout-api',
        environment: 'production',
        spike: { ratio: 12 },
        events: 260,
      },
    ],
  },
};
const NOTICE = {
  reason: 'mentioned',
  incidentId: UUID,
  shortId: 'SHOP-42',
  title: FACTS.incident.title,
  projectName: 'Northwind Shop',
  serviceName: 'checkout-api',
  environment: 'production',
  actorName: 'Ada',
  isByRule: false,
  note: '@ben the gift card is null again',
  because: null,
} as const;
const NOTICE_LINKS = { appUrl: APP_URL, unsubscribeUrl: `${APP_URL}/unsubscribe?token=x` };
const REPORT_DATES = { from: '2026-03-09', to: '2026-03-15' };
const TRIAL = {
  plan: 'free',
  trial: { plan: 'team', endsAtMs: NOW_MS },
  nowMs: NOW_MS,
  appUrl: APP_URL,
} as const;
const INVITE = { email: TO, role: 'member', expires_at: '2026-03-24T10:30:00.000Z' } as const;
const mailed = { to: TO, host: HOST };

/** Each mail with the number of its buttons. A code is typed, and a notice of what happened needs no action. */
const MAILS: readonly (readonly [name: string, file: string, buttons: 0 | 1, mail: Omit<Mail, 'to'>])[] = [
  ['alert', 'notify/alerts/channels/email.ts', 1, alertMail([ALERT], 1, APP_URL, LATER)],
  ['several alerts', 'notify/alerts/channels/email.ts', 1, alertMail([ALERT, SECOND], 5, APP_URL, LATER)],
  ['report', 'notify/reports/report-mail.ts', 1, reportMail([REPORT], REPORT_DATES, APP_URL)],
  ['two reports', 'notify/reports/report-mail.ts', 0, reportMail([REPORT, REPORT], REPORT_DATES, APP_URL)],
  [
    'destination',
    'notify/slack/inactive-destination-mail.ts',
    1,
    inactiveDestinationMail({ slackTeamName: 'Northwind', slackChannelName: '#ops' }, APP_URL),
  ],
  [
    'webhook',
    'notify/webhooks/disabled-webhook-mail.ts',
    1,
    disabledWebhookMail(
      { webhookId: UUID, projectId: UUID, projectName: 'Northwind Shop', url: 'https://hooks.example/x' },
      APP_URL,
    ),
  ],
  [
    'allowance',
    'workspace/billing/allowance-mail.ts',
    1,
    allowanceMail({
      meter: 'monthly_raw_ingested_events',
      percent: 80,
      used: 800,
      limit: 1000,
      plan: 'free',
      endsAtMs: NOW_MS,
      appUrl: APP_URL,
    }),
  ],
  ['notice', 'notify/personal/notice-mail.ts', 1, noticeMail(TO, [NOTICE], NOTICE_LINKS)],
  ['notices', 'notify/personal/notice-mail.ts', 0, noticeMail(TO, [NOTICE, NOTICE], NOTICE_LINKS)],
  ['last notice', 'notify/personal/notice-mail.ts', 1, lastMail(TO, 100, NOTICE_LINKS)],
  [
    'tracker',
    'notify/trackers/stopped-tracker-mail.ts',
    1,
    stoppedTrackerMail({ name: 'GitHub', target: 'northwind/shop', projectId: UUID }, APP_URL),
  ],
  [
    'paused ticket',
    'tickets/paused-link-mail.ts',
    1,
    pausedLinkMail(
      { ticket: 'northwind/shop#12', shortId: 'SHOP-4', trackerName: 'GitHub', incidentId: UUID },
      APP_URL,
    ),
  ],
  ['trial', 'workspace/billing/plan-mail.ts', 1, planMail('trial_started', TRIAL)],
  [
    'invite',
    'workspace/members/invite-mail.ts',
    1,
    inviteMail({
      host: HOST,
      link: `${APP_URL}/invite#token`,
      invite: INVITE,
      projectName: 'Northwind Shop',
      inviterEmail: 'ada@example.test',
    }),
  ],
  [
    'sign-in',
    'workspace/accounts/sign-in-mail.ts',
    0,
    signInMail({ ...mailed, code: '271828', addressClass: 'public_ipv4', browser: 'Firefox' }),
  ],
  ['deletion', 'workspace/account-data/deletion-mail.ts', 0, deletionMail({ ...mailed, code: '271828' })],
  [
    'new address',
    'workspace/account-data/email-change-mail.ts',
    0,
    changeCodeMail({ ...mailed, code: '271828' }),
  ],
  [
    'current address',
    'workspace/account-data/email-change-mail.ts',
    0,
    currentCodeMail({ ...mailed, code: '271828', newEmail: 'ada@example.test' }),
  ],
  ['taken address', 'workspace/account-data/email-change-mail.ts', 0, takenAddressMail(mailed)],
  [
    'changed address',
    'workspace/account-data/email-change-mail.ts',
    0,
    changedAddressMail({ ...mailed, newEmail: 'ada@example.test' }),
  ],
];

describe('mails', () => {
  let server: MailServer;
  beforeAll(async () => {
    server = await startMailServer();
  });
  afterAll(async () => await server.stop());

  it('are all in the table of this test', () => {
    const composing = globSync('**/*.ts', { cwd: SOURCE }).filter(
      (file) =>
        file !== 'platform/mail/mail-body.ts' &&
        readFileSync(join(SOURCE, file), 'utf8').includes('composeMailBody('),
    );
    expect([...new Set(MAILS.map(([, file]) => file))].sort()).toEqual(composing.sort());
  });

  it.each(MAILS)(
    '%s: has one action at most, no id in what is read, and colors for dark themes',
    async (name, _file, buttons, mail) => {
      const transport = smtpTransport({
        url: new Secret(server.url),
        from: 'Culprit <culprit@example.test>',
        baseUrl: APP_URL,
        limits: SMTP_LIMITS,
        signal: AbortSignal.timeout(10_000),
      });
      await transport.send({ to: TO, ...mail, messageId: UUID });
      const { html = '', text = '', subject = '' } = server.received.at(-1)?.mail ?? {};
      if (process.env.PICTURES !== undefined) writeFileSync(join(process.env.PICTURES, `${name}.html`), html);
      expect(subject).toBe(mail.subject);
      expect(html.split('display:inline-block;padding:10px 20px').length - 1).toBe(buttons);
      const visible = html.replaceAll(/<style>.*?<\/style>|<[^>]*>/gs, ' ');
      expect(visible).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}/);
      expect(visible).not.toMatch(/https?:|\b(?:inc|proj|whk)_/);
      expect(text.replaceAll(/https?:\S+/g, '')).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}/);
      expect(html).toContain('<meta name="color-scheme" content="light dark">');
      // Each color of text and ground has one for the dark.
      for (const [tag] of html.matchAll(/<[^>]*(?:color:#(?:1b1d22|4b4e57|1f4fb8)|background:#f)[^>]*>/g))
        expect(tag).toMatch(/class="(?:ground|panel|soft|link|soft label)"|color:#ffffff|background:#1f4fb8/);
    },
  );

  it('of an alert names error, service, release and frame', async () => {
    const { subject, html } = alertMail([ALERT], 1, APP_URL, LATER);
    expect(subject).toBe('[NW-142] New: GiftCardError in checkout-api');
    for (const fact of [
      'GiftCardError: The balance of the gift card is negative',
      'checkout-api · production',
      '4.18.3 (6e3ef9e), deployed 22 min before',
      'redeem gift-cards/redeem.ts:62',
    ]) {
      expect(html).toContain(fact);
    }
  });
});
