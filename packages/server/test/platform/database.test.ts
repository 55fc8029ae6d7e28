import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Database,
  DatabaseUnavailableError,
  openDatabase,
  StatementCanceledError,
} from '../../src/platform/db/database.ts';
import { openTransaction } from '../../src/platform/db/open-transaction.ts';
import { eventually } from '../support/eventually.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { startTestPostgres, type TestPostgres } from '../support/test-postgres.ts';

// Runs on the oldest PostgreSQL too.

let postgres: TestPostgres;
let url: string;
let database: Database;

beforeAll(async () => {
  postgres = await startTestPostgres();
  url = await postgres.createDatabase();
  database = open(url);
  await database.script('create table notes (id integer primary key, text text not null)');
});
afterAll(async () => {
  await database.close();
  await postgres.stop();
});

describe('a transaction', () => {
  it('is no success when a failed statement in it was overlooked', async () => {
    const work = database.transaction(async (transaction) => {
      await transaction.query(insert(1));
      await transaction.query(insert(1)).catch(() => {});
    });
    await expect(work).rejects.toThrow('duplicate key');
    expect(await readIds()).toEqual([]);
  });

  it('runs what nobody waits for in the order in which it was given', async () => {
    const seen = await database.transaction(async (transaction) => {
      transaction.send(insert(3));
      transaction.send(rename(3, 'first'));
      const [rows] = await Promise.all([
        transaction.query<{ text: string }>(textOf(3)),
        transaction.query(rename(3, 'second')),
      ]);
      transaction.send(rename(3, 'last'));
      return rows;
    });
    expect(seen).toEqual([{ text: 'first' }]);
    expect(await database.query(textOf(3))).toEqual([{ text: 'last' }]);
    await database.script('delete from notes where id = 3');
  });

  it('fails with what nobody waited for, at the next statement and at the commit', async () => {
    let statementsDone = 0;
    const behind = database.transaction(async (transaction) => {
      transaction.send(insert(4));
      transaction.send(insert(4));
      await transaction.query(insert(5));
      statementsDone += 1;
    });
    await expect(behind).rejects.toThrow('duplicate key');
    const last = database.transaction(async (transaction) => {
      transaction.send(insert(4));
      transaction.send(insert(4));
    });
    await expect(last).rejects.toThrow('duplicate key');
    expect([statementsDone, await readIds()]).toEqual([0, []]);
  });

  it('has no effect of what was given before its work threw, and takes nothing afterwards', async () => {
    let late: () => void = () => {};
    const work = database.transaction(async (transaction) => {
      late = () => transaction.send(insert(6));
      transaction.send(insert(6));
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect(late).toThrow('a transaction that ended');
    expect(await readIds()).toEqual([]);
  });

  it('has no effect of what was given while its connection broke', async () => {
    const work = database.transaction(async (transaction) => {
      transaction.send(insert(6));
      transaction.send({ name: '', text: 'select pg_terminate_backend(pg_backend_pid())' });
      transaction.send(insert(7));
    });
    await expect(work).rejects.toBeInstanceOf(DatabaseUnavailableError);
    expect(await readIds()).toEqual([]);
  });

  it('has no effect where a statement of it never reached the server', async () => {
    const work = database.transaction(async (transaction) => {
      transaction.send({ name: 'test-note', text: insert(6).text });
      // The driver refuses a second statement of the same name.
      transaction.send({ name: 'test-note', text: insert(7).text });
    });
    await expect(work).rejects.toThrow('must be unique');
    expect(await readIds()).toEqual([]);
  });

  it('that could not be opened lets only reads through', async () => {
    const ran: string[] = [];
    const notOpen = () =>
      openTransaction(Promise.reject(new Error('not open')), async ({ text }) => {
        ran.push(text);
        return [];
      });
    const writing = notOpen();
    writing.send(insert(7));
    await expect(writing.query(textOf(7))).rejects.toThrow('not open');
    const reading = notOpen();
    await expect(reading.query(textOf(1))).rejects.toThrow('not open');
    reading.send(insert(7));
    await expect(reading.end()).rejects.toThrow('not open');
    expect(ran).toEqual([textOf(1).text]);
  });

  it('is rolled back when its work throws', async () => {
    const work = database.transaction(async (transaction) => {
      await transaction.query(insert(2));
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect(await readIds()).toEqual([]);
  });

  it('that deadlocks with another runs again', async () => {
    await database.script('insert into notes values (10, 0), (11, 0)');
    let arrived = 0;
    let bothHoldOne: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      bothHoldOne = resolve;
    });
    async function lockBoth(first: number, second: number): Promise<void> {
      await database.transaction(async (transaction) => {
        await transaction.query(lock(first));
        arrived += 1;
        if (arrived === 2) bothHoldOne();
        await held;
        await transaction.query(lock(second));
        await transaction.query({
          name: '',
          text: `update notes set text = text::integer + 1 where id = ${first}`,
        });
      });
    }
    await Promise.all([lockBoth(10, 11), lockBoth(11, 10)]);
    const rows = await database.query<{ text: string }>({
      name: 'test-texts',
      text: 'select text from notes where id in (10, 11)',
    });
    expect(rows).toEqual([{ text: '1' }, { text: '1' }]);
    // Both had taken one row, so one of them was sent back to the start.
    expect(arrived).toBeGreaterThan(2);
    await database.script('delete from notes');
  });

  it('refuses statements that would run beside it', async () => {
    const work = database.transaction(() => database.query(insert(3)));
    await expect(work).rejects.toThrow('outside the transaction');
  });
});

describe('a database that cannot be used', () => {
  it.each([
    ['nobody listens', () => Promise.resolve('postgres://me:pw@127.0.0.1:1/culprit')],
    ['its socket is not there', () => Promise.resolve('postgres:///culprit?host=/nowhere/at/all')],
  ])('is told apart from a bug when %s', async (_reason, address) => {
    const unreachable = open(await address());
    await expect(unreachable.query({ name: '', text: 'select 1' })).rejects.toThrow(DatabaseUnavailableError);
    await expect(unreachable.transaction(async () => {})).rejects.toThrow(DatabaseUnavailableError);
    await unreachable.close();
  });

  it('is told apart from a bug when it never answers', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const address = silent.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const hanging = open(`postgres://me:pw@127.0.0.1:${port}/culprit`);
    await expect(hanging.query({ name: '', text: 'select 1' })).rejects.toThrow(DatabaseUnavailableError);
    await hanging.close();
    silent.close();
  });

  it('is told apart from a bug when a statement takes too long, in a transaction as well', async () => {
    const impatient = openDatabase({
      url,
      connectionsMax: 1,
      statementTimeoutMs: 100,
      applicationName: 'test',
    });
    const sleep = { name: '', text: 'select pg_sleep(20)' };
    await expect(impatient.query(sleep)).rejects.toThrow(DatabaseUnavailableError);
    await expect(impatient.transaction((transaction) => transaction.query(sleep))).rejects.toThrow(
      DatabaseUnavailableError,
    );
    // The connection that hangs is not given to the next one.
    expect(await impatient.query({ name: '', text: 'select 1 as one' })).toEqual([{ one: 1 }]);
    await impatient.close();
  });
});

describe('an error of the server', () => {
  const raise = (code: string) => ({ name: '', text: `do $$ begin raise sqlstate '${code}'; end $$` });

  it('that says what it lacks, or that it ends, is told apart from a bug', async () => {
    for (const code of ['57P01', '57P02', '57P03', '57P05', '53300', '53400', '53000', '58030', '08006']) {
      await expect(database.query(raise(code)), code).rejects.toThrow(DatabaseUnavailableError);
    }
    await expect(database.query(raise('22012'))).rejects.not.toThrow(DatabaseUnavailableError);
  });

  it('that tells of a conflict is told apart from a bug when it comes each time', async () => {
    for (const code of ['40001', '40P01']) {
      await expect(database.query(raise(code)), code).rejects.toThrow(StatementCanceledError);
      let runs = 0;
      const work = database.transaction(async (transaction) => {
        runs += 1;
        await transaction.query(raise(code));
      });
      await expect(work, code).rejects.toThrow(StatementCanceledError);
      expect(runs).toBe(5);
    }
  });

  it('is told apart from a bug when the pool was closed before', async () => {
    const closed = open(url);
    await closed.close();
    await expect(closed.query(raise('22012'))).rejects.toThrow(DatabaseUnavailableError);
  });
});

describe('a statement that the server cancels', () => {
  const own = (applicationName: string) => openDatabase({ url, connectionsMax: 1, applicationName });

  /** Cancels the next statement of the application that waits for a lock. */
  async function cancelWaiting(applicationName: string): Promise<void> {
    await eventually(async () => {
      const rows = await database.query({
        name: '',
        text: `select pg_cancel_backend(pid) from pg_stat_activity
          where application_name = '${applicationName}' and wait_event_type = 'Lock'`,
      });
      expect(rows).toHaveLength(1);
    });
  }

  it('is sent once more, and done once', async () => {
    await database.script(`insert into notes values (30, '0')`);
    const [holder, other] = [own('holder'), own('canceled-once')];
    const add = { name: '', text: `update notes set text = (text::integer + 1)::text where id = 30` };
    for (const run of [
      () => other.query(add),
      () => other.transaction((transaction) => transaction.query(add)),
    ]) {
      const { adding } = await holder.transaction(async (transaction) => {
        await transaction.query(lock(30));
        const adding = run();
        await cancelWaiting('canceled-once');
        return { adding };
      });
      await adding;
    }
    expect(await database.query({ name: '', text: 'select text from notes where id = 30' })).toEqual([
      { text: '2' },
    ]);
    await database.script('delete from notes');
    await Promise.all([holder.close(), other.close()]);
  });

  it('again is told apart from a bug, and its connection stays in use', async () => {
    const other = own('canceled-twice');
    const connection = { name: '', text: 'select pg_backend_pid() as id' };
    const sleep = { name: '', text: 'select pg_sleep(20)' };
    const before = await other.query(connection);
    await other.query({ name: '', text: `set statement_timeout = '50ms'` });
    await expect(other.query(sleep)).rejects.toThrow(StatementCanceledError);
    let runs = 0;
    const work = other.transaction(async (transaction) => {
      runs += 1;
      await transaction.query(sleep);
    });
    await expect(work).rejects.toThrow(StatementCanceledError);
    expect(runs).toBe(2);
    expect(await other.query(connection)).toEqual(before);
    await other.close();
  });
});

describe('a database that is watched', () => {
  const watched = (address: string) =>
    openDatabase({ url: address, connectionsMax: 2, silentAfterMs: 50, applicationName: 'culprit-watched' });

  it('is given all the time it needs while it works, or waits for others', async () => {
    const patient = watched(url);
    await database.script(`insert into notes values (20, 'x')`);
    const slow = patient.query({ name: '', text: `select pg_sleep(0.5)::text as slept` });
    await database
      .transaction(async (transaction) => {
        await transaction.query(lock(20));
        const waiting = patient.query({ name: '', text: `update notes set text = 'y' where id = 20` });
        expect(await slow).toEqual([{ slept: '' }]);
        await transaction.query({ name: '', text: 'select pg_sleep(0.3)' });
        return { waiting };
      })
      .then(({ waiting }) => waiting);
    expect(await patient.query({ name: '', text: 'select text from notes where id = 20' })).toEqual([
      { text: 'y' },
    ]);
    await database.script('delete from notes');
    await patient.close();
  });

  it('is told apart from a lost connection, whose locks are free for others soon', async () => {
    const proxy = await startTcpProxy(url);
    const patient = watched(proxy.url);
    await database.script(`insert into notes values (21, 'x')`);
    await expect(
      patient.transaction(async (transaction) => {
        await transaction.query(lock(21));
        proxy.hang();
        await proxy.mend({ forgets: true });
        await transaction.query({ name: '', text: 'select 1' });
      }),
    ).rejects.toThrow('the connection to the server is lost');
    expect(await patient.query({ name: '', text: 'select 1 as one' })).toEqual([{ one: 1 }]);
    await database.script(`update notes set text = 'y' where id = 21`);
    await database.script('delete from notes');
    await patient.close();
    await proxy.close();
  });

  it('that answers nobody fails at once for everybody, until it answers again', async () => {
    const proxy = await startTcpProxy(url);
    const patient = watched(proxy.url);
    const ask = () => patient.query({ name: '', text: 'select 1 as one' });
    await ask();
    proxy.hang();
    await expect(ask()).rejects.toThrow('the server does not answer');
    await expect(ask()).rejects.toThrow(DatabaseUnavailableError);
    await proxy.mend();
    await eventually(async () => expect(await ask()).toEqual([{ one: 1 }]));
    await patient.close();
    await proxy.close();
  });
});

describe('a pool', () => {
  const pid = { name: '', text: 'select pg_backend_pid() as pid' };

  it('lets statements of the same moment share a connection, so that the others can be closed', async () => {
    // A machine that stands still for a moment lets the second one take another.
    await eventually(async () => {
      const [first, second] = await Promise.all([database.query(pid), database.query(pid)]);
      expect(second).toEqual(first);
    });
  });

  it('keeps nobody waiting for a connection that stays in use', async () => {
    const begun = Promise.withResolvers<object[]>();
    const mayEnd = Promise.withResolvers<void>();
    const held = database.transaction(async (transaction) => {
      begun.resolve(await transaction.query(pid));
      await mayEnd.promise;
    });
    const own = await begun.promise;
    expect(await database.query(pid)).not.toEqual(own);
    mayEnd.resolve();
    await held;
  });
});

function open(address: string): Database {
  return openDatabase({ url: address, connectionsMax: 3, applicationName: 'culprit-test' });
}

function insert(id: number) {
  return { name: '', text: `insert into notes values (${id}, 'x')` };
}

function rename(id: number, text: string) {
  return { name: '', text: `update notes set text = '${text}' where id = ${id}` };
}

function textOf(id: number) {
  return { name: '', text: `select text from notes where id = ${id}` };
}

function lock(id: number) {
  return { name: '', text: `select from notes where id = ${id} for update` };
}

async function readIds(): Promise<number[]> {
  const rows = await database.query<{ id: number }>({
    name: 'test-ids',
    text: 'select id from notes order by id',
  });
  return rows.map((row) => row.id);
}
