// Proves 13.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MAP_DEFAULTS } from '../../src/maps/map-settings.ts';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { createLoggerTo } from '../../src/platform/log.ts';
import { MAIL_LANE } from '../../src/platform/mail/mail.jobs.ts';
import type { Mail } from '../../src/platform/mail/mail.ts';
import type { MailSettings } from '../../src/platform/mail/mail-transport.ts';
import { type QueueMailOptions, queueMail } from '../../src/platform/mail/queue-mail.ts';
import { SMTP_LIMITS } from '../../src/platform/mail/smtp-transport.ts';
import { createFileObjectStore } from '../../src/platform/objects/file-object-store.ts';
import type { ObjectStore } from '../../src/platform/objects/object-store.ts';
import { deriveKeys } from '../../src/platform/secrets/keys.ts';
import { Secret } from '../../src/platform/secrets/secret.ts';
import { startBackgroundServices } from '../../src/roles/background-services.ts';
import { laneRow } from '../../src/roles/lanes.ts';
import { TABLES } from '../../src/roles/tables.ts';
import { startWakeRouter } from '../../src/roles/wake-router.ts';
import { SELF_HOSTED } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import {
  type MailServer,
  type MailServerOptions,
  type ReceivedMail,
  startMailServer,
} from '../support/mail-server.ts';
import { moveClock } from '../support/move-clock.ts';
import { CONTRACT_DELIVERIES, LOCAL_RECEIVERS } from '../support/receivers-allowed.ts';
import { createTestDatabase } from '../support/test-database.ts';

/**
 * docs/contract/reliability.md test 13: mail over real SMTP, with a server that refuses, hangs, defers, rejects, and
 * drops the line.
 */

const CODE = '271828';
const KEYS = deriveKeys(new Secret(randomBytes(32)));
const MAIL_KEY = KEYS.queuedMail.reveal();
const LIMITS = {
  connectTimeoutMs: 1000,
  greetingTimeoutMs: 300,
  silenceTimeoutMs: 300,
  totalTimeoutMs: 2000,
};
/** All retries in a second. */
const RETRY_SCALE = 0.001;
const RETRY_DELAYS_MS = laneRow(MAIL_LANE).retryDelaysMs;
const ATTEMPTS_MAX = RETRY_DELAYS_MS.length + 1;

let databaseUrl: string;
let database: Database;
let directory: string;
let objects: ObjectStore;
let server: MailServer;
let worker: { stop(): Promise<void> } | null = null;
let lines: string[] = [];

beforeAll(async () => {
  databaseUrl = await createTestDatabase();
  database = openDatabase({ url: databaseUrl, connectionsMax: 6, applicationName: 'culprit-test' });
  directory = await mkdtemp(join(tmpdir(), 'culprit-mail-'));
  objects = await createFileObjectStore({ directory, writeTimeoutMs: 1000 });
});
afterAll(async () => {
  await database.close();
  await rm(directory, { recursive: true, force: true });
});
beforeEach(async () => {
  await moveClock(database, 0);
  await database.script('truncate jobs');
  lines = [];
});
afterEach(async () => {
  // First the server, so that no message under way holds up the worker.
  await server.stop();
  await worker?.stop();
  worker = null;
});

async function startServer(options: MailServerOptions = {}): Promise<void> {
  server = await startMailServer(options);
}

async function startWorker(
  more: Partial<MailSettings> = {},
  baseUrl = 'http://localhost:4800',
): Promise<void> {
  const log = createLoggerTo({ write: (line) => void lines.push(line) }, { level: 'debug', role: 'test' });
  const appUrl = baseUrl;
  const runtime = {
    database,
    objects,
    tables: TABLES,
    outbound: LOCAL_RECEIVERS,
    keys: KEYS,
    plans: SELF_HOSTED,
    maps: MAP_DEFAULTS,
    baseUrl,
    appUrl,
    log,
  };
  const services = await startBackgroundServices(runtime, {
    mail: {
      transport: 'smtp',
      smtpUrl: new Secret(server.url),
      from: 'Culprit <culprit@errors.example.com>',
      directory: '',
      limits: LIMITS,
      ...more,
    },
    deliveries: CONTRACT_DELIVERIES,
    retryScale: RETRY_SCALE,
  });
  const { targets } = services;
  const router = startWakeRouter({ database, databaseUrl, targets, retryScale: RETRY_SCALE, log });
  worker = {
    async stop() {
      await router.stop();
      await services.stop();
    },
  };
}

async function queue(to: string, more: Partial<Mail> & QueueMailOptions = {}): Promise<void> {
  const { lifetimeMs, isDecoy, ...mail } = more;
  await database.transaction((transaction) =>
    queueMail(
      transaction,
      MAIL_KEY,
      { to, subject: 'Sign-in code', text: `    ${CODE}\n`, html: `<p>${CODE}</p>`, ...mail },
      {
        ...(lifetimeMs === undefined ? {} : { lifetimeMs }),
        ...(isDecoy === undefined ? {} : { isDecoy }),
      },
    ),
  );
}

async function jobsLeft(): Promise<number> {
  const [row] = await database.query<{ jobs: number }>({
    name: 'test-jobs',
    text: 'select count(*)::integer as jobs from jobs',
  });
  return row?.jobs ?? -1;
}

async function settled(): Promise<void> {
  await eventually(async () => expect(await jobsLeft()).toBe(0));
}

/** A line about a job is written once its end is committed. */
async function hasSaid(text: string): Promise<void> {
  await eventually(() => expect(lines.join('')).toContain(text));
}

function onlyMail(): ReceivedMail {
  const [mail, ...others] = server.received;
  if (mail === undefined || others.length > 0) throw new Error(`${server.received.length} messages`);
  return mail;
}

function copies(to: string): number {
  return server.received.filter((each) => each.to.includes(to)).length;
}

describe('a mail server that takes messages', () => {
  it('gets one copy with both forms and the headers of an automatic message', async () => {
    await startServer();
    await startWorker();
    await queue('dev@example.test', { subject: 'Größe 😀 of <b>', text: 'plain ü\n', html: '<p>html ü</p>' });
    await settled();
    const { from, to, mail } = onlyMail();
    expect({ from, to }).toEqual({ from: 'culprit@errors.example.com', to: ['dev@example.test'] });
    expect(mail.from).toEqual({ name: 'Culprit', address: 'culprit@errors.example.com' });
    expect(mail.to).toEqual([{ name: '', address: 'dev@example.test' }]);
    expect(mail.subject).toBe('Größe 😀 of <b>');
    expect(mail.text?.trimEnd()).toBe('plain ü');
    expect(mail.html).toContain('<p>html ü</p>');
    expect(mail.messageId).toMatch(/^<[0-9a-f-]{36}@errors\.example\.com>$/);
    expect(mail.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-generated');
  });

  it('gets what was queued by a transaction only when that commits', async () => {
    await startServer();
    await startWorker();
    const failed = database.transaction(async (transaction) => {
      await queueMail(transaction, MAIL_KEY, { to: 'a@example.test', subject: 's', text: 't', html: 'h' });
      throw new Error('changed my mind');
    });
    await expect(failed).rejects.toThrow('changed my mind');
    await queue('b@example.test');
    await settled();
    expect(server.received.map((each) => each.to)).toEqual([['b@example.test']]);
  });

  it('is the first to read a message: the queue holds it sealed', async () => {
    await startServer();
    await queue('secretive@example.test');
    const [job] = await database.query<{ payload: string }>({
      name: 'test-payload',
      text: 'select payload::text as payload from jobs',
    });
    expect(job?.payload).toContain('"sealed"');
    for (const text of [CODE, 'secretive', 'Sign-in']) {
      for (const form of ['utf8', 'base64', 'hex'] as const) {
        expect(job?.payload).not.toContain(Buffer.from(text).toString(form).slice(0, 6));
      }
    }
    await startWorker();
    await settled();
    expect(onlyMail().mail.text).toContain(CODE);
  });

  it('gets nothing that was sealed with another key, and the queue goes on', async () => {
    await startServer();
    await database.transaction((transaction) =>
      queueMail(transaction, randomBytes(32), { to: 'a@example.test', subject: 's', text: 't', html: 'h' }),
    );
    await queue('b@example.test');
    await startWorker();
    await settled();
    expect(server.received.map((each) => each.to)).toEqual([['b@example.test']]);
    expect(lines.join('')).toContain('the data key was changed');
  });

  it('never sees a decoy', async () => {
    await startServer();
    await startWorker();
    await queue('nobody@example.test', { isDecoy: true });
    await queue('dev@example.test');
    await settled();
    expect([...server.attempts.keys()]).toEqual(['dev@example.test']);
  });

  it('gets no header that a text of a user tried to add', async () => {
    await startServer();
    await startWorker();
    await queue('dev@example.test', {
      subject: 'x\r\nBcc: evil@example.test\r\n\r\nbody \u2028 \u202e\0 end',
    });
    await settled();
    const { to, mail } = onlyMail();
    expect(to).toEqual(['dev@example.test']);
    expect(mail.bcc ?? []).toEqual([]);
    expect(mail.subject).toMatch(/^x Bcc: evil@example\.test body +end$/);
    expect(mail.headers.map(({ key }) => key)).not.toContain('bcc');
  });

  it.each([
    'a@example.test, b@example.test',
    'a@example.test\r\nRCPT TO:<b@example.test>',
    'A <a@example.test>',
    '<a@example.test>',
    'example.test',
    'a@b@example.test',
    '',
  ])('is never asked to mail to %j', async (to) => {
    await startServer();
    await expect(queue(to)).rejects.toThrow('exactly one bare address');
    expect(await jobsLeft()).toBe(0);
  });
});

describe('the name in EHLO', () => {
  it.each([
    ['the host of the base URL', 'https://errors.example.org', '', 'errors.example.org'],
    ['the domain of the sender', 'http://localhost:4800', '', 'errors.example.com'],
    [
      'what the address of the mail server says',
      'https://errors.example.org',
      '?name=[192.0.2.1]',
      '[192.0.2.1]',
    ],
  ])('is %s', async (_what, baseUrl, query, name) => {
    await startServer();
    await startWorker({ smtpUrl: new Secret(server.url + query) }, baseUrl);
    await queue('dev@example.test');
    await settled();
    expect(server.greetings).toEqual([name]);
  });
});

describe('a mail server that takes its time', () => {
  it('to greet and to answer gets one copy', async () => {
    const greeting = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    await startServer({ greetsAfter: () => greeting.promise, answersAfter: () => answer.promise });
    await startWorker({ limits: SMTP_LIMITS });
    await queue('dev@example.test');
    await eventually(() => expect(server.connections()).toBe(1));
    greeting.resolve();
    await eventually(() => expect(server.attempts.get('dev@example.test')).toBe(1));
    answer.resolve();
    await settled();
    expect(copies('dev@example.test')).toBe(1);
  });

  it('gets the sender with a quoted name and a domain outside ASCII', async () => {
    await startServer();
    await startWorker({ from: '"Culprit, Berlin" <Culprit@bücher.example>' });
    await queue('dev@xn--bcher-kva.example');
    await settled();
    const { from, to, mail } = onlyMail();
    // The library of this server shows A-labels as what they stand for.
    expect([from, to]).toEqual(['Culprit@bücher.example', ['dev@bücher.example']]);
    expect(mail.from).toEqual({ name: 'Culprit, Berlin', address: 'Culprit@xn--bcher-kva.example' });
  });
});

describe('a mail server in trouble', () => {
  it('that refuses connections gets one copy when it is back', async () => {
    await startServer();
    const { port } = server;
    await server.stop();
    await startWorker();
    await queue('dev@example.test');
    await eventually(() => expect(lines.join('')).toContain('ECONNREFUSED'));
    await startServer({ port });
    await settled();
    expect(copies('dev@example.test')).toBe(1);
  });

  it('that says nothing is left, and gets one copy when it talks again', async () => {
    await startServer({ isMute: true });
    const { port } = server;
    await startWorker();
    await queue('dev@example.test');
    await eventually(() => expect(lines.join('')).toContain('job attempt failed'));
    await server.stop();
    await startServer({ port });
    await settled();
    expect(copies('dev@example.test')).toBe(1);
  });

  it('that stops answering in the middle gets one copy', async () => {
    await startServer({ fate: (_to, attempt) => (attempt === 1 ? 'hang' : 'accept') });
    await startWorker();
    await queue('dev@example.test');
    await settled();
    expect(server.attempts.get('dev@example.test')).toBe(2);
    expect(copies('dev@example.test')).toBe(1);
  });

  it.each(['defer', 'defer_body'] as const)('that puts off (%s) is asked again', async (fate) => {
    await startServer({ fate: (_to, attempt) => (attempt < 4 ? fate : 'accept') });
    await startWorker();
    await queue('dev@example.test');
    await settled();
    expect(server.attempts.get('dev@example.test')).toBe(4);
    expect(copies('dev@example.test')).toBe(1);
  });

  it('that puts off for ever is asked six times and no more', async () => {
    await startServer({ fate: () => 'defer' });
    await startWorker();
    await queue('dev@example.test');
    await settled();
    expect(server.attempts.get('dev@example.test')).toBe(ATTEMPTS_MAX);
    await hasSaid('mail failed permanently');
  });

  it.each(['reject', 'reject_body'] as const)('that rejects (%s) is asked once', async (fate) => {
    await startServer({ fate: (to) => (to === 'gone@example.test' ? fate : 'accept') });
    await startWorker();
    await queue('gone@example.test');
    await queue('dev@example.test');
    await settled();
    expect(server.attempts.get('gone@example.test')).toBe(1);
    expect(copies('dev@example.test')).toBe(1);
    await hasSaid('mail failed permanently');
  });

  it('that drops the line behind the body gets at most two copies, with one id', async () => {
    await startServer({ fate: (_to, attempt) => (attempt === 1 ? 'drop_after_body' : 'accept') });
    await startWorker();
    await queue('dev@example.test');
    await settled();
    expect(copies('dev@example.test')).toBe(2);
    expect(new Set(server.received.map(({ mail }) => mail.messageId)).size).toBe(1);
  });

  it('that always drops the line behind the body gets two copies and no third', async () => {
    await startServer({ fate: () => 'drop_after_body' });
    await startWorker();
    await queue('dev@example.test');
    await settled();
    expect(copies('dev@example.test')).toBe(2);
  });

  it('for one recipient does not hold up the others', async () => {
    await startServer({ fate: (to) => (to === 'slow@example.test' ? 'hang' : 'accept') });
    await startWorker({ limits: { ...LIMITS, silenceTimeoutMs: 20_000, totalTimeoutMs: 20_000 } });
    await queue('slow@example.test');
    await eventually(() => expect(server.attempts.get('slow@example.test')).toBe(1));
    for (let mail = 0; mail < 5; mail += 1) await queue(`p${mail}@example.test`);
    await eventually(() => expect(server.received).toHaveLength(5));
    await eventually(async () => expect(await jobsLeft()).toBe(1));
  });

  it('keeps nobody from stopping; its message waits for the next start', async () => {
    await startServer({ fate: () => 'hang' });
    await startWorker({ limits: { ...LIMITS, silenceTimeoutMs: 60_000, totalTimeoutMs: 60_000 } });
    await queue('dev@example.test');
    await eventually(() => expect(server.attempts.get('dev@example.test')).toBe(1));
    await worker?.stop();
    expect(await jobsLeft()).toBe(1);
  });
});

describe('a message', () => {
  it('is not sent any more when its time is over', async () => {
    await startServer();
    await queue('late@example.test', { lifetimeMs: 600_000 });
    await queue('in-time@example.test', { lifetimeMs: 602_000 });
    await queue('timeless@example.test');
    await moveClock(database, 600_500);
    await startWorker();
    await settled();
    expect([...server.attempts.keys()].sort()).toEqual(['in-time@example.test', 'timeless@example.test']);
  });

  it('is in no line of the log, and neither is its recipient', async () => {
    const fates = ['accept', 'defer', 'reject', 'reject_body', 'drop_after_body'] as const;
    await startServer({
      fate: (to, attempt) =>
        attempt > 1 ? 'accept' : (fates.find((fate) => to.startsWith(fate)) ?? 'accept'),
    });
    await startWorker();
    for (const fate of fates) await queue(`${fate}-someone@example.test`);
    await settled();
    const written = lines.join('');
    expect(written).toContain('job attempt failed');
    expect(written).toContain('[address]');
    for (const secret of [CODE, 'someone', 'example.test>']) expect(written).not.toContain(secret);
  });

  it('is dropped while mail is off', async () => {
    await startServer();
    await startWorker({ transport: 'off', smtpUrl: null });
    await queue('dev@example.test');
    await settled();
    expect(server.received).toEqual([]);
  });
});

describe('a mail server that wants a password', () => {
  function withCredentials(query: string, password = 'hunter2'): Partial<MailSettings> {
    return { smtpUrl: new Secret(`smtp://me%40x:${password}@127.0.0.1:${server.port}/${query}`) };
  }

  it('gets it over STARTTLS', async () => {
    await startServer({ password: 'hunter2', offersTls: true });
    await startWorker(withCredentials('?starttls=required&verify=off'));
    await queue('dev@example.test');
    await settled();
    expect(server.received).toMatchObject([{ isEncrypted: true, user: 'me@x' }]);
  });

  it('is not trusted with a certificate nobody vouches for', async () => {
    await startServer({ password: 'hunter2', offersTls: true });
    await startWorker(withCredentials('?starttls=required'));
    await queue('dev@example.test');
    await settled();
    expect(server.received).toEqual([]);
    await hasSaid('mail failed permanently');
    expect(lines.join('')).not.toContain('hunter2');
  });

  it('does not get it without TLS where the address asks for TLS', async () => {
    await startServer({ password: 'hunter2', offersTls: false });
    await startWorker(withCredentials('?starttls=required'));
    await queue('dev@example.test');
    await settled();
    expect(server.received).toEqual([]);
  });

  it('that we have no password for is tried again', async () => {
    await startServer({ password: 'hunter2', offersTls: true });
    await startWorker();
    await queue('dev@example.test');
    await settled();
    expect(lines.filter((line) => line.includes('job attempt failed'))).toHaveLength(ATTEMPTS_MAX);
  });

  it('that takes no password of ours is tried again, as somebody may put it right', async () => {
    await startServer({ password: 'another', offersTls: true });
    await startWorker(withCredentials('?verify=off'));
    await queue('dev@example.test');
    await settled();
    expect(server.received).toEqual([]);
    expect(lines.filter((line) => line.includes('job attempt failed'))).toHaveLength(ATTEMPTS_MAX);
    expect(lines.join('')).not.toContain('hunter2');
  });
});
