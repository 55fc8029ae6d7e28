import pg from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { postgresUrlVariable, startTestPostgres, testedPostgres } from '../support/test-postgres.ts';

// Making a database is half a second of work, and ten on a machine that does much else.
vi.setConfig({ testTimeout: 60_000 });

const URL_VARIABLE = postgresUrlVariable(testedPostgres());

describe('the PostgreSQL of tests', () => {
  it('copies databases from a template and shares one cluster between files of a run', async () => {
    const before = process.env[URL_VARIABLE];
    delete process.env[URL_VARIABLE];
    const own = await startTestPostgres();
    try {
      const template = await own.createDatabase();
      await query(template, 'create table copied as select 7 as value');
      process.env[URL_VARIABLE] = own.adminUrl;
      const sharing = await startTestPostgres();
      expect(sharing.adminUrl).toBe(own.adminUrl);
      const copy = await sharing.createDatabase(new URL(template).pathname.slice(1));
      expect(copy).not.toBe(template);
      expect(await query(copy, 'select value from copied')).toEqual([{ value: 7 }]);

      await sharing.stop();
      await expect(query(copy, 'select 1')).rejects.toMatchObject({ code: '3D000' });
      expect(await query(template, 'select value from copied')).toEqual([{ value: 7 }]);
    } finally {
      await own.stop();
      if (before === undefined) {
        delete process.env[URL_VARIABLE];
      } else {
        process.env[URL_VARIABLE] = before;
      }
    }
    await expect(query(own.adminUrl, 'select 1')).rejects.toThrow('ECONNREFUSED');
  });
});

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  // A server killed by the test ends the connection in its own way.
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
