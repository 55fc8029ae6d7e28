import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { prepareBinaries } from '../../src/platform/db/embedded/binaries.ts';
import {
  runningEmbeddedPostgresUrl,
  startEmbeddedPostgres,
} from '../../src/platform/db/embedded/embedded-postgres.ts';
import { postgresProcessesOfCluster } from '../../src/platform/db/embedded/postmaster-file.ts';
import { isProcessAlive } from '../../src/platform/db/embedded/process-identity.ts';
import { chooseRunAs } from '../../src/platform/db/embedded/run-as.ts';
import { parseServerLine } from '../../src/platform/db/embedded/server-log.ts';
import { startServer } from '../../src/platform/db/embedded/server-process.ts';
import { explainStartFailure } from '../../src/platform/db/embedded/start-failure.ts';
import {
  CHILD_PROGRAM,
  canUseNobody,
  ended,
  expectRefusal,
  firstReport,
  isRoot,
  killedInTheEnd,
  killHard,
  libraryPathOnReadOnlyPackage,
  listed,
  NOBODY,
  openDataDirectory,
  query,
  spawnChild,
  startChild,
  until,
  withoutUserNamespaces,
  withPortTaken,
} from '../support/embedded-server.ts';

// Making a database is half a second of work, and ten on a machine that does much else.
vi.setConfig({ testTimeout: 60_000 });

const { baseDir, dataDir, clusterDir, start } = openDataDirectory('embedded');

describe('a data directory over its life', () => {
  it('makes a database on first start that only this machine can reach with the password', async () => {
    const server = await start();
    try {
      const rows = await query(
        server.url,
        `select current_database() as database, current_setting('listen_addresses') as addresses,
           current_setting('unix_socket_directories') as sockets, current_setting('data_checksums') as checksums,
           current_setting('fsync') || current_setting('synchronous_commit') || current_setting('full_page_writes') as durable,
           (select datlocale from pg_database where datname = 'culprit') as locale,
           (select rolsuper from pg_roles where rolname = current_user) as superuser`,
      );
      expect(rows).toEqual([
        {
          database: 'culprit',
          addresses: '127.0.0.1',
          sockets: `"${clusterDir}"`,
          checksums: 'on',
          durable: 'ononon',
          locale: 'C.UTF-8',
          superuser: false,
        },
      ]);
      await query(server.url, 'create table kept (value int); insert into kept values (1)');

      const withoutPassword = new URL(server.url);
      withoutPassword.password = 'wrong';
      await expect(query(withoutPassword.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
      expect(statSync(join(dataDir, 'postgres-password')).mode & 0o777).toBe(0o600);
      expect(server.version).toMatch(/^\d+\.\d+$/);
      expect(readdirSync(dataDir).filter((name) => name.includes('initializing'))).toEqual([]);
    } finally {
      await server.stop();
    }
    await expect(server.exited).resolves.toEqual({ code: 0, signal: null });
  });

  it('keeps data and password over a restart', async () => {
    const passwordBefore = readFileSync(join(dataDir, 'postgres-password'), 'utf8');
    await expectKeptValue();
    expect(readFileSync(join(dataDir, 'postgres-password'), 'utf8')).toBe(passwordBefore);
  });

  it('stops the server that a kill -9 of its Culprit process left behind and starts anew on its port', async () => {
    const { child, report } = await startChild(dataDir);
    const orphan = Number(report.pid);
    await killHard(child);
    expect(isProcessAlive(orphan)).toBe(true);
    expect(runningEmbeddedPostgresUrl(dataDir)).toBeNull();
    await query(String(report.url), 'select 1');
    if (process.platform === 'linux') {
      // A group of its own: Ctrl-C in a terminal reaches the Culprit processes and not their database.
      const stat = readFileSync(`/proc/${orphan}/stat`, 'utf8');
      expect(Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2])).toBe(orphan);
    }

    const messages: string[] = [];
    const server = await start(dataDir, messages);
    try {
      expect(isProcessAlive(orphan)).toBe(false);
      expect(server.port).toBe(report.port);
      expect(messages).toContain('Stopping a PostgreSQL server that outlived its Culprit process');
      expect(await query(server.url, 'select value from kept')).toEqual([{ value: 1 }]);
    } finally {
      await server.stop();
    }
  });

  it('tells of a kill -9 of the server and starts again in the same process, on the same port', async () => {
    const messages: string[] = [];
    const server = await start(dataDir, messages);
    process.kill(server.pid, 'SIGKILL');
    expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL' });
    expect(messages).toContain('The embedded PostgreSQL ended unexpectedly');

    const next = await start();
    expect(next.port).toBe(server.port);
    process.kill(next.pid, 'SIGKILL');
    await next.exited;

    const aside = await startEmbeddedPostgres({ dataDir, log: () => {}, avoidedPorts: [next.port] });
    expect(aside.port).not.toBe(next.port);
    process.kill(aside.pid, 'SIGKILL');
    await aside.exited;

    await withPortTaken(aside.port, async () => {
      const elsewhere = await start();
      expect(elsewhere.port).not.toBe(aside.port);
      expect(await query(elsewhere.url, 'select value from kept')).toEqual([{ value: 1 }]);
      await elsewhere.stop();
    });
  });

  it('refuses a second process with the number of the first, which commands can work beside', async () => {
    const server = await start();
    try {
      await expectRefusal(start(), 'data_directory_locked', `This process (pid ${process.pid})`);
      const { report } = await startChild(dataDir);
      expect(report.code).toBe('data_directory_locked');
      expect(report.message).toContain(`(pid ${process.pid})`);
      expect(report.message).toContain('CULPRIT_DATA_DIR');
      expect(runningEmbeddedPostgresUrl(dataDir)).toBe(server.url);
    } finally {
      await server.stop();
    }
    expect(runningEmbeddedPostgresUrl(dataDir)).toBeNull();
  });

  it('starts although the number of a killed server belongs to something else by now', async () => {
    const bystander = spawn('sleep', ['60'], { stdio: 'ignore' });
    killedInTheEnd(bystander);
    writeFileSync(join(clusterDir, 'postmaster.pid'), `${bystander.pid}\n${clusterDir}\n1\n1\n\n\n\nready\n`);
    await expectKeptValue();
    expect(isProcessAlive(bystander.pid ?? 0)).toBe(true);
    bystander.kill();
  });

  it.each([
    ['99', 'newer'],
    ['9', 'older'],
  ])('refuses a cluster of PostgreSQL %s and says that it is %s', async (version, relation) => {
    const file = join(clusterDir, 'PG_VERSION');
    const before = readFileSync(file, 'utf8');
    writeFileSync(file, `${version}\n`);
    try {
      await expectRefusal(start(), 'version_mismatch', `PostgreSQL ${version}, which is ${relation}`);
    } finally {
      writeFileSync(file, before);
    }
  });

  it('refuses an incomplete cluster instead of making a new one in its place', async () => {
    const file = join(clusterDir, 'global', 'pg_control');
    renameSync(file, `${file}.away`);
    await expectRefusal(start(), 'cluster_incomplete', 'pg_control');
    renameSync(`${file}.away`, file);
  });

  it('reports a server that does not become ready, with its last words, and ends it', async () => {
    const runAs = await chooseRunAs(prepareBinaries(dataDir), dataDir, null);
    const starting = startServer({
      clusterDir,
      runAs,
      settings: {},
      preferredPort: null,
      avoidedPorts: [],
      log: () => {},
      readySilenceMs: 0,
    });
    await expectRefusal(starting, 'not_ready_in_time', 'was not ready');
    expect(postgresProcessesOfCluster(clusterDir)).toEqual([]);
  });

  it('sets a new password when the file with the old one is lost', async () => {
    const file = join(dataDir, 'postgres-password');
    const before = readFileSync(file, 'utf8');
    rmSync(file);
    await expectKeptValue();
    expect(readFileSync(file, 'utf8')).not.toBe(before);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('gives up after too many taken ports and says so', async () => {
    const runAs = await chooseRunAs(prepareBinaries(dataDir), dataDir, null);
    let picks = 0;
    const port = await new Promise<number>((resolve) => {
      const server = createServer().listen(0, '127.0.0.1', () => {
        const address = server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
        server.close();
      });
    });
    await withPortTaken(port, async () => {
      const starting = startServer({
        clusterDir,
        runAs,
        settings: {},
        preferredPort: null,
        avoidedPorts: [],
        log: () => {},
        pickPort: async () => {
          picks += 1;
          return port;
        },
      });
      await expectRefusal(starting, 'port_unavailable', 'no free port');
    });
    expect(picks).toBe(6);
  });
});

describe('a first start that was interrupted', () => {
  it('is redone after a kill -9 in the middle of making the database', async () => {
    const interruptedDir = join(baseDir, 'interrupted');
    const child = spawnChild(interruptedDir);
    await until(() =>
      listed(interruptedDir).some(
        (name) => name.startsWith('postgres-initializing-') && existsSync(join(interruptedDir, name, 'base')),
      ),
    );
    await killHard(child);
    expect(existsSync(join(interruptedDir, 'postgres'))).toBe(false);

    const server = await start(interruptedDir);
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await server.stop();
    expect(listed(interruptedDir).sort()).toEqual(['postgres', 'postgres-password']);
  });
});

describe('the user PostgreSQL runs as', () => {
  it.runIf(isRoot)(
    'needs an open path when root has no user namespaces, and names the closed one',
    async () => {
      const closedDir = join(baseDir, 'closed');
      mkdirSync(closedDir, { mode: 0o700 });
      await withoutUserNamespaces(async () => {
        await expectRefusal(
          start(join(closedDir, 'data')),
          'root_not_possible',
          `may not enter ${closedDir}`,
        );
      });
    },
  );

  it.runIf(canUseNobody)(
    'is another one for root without user namespaces, which takes over the files',
    async () => {
      await withoutUserNamespaces(async () => {
        await expectKeptValue();
        const fresh = await start(join(baseDir, 'fresh'));
        expect(await query(fresh.url, 'select 1 as one')).toEqual([{ one: 1 }]);
        await fresh.stop();
      });
      expect(statSync(clusterDir).uid).toBe(NOBODY);
      expect(statSync(join(clusterDir, 'base')).uid).toBe(NOBODY);
      await expectKeptValue();
    },
  );

  it.runIf(canUseNobody)(
    'is the ordinary user itself, who is told when files belong to somebody else',
    async () => {
      const ordinaryDir = join(baseDir, 'ordinary');
      mkdirSync(ordinaryDir);
      chownSync(ordinaryDir, NOBODY, NOBODY);
      const first = await startChild(ordinaryDir, { uid: NOBODY, gid: NOBODY });
      expect(await query(String(first.report.url), 'select 1 as one')).toEqual([{ one: 1 }]);
      first.child.kill('SIGTERM');
      await ended(first.child);
      expect(statSync(join(ordinaryDir, 'postgres')).uid).toBe(NOBODY);

      chownSync(join(ordinaryDir, 'postgres'), 0, 0);
      const second = await startChild(ordinaryDir, { uid: NOBODY, gid: NOBODY });
      expect(second.report.code).toBe('wrong_owner');

      chownSync(ordinaryDir, 0, 0);
      const third = await startChild(ordinaryDir, { uid: NOBODY, gid: NOBODY });
      expect(third.report.code).toBe('data_directory_unwritable');
      expect(third.report.message).toContain('EACCES');
    },
  );
});

describe('what is missing', () => {
  it.each([null, join(tmpdir(), 'culprit-no-package')])(
    'is said in one message that names the way out when there are no binaries: %s',
    (nativeDir) => {
      expect(() => prepareBinaries(join(baseDir, 'none'), nativeDir)).toThrow(
        expect.objectContaining({
          code: 'binaries_missing',
          message: expect.stringContaining('CULPRIT_DATABASE_URL'),
        }),
      );
    },
  );

  it('is made up for when library links are missing, beside a read-only package too', async () => {
    const nativeDir = join(baseDir, 'package', 'native');
    const installed = dirname(dirname(prepareBinaries(baseDir).postgres));
    cpSync(installed, nativeDir, {
      recursive: true,
      filter: (source) => !source.includes('/share') && !statSync(source).isSymbolicLink(),
    });
    const links = readdirSync(join(nativeDir, 'lib')).filter((name) => /\.so(\.\d+)?$/.test(name));
    for (const name of links.filter((name) => name.startsWith('libicu') || name.startsWith('libpq'))) {
      rmSync(join(nativeDir, 'lib', name));
    }
    const completed = prepareBinaries(baseDir, nativeDir);
    expect(completed.libraryPath).toBeNull();
    expect(spawnSync(completed.postgres, ['--version'], { encoding: 'utf8' }).stdout).toContain('PostgreSQL');

    rmSync(join(nativeDir, 'lib', 'libicuuc.so.60'));
    chmodSync(join(nativeDir, 'lib'), 0o555);
    const libraryPath = libraryPathOnReadOnlyPackage(baseDir, nativeDir);
    expect(libraryPath).toContain('postgres-lib');
    const run = spawnSync(completed.postgres, ['--version'], {
      encoding: 'utf8',
      env: { LD_LIBRARY_PATH: libraryPath },
    });
    expect(run.stdout).toContain('PostgreSQL');
  });

  it('is space: a full volume is named as the cause', async () => {
    const explained = explainStartFailure(
      ['PANIC: could not write: No space left on device'],
      '/data/postgres',
    );
    expect(explained.code).toBe('disk_full');
    const smallDir = join(baseDir, 'small');
    mkdirSync(smallDir);
    // A private mount that goes with the process; without the right to mount the injected fault above remains.
    const mount = 'mount -t tmpfs -o size=20m none "$1" && shift && exec "$@"';
    const mounted = ['--user', '--map-root-user', '--mount', 'sh', '-c', mount, 'sh', smallDir];
    if (spawnSync('unshare', [...mounted, 'true']).status === 0) {
      const child = spawn('unshare', [...mounted, process.execPath, CHILD_PROGRAM, smallDir]);
      killedInTheEnd(child);
      const report = await firstReport(child);
      expect(report.code).toBe('disk_full');
      expect(report.message).toContain('No space is left');
    }
  });

  it('is a directory: a path through a file is refused', async () => {
    writeFileSync(join(baseDir, 'file'), '');
    await expectRefusal(
      start(join(baseDir, 'file', 'data')),
      'data_directory_unwritable',
      'CULPRIT_DATA_DIR',
    );
  });
});

describe('the log of the server', () => {
  it('is read by process, state, kind and severity', () => {
    expect(parseServerLine('[12|XX001|client backend] ERROR:  invalid page: in block 3')).toEqual({
      pid: 12,
      sqlState: 'XX001',
      backend: 'client backend',
      severity: 'ERROR',
      message: 'invalid page: in block 3',
    });
    expect(parseServerLine('\tcontinued')).toBeNull();
    expect(parseServerLine('postgres: cannot execute')?.severity).toBe('FATAL');
  });

  it('passes on failures of the store and keeps the mistakes and the data of clients out', async () => {
    const messages: string[] = [];
    const server = await start(dataDir, messages);
    await expect(query(server.url, `select 'private data'::int`)).rejects.toThrow();
    await expect(
      query(server.url, `do $$ begin raise exception using errcode = 'XX001'; end $$`),
    ).rejects.toThrow();
    await server.stop();
    expect(messages.join('\n')).not.toContain('private data');
    expect(messages.filter((message) => message.startsWith('postgres: '))).toEqual(['postgres: XX001']);
  });
});

async function expectKeptValue(): Promise<void> {
  const server = await start();
  try {
    expect(await query(server.url, 'select value from kept')).toEqual([{ value: 1 }]);
  } finally {
    await server.stop();
  }
}
