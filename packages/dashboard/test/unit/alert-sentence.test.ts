import { ALERT_CONDITIONS, ALERT_SCOPES } from '@culprit/contract/alerts/alerts';
import { describe, expect, it } from 'vitest';
import { alertSentence, everySpan, type SpokenRule } from '../../src/alerts/alert-sentence.ts';
import {
  NEW_ALERT,
  newAlertOf,
  patchOf,
  spokenRuleOf,
  storedUrl,
  WAYS,
} from '../../src/alerts/alert-values.ts';
import { shortUrl } from '../../src/format/short-url.ts';
import { sentenceText } from '../../src/ui/sentence.tsx';

/** docs/contract/dashboard.md 4.12 and item 22: the sentence says what the rule does. */

const RULE: SpokenRule = {
  condition: 'new_incident',
  scope: null,
  threshold: { counted: 'events', amount: 100, windowMinutes: 5 },
  severityMin: 'high',
  services: [],
  environments: [],
  query: null,
  target: { verb: 'send a mail to', whom: 'oncall@example.com' },
  cooldownSeconds: 3600,
  isEnabled: true,
};
const say = (change: Partial<SpokenRule>) => sentenceText(alertSentence({ ...RULE, ...change }));

describe('the sentence of an alert rule', () => {
  it('reads as people would say it', () => {
    expect(say({})).toBe(
      'When a new incident of severity High or Critical appears in any service, send a mail to oncall@example.com, at most once an hour for the same failure.',
    );
    expect(
      say({ condition: 'incident_regressed', severityMin: null, services: ['checkout (production)'] }),
    ).toBe(
      'When a resolved incident comes back in checkout (production), send a mail to oncall@example.com, at most once an hour for the same failure.',
    );
    const threshold = { ...RULE.threshold, counted: 'users' as const, amount: 1 };
    expect(say({ condition: 'occurrence_threshold', severityMin: null })).toBe(
      'When an incident in any service has 100 events within 5 minutes, send a mail to oncall@example.com, at most once an hour for the same failure.',
    );
    expect(say({ condition: 'occurrence_threshold', severityMin: null, threshold })).toBe(
      'When an incident in any service affects 1 user, send a mail to oncall@example.com, at most once an hour for the same failure.',
    );
    expect(say({ condition: 'regression_after_deploy', cooldownSeconds: 0 })).toBe(
      'When a resolved incident of severity High or Critical comes back in any service within 24 hours after a deploy, send a mail to oncall@example.com, every time.',
    );
    expect(say({ condition: 'severity_threshold', scope: 'both', severityMin: 'medium' })).toBe(
      'When a new incident of severity Medium, High or Critical appears or a resolved one comes back in any service, send a mail to oncall@example.com, at most once an hour for the same failure.',
    );
    expect(say({ condition: 'error_spike', severityMin: 'critical', isEnabled: false })).toBe(
      'When an incident of severity Critical spikes in any service, send a mail to oncall@example.com, at most once an hour for the same failure. It is disabled.',
    );
    expect(say({ condition: 'snooze_ended', severityMin: null, query: 'tag.plan:pro' })).toBe(
      'When a snoozed incident wakes early in any service and matches tag.plan:pro, send a mail to oncall@example.com, at most once an hour for the same failure.',
    );
    expect(say({ services: ['api', 'web*', 'jobs'], environments: ['production', 'staging'] })).toContain(
      'appears in api, web* or jobs in the environment production or staging, send',
    );
    expect(say({ services: ['!jobs'], environments: ['!dev*', '!test'] })).toContain(
      'appears in any service but jobs in any environment but dev* or test, send',
    );
    expect(say({ target: null })).toBe(
      'When a new incident of severity High or Critical appears in any service, nothing is sent: the rule has no target.',
    );
  });

  const severities = [null, 'low', 'medium', 'high', 'critical'] as const;
  const places = [
    { services: [], environments: [] },
    { services: ['checkout'], environments: [] },
    { services: [], environments: ['checkout'] },
    { services: [], environments: ['!checkout'] },
  ];
  const combinations = ALERT_CONDITIONS.flatMap((condition) =>
    ALERT_SCOPES.flatMap((scope) =>
      severities.flatMap((severityMin) =>
        places.flatMap((place) =>
          WAYS.flatMap((way) =>
            [0, 300, 604_800].map((cooldownSeconds) => ({
              condition,
              scope,
              threshold: RULE.threshold,
              severityMin,
              ...place,
              way,
              cooldownSeconds,
            })),
          ),
        ),
      ),
    ),
  );

  /** Which transitions and severities a rule lets pass (docs/contract/notifications.md 1.7), as the sentence must say. */
  function meaningOf({
    condition,
    scope,
    severityMin,
    services,
    environments,
    way,
    cooldownSeconds,
  }: (typeof combinations)[number]) {
    const isThreshold = condition === 'severity_threshold';
    return JSON.stringify({
      created: condition === 'new_incident' || (isThreshold && scope !== 'incident_regressed'),
      regressed: condition === 'incident_regressed' || (isThreshold && scope !== 'new_incident'),
      spike: condition === 'error_spike',
      deploy: condition === 'regression_after_deploy',
      reached: condition === 'occurrence_threshold',
      woke: condition === 'snooze_ended',
      passes: severityMin ?? 'low',
      services,
      environments,
      way,
      cooldownSeconds,
    });
  }

  it('is the same for two rules exactly where they do the same', () => {
    const sentences = new Map<string, string>();
    for (const each of combinations) {
      const text = say({ ...each, target: { verb: 'tell', whom: each.way } });
      const meaning = meaningOf(each);
      expect(sentences.get(meaning) ?? text, meaning).toBe(text);
      sentences.set(meaning, text);
    }
    expect(combinations).toHaveLength(7 * 3 * 5 * 4 * WAYS.length * 3);
    expect(new Set(sentences.values()).size).toBe(sentences.size);
  });

  it.each([
    [1, 'a second'],
    [90, 'every 90 seconds'],
    [300, 'every 5 minutes'],
    [3600, 'an hour'],
    [21_600, 'every 6 hours'],
    [604_800, 'a week'],
  ])('a pause of %s s is "%s"', (seconds, words) => {
    expect(everySpan(seconds)).toBe(words);
  });
});

describe('the values of an alert rule', () => {
  const rule = {
    alert_id: 'alt_1',
    project_id: 'proj_1',
    created_by_user_id: 'u',
    name: null,
    service_id: null,
    services: null,
    environments: null,
    query: null,
    channel: 'discord',
    condition_type: 'new_incident',
    severity_min: null,
    severity_lifecycle_scope: null,
    threshold_count: null,
    window_minutes: null,
    threshold_users: null,
    cooldown_seconds: 0,
    config: { webhook_url: 'https://discord.com/api/webhooks/1/secret-part' },
    is_enabled: true,
    created_at: '',
    updated_at: '',
  } as const;

  it('name exactly the keys of their channel', () => {
    const values = {
      ...NEW_ALERT,
      email: ' a@b.c ',
      destinationId: 'd',
      url: ' https://x.example/ ',
      token: ' 7:t ',
      chatId: ' -1001 ',
      threadId: ' 4 ',
      body: '{}',
      trackerId: 't',
    };
    const made = WAYS.map((way) => newAlertOf({ ...values, way }, 'proj_1'));
    expect(made.map(({ channel, config }) => ({ channel, config }))).toEqual([
      { channel: 'email', config: { to: 'a@b.c' } },
      { channel: 'slack', config: { slack_destination_id: 'd' } },
      { channel: 'slack', config: { webhook_url: 'https://x.example/' } },
      { channel: 'teams', config: { webhook_url: 'https://x.example/' } },
      { channel: 'discord', config: { webhook_url: 'https://x.example/' } },
      { channel: 'mattermost', config: { webhook_url: 'https://x.example/' } },
      { channel: 'telegram', config: { token: '7:t', chat_id: '-1001', thread_id: 4 } },
      { channel: 'ntfy', config: { target_url: 'https://x.example/', token: '7:t' } },
      { channel: 'pagerduty', config: { token: '7:t' } },
      { channel: 'webhook', config: { target_url: 'https://x.example/' } },
      { channel: 'template', config: { target_url: 'https://x.example/', body: '{}' } },
      { channel: 'tracker', config: { tracker_id: 't' } },
    ]);
    const region = { way: 'pagerduty', token: 'k', url: 'https://events.eu.pagerduty.com' } as const;
    expect(newAlertOf({ ...NEW_ALERT, ...region }, 'proj_1').config).toEqual({
      token: 'k',
      target_url: region.url,
    });
  });

  it('are sent as far as they were changed, and a target always with its channel', () => {
    const values = { ...NEW_ALERT, email: 'a@b.c', cooldownSeconds: '60' };
    expect(patchOf(values, {})).toEqual({});
    expect(patchOf(values, { cooldownSeconds: true })).toEqual({ cooldown_seconds: 60 });
    const scoped = { ...values, name: ' Pager ', services: 'a\nb*', environments: '!c' };
    expect(patchOf(scoped, { name: true, services: true, environments: true })).toEqual({
      name: 'Pager',
      service_id: null,
      services: ['a', 'b*'],
      environments: ['!c'],
    });
    expect(patchOf({ ...values, query: ' env:prod* ' }, { query: true })).toEqual({ query: 'env:prod*' });
    expect(patchOf(values, { query: true })).toEqual({ query: null });
    expect(patchOf({ ...scoped, serviceId: 's' }, { serviceId: true })).toEqual({
      service_id: 's',
      services: null,
    });
    expect(patchOf(values, { environments: true })).toEqual({ environments: null });
    expect(patchOf(values, { email: true })).toEqual({ channel: 'email', config: { to: 'a@b.c' } });
    expect(patchOf({ ...values, condition: 'severity_threshold' }, { condition: true })).toEqual({
      condition_type: 'severity_threshold',
      severity_lifecycle_scope: 'both',
      threshold_count: null,
      window_minutes: null,
      threshold_users: null,
    });
  });

  it('have the fields of a threshold for its condition alone', () => {
    const events = { ...NEW_ALERT, condition: 'occurrence_threshold', threshold: '50' } as const;
    const none = { threshold_count: null, window_minutes: null, threshold_users: null };
    expect(newAlertOf(events, 'proj_1')).toMatchObject({ ...none, threshold_count: 50, window_minutes: 60 });
    expect(newAlertOf({ ...events, counted: 'users' }, 'proj_1')).toMatchObject({
      ...none,
      threshold_users: 50,
    });
    expect(newAlertOf({ ...events, condition: 'error_spike' }, 'proj_1')).toMatchObject(none);
    expect(patchOf({ ...events, counted: 'users' }, { counted: true })).toEqual({
      ...none,
      threshold_users: 50,
    });
  });

  it('never show an address that is a secret in full', () => {
    expect(storedUrl('discord', rule)).toBe('https://discord.com/…part');
    expect(storedUrl('webhook', rule)).toBeNull();
    const named = { services: [], destinations: [], trackers: [] };
    expect(spokenRuleOf({ ...NEW_ALERT, way: 'discord' }, rule, named).target?.whom).not.toContain('secret');
    expect(shortUrl('http://127.0.0.1:80/in')).toBe('http://127.0.0.1/in');
  });
});
