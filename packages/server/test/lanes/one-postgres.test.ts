import { expect, it } from 'vitest';
import { prepareTestPostgres } from '../support/prepare-test-postgres.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { postgresUrlVariable, testedPostgres } from '../support/test-postgres.ts';

it('the projects of a run share one PostgreSQL of a version, which only the first of them starts and stops', async () => {
  const variable = postgresUrlVariable(testedPostgres());
  const url = process.env[variable];
  expect(url).toMatch(/^postgres:/);
  const stop = await prepareTestPostgres(testedPostgres());
  expect(process.env[variable]).toBe(url);
  await stop();
  await expect(createTestDatabase()).resolves.toMatch(/^postgres:/);
});
