import { describe, expect, it } from 'vitest';
import { type AlertItem, type LaterFacts, NO_INCIDENT } from '../../src/notify/alerts/alert-facts.ts';
import { discordMessage } from '../../src/notify/alerts/channels/discord.ts';
import { mattermostMessage } from '../../src/notify/alerts/channels/mattermost.ts';
import { ntfyMessage, ntfyPlace, ntfyTopic } from '../../src/notify/alerts/channels/ntfy.ts';
import { teamsMessage } from '../../src/notify/alerts/channels/teams.ts';
import { telegramMessage } from '../../src/notify/alerts/channels/telegram.ts';
import { templateBody, templateFault } from '../../src/notify/alerts/channels/template.ts';
import { APP_URL, DEPLOY, HOSTILE, item, SPIKE } from './alert-items.ts';

interface DiscordTexts {
  title: string;
  description: string;
  fields: { name: string; value: string }[];
  footer: { text: string };
}

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
