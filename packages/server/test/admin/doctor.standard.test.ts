import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { examine } from '../../src/admin/doctor/doctor.ts';
import { readOldestTransaction } from '../../src/installation/findings/findings.queries.ts';
import { openDatabase } from '../../src/platform/db/database.ts';
import { parseId } from '../../src/platform/ids.ts';
import { createLogger } from '../../src/platform/log.ts';
import { openObjectStore } from '../../src/platform/objects/open-object-store.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { startMailServer } from '../support/mail-server.ts';
import { createDataDirectory, runAdmin } from '../support/program.ts';
import { startTestPostgres } from '../support/test-postgres.ts';

const log = createLogger({ level: 'fatal', role: 'test', toStandardError: true });

let culprit: TestCulprit;
let data: Awaited<ReturnType<typeof createDataDirectory>>;
let sound: Record<string, string>;
beforeAll(async () => {
  culprit = await startCulprit({ hasWorker: false });
  data = await createDataDirectory();
  sound = {
    CULPRIT_DATABASE_URL: culprit.databaseUrl,
    CULPRIT_DATA_KEY: culprit.dataKey.reveal().toString('base64'),
    CULPRIT_DATA_DIR: join(culprit.objectDirectory, '..'),
    CULPRIT_BASE_URL: culprit.url,
    CULPRIT_FREE_SPACE_MIN_BYTES: '1MB',
  };
});
afterAll(async () => {
  await culprit.stop();
  await data.remove();
});

/** What is wrong, by the name of its check. */
async function wrongIn(settings: Record<string, string>): Promise<Record<string, string>> {
  const findings = await examine(settings, log);
  for (const { what, todo } of findings) expect(`${what}${todo ?? ''}`).not.toMatch(/\n|secret-word/);
  const wrong = findings.filter(({ state }) => state === 'wrong');
  expect(wrong.filter(({ todo }) => todo === null)).toEqual([]);
  return Object.fromEntries(wrong.map(({ check, what }) => [check, what]));
}

describe('the doctor', () => {
  it('finds nothing wrong with a sound installation', async () => {
    expect(await wrongIn(sound)).toEqual({});
    const checks = (await examine(sound, log)).map(({ check }) => check);
    for (const check of [
      'Node',
      'settings',
      'data directory',
      'free space',
      'database',
      'durability',
      'clock',
    ]) {
      expect(checks).toContain(check);
    }
    for (const check of ['schema', 'queue', 'dead letters', 'transactions', 'deliveries', 'disk use']) {
      expect(checks).toContain(check);
    }
    for (const check of ['object store', 'mail', 'base URL']) expect(checks).toContain(check);
  });

  it('finds settings that cannot be used, each by name', async () => {
    const findings = await examine({ CULPRIT_PORT: 'x', CULPRIT_PROT: '1' }, log);
    const settings = findings.filter(({ check }) => check === 'settings');
    expect(settings.map(({ what }) => what).join('\n')).toMatch(
      /CULPRIT_PROT is unknown[\s\S]*CULPRIT_PORT must be/,
    );
  });

  it('finds a full volume, a key that others can read and a directory that cannot be used', async () => {
    const key = join(data.path, 'data-key');
    await writeFile(key, 'x');
    await chmod(key, 0o644);
    const wrong = await wrongIn({
      ...sound,
      CULPRIT_DATA_DIR: data.path,
      CULPRIT_FREE_SPACE_MIN_BYTES: '1000000GB',
    });
    expect(wrong).toEqual({
      'data key': expect.stringContaining('can be read by others'),
      'free space': expect.stringMatching(/answered 503; it needs .+ and 5 % of the file entries$/),
    });
    expect(await wrongIn({ ...sound, CULPRIT_DATA_DIR: key })).toMatchObject({
      'data directory': expect.stringContaining('cannot be used'),
    });
    await rm(key);
  });

  it('finds a database, a store, a mail server and a base URL that do not answer, and tells no password', async () => {
    const nobody = 'postgres://culprit:secret-word@127.0.0.1:1/culprit';
    const wrong = await wrongIn({
      ...sound,
      CULPRIT_DATABASE_URL: nobody,
      CULPRIT_OBJECT_STORE: 's3://bucket?endpoint=http://127.0.0.1:1',
      CULPRIT_SMTP_URL: 'smtp://someone:secret-word@127.0.0.1:1',
      CULPRIT_BASE_URL: 'http://127.0.0.1:1',
    });
    expect(Object.keys(wrong).sort()).toEqual(['base URL', 'database', 'mail', 'object store']);
  });

  it('advises only on what is in use', async () => {
    const external = await examine({ ...sound, CULPRIT_BASE_URL: 'http://127.0.0.1:1' }, log);
    const baseUrl = external.find(({ check }) => check === 'base URL');
    expect(baseUrl?.todo).toBe('check that the server runs, CULPRIT_PORT and CULPRIT_BASE_URL');

    const inBucket = await examine(
      {
        ...sound,
        CULPRIT_DATA_DIR: '/nowhere',
        CULPRIT_OBJECT_STORE: 's3://bucket?endpoint=http://127.0.0.1:1',
      },
      log,
    );
    expect(inBucket.map(({ check }) => check)).not.toContain('data directory');

    const file = join(data.path, 'no-directory');
    await writeFile(file, '');
    const embedded = await examine({ CULPRIT_DATA_DIR: file }, log);
    const words = embedded.map(({ what, todo }) => `${what} ${todo}`).join('\n');
    expect(words).not.toMatch(/CULPRIT_DATABASE_URL|CULPRIT_OBJECT_STORE|credentials|certificate/);
    await rm(file);
  });

  it('signs in at the mail server without sending', async () => {
    const server = await startMailServer({ password: 'secret-word', offersTls: true });
    try {
      const url = (password: string) => `smtp://me:${password}@127.0.0.1:${server.port}?verify=off`;
      expect(await wrongIn({ ...sound, CULPRIT_SMTP_URL: url('secret-word') })).toEqual({});
      expect(Object.keys(await wrongIn({ ...sound, CULPRIT_SMTP_URL: url('other') }))).toEqual(['mail']);
      expect(server.received).toEqual([]);
      expect(server.attempts.size).toBe(0);
    } finally {
      await server.stop();
    }
  });

  it('finds waiting jobs, dead letters and receivers that fail', async () => {
    await culprit.createProject();
    await culprit.database.script(`
      insert into jobs (lane, kind, fairness_key, run_at)
        select 'test', 'test', project_id, culprit_now() - interval '10 min' from projects limit 1;
      insert into dead_letters (project_id, batch_id, position, reason, attempts)
        select project_id, gen_random_uuid(), 0, 'x', 8 from projects limit 1;
      insert into webhooks (webhook_id, project_id, created_by_user_id, url, events, filters, is_enabled, sealed_secret,
          failed_attempts)
        select gen_random_uuid(), project_id, gen_random_uuid(), 'https://secret-word.example', '{}', '{}', true, '', 3
        from projects limit 1;`);
    expect(await wrongIn(sound)).toEqual({
      queue: expect.stringContaining('the oldest for 10 min'),
      'dead letters': '1 events could not be processed',
      webhooks: expect.stringMatching(/^1 receivers fail/),
    });
    await culprit.database.script('delete from jobs; delete from dead_letters; delete from webhooks');
  });

  it('finds maps whose objects are gone, and projects that keep as many as they may', async () => {
    const mapsOf = async (settings: Record<string, string> = {}) =>
      (await examine({ ...sound, ...settings }, log)).filter(({ check }) => check === 'source maps');
    const project = await culprit.createProject({ name: 'Shop' });
    const nothing =
      '; 0 uploaded files were refused in the last day; stacks of the last day lack 0 maps in 0 projects';
    expect(await mapsOf()).toMatchObject([{ state: 'ok', what: `0 take 0 bytes in 0 projects${nothing}` }]);
    await culprit.database.query(
      {
        name: 'test-source-map',
        text: `insert into source_maps (project_id, source_map_id, path, releases, generated_sha256, map_sha256,
            generated_bytes, map_bytes, stored_bytes, sources, segments, has_contents, registers_id, object_key, code_sha256)
          values ($1, gen_random_uuid(), 'a.js', '{}', '', '', 1, 1, 2000000, 1, 1, true, true, 'maps/gone.map1', '')`,
      },
      [parseId(['proj'], project.projectId)],
    );
    expect(await mapsOf({ CULPRIT_SOURCE_MAP_BYTES: '2097152' })).toMatchObject([
      {
        state: 'wrong',
        what: expect.stringContaining('of 1 of the 1 most recently needed maps no longer exist'),
      },
      {
        state: 'warning',
        what: '1 projects use more than 90 % of the 2.0 MB that they can store, the most in Shop (1.9 MB)',
      },
    ]);
    const store = await openObjectStore({ kind: 'files', directory: culprit.objectDirectory });
    await store.put('maps/gone.map1', Buffer.from('x'));
    expect(await mapsOf()).toMatchObject([
      {
        state: 'ok',
        what: `1 take 1.9 MB in 1 projects, 1 of them without a debug id or a release${nothing}`,
      },
    ]);
    expect(await mapsOf({ CULPRIT_SOURCE_MAPS: 'off' })).toEqual([]);
    await culprit.database.script('delete from source_maps');
  });

  it('finds who keeps a transaction open, and no backup', async () => {
    const url = new URL(culprit.databaseUrl);
    const openBy = async (name: string) => {
      url.searchParams.set('application_name', name);
      const client = new pg.Client({ connectionString: url.href });
      await client.connect();
      await client.query('begin');
      return client;
    };
    const backup = await openBy('culprit-backup');
    const forgetful = await openBy('a forgetful client');
    try {
      expect(await readOldestTransaction(culprit.database)).toEqual({
        application_name: 'a forgetful client',
        seconds: expect.any(Number),
      });
      await forgetful.query('commit');
      expect(await readOldestTransaction(culprit.database)).toBeNull();
    } finally {
      await Promise.all([backup.end(), forgetful.end()]);
    }
  });

  it('finds migrations that are missing and a release that is newer', async () => {
    await culprit.database.script('alter table schema_migrations rename to kept_migrations');
    await culprit.database.script('create table schema_migrations (like kept_migrations including all)');
    expect(await wrongIn(sound)).toEqual({
      schema: expect.stringMatching(/migrations are not applied, the first is 0001_schema\.sql/),
    });
    await culprit.database.script(
      `insert into schema_migrations (name, checksum) values ('0001_old.sql', 'x')`,
    );
    expect(await wrongIn(sound)).toEqual({
      schema: expect.stringContaining('is from before 0001_schema.sql'),
    });
    await culprit.database.script('drop table schema_migrations');
    await culprit.database.script('alter table kept_migrations rename to schema_migrations');
    await culprit.database.script(
      `insert into schema_migrations (name, checksum) values ('9999_x.sql', 'x')`,
    );
    const newer = (await examine(sound, log)).find(({ check }) => check === 'schema');
    expect(newer).toMatchObject({ state: 'warning', what: expect.stringContaining('9999_x.sql') });
    await culprit.database.script(`delete from schema_migrations where name = '9999_x.sql'`);
  });

  it('finds a database that does not keep what it commits', async () => {
    const url = await (await startTestPostgres()).createDatabase();
    const database = openDatabase({ url, connectionsMax: 1, applicationName: 'culprit-test' });
    const name = new URL(url).pathname.slice(1);
    await database.script(`alter database ${name} set synchronous_commit = off`);
    await database.close();
    const wrong = await wrongIn({ ...sound, CULPRIT_DATABASE_URL: url });
    expect(wrong).toEqual({ durability: expect.stringContaining('synchronous_commit') });
  });

  it('finds a clock that is not that of the database', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 90_000 });
    try {
      expect(await wrongIn(sound)).toEqual({ clock: expect.stringMatching(/ by 9[0-5] s$/) });
    } finally {
      vi.useRealTimers();
    }
  });

  it('works as a command without a server, and its exit code says whether something is wrong', async () => {
    const fresh = await runAdmin({ CULPRIT_DATA_DIR: data.path, CULPRIT_FREE_SPACE_MIN_BYTES: '1MB' }, [
      'doctor',
    ]);
    expect(fresh.stdout).toContain('database: is not there yet');
    expect(fresh.ending).toBe(0);
    const full = await runAdmin({ CULPRIT_DATA_DIR: data.path, CULPRIT_FREE_SPACE_MIN_BYTES: '1000000GB' }, [
      'doctor',
      '--json',
    ]);
    expect(full.ending).toBe(1);
    expect(JSON.parse(full.stdout)).toMatchObject({ ok: false });
  });
});
