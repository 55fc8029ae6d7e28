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
import { APP_URL, DEPLOY, HOSTILE, item, SPIKE } from './alert-items.ts';

interface DiscordTexts {
  title: string;
  description: string;
  fields: { name: string; value: string }[];
  footer: { text: string };
}

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
