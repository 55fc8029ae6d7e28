import { connect, createServer } from 'node:net';
import { overTcp } from './over-tcp.ts';

/** Stands between the service and its database and reads along. */
export interface StatementWatch {
  /** The target's URL with the watch's address. */
  url: string;
  /** Every text that was sent to be parsed as SQL; parameters are not in it. */
  statements: ReadonlySet<string>;
  close(): Promise<void>;
}

/** Starts one before the server that `targetUrl` names; the connection is without TLS. */
export async function watchStatements(targetUrl: string): Promise<StatementWatch> {
  const statements = new Set<string>();
  const target = new URL(targetUrl);
  const server = createServer((client) => {
    const database = connect({ host: target.hostname, port: Number(target.port) });
    const read = statementReader(statements);
    client.on('data', read);
    client.pipe(database).pipe(client);
    client.on('error', () => database.destroy());
    database.on('error', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the watch has no port');
  const url = overTcp(targetUrl);
  url.hostname = '127.0.0.1';
  url.port = String(address.port);
  return {
    url: url.href,
    statements,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Messages to a server are a letter, a length that counts itself, and the rest; the first of a connection has no letter. */
function statementReader(statements: Set<string>): (chunk: Buffer) => void {
  let unread = Buffer.alloc(0);
  let isStarted = false;
  return (chunk) => {
    unread = Buffer.concat([unread, chunk]);
    for (;;) {
      const lengthAt = isStarted ? 1 : 0;
      if (unread.length < lengthAt + 4) return;
      const end = lengthAt + unread.readInt32BE(lengthAt);
      if (unread.length < end) return;
      const kind = isStarted ? String.fromCharCode(unread[0] ?? 0) : '';
      const [first = '', second = ''] = unread.toString('utf8', lengthAt + 4, end).split('\0', 2);
      // A query is its text; what is prepared has a name before it.
      if (kind === 'Q') statements.add(first);
      if (kind === 'P') statements.add(second);
      isStarted = true;
      unread = unread.subarray(end);
    }
  };
}
