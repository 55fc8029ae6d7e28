import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bootstrap } from '../../src/admin/bootstrap.ts';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { SELF_HOSTED } from '../support/culprit.ts';
import { createTestDatabase } from '../support/test-database.ts';

let database: Database;

beforeAll(async () => {
  const url = await createTestDatabase();
  database = openDatabase({ url, connectionsMax: 8, applicationName: 'culprit-test' });
});
afterAll(() => database.close());

function run(email: string, projectName: string) {
  return bootstrap(database, { email, projectName, baseUrl: 'http://localhost:4800', plans: SELF_HOSTED });
}

describe('bootstrap', () => {
  it('repeated 60 times gives the same person and project, and keeps its 20 newest tokens of each and its DSN', async () => {
    const results = [];
    for (let time = 0; time < 60; time += 1) results.push(await run('often@example.test', 'shop'));
    expect(new Set(results.map((result) => result.user_id)).size).toBe(1);
    expect(new Set(results.map((result) => result.project_id)).size).toBe(1);
    expect(new Set(results.flatMap((result) => [result.project_token, result.member_token])).size).toBe(120);
    expect(new Set(results.map((result) => result.dsn)).size).toBe(1);
    for (const table of [`project_tokens where kind = 'token'`, 'member_tokens']) {
      const rows = await database.query<{ is_live: boolean; tokens: number }>({
        name: '',
        text: `select revoked_at is null as is_live, count(*) as tokens from ${table} group by 1 order by 1`,
      });
      expect(rows).toEqual([
        { is_live: false, tokens: 40 },
        { is_live: true, tokens: 20 },
      ]);
    }
  });

  it('revokes no DSN key, whatever its label', async () => {
    const { dsn } = await run('label@example.test', 'labels');
    await database.query(
      {
        name: 'test-label-key',
        text: `update project_tokens set label = 'bootstrap', created_at = created_at - interval '1 day'
          where public_key = $1`,
      },
      [new URL(dsn).username],
    );
    for (let time = 0; time < 20; time += 1)
      expect((await run('label@example.test', 'labels')).dsn).toBe(dsn);
  });

  it('run many times at once makes one person, one organization and one project', async () => {
    const results = await Promise.all(Array.from({ length: 8 }, () => run('AtOnce@example.test', 'one')));
    expect(new Set(results.map((result) => `${result.user_id} ${result.project_id}`)).size).toBe(1);
  });

  it('finds a free slug for names that differ only behind its length', async () => {
    const results = [];
    for (const end of 'abcd') results.push(await run('long@example.test', `${'x'.repeat(119)}${end}`));
    expect(new Set(results.map((result) => result.project_id)).size).toBe(4);
    const rows = await database.query<{ slug: string }>({
      name: 'test-slugs',
      text: `select slug from projects where slug like 'xxx%' order by created_at, slug`,
    });
    expect(rows.map((row) => row.slug.slice(70))).toEqual(['xxxxxxxxxx', 'xxxx-2', 'xxxx-3', 'xxxx-4']);
  });
});
