import { describe, expect, it } from 'vitest';
import { NO_INCIDENT } from '../../src/notify/alerts/alert-facts.ts';
import { alertMail } from '../../src/notify/alerts/channels/email.ts';
import { sanitizeMail } from '../../src/platform/mail/mail.ts';
import { APP_URL, DEPLOY, HOSTILE, item, SPIKE } from './alert-items.ts';

describe('an alert by mail', () => {
  it('has what a reader needs of one incident, in both forms, and one action', () => {
    const facts = item({}, { title: 'GiftCardError: card gc_1 was used twice' });
    const later = {
      affectedUsers: 1192,
      topFrame: { function: 'redeem', file: 'gift/cards.ts', line: 88, column: 3 },
      ...{ cause: null, assignee: 'Ada', ticket: 'acme/shop#7' },
      deploy: { version: '4.18.3', commitSha: null, minutesBefore: 22 },
    };
    const mail = alertMail([facts], 1, APP_URL, later);
    expect(mail.subject).toBe('[CHECKOUT-42] New: GiftCardError in checkout-api');
    for (const fact of [
      'GiftCardError: card gc_1 was used twice',
      'checkout-api · production',
      '2026-01-01 00:00:00 UTC',
      '2026-01-02 03:04:05 UTC',
      '1,192',
      '4.18.3, deployed 22 min before',
      'redeem gift/cards.ts:88',
      `${APP_URL}/incidents/inc_1`,
      `${APP_URL}/projects/proj_1/alerts`,
    ]) {
      expect(mail.text).toContain(fact);
      expect(mail.html).toContain(fact);
    }
    expect(mail.text).toContain('Events: 1\n');
    expect(mail.text).toContain('You get this because of the rule "New incident" of Main App.');
    expect(mail.html.match(/background:#1f4fb8/g)).toHaveLength(1);
  });

  it('leaves out what is not known', () => {
    const { text } = alertMail([item({}, { lastSeenAt: '2026-01-01T00:00:00.000Z' })], 1, APP_URL);
    expect(text).not.toMatch(/Users|Release|In-app frame|Last seen|null|undefined/);
  });

  it('names what happened in its subject, and adds the figures of a spike and the deploy', () => {
    const spike = alertMail([item(SPIKE)], 1, APP_URL);
    expect(spike.subject).toBe('[CHECKOUT-42] Spiking: TypeError in checkout in checkout-api');
    expect(spike.text).toContain('Last 5 minutes: 35 events, 3.5 times the usual 9.9');
    const back = alertMail([item(DEPLOY)], 1, APP_URL);
    expect(back.subject).toBe('[CHECKOUT-42] Regressed: TypeError in checkout in checkout-api');
    expect(back.text).toContain('Release: 1.2.3 (abc123), deployed 30 min before');
  });

  it('has the worst of several in its subject, lists the others, and counts those that it does not show', () => {
    const low = item(
      { condition: 'severity_threshold' },
      { severity: 'low', title: 'Slow', incidentId: 'inc_2' },
    );
    const mail = alertMail([item(DEPLOY), item(SPIKE), low], 5, APP_URL);
    expect(mail.subject).toBe('[CHECKOUT-42] Regressed: TypeError in checkout in checkout-api, and 4 more');
    for (const form of [mail.text, mail.html]) {
      expect(form).toContain('2 more alerts');
      expect(form).toContain('New · Low · checkout-api · production');
      expect(form).toContain('Spiking · High · checkout-api · production');
      expect(form).toContain(`${APP_URL}/incidents/inc_2`);
      expect(form).toContain('And 2 more.');
    }
    expect(mail.html.match(/background:#1f4fb8/g)).toHaveLength(1);
  });

  it('of a test is a message that names its rule and opens nothing', () => {
    const test = item({}, { incidentId: `inc_${NO_INCIDENT}` });
    const mail = alertMail([test], 1, APP_URL);
    expect(mail.subject).toBe('[Test] Alert rule "New incident"');
    expect(mail.html).not.toContain('href=');
    expect(mail.text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}/);
  });

  it('shows no id outside of addresses', () => {
    const id = '5f2a3a36-9b7c-4f63-8f44-2f0f6a1d7c02';
    const { html } = alertMail([item({ projectId: `proj_${id}` }, { incidentId: `inc_${id}` })], 1, APP_URL);
    expect(html).toContain(id);
    expect(html.replaceAll(/href="[^"]*"/g, '')).not.toContain(id);
  });

  it('has a subject that fits, however long the names are', () => {
    const long = item(
      { projectName: 'p'.repeat(120) },
      { title: 't'.repeat(121), serviceName: 's'.repeat(200) },
    );
    const { subject } = sanitizeMail({ to: 'oncall@example.test', ...alertMail([long], 1, APP_URL) });
    expect(subject).toBe(`[CHECKOUT-42] New: ${'t'.repeat(79)}… in ${'s'.repeat(79)}…`);
  });

  it('takes no header, markup or link from an event', () => {
    const mail = alertMail(
      [item({ projectName: HOSTILE }, { title: `${HOSTILE}${'x'.repeat(300)}` })],
      1,
      APP_URL,
    );
    expect(mail.subject).not.toMatch(/[\r\n]/);
    expect(mail.subject).toMatch(/… in checkout-api$/);
    expect(mail.html).not.toContain('<b>');
    expect(mail.html).toContain('&lt;b&gt;');
    expect([...mail.html.matchAll(/href="([^"]*)"/g)].map(([, url]) => url)).toEqual([
      `${APP_URL}/incidents/inc_1`,
      `${APP_URL}/projects/proj_1/alerts`,
    ]);
  });
});
