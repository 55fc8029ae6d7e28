import type { AddressInfo, Socket } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { reservePort } from './reserved-port.ts';

/** What the server does with one message, decided when it hears the recipient. */
export type MailFate =
  | 'accept'
  /** For now (451), at the recipient or behind the body. */
  | 'defer'
  | 'defer_body'
  /** For good (550, 554). */
  | 'reject'
  | 'reject_body'
  /** No answer to the recipient, for ever. */
  | 'hang'
  /** The connection ends when the whole body is here, accepted or not. */
  | 'drop_after_body';

export interface ReceivedMail {
  /** Of the dialogue, not of the headers. */
  from: string;
  to: string[];
  isEncrypted: boolean;
  user: string | null;
  mail: Email;
}

/** A mail server on a port of its own, speaking real SMTP. */
export interface MailServer {
  port: number;
  url: string;
  received: ReceivedMail[];
  /** The name in `EHLO` of each dialogue that came to a recipient. */
  greetings: string[];
  /** Attempts per recipient so far, whatever became of them. */
  attempts: Map<string, number>;
  /** Open now. */
  connections(): number;
  stop(): Promise<void>;
}

export interface MailServerOptions {
  port?: number;
  /** `attempt` counts from 1 for each recipient. */
  fate?: (recipient: string, attempt: number) => MailFate;
  /** Takes connections and says nothing. */
  isMute?: boolean;
  /** Greets each connection only when this ends. */
  greetsAfter?: () => Promise<unknown>;
  /** Answers the recipient only when this ends. */
  answersAfter?: (recipient: string) => Promise<unknown>;
  /** Asks for this password, over TLS only. */
  password?: string;
  offersTls?: boolean;
}

export async function startMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const { fate = () => 'accept', password } = options;
  const received: ReceivedMail[] = [];
  const greetings: string[] = [];
  const attempts = new Map<string, number>();
  const fates = new Map<string, MailFate>();
  const sockets = new Set<Socket>();
  const users = new Map<string, string>();

  const server = new SMTPServer({
    authOptional: password === undefined,
    disabledCommands: options.offersTls === true ? [] : ['STARTTLS'],
    closeTimeout: 1,
    disableReverseLookup: true,
    logger: false,
    onConnect(_session, done) {
      if (options.isMute === true) return;
      void Promise.resolve(options.greetsAfter?.()).then(() => done());
    },
    onAuth(auth, session, done) {
      if (auth.password !== password) return done(new Error('wrong password'));
      users.set(session.id, auth.username ?? '');
      done(null, { user: auth.username });
    },
    async onRcptTo({ address }, session, done) {
      const attempt = (attempts.get(address) ?? 0) + 1;
      attempts.set(address, attempt);
      const decided = fate(address, attempt);
      fates.set(session.id, decided);
      greetings.push(session.hostNameAppearsAs);
      await options.answersAfter?.(address);
      if (decided === 'defer') done(answer(451, `<${address}> comes too often`));
      else if (decided === 'reject') done(answer(550, `<${address}> is unknown here`));
      else if (decided !== 'hang') done();
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', async () => {
        const decided = fates.get(session.id);
        if (decided === 'defer_body') return done(answer(452, 'no room'));
        if (decided === 'reject_body') return done(answer(554, 'no spam'));
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          isEncrypted: session.secure,
          user: users.get(session.id) ?? null,
          mail: await PostalMime.parse(Buffer.concat(chunks)),
        });
        if (decided !== 'drop_after_body') return done();
        for (const socket of sockets) if (socket.remotePort === session.remotePort) socket.destroy();
      });
    },
  });
  // Clients that are cut off or go away are what these tests are about.
  server.on('error', () => {});
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  });
  // A test that ends it may start another one in its place.
  const asked = options.port ?? (await reservePort());
  await new Promise<void>((resolve) => server.listen(asked, '127.0.0.1', resolve));
  const port = portOf(server.server.address());
  return {
    port,
    url: `smtp://127.0.0.1:${port}`,
    received,
    greetings,
    attempts,
    connections: () => sockets.size,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function answer(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address !== 'object' || address === null) throw new Error('the mail server has no port');
  return address.port;
}
