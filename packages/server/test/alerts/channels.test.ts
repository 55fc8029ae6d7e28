import { TEMPLATE_PRESETS } from '@culprit/contract/alerts/template-presets';
import { describe, expect, it } from 'vitest';
import {
  type AlertItem,
  factPairs,
  type LaterFacts,
  NO_INCIDENT,
} from '../../src/notify/alerts/alert-facts.ts';
import { discordMessage } from '../../src/notify/alerts/channels/discord.ts';
import { alertMail } from '../../src/notify/alerts/channels/email.ts';
import { mattermostMessage } from '../../src/notify/alerts/channels/mattermost.ts';
import { ntfyMessage, ntfyPlace, ntfyTopic } from '../../src/notify/alerts/channels/ntfy.ts';
import { pagerdutyEvent } from '../../src/notify/alerts/channels/pagerduty.ts';
import { slackMessage } from '../../src/notify/alerts/channels/slack.ts';
import { teamsMessage } from '../../src/notify/alerts/channels/teams.ts';
import { telegramMessage } from '../../src/notify/alerts/channels/telegram.ts';
import { templateBody, templateFault } from '../../src/notify/alerts/channels/template.ts';
import { webhookBody } from '../../src/notify/alerts/channels/webhook.ts';
import { sanitizeMail } from '../../src/platform/mail/mail.ts';

const APP_URL = 'https://app.example.test';
const HOSTILE =
  '<!channel> <b>**bold**</b> [here](https://evil.example) `x` & @everyone\r\nBcc: a@evil.example';

/** The example of docs/contract/notifications.md 1.13 to 1.15. */
function item(
  change: Partial<AlertItem['facts']> = {},
  incident: Partial<AlertItem['facts']['incident']> = {},
): AlertItem {
  return {
    alertId: 'alt_1',
    ruleName: null,
    alertDeliveryId: '6c0a3f0e-2b3b-4b0c-8f0e-1d0d6d4f8f10',
    facts: {
      condition: 'new_incident',
      lifecycle: 'new_incident',
      triggeredAt: '2026-01-02T03:04:05.000Z',
      projectId: 'proj_1',
      projectName: 'Main App',
      incident: {
        incidentId: 'inc_1',
        shortId: 'CHECKOUT-42',
        bundleId: 'bun_1',
        title: 'TypeError in checkout',
        description: 'Cannot read properties of undefined',
        kind: 'backend_exception',
        severity: 'high',
        status: 'open',
        serviceId: '9c5a1f80-3d5c-4d6e-9f64-6e2b0c7f1d03',
        serviceName: 'checkout-api',
        environment: 'production',
        occurrenceCount: 1,
        firstSeenAt: '2026-01-01T00:00:00.000Z',
        lastSeenAt: '2026-01-02T03:04:05.000Z',
        ...incident,
      },
      release: null,
      spike: null,
      deploy: null,
      ...change,
    },
  };
}

interface DiscordTexts {
  title: string;
  description: string;
  fields: { name: string; value: string }[];
  footer: { text: string };
}

const SPIKE = { lifecycle: 'error_spike', spike: { events5m: 35, baseline5m: 9.92, ratio: 3.53 } } as const;
const DEPLOY = {
  condition: 'regression_after_deploy',
  lifecycle: 'incident_regressed',
  deploy: {
    version: '1.2.3',
    commitSha: 'abc123',
    branch: 'main',
    deployedAt: '2026-01-02T02:34:05.000Z',
    minutesSinceDeploy: 30,
  },
} as const;

describe('an alert in Slack', () => {
  it('is as the contract has it', () => {
    expect(slackMessage([item()], APP_URL)).toEqual({
      text: 'High new incident: [CHECKOUT-42] TypeError in checkout (checkout-api)',
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: 'New incident' } },
        {
          type: 'section',
          text: {
            type: 'mrkdwn',
            text: `*<${APP_URL}/incidents/inc_1|[CHECKOUT-42] TypeError in checkout>*`,
          },
        },
        {
          type: 'section',
          fields: [
            { type: 'mrkdwn', text: '*Severity*\nhigh' },
            { type: 'mrkdwn', text: '*Service*\ncheckout-api' },
            { type: 'mrkdwn', text: '*Environment*\nproduction' },
            { type: 'mrkdwn', text: '*Events*\n1' },
          ],
        },
        {
          type: 'actions',
          elements: [
            {
              type: 'button',
              text: { type: 'plain_text', text: 'Open incident' },
              url: `${APP_URL}/incidents/inc_1`,
            },
          ],
        },
        { type: 'context', elements: [{ type: 'mrkdwn', text: 'Main App, rule "New incident"' }] },
      ],
    });
  });

  it('adds the figures of a spike, and the deploy', () => {
    const spike = JSON.stringify(slackMessage([item(SPIKE)], APP_URL));
    for (const field of ['*Last 5 min*\\n35', '*Baseline*\\n9.9', '*Ratio*\\n3.5'])
      expect(spike).toContain(field);
    const deploy = JSON.stringify(slackMessage([item(DEPLOY)], APP_URL));
    for (const field of ['*Deploy*\\n1.2.3 (abc123)', '*Minutes since deploy*\\n30'])
      expect(deploy).toContain(field);
    expect(deploy).toContain('"text":"Regression after deploy"');
  });

  it('mentions nobody and stays within the limits, whatever an event says', () => {
    const hostile = item(
      { projectName: HOSTILE },
      { title: HOSTILE, serviceName: HOSTILE, environment: '<@U1>'.repeat(100) },
    );
    const text = JSON.stringify(slackMessage([hostile], APP_URL));
    expect(text).not.toMatch(/<[!@#]/);
    expect(text.replaceAll(`<${APP_URL}/incidents/inc_1|`, '')).not.toContain('<');
    const long = slackMessage(
      [item({}, { title: '<'.repeat(5000), serviceName: '&'.repeat(5000) })],
      APP_URL,
    );
    for (const part of JSON.stringify(long).match(/"text":"[^"]*"/g) ?? [])
      expect(part.length).toBeLessThan(3000);
  });
});

describe('an alert in Teams, Mattermost, ntfy and Telegram', () => {
  const chat = { chatId: '-1001', threadId: undefined };
  const TOPIC = 'https://push.example.test/at/culprit';
  const all = (each: AlertItem, later: LaterFacts | null = null) => ({
    teams: teamsMessage([each], APP_URL, later),
    mattermost: mattermostMessage([each], APP_URL),
    ntfy: ntfyMessage([each], APP_URL, TOPIC),
    telegram: telegramMessage([each], APP_URL, chat),
  });

  it('has title, facts, rule and link, and the figures of a spike and of a deploy', () => {
    for (const message of Object.values(all(item()))) {
      const text = JSON.stringify(message).replaceAll('\\\\', '');
      for (const part of [
        '[CHECKOUT-42] New incident: TypeError in checkout',
        'Cannot read properties of undefined',
        'checkout-api',
        'production',
        `${APP_URL}/incidents/inc_1`,
        'Main App, rule',
      ])
        expect(text).toContain(part);
    }
    for (const message of Object.values(all(item(SPIKE)))) expect(JSON.stringify(message)).toContain('9.9');
    for (const message of Object.values(all(item(DEPLOY))))
      expect(JSON.stringify(message)).toContain('abc123');
  });

  it('links to no incident in a test', () => {
    for (const message of Object.values(all(item({}, { incidentId: `inc_${NO_INCIDENT}` }))))
      expect(JSON.stringify(message)).not.toContain('/incidents/');
  });

  it('shows what an event says letter by letter and mentions no person', () => {
    const { teams, mattermost, telegram } = all(
      item({ projectName: HOSTILE }, { title: HOSTILE, description: HOSTILE, serviceName: HOSTILE }),
    );
    for (const message of [teams, mattermost]) {
      const shown = JSON.stringify({ ...message, fallback: '' });
      expect(shown.replaceAll(/"(?:fallback|footer)":"[^"]*"/g, '')).not.toMatch(
        /[^\\][*[<`]b?[a-z]|@everyone/,
      );
    }
    const { text } = telegram as { text: string };
    expect(text.replaceAll(/<\/?b>/g, '')).not.toMatch(/[<>]/);
    expect(text).toContain('&lt;b&gt;');
  });

  it.each(['x<&@*', '"', '😀', '文', '\0', '&', '\ud800'])(
    'stays within what each takes, however many %j it has',
    (letters) => {
      const long = letters.repeat(10_000 / letters.length);
      const deploy = { ...DEPLOY.deploy, version: `${long}2` };
      const fix = { url: `https://git.example.test/${long}`, commitSha: null, release: long, author: long };
      const each = {
        ...item(
          { ...SPIKE, ...DEPLOY, deploy, fix, release: long, projectName: long },
          { title: long, description: long, serviceName: long, environment: long },
        ),
        ruleName: long,
      };
      const assignee = long;
      const later = { affectedUsers: 1, topFrame: null, deploy: null, cause: null, assignee, ticket: null };
      const { teams, ntfy, telegram } = all(each, later);
      expect(Buffer.byteLength(JSON.stringify(teams))).toBeLessThan(20_000);
      expect(Buffer.byteLength((ntfy as { message: string }).message)).toBeLessThanOrEqual(4096);
      const { text } = telegram as { text: string };
      expect(text.length).toBeLessThanOrEqual(4000);
      expect(text.replaceAll(/<\/?b>|&(?:amp|lt|gt);/g, '')).not.toMatch(/[<>&]/);
      const { embeds } = discordMessage([each], APP_URL) as { embeds: [DiscordTexts] };
      const [{ title, description, fields, footer }] = embeds;
      const texts = [title, description, footer.text, ...fields.flatMap(({ name, value }) => [name, value])];
      expect(texts.join('').length).toBeLessThanOrEqual(6000);
      expect(JSON.stringify([teams, ntfy, telegram, embeds])).not.toMatch(/\\u0000|\\ud800/);
    },
  );

  it('is published to the topic at the end of the address, with the token as ntfy takes it', () => {
    expect(ntfyTopic(TOPIC)).toEqual({ server: 'https://push.example.test/at/', topic: 'culprit' });
    expect(ntfyTopic('https://ntfy.sh/')).toBeNull();
    expect(ntfyPlace(TOPIC, undefined)).toEqual({ url: 'https://push.example.test/at/' });
    const { url, authorization } = ntfyPlace(TOPIC, 'tk_1');
    expect([url, authorization?.reveal()]).toEqual(['https://push.example.test/at/', 'Bearer tk_1']);
  });
});

describe('an alert in the form of a template', () => {
  it.each(TEMPLATE_PRESETS)('can start from that of $name', ({ body }) => {
    expect(templateFault(JSON.stringify(body))).toBeNull();
  });

  it('has values in place of placeholders, numbers as numbers, wherever strings stand', () => {
    const template =
      '{"a":[{"t":"{{  title   }} ({{service}})"}],"n":"{{occurrences}}","m":"{{occurrences}} x","s":1}';
    expect(templateFault(template)).toBeNull();
    expect(templateBody(template, [item()], APP_URL, null)).toEqual({
      a: [{ t: 'TypeError in checkout (checkout-api)' }],
      n: 1,
      m: '1 x',
      s: 1,
    });
  });

  it('has what is known of the incident by now, and nothing where it is gone', () => {
    const template =
      '{"a":"{{users}}","b":"{{frame}}","c":"{{assignee}}","d":"{{ticket}}","e":"{{users}} users","f":"{{cause}}"}';
    expect(templateFault(template)).toBeNull();
    const later = {
      affectedUsers: 12,
      topFrame: { function: 'redeem', file: 'gift/cards.ts', line: 88, column: 3 },
      ...{ deploy: null, cause: 'It failed.', assignee: 'Ada "A"', ticket: 'acme/shop#7' },
    };
    expect(templateBody(template, [item()], APP_URL, later)).toEqual({
      ...{ a: 12, b: 'redeem gift/cards.ts:88', c: 'Ada "A"', d: 'acme/shop#7', e: '12 users' },
      f: 'It failed.',
    });
    expect(templateBody(template, [item()], APP_URL, null)).toEqual({
      ...{ a: 0, b: '', c: '', d: '', e: '0 users', f: '' },
    });
  });

  it('keeps what an event says in its string, and fills in nothing twice', () => {
    const hostile = item({}, { title: '","admin":true,"{{url}}', serviceName: '{{title}}' });
    expect(templateBody('{"t":"{{title}}","u":"{{service}}"}', [hostile], APP_URL, null)).toEqual({
      t: '","admin":true,"{{url}}',
      u: '{{title}}',
    });
  });

  it.each([
    ['text', 'is not JSON'],
    ['"text"', 'is no JSON object'],
    ['{"t":"{{constructor}}"}', 'has the unknown placeholder {{constructor}}'],
    ['{"t":"{{title | upper}}"}', 'has the unknown placeholder {{title | upper}}'],
    [JSON.stringify({ t: '{{title}}'.repeat(800) }), 'is larger than 16384 bytes when it is filled in'],
  ])('%.30s is refused', (template, fault) => {
    expect(templateFault(template)).toBe(fault);
  });
});

describe('an alert in Discord', () => {
  it('is as the contract has it', () => {
    expect(discordMessage([item()], APP_URL)).toEqual({
      content: '',
      allowed_mentions: { parse: [] },
      embeds: [
        {
          title: '\\[CHECKOUT-42\\] New incident: TypeError in checkout',
          url: `${APP_URL}/incidents/inc_1`,
          description: 'Cannot read properties of undefined',
          color: 16224265,
          timestamp: '2026-01-02T03:04:05.000Z',
          fields: [
            { name: 'Severity', value: 'high', inline: true },
            { name: 'Service', value: 'checkout-api', inline: true },
            { name: 'Environment', value: 'production', inline: true },
            { name: 'Events', value: '1', inline: true },
          ],
          footer: { text: 'Main App, rule "New incident"' },
        },
      ],
    });
  });

  it('has the colour of its severity, and cuts where Discord does', () => {
    const colors = (['critical', 'high', 'medium', 'low'] as const).map(
      (severity) =>
        JSON.stringify(discordMessage([item({}, { severity })], APP_URL)).match(/"color":(\d+)/)?.[1],
    );
    expect(colors).toEqual(['14232864', '16224265', '16625698', '6713477']);
    const long = '*'.repeat(5000);
    const text = JSON.stringify(
      discordMessage([item({}, { title: long, description: long, serviceName: long })], APP_URL),
    );
    const [title, description, value] = ['title', 'description', 'value'].map((name) =>
      Math.max(
        ...[...text.matchAll(new RegExp(`"${name}":("[^"]*")`, 'g'))].map(
          ([, json = '""']) => String(JSON.parse(json)).length,
        ),
      ),
    );
    const within = (max: number) => expect.toSatisfy((length: number) => length <= max && length > max - 3);
    // Names are cut to 200 characters, and each of these is escaped.
    expect([title, description, value]).toEqual([within(256), within(2048), within(400)]);
  });

  it('shows markup of an event as text', () => {
    const text = JSON.stringify(
      discordMessage([item({}, { title: HOSTILE, description: HOSTILE })], APP_URL),
    );
    expect(text).toContain('\\\\<b\\\\>\\\\*\\\\*bold\\\\*\\\\*');
    expect(text).toContain('\\\\[here\\\\](https://evil.example)');
    expect(text).not.toContain('\\n');
  });
});

describe('an alert to a webhook', () => {
  it('tells of spike and deploy where there are some', () => {
    expect(webhookBody([item(SPIKE)], APP_URL)).toMatchObject({
      lifecycle_event: 'error_spike',
      spike: { events_5m: 35, baseline_5m: 9.92, ratio: 3.53 },
      deploy: null,
    });
    expect(webhookBody([item(DEPLOY)], APP_URL)).toMatchObject({
      condition_type: 'regression_after_deploy',
      spike: null,
      deploy: {
        version: '1.2.3',
        commit_sha: 'abc123',
        branch: 'main',
        deployed_at: '2026-01-02T02:34:05.000Z',
        minutes_since_deploy: 30,
      },
    });
  });
});

describe('a page', () => {
  const KEY = 'a'.repeat(32);
  const event = (...parts: Parameters<typeof item>) =>
    JSON.parse(JSON.stringify(pagerdutyEvent([item(...parts)], APP_URL, KEY)));

  it('stays within what PagerDuty takes, and has one line for each text of an event', () => {
    const long = `${HOSTILE}\0${'😀'.repeat(10_000)}`;
    const { payload } = event({}, { title: long, description: long, serviceName: long, environment: long });
    expect([...payload.summary].length).toBeLessThanOrEqual(1024);
    expect(Buffer.byteLength(JSON.stringify(payload))).toBeLessThan(65_536);
    expect(JSON.stringify(payload)).not.toMatch(/\\[nr]|\\u0000/);
    expect(payload.class).toBe('backend_exception');
  });

  it('is closed by its key alone', () => {
    for (const [lifecycle, event_action] of [
      ['incident_resolved', 'resolve'],
      ['incident_assigned', 'acknowledge'],
    ] as const)
      expect(event({ lifecycle })).toEqual({ routing_key: KEY, event_action, dedup_key: 'culprit:inc_1' });
  });

  it('of a test has a key of its own and links to no incident', () => {
    const test = event({}, { incidentId: `inc_${NO_INCIDENT}` });
    expect(test).toMatchObject({ dedup_key: 'culprit:6c0a3f0e-2b3b-4b0c-8f0e-1d0d6d4f8f10' });
    expect(test).not.toHaveProperty('links');
  });
});

describe('the release of an alert', () => {
  const shown = (change: Partial<AlertItem['facts']>) => {
    const items = [item(change)] as const;
    return [
      JSON.stringify(slackMessage(items, APP_URL)),
      JSON.stringify(discordMessage(items, APP_URL)),
      JSON.stringify(webhookBody(items, APP_URL)),
      alertMail(items, 1, APP_URL).text,
    ];
  };

  it('is in each text, once where a deploy has the same version', () => {
    expect(shown({ release: 'shop@1.9.0' })).toEqual([
      expect.stringContaining('*Release*\\nshop@1.9.0'),
      expect.stringContaining('{"name":"Release","value":"shop@1.9.0","inline":true}'),
      expect.stringContaining('"release":"shop@1.9.0"'),
      expect.stringContaining('Release: shop@1.9.0\n'),
    ]);
    const [slack, discord, , mail] = shown({ ...DEPLOY, release: '1.2.3' });
    expect([slack, discord].join()).not.toContain('Release');
    expect(mail).toContain('Release: 1.2.3 (abc123), deployed 30 min before');
    const [other, , , otherMail] = shown({ ...DEPLOY, release: '1.2.2' });
    expect(other).toMatch(/\*Release\*\\n1\.2\.2.*\*Deploy\*\\n1\.2\.3/);
    expect(otherMail).toContain('Release: 1.2.2\n');
  });

  it('is a fact of the chats', () => {
    expect(factPairs(item({ release: 'shop@1.9.0' }).facts)).toContainEqual(['Release', 'shop@1.9.0']);
    expect(factPairs(item({ ...DEPLOY, release: '1.2.3' }).facts).map(([name]) => name)).not.toContain(
      'Release',
    );
  });

  it('is text, whatever it holds', () => {
    const [slack, discord, , mail] = shown({ release: HOSTILE });
    expect(slack).not.toContain('<b');
    expect(discord).toContain('\\\\<b');
    expect(mail).toContain('Release: ');
  });
});

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

describe('a message of several rules about one transition', () => {
  const pager = {
    ...item({ condition: 'severity_threshold' }),
    alertId: 'alt_2',
    ruleName: 'Pager <!here> & "co"',
  };
  const both = [pager, item()] as const;

  it('names them all in every channel, and shows the incident once', () => {
    const slack = slackMessage(both, APP_URL);
    expect(slack.text).toBe(
      'High severity threshold, new incident: [CHECKOUT-42] TypeError in checkout (checkout-api)',
    );
    expect(slack.blocks.at(-1)).toMatchObject({
      elements: [{ text: 'Main App, rules "Pager &lt;!here&gt; &amp; "co"", "New incident"' }],
    });
    expect(discordMessage(both, APP_URL)).toMatchObject({
      embeds: [
        {
          title: '\\[CHECKOUT-42\\] Severity threshold, new incident: TypeError in checkout',
          footer: { text: 'Main App, rules "Pager <!here> & "co"", "New incident"' },
        },
      ],
    });
    expect(webhookBody(both, APP_URL)).toMatchObject({
      alert_id: 'alt_2',
      alert_name: 'Pager <!here> & "co"',
      condition_type: 'severity_threshold',
      alerts: [
        { alert_id: 'alt_2', condition_type: 'severity_threshold' },
        { alert_id: 'alt_1', alert_name: null, condition_type: 'new_incident' },
      ],
    });
    const { text, html } = alertMail(both, 2, APP_URL);
    for (const form of [text, html]) expect(form.split('/incidents/inc_1')).toHaveLength(2);
    expect(text).toContain(
      'You get this because of the rules "Pager <!here> & "co"", "New incident" of Main App.',
    );
    expect(html).not.toContain('<!here>');
  });

  it('names twenty of many, and stays within the limits of each channel', () => {
    const many = Array.from({ length: 100 }, (_, n) => ({
      ...item(),
      alertId: `alt_${n}`,
      ruleName: n === 99 ? null : `${n} ${'&'.repeat(76)}`,
    }));
    const [first = item(), ...others] = many;
    const slack = JSON.stringify(slackMessage([first, ...others], APP_URL).blocks.at(-1));
    expect(slack.length).toBeLessThan(3100);
    const discord = JSON.stringify(discordMessage([first, ...others], APP_URL));
    expect(discord).toContain(' and 80 more');
  });
});
