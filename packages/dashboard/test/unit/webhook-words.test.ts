import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { WEBHOOK_EVENTS } from '@culprit/contract/alerts/webhook-events';
import { describe, expect, it } from 'vitest';
import { sentenceText } from '../../src/ui/sentence.tsx';
import { VERIFICATION_CODE } from '../../src/webhooks/verification-code.ts';
import { EVENT_WORDS, webhookSentence } from '../../src/webhooks/webhook-sentence.ts';
import { filtersOf, NEW_WEBHOOK, namesIn, patchOf, valuesOf } from '../../src/webhooks/webhook-values.ts';

/** docs/contract/dashboard.md 4.13 and item 23. */

const WEBHOOK = {
  url: 'https://ci.example.com/in',
  events: ['bundle.created'],
  filters: {},
  isEnabled: true,
} as const;

describe('the sentence of a webhook', () => {
  it.each([
    [{}, 'Calls https://ci.example.com/in when the evidence of a new incident is ready.'],
    [
      { events: ['incident.spike_detected', 'bundle.created', 'bundle.resolved'] },
      'Calls https://ci.example.com/in when the evidence of a new incident is ready, an incident is resolved or an incident spikes.',
    ],
    [{ events: WEBHOOK_EVENTS }, 'Calls https://ci.example.com/in on every event.'],
    [
      { filters: { environment: ['production', 'staging'], service: ['shop'], severity_min: 'high' } },
      'Calls https://ci.example.com/in when the evidence of a new incident is ready, in production or staging, of shop, of severity High or Critical.',
    ],
    [
      { filters: { bundle_type: ['improvement'], verification: false, severity_min: 'low' } },
      'Calls https://ci.example.com/in when the evidence of a new incident is ready, only insights. Verification runs are excluded.',
    ],
    [
      { isEnabled: false },
      'Calls https://ci.example.com/in when the evidence of a new incident is ready. It is disabled.',
    ],
    [{ url: '' }, 'Enter an address and choose an event.'],
  ] as const)('%j', (change, words) => {
    expect(sentenceText(webhookSentence({ ...WEBHOOK, ...change } as typeof WEBHOOK))).toBe(words);
  });

  it('has words of its own for every event', () => {
    expect(new Set(WEBHOOK_EVENTS.map((event) => EVENT_WORDS[event])).size).toBe(WEBHOOK_EVENTS.length);
  });
});

describe('the values of a webhook', () => {
  it('become filters that narrow, and nothing where everything passes', () => {
    expect(filtersOf(NEW_WEBHOOK)).toEqual({});
    expect(
      filtersOf({
        ...NEW_WEBHOOK,
        environments: ' production, ,production, eu ',
        severityMin: 'high',
        bundleTypes: ['failure'],
        withVerification: false,
      }),
    ).toEqual({
      environment: ['production', 'eu'],
      severity_min: 'high',
      bundle_type: ['failure'],
      verification: false,
    });
    expect(namesIn('')).toEqual([]);
  });

  it('go as far as they were changed, filters as a whole, and come back as they were', () => {
    const stored = {
      webhook_id: 'whk_1',
      project_id: 'proj_1',
      created_by_user_id: 'u',
      url: 'https://a.example/',
      events: ['bundle.created' as const],
      filters: { service: ['shop'], verification: false },
      is_enabled: true,
      created_at: '',
      updated_at: '',
    };
    const values = valuesOf(stored);
    expect(filtersOf(values)).toEqual(stored.filters);
    expect(patchOf(values, {})).toEqual({});
    expect(patchOf({ ...values, severityMin: 'low' }, { severityMin: true })).toEqual({
      filters: { service: ['shop'], verification: false, severity_min: 'low' },
    });
    expect(patchOf(values, { events: [true] })).toEqual({ events: ['bundle.created'] });
  });
});

/** The vector of docs/contract/notifications.md 3.11. */
const SECRET = 'svc_whsec_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg';
const BODY = '{"event":"bundle.created","occurred_at":"2026-01-02T03:04:05.000Z"}';
const SIGNATURE = '4af759fc1a3f8866e7a3b6eb49ceefe52fae4e8092ac5d7261b33fe75df9047b';
const TIME = 1767323045;
const HEADERS = {
  'webhook-id': 'del_31d2f0b4-7c0e-4f0c-9a0e-8d7f1f3b5a05',
  'webhook-timestamp': String(TIME),
  'webhook-signature': 'v1,S+yyu26ipDbgCLA+CtOsE+RHl/ZQTTXlL2JEi9eFqwI=',
};
const CHANGED = [
  { 'webhook-id': 'del_0' },
  { 'webhook-timestamp': String(TIME + 1) },
  { 'webhook-timestamp': 'soon' },
  { 'webhook-timestamp': '' },
  { 'webhook-signature': '' },
  { 'webhook-signature': HEADERS['webhook-signature'].slice(3) },
  { 'webhook-signature': `v2,${HEADERS['webhook-signature'].slice(3)}` },
];
const WRONG = SIGNATURE.replace(/b$/, 'c');

function codeIn(language: string): string {
  return VERIFICATION_CODE.find((each) => each.language === language)?.code ?? '';
}

function hasPython(): boolean {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('the shown verification code', () => {
  it('accepts the signature of the contract in Node, and no other', async () => {
    const url = `data:text/javascript,${encodeURIComponent(codeIn('Node'))}`;
    const { isFromCulprit } = await import(/* @vite-ignore */ url);
    const given = [SIGNATURE, WRONG, '', undefined, 'zz', SIGNATURE.slice(2)];
    expect(given.map((each) => isFromCulprit(Buffer.from(BODY), each, SECRET))).toEqual([
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
    expect(isFromCulprit(Buffer.from(`${BODY} `), SIGNATURE, SECRET)).toBe(false);
  });

  it('accepts the signed time of the contract for five minutes, in Node', async () => {
    const url = `data:text/javascript,${encodeURIComponent(codeIn('Node'))}`;
    const { isFreshFromCulprit } = await import(/* @vite-ignore */ url);
    const isFresh = (changes: object, now = TIME, body = BODY) =>
      isFreshFromCulprit(Buffer.from(body), { ...HEADERS, ...changes }, SECRET, now);
    expect([isFresh({}), isFresh({}, TIME + 300), isFresh({}, TIME - 300)]).toEqual([true, true, true]);
    expect(isFresh({ 'webhook-signature': `v1a,x v1,AAAA ${HEADERS['webhook-signature']}` })).toBe(true);
    expect([isFresh({}, TIME + 301), isFresh({}, TIME - 301), isFresh({}, TIME, `${BODY} `)]).toEqual([
      false,
      false,
      false,
    ]);
    for (const changed of CHANGED) expect(isFresh(changed)).toBe(false);
    expect(isFreshFromCulprit(Buffer.from(BODY), {}, SECRET)).toBe(false);
  });

  it.runIf(hasPython())('accepts the same in Python, for five minutes', async () => {
    const calls = `import json, sys
headers, changed = json.loads(sys.argv[3])
fresh = lambda changes, now: is_fresh_from_culprit(sys.argv[1].encode(), {**headers, **changes}, sys.argv[2], now)
print([fresh({}, ${TIME}), fresh({}, ${TIME + 300}), fresh({}, ${TIME + 301}), *[fresh(c, ${TIME}) for c in changed]])`;
    const { stdout } = await promisify(execFile)('python3', [
      '-c',
      `${codeIn('Python')}\n${calls}`,
      BODY,
      SECRET,
      JSON.stringify([HEADERS, CHANGED]),
    ]);
    expect(stdout.trim()).toBe(`[True, True, False, ${CHANGED.map(() => 'False').join(', ')}]`);
  });

  it.runIf(hasPython())('accepts the same in Python', async () => {
    const calls = `import sys
print([is_from_culprit(sys.argv[1].encode(), s, sys.argv[2]) for s in (sys.argv[3], sys.argv[4], "", None, "ü")])`;
    const { stdout } = await promisify(execFile)('python3', [
      '-c',
      `${codeIn('Python')}\n${calls}`,
      BODY,
      SECRET,
      SIGNATURE,
      WRONG,
    ]);
    expect(stdout.trim()).toBe('[True, False, False, False, False]');
  });
});
