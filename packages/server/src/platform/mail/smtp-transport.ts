import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import { type Mailbox, readMailbox } from '@culprit/contract/workspace/email-address';
import MailComposer from 'nodemailer/lib/mail-composer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { isLoopbackHost } from '../loopback-url.ts';
import type { Secret } from '../secrets/secret.ts';
import { ehloName } from './ehlo-name.ts';
import type { MailTransport, OutgoingMail } from './mail.ts';
import { MailError, type MailFailure } from './mail-error.ts';

/**
 * The time limits of a mail server (docs/contract/reliability.md A6: every call that leaves the process has a limit).
 */
export interface SmtpLimits {
  connectTimeoutMs: number;
  /** From the connection to the server's greeting. */
  greetingTimeoutMs: number;
  /** Silence in the middle. */
  silenceTimeoutMs: number;
  /** The whole dialogue, however busy the server looks. */
  totalTimeoutMs: number;
}

/**
 * Servers that delay their greeting against spam, or filter a message before they take it, need minutes (RFC 5321
 * 4.5.3.2). Leases are extended until then, so that no other process begins.
 */
export const SMTP_LIMITS: SmtpLimits = {
  connectTimeoutMs: 30_000,
  greetingTimeoutMs: 60_000,
  silenceTimeoutMs: 300_000,
  totalTimeoutMs: 300_000,
};

/** A person waits for the check of a mail server, so it does not take as long as a message may. */
const CHECK_LIMITS: SmtpLimits = {
  connectTimeoutMs: 10_000,
  greetingTimeoutMs: 10_000,
  silenceTimeoutMs: 10_000,
  totalTimeoutMs: 20_000,
};

type ConnectionOptions = ConstructorParameters<typeof SMTPConnection>[0];

/**
 * Sends through a mail server, one connection per message.
 * @param options.signal breaks off what is under way
 */
export function smtpTransport(options: {
  url: Secret;
  /** One address, with a name before it or without. */
  from: string;
  baseUrl: string;
  limits: SmtpLimits;
  signal: AbortSignal;
}): MailTransport {
  const { limits, signal } = options;
  const from = senderOf(options.from);
  const server = openSmtpServer(options, from, limits);

  return {
    async send(mail) {
      const message = await composeMessage(mail, from);
      const { totalTimeoutMs } = limits;
      await talk(server.connection, { totalTimeoutMs, signal }, async (connection, stage) => {
        await enter(connection, server);
        const body = Readable.from([message], { objectMode: false });
        // It is read from the moment the server asked for it; until then no copy can exist.
        body.once('end', () => stage.hadItAll());
        await step((done) => connection.send({ from: from.address, to: [mail.to] }, body, done));
      });
    },
  };
}

/**
 * Connects to a mail server and signs in as for a message, and sends none.
 * @throws MailError
 */
export async function checkSmtp(
  settings: { url: Secret; from: string; baseUrl: string },
  limits: SmtpLimits = CHECK_LIMITS,
): Promise<void> {
  const server = openSmtpServer(settings, senderOf(settings.from), limits);
  const { totalTimeoutMs } = limits;
  const never = new AbortController().signal;
  await talk(server.connection, { totalTimeoutMs, signal: never }, (connection) => enter(connection, server));
}

async function enter(connection: SMTPConnection, { credentials }: SmtpServer): Promise<void> {
  await step((done) => connection.connect(done));
  if (credentials !== null) await step((done) => connection.login({ credentials }, done));
}

function senderOf(from: string): Mailbox {
  return readMailbox(from) ?? { name: '', address: from };
}

function openSmtpServer(
  { url, baseUrl }: { url: Secret; baseUrl: string },
  from: Mailbox,
  limits: SmtpLimits,
): SmtpServer {
  const { connection, credentials } = readSmtpUrl(url.reveal());
  const name = connection?.name ?? ehloName(baseUrl, from.address);
  return {
    connection: {
      ...connection,
      ...(name === null ? {} : { name }),
      connectionTimeout: limits.connectTimeoutMs,
      greetingTimeout: limits.greetingTimeoutMs,
      socketTimeout: limits.silenceTimeoutMs,
      dnsTimeout: limits.connectTimeoutMs,
      logger: false,
    },
    credentials,
  };
}

interface Stage {
  /** Called when the whole message was passed to the server. */
  hadItAll(): void;
}

/** Runs a dialogue within a time limit and words its failure. */
async function talk(
  options: ConnectionOptions,
  limits: { totalTimeoutMs: number; signal: AbortSignal },
  dialogue: (connection: SMTPConnection, stage: Stage) => Promise<void>,
): Promise<void> {
  const { totalTimeoutMs, signal } = limits;
  const connection = new SMTPConnection(options);
  let isAllSent = false;
  let abort: (error: Error) => void = () => {};
  const broken = new Promise<never>((_resolve, reject) => {
    abort = reject;
  });
  broken.catch(() => {});
  const onAbort = () => abort(new Error('interrupted because the service is stopping'));
  connection.on('error', abort);
  connection.once('end', () => abort(new Error('the server ended the connection')));
  signal.addEventListener('abort', onAbort);
  const timer = setTimeout(() => abort(new Error('the server took too long')), totalTimeoutMs);
  try {
    signal.throwIfAborted();
    const stage = {
      hadItAll: () => {
        isAllSent = true;
      },
    };
    await Promise.race([dialogue(connection, stage), broken]);
    connection.quit();
  } catch (error) {
    connection.close();
    throw mailError(error, isAllSent);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

function step(begin: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    begin((error) => (error ? reject(error) : resolve()));
  });
}

/** A sign-in is missing, too weak or refused (RFC 4954 6). */
const SIGN_IN_CODES = [530, 534, 535, 538];

/**
 * An answer of 5xx to the sender, the recipient or the message is final, and one of 4xx passes. Credentials that are
 * not taken, or TLS that fails, are for the operator to put right: later attempts may succeed.
 */
function mailError(error: unknown, isAllSent: boolean): MailError {
  const message = error instanceof Error ? error.message : String(error);
  const responseCode = numberOf(error, 'responseCode');
  const code = textOf(error, 'code');
  let failure: MailFailure = 'unavailable';
  if (responseCode !== null) {
    const isAboutMessage = code === 'EENVELOPE' || code === 'EMESSAGE';
    const isFinal = responseCode >= 500 && responseCode <= 599 && !SIGN_IN_CODES.includes(responseCode);
    if (isAboutMessage && isFinal) failure = 'rejected';
  } else if (code === 'EENVELOPE') {
    failure = 'rejected';
  } else if (isAllSent) {
    failure = 'unknown';
  }
  return new MailError(failure, message);
}

function numberOf(error: unknown, name: string): number | null {
  const value: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, name) : null;
  return typeof value === 'number' ? value : null;
}

function textOf(error: unknown, name: string): string | null {
  const value: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, name) : null;
  return typeof value === 'string' ? value : null;
}

/**
 * The bytes of the message. `Auto-Submitted` keeps robots from answering. The messages of a thread all answer one that
 * was never sent (RFC 5322 3.6.4), so none has to remember the ids of those before it.
 */
async function composeMessage(mail: OutgoingMail, from: Mailbox): Promise<Buffer> {
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  const thread = mail.threadId === undefined ? null : `<${mail.threadId}@${domain}>`;
  const composer = new MailComposer({
    from,
    to: { name: '', address: mail.to },
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    messageId: `<${mail.messageId}@${domain}>`,
    ...(thread === null ? {} : { inReplyTo: thread, references: thread }),
    headers: {
      'Auto-Submitted': 'auto-generated',
      ...(mail.unsubscribeUrl === undefined ? {} : { 'List-Unsubscribe': `<${mail.unsubscribeUrl}>` }),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return await composer.compile().build();
}

interface SmtpServer {
  connection: ConnectionOptions;
  credentials: { user: string; pass: string } | null;
}

/**
 * `smtps:` speaks TLS from the start. `smtp:` changes to TLS where the server offers it (STARTTLS), and insists on it
 * when there is a password to protect on the way to another machine; `?starttls=required`, `?starttls=optional` and
 * `?starttls=off` say otherwise. `?verify=off` takes any certificate. `?name=` is the name of this service in `EHLO`.
 */
export function readSmtpUrl(text: string): SmtpServer {
  const url = new URL(text);
  const isSecure = url.protocol === 'smtps:';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const hasCredentials = url.username !== '';
  const name = url.searchParams.get('name');
  const starttls =
    url.searchParams.get('starttls') ?? (hasCredentials && !isLoopbackHost(host) ? 'required' : 'optional');
  return {
    connection: {
      host,
      port: url.port === '' ? (isSecure ? 465 : 587) : Number(url.port),
      secure: isSecure,
      requireTLS: !isSecure && starttls === 'required',
      ignoreTLS: starttls === 'off',
      ...(name === null ? {} : { name }),
      tls: {
        rejectUnauthorized: url.searchParams.get('verify') !== 'off',
        ...(isIP(host) === 0 ? { servername: host } : {}),
      },
    },
    credentials: hasCredentials
      ? { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) }
      : null,
  };
}
