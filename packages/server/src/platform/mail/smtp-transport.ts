import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import addressparser from 'nodemailer/lib/addressparser';
import MailComposer from 'nodemailer/lib/mail-composer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { isLoopbackHost } from '../loopback-url.ts';
import type { Secret } from '../secrets/secret.ts';
import type { MailTransport, OutgoingMail } from './mail.ts';
import { MailError, type MailFailure } from './mail-error.ts';

/**
 * How long a mail server may take (docs/contract/reliability.md A6: every call that leaves the process has a limit).
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

/** Below the lease of a job, so that nobody else begins while this one still talks. */
export const SMTP_LIMITS: SmtpLimits = {
  connectTimeoutMs: 10_000,
  greetingTimeoutMs: 10_000,
  silenceTimeoutMs: 15_000,
  totalTimeoutMs: 25_000,
};

type ConnectionOptions = ConstructorParameters<typeof SMTPConnection>[0];

/**
 * Sends through a mail server, one connection per message.
 * @param options.signal breaks off what is under way
 */
export function smtpTransport(options: {
  url: Secret;
  from: string;
  limits: SmtpLimits;
  signal: AbortSignal;
}): MailTransport {
  const { limits, signal } = options;
  const server = openSmtpServer(options.url, limits);
  const [sender] = addressparser(options.from, { flatten: true });
  const fromAddress = sender?.address ?? '';

  return {
    async send(mail) {
      const message = await composeMessage(mail, options.from, fromAddress);
      const { totalTimeoutMs } = limits;
      await talk(server.connection, { totalTimeoutMs, signal }, async (connection, stage) => {
        await enter(connection, server);
        const body = Readable.from([message], { objectMode: false });
        // It is read from the moment the server asked for it; until then no copy can exist.
        body.once('end', () => stage.hadItAll());
        await step((done) => connection.send({ from: fromAddress, to: [mail.to] }, body, done));
      });
    },
  };
}

/**
 * Connects to a mail server and signs in as for a message, and sends none.
 * @throws MailError
 */
export async function checkSmtp(url: Secret, limits: SmtpLimits = SMTP_LIMITS): Promise<void> {
  const server = openSmtpServer(url, limits);
  const { totalTimeoutMs } = limits;
  const never = new AbortController().signal;
  await talk(server.connection, { totalTimeoutMs, signal: never }, (connection) => enter(connection, server));
}

async function enter(connection: SMTPConnection, { credentials }: SmtpServer): Promise<void> {
  await step((done) => connection.connect(done));
  if (credentials !== null) await step((done) => connection.login({ credentials }, done));
}

function openSmtpServer(url: Secret, limits: SmtpLimits): SmtpServer {
  const { connection, credentials } = readSmtpUrl(url.reveal());
  return {
    connection: {
      ...connection,
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
  /** The whole message was handed over. */
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
  const onAbort = () => abort(new Error('broken off because the service stops'));
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
    if (isAboutMessage && responseCode >= 500 && responseCode <= 599) failure = 'rejected';
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

/** The bytes of the message. `Auto-Submitted` keeps robots from answering. */
async function composeMessage(mail: OutgoingMail, from: string, fromAddress: string): Promise<Buffer> {
  const domain = fromAddress.slice(fromAddress.lastIndexOf('@') + 1) || 'localhost';
  const composer = new MailComposer({
    from,
    to: { name: '', address: mail.to },
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    messageId: `<${mail.messageId}@${domain}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
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
 * `?starttls=off` say otherwise. `?verify=off` takes any certificate.
 */
export function readSmtpUrl(text: string): SmtpServer {
  const url = new URL(text);
  const isSecure = url.protocol === 'smtps:';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const hasCredentials = url.username !== '';
  const starttls =
    url.searchParams.get('starttls') ?? (hasCredentials && !isLoopbackHost(host) ? 'required' : 'optional');
  return {
    connection: {
      host,
      port: url.port === '' ? (isSecure ? 465 : 587) : Number(url.port),
      secure: isSecure,
      requireTLS: !isSecure && starttls === 'required',
      ignoreTLS: starttls === 'off',
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
