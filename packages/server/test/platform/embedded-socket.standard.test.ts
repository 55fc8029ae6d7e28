import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { runningEmbeddedPostgresUrl } from '../../src/platform/db/embedded/embedded-postgres.ts';
import { explainStartFailure } from '../../src/platform/db/embedded/start-failure.ts';
import { killedInTheEnd, openDataDirectory, query } from '../support/embedded-server.ts';
import { overTcp } from '../support/over-tcp.ts';

// Making a database is half a second of work, and ten on a machine that does much else.
vi.setConfig({ testTimeout: 60_000 });

const { baseDir, dataDir, clusterDir, start } = openDataDirectory('socket');

describe('the embedded PostgreSQL', () => {
  it('is reached over a socket file in its directory, and over its port', async () => {
    const server = await start();
    try {
      const socketFile = join(clusterDir, `.s.PGSQL.${server.port}`);
      expect(statSync(socketFile).isSocket()).toBe(true);
      const address = 'select inet_server_addr()::text as address';
      expect(await query(server.url, address)).toEqual([{ address: null }]);
      expect(await query(overTcp(server.url).href, address)).toEqual([{ address: '127.0.0.1/32' }]);
    } finally {
      await server.stop();
    }
    expect(readdirSync(clusterDir).filter((name) => name.startsWith('.s.'))).toEqual([]);
  });

  it('is reached over its port alone where no socket file can be made', async () => {
    const killed = await start();
    process.kill(killed.pid, 'SIGKILL');
    await killed.exited;
    // The next one takes the port again, and so the name of the file.
    const lockFile = join(clusterDir, `.s.PGSQL.${killed.port}.lock`);
    rmSync(lockFile, { force: true });
    mkdirSync(lockFile);

    const messages: string[] = [];
    const server = await start(dataDir, messages);
    try {
      expect(server.port).toBe(killed.port);
      expect(messages).toContain(
        'The embedded PostgreSQL is used over its port, because its socket file cannot be',
      );
      expect(await query(server.url, 'select inet_server_addr()::text as address')).toEqual([
        { address: '127.0.0.1/32' },
      ]);
      expect(runningEmbeddedPostgresUrl(dataDir)).toBe(server.url);
    } finally {
      await server.stop();
      rmSync(lockFile, { recursive: true, force: true });
    }
  });

  it('takes the socket file of a killed server away, whoever has its number by now', async () => {
    const killed = await start();
    process.kill(killed.pid, 'SIGKILL');
    await killed.exited;
    const bystander = spawn('sleep', ['60'], { stdio: 'ignore' });
    killedInTheEnd(bystander);
    const lockFile = join(clusterDir, `.s.PGSQL.${killed.port}.lock`);
    writeFileSync(lockFile, `${bystander.pid}\n${clusterDir}\n1\n${killed.port}\n\n`);
    writeFileSync(join(clusterDir, '.s.PGSQL.1'), '');
    const server = await start();
    try {
      expect(await query(server.url, 'select inet_server_addr() as address')).toEqual([{ address: null }]);
      expect(existsSync(join(clusterDir, '.s.PGSQL.1'))).toBe(false);
    } finally {
      await server.stop();
      bystander.kill();
    }
  });

  it('is reached over its port alone where the path of a socket file would be too long', async () => {
    const server = await start(join(baseDir, 'd'.repeat(100)));
    try {
      expect(await query(server.url, `select current_setting('unix_socket_directories') as sockets`)).toEqual(
        [{ sockets: '' }],
      );
    } finally {
      await server.stop();
    }
  });

  it('takes any name of a directory for its socket file', async () => {
    const server = await start(join(baseDir, 'a "b", c%20+ü'));
    try {
      expect(await query(server.url, 'select inet_server_addr() as address')).toEqual([{ address: null }]);
    } finally {
      await server.stop();
    }
  });
});

describe('a socket file that cannot be made', () => {
  it('is told by what PostgreSQL says of making one alone', () => {
    const listens = 'LOG:  listening on Unix socket "/data/postgres/.s.PGSQL.5432"';
    const codeOf = (...lines: string[]) => explainStartFailure([listens, ...lines], '/data/postgres').code;
    expect(codeOf('FATAL:  could not create any Unix-domain sockets')).toBe('socket_unavailable');
    expect(codeOf('FATAL:  lock file "/data/postgres/.s.PGSQL.5432.lock" already exists')).toBe(
      'socket_unavailable',
    );
    expect(
      codeOf('FATAL:  could not create lock file "/data/postgres/.s.PGSQL.5432.lock": Permission denied'),
    ).toBe('socket_unavailable');
    expect(codeOf('PANIC:  could not locate a valid checkpoint record')).toBe('cluster_damaged');
    expect(codeOf('FATAL:  lock file "postmaster.pid" already exists')).toBe('still_in_use');
  });
});
