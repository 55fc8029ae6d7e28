import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderSchema } from '../../src/generate/render-schema.ts';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { createTestDatabase } from '../support/test-database.ts';

const WRITTEN = new URL('../../schema.sql', import.meta.url);

describe('schema.sql', () => {
  let database: Database;
  beforeAll(async () => {
    database = openDatabase({
      url: await createTestDatabase(),
      connectionsMax: 1,
      applicationName: 'schema-test',
    });
  });
  afterAll(() => database.close());

  it('is what the migrations make; `npm run generate` writes it', async () => {
    expect(readFileSync(WRITTEN, 'utf8')).toBe(await renderSchema(database));
  });

  it('would differ by a column, an index or a function', async () => {
    const before = await renderSchema(database);
    await database.script(`alter table services add column extra text;
      create index services_extra on services (extra);
      create function extra() returns int language sql as 'select 1';`);
    const added = (await renderSchema(database)).split('\n').filter((line) => !before.includes(line));
    expect(added.join('\n')).toMatch(/extra\(\)[\s\S]*extra text[\s\S]*services_extra/);
  });
});
