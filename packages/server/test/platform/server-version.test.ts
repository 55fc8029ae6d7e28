import { connect, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogger } from '../../src/platform/log.ts';
import { prepareDatabase } from '../../src/roles/prepare-database.ts';
import { startFailureText } from '../../src/roles/start-failure.ts';
import { startTestPostgres, type TestPostgres } from '../support/test-postgres.ts';

/** The versions that a server of this test gives for its own. */
const VERSION = /1[5-9]\d{4}/;
const log = createLogger({ level: 'silent', role: 'test' });

describe('a PostgreSQL', () => {
  let postgres: TestPostgres;
  let server: Server;
  let url: string;
  let claimed: string;
  beforeAll(async () => {
    postgres = await startTestPostgres();
    url = await postgres.createDatabase();
    server = createServer((client) => {
      const { hostname, port } = new URL(url);
      const target = connect(Number(port), hostname);
      client.on('error', () => target.destroy());
      target.on('error', () => client.destroy());
      client.pipe(target);
      // The version is one value of one row; the rest passes as it is.
      target.on('data', (bytes) =>
        client.write(Buffer.from(bytes.toString('latin1').replace(VERSION, claimed), 'latin1')),
      );
      target.on('end', () => client.end());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
    await postgres.stop();
  });

  function urlOf(version: string): string {
    claimed = version;
    const address = server.address();
    const through = new URL(url);
    through.port = String(typeof address === 'object' ? address?.port : 0);
    return through.href;
  }

  const prepare = (version: string) => prepareDatabase(urlOf(version), { isVouchedFor: false, log });

  it.each(['140019', '090624'])(
    'that calls itself %s is refused, and the message says what is needed',
    async (version) => {
      const message = await prepare(version).then(() => 'accepted', startFailureText);
      expect(message).toMatch(/^PostgreSQL 15 or newer is needed, and the one at CULPRIT_DATABASE_URL is \d/);
    },
  );

  it('of the oldest release that will do is used', async () => {
    await expect(prepare('150000')).resolves.toBeUndefined();
  });
});
