import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postSlackMessage, type SlackOutcome } from '../../src/notify/slack/post-slack-message.ts';
import { LOCAL_RECEIVERS } from '../support/receivers-allowed.ts';
import { reply, reset, startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const MESSAGE = { text: 'hello', blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'hello' } }] };
const OUTBOUND = { ...LOCAL_RECEIVERS, isLoopbackAllowed: true };

let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver?.stop());

const rejected = (responseCode: number): SlackOutcome => ({ kind: 'rejected', responseCode });
const failed = (error: string, responseCode: number | null, isFinal = false): SlackOutcome => ({
  kind: 'failed',
  error,
  responseCode,
  isFinal,
});

describe('a message to Slack', () => {
  it('is posted as JSON', async () => {
    receiver.answer(reply(200, {}, 'ok'));
    const outcome = await postSlackMessage(OUTBOUND, receiver.url, MESSAGE);
    expect(outcome).toEqual({ kind: 'delivered', responseCode: 200 });
    const [request] = receiver.requests;
    expect(request?.method).toBe('POST');
    expect(request?.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.parse(request?.body.toString('utf8') ?? '')).toEqual(MESSAGE);
  });

  it.each([
    [404, 'channel_not_found', rejected(404)],
    [403, 'invalid_token', rejected(403)],
    [400, 'no_service\n', rejected(400)],
    [404, '', rejected(404)],
    [410, 'channel_is_archived', rejected(410)],
    [400, 'invalid_payload', failed('http_400', 400)],
    [403, 'action_prohibited', failed('http_403', 403)],
    [429, 'rate_limited', failed('http_429', 429)],
    [500, 'rollup_error', failed('http_500', 500)],
    [302, '', failed('http_302', 302)],
  ])('answered %s %s has the outcome of the contract', async (status, body, expected) => {
    receiver.answer(reply(status, { location: 'http://127.0.0.1:1/elsewhere' }, body));
    expect(await postSlackMessage(OUTBOUND, receiver.url, MESSAGE)).toEqual(expected);
  });

  it('whose connection breaks may be tried again, and one to a refused address not', async () => {
    receiver.answer(reset);
    expect(await postSlackMessage(OUTBOUND, receiver.url, MESSAGE)).toEqual(failed('connection_error', null));
    const closed = { ...OUTBOUND, isLoopbackAllowed: false };
    const blocked = await postSlackMessage(closed, receiver.url, MESSAGE);
    expect(blocked).toEqual(failed('target_blocked', null, true));
  });
});
