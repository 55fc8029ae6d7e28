import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startCulprit, type TestCulprit } from '../../../server/test/support/culprit.ts';
import { eventually } from '../../../server/test/support/eventually.ts';
import { type ForwardProxy, startForwardProxy } from '../../../server/test/support/forward-proxy.ts';
import { startReceiver, type WebhookReceiver } from '../../../server/test/support/webhook-receiver.ts';
import { type CliHome, createCliHome, type RunningCli } from '../support/built-cli.ts';
import { type SignedIn, signIn } from '../support/signed-in.ts';

/** `culprit webhooks listen`: deliveries here while somebody develops (C-31, C-32). */

let culprit: TestCulprit;
let signedIn: SignedIn;
let application: WebhookReceiver;
const running: RunningCli[] = [];
beforeAll(async () => {
  culprit = await startCulprit({ retryScale: 0.02 });
  signedIn = await signIn(culprit);
  application = await startReceiver();
});
afterEach(async () => {
  for (const each of running.splice(0)) {
    each.kill('SIGKILL');
    await each.ended;
  }
  application.requests.splice(0);
  application.answer(204);
});
afterAll(async () => {
  signedIn.home.remove();
  await application.stop();
  await culprit.stop();
});

/** Starts listening, and waits until it does. */
async function listen(home: CliHome, ready: RegExp, ...args: string[]): Promise<RunningCli> {
  const started = home.start(['webhooks', 'listen', '--forward-to', application.url, ...args]);
  running.push(started);
  await eventually(() => expect(started.err()).toMatch(ready));
  return started;
}
const listenHere = (...args: string[]) => listen(signedIn.home, /Listening at \S+\./, ...args);

function addressOf(listening: RunningCli): string {
  return /Listening at (\S+)\./.exec(listening.err())?.[1] ?? '';
}

function secretOf(listening: RunningCli): string {
  return /^svc_whsec_\S+$/m.exec(listening.out())?.[0] ?? '';
}

interface ListedWebhook {
  webhook_id: string;
  url: string;
}
async function webhooks(): Promise<ListedWebhook[]> {
  const { out } = await signedIn.home.run(['webhooks', 'list', '--json']);
  return JSON.parse(out).webhooks;
}

/** What the application got whose signature is that of the bytes under this secret. */
function signedBy(secret: string, { requests }: WebhookReceiver) {
  return requests.filter(({ body, headers }) => {
    const { 'webhook-id': id, 'webhook-timestamp': time } = headers;
    const message = createHmac('sha256', secret).update(`${id}.${time}.`).update(body).digest('base64');
    return (
      headers['x-service-signature'] === createHmac('sha256', secret).update(body).digest('hex') &&
      headers['webhook-signature'] === `v1,${message}`
    );
  });
}

describe('listening on this machine', () => {
  it('hands on the bytes of the server, under a secret that stays the same', async () => {
    const first = await listenHere();
    const secret = secretOf(first);
    await signedIn.fail('heard at first');
    const [delivery] = await application.received(1);
    expect(signedBy(secret, application)).toHaveLength(application.requests.length);
    expect(delivery?.headers).toMatchObject({
      'user-agent': 'culprit-webhooks/1',
      'x-service-attempt': '1',
      'x-service-event': expect.stringMatching(/^\w+\.\w+$/),
      'x-service-timestamp': expect.stringMatching(/^\d{10}$/),
    });
    const [webhook] = await webhooks();
    const id = String(delivery?.headers['x-service-delivery']);
    const sent = await signedIn.home.run([
      ...['webhooks', 'delivery', webhook?.webhook_id ?? '', id, '--json'],
    ]);
    expect(JSON.parse(sent.out).body).toBe(delivery?.body.toString('utf8'));
    first.kill('SIGINT');
    expect((await first.ended).code).toBe(130);
    expect(await webhooks()).toEqual([]);
    const second = await listenHere('--json');
    expect(JSON.parse(second.out().split('\n')[0] ?? '')).toEqual({ signing_secret: secret });
  });

  it('refuses what the server did not sign, and shows it to nobody', async () => {
    const listening = await listenHere();
    for (const signature of ['0'.repeat(64), '', createHmac('sha256', '').update('{}').digest('hex')]) {
      const forged = await fetch(addressOf(listening), {
        method: 'POST',
        headers: { 'x-service-signature': signature },
        body: '{}',
      });
      expect(forged.status).toBe(401);
    }
    const elsewhere = new URL('/culprit-listen/0', addressOf(listening));
    expect((await fetch(elsewhere, { method: 'POST', body: '{}' })).status).toBe(404);
    await eventually(() =>
      expect(listening.err()).toContain('A delivery with a wrong signature was refused.'),
    );
    expect(application.requests).toEqual([]);
  });

  it('gives the status of the application back, so that the server tries again', async () => {
    application.answer(500, 204);
    const listening = await listenHere('--event', 'bundle.created', '--json');
    await signedIn.fail('worth a second try');
    const [failed, again] = await application.received(2);
    expect(failed?.headers['x-service-attempt']).toBe('1');
    expect(again?.headers['x-service-attempt']).toBe('2');
    expect(again?.body).toEqual(failed?.body);
    await eventually(() => {
      const [, ...lines] = listening.out().trim().split('\n');
      expect(lines.map((line) => JSON.parse(line).status)).toEqual([500, 204]);
    });
  });

  it('deletes the webhook of a run that was killed when it starts again', async () => {
    const killed = await listenHere();
    const [left] = await webhooks();
    expect(left?.url).toBe(addressOf(killed));
    killed.kill('SIGKILL');
    await killed.ended;
    expect(await webhooks()).toHaveLength(1);
    const again = await listenHere();
    expect(again.err()).toContain(`Deleted the webhook ${left?.webhook_id}`);
    expect((await webhooks()).map(({ url }) => url)).toEqual([addressOf(again)]);
    // One that goes on is left alone.
    const beside = await listenHere();
    expect(beside.err()).not.toContain('Deleted');
    expect(await webhooks()).toHaveLength(2);
  });

  it('deletes the webhook of an address of its own in the same way', async () => {
    const args = ['--public-url', 'http://localhost:9/tunnel'];
    const killed = await listenHere(...args);
    killed.kill('SIGKILL');
    await killed.ended;
    const again = await listenHere(...args);
    expect((await webhooks()).map(({ url }) => url)).toEqual([addressOf(again)]);
  });
});

describe('listening to a server that cannot reach this machine', () => {
  const NAME = 'http://culprit.example.test';
  let proxy: ForwardProxy;
  let home: CliHome;
  const environment = () => ({ HTTP_PROXY: `http://127.0.0.1:${proxy.port}` });
  beforeAll(async () => {
    proxy = await startForwardProxy(() => Number(new URL(culprit.url).port));
    home = await createCliHome();
  });
  afterAll(async () => {
    home.remove();
    await proxy.close();
  });

  it('gets the same bytes as a webhook of the same events', async () => {
    const { memberToken, projectId } = signedIn.project;
    const signedUp = await home.run(['login', '--url', NAME, '--insecure-http', '--with-token'], {
      input: memberToken,
      environment: environment(),
    });
    expect(signedUp.code, signedUp.err).toBe(0);
    const receiver = await startReceiver();
    const created = await signedIn.home.run(['webhooks', 'create', '--target', receiver.url, '--json']);
    expect(created.code, created.err).toBe(0);
    const started = home.start(['webhooks', 'listen', '--forward-to', application.url, '-p', projectId], {
      environment: environment(),
    });
    running.push(started);
    await eventually(() => expect(started.err()).toContain('Following the feed of the server.'));
    await signedIn.fail('told in two ways');
    const textsOf = ({ requests }: WebhookReceiver) =>
      requests.map(({ body }) => body.toString('utf8')).sort();
    const haveEqual = (count: number) =>
      eventually(() => {
        expect(textsOf(receiver)).toHaveLength(count);
        expect(textsOf(application)).toEqual(textsOf(receiver));
      });
    await haveEqual(1);
    const listed = await signedIn.home.run(['incidents', 'resolve', '@latest']);
    expect(listed.code, listed.err).toBe(0);
    await haveEqual(2);
    expect(signedBy(secretOf(started), application)).toHaveLength(application.requests.length);
    for (const { headers } of application.requests) {
      expect(headers).toMatchObject({ 'user-agent': 'culprit-webhooks/1', 'x-service-attempt': '1' });
    }
    started.kill('SIGINT');
    expect((await started.ended).code).toBe(130);
    await receiver.stop();
  });
});
