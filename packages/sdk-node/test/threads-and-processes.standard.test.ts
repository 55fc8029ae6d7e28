import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isRecord, type RecordingEndpoint, startRecordingEndpoint } from './support/recording-endpoint.ts';
import { connectedTo, type Programs, programs } from './support/run-program.ts';

/** Failures of threads and of processes that a host starts (docs/contract/clients.md 4.2). */

let endpoint: RecordingEndpoint;
let host: Programs;
beforeAll(async () => {
  host = await programs({ fastq: 'fastq', express: 'express' });
}, 300_000);
afterAll(() => host.folder.remove());
beforeEach(async () => {
  endpoint = await startRecordingEndpoint();
});
afterEach(() => endpoint.close());

const START = `
import { flush, getDiagnostics, init } from '@culprit/node';
init({ capture: { outgoing: false } });
while (getDiagnostics().policyPreset === null) await new Promise((done) => setTimeout(done, 20));
`;
const THREAD = `
import { Worker } from 'node:worker_threads';
const thread = (source, options) => new Promise((resolve) => {
  const worker = new Worker(source, { eval: true, stdout: true, ...options });
  worker.on('error', (error) => console.log('handled', error.name));
  worker.on('exit', resolve);
});
const own = (work) => \`const { init, setTag } = require('@culprit/node'); init(); setTag('part', 'resizer'); console.log('resizing'); setTimeout(() => { \${work} }, 50);\`;
`;

async function run(source: string, version: '20' | '24' = '24') {
  const ended = await host.run('app.mjs', source, { version, env: connectedTo(endpoint.url) });
  const failures = endpoint.events('backend_exception').map(({ payload, context }) => {
    const { name, message, logs, runtime, request } = isRecord(payload) ? payload : {};
    return {
      failure: `${name}: ${message}`,
      thread: Object(runtime).thread_id,
      worker: Object(context).worker ?? null,
      tags: Object(context).tags ?? null,
      job: Object(context).job ?? null,
      path: Object(request).path ?? null,
      logs: Array.isArray(logs) ? logs.map((line) => Object(line).message) : [],
    };
  });
  return { ...ended, failures, ids: endpoint.events().map(({ event_id }) => event_id) };
}

describe.each(['20', '24'] as const)('a thread of Node %s', (version) => {
  it('without the library is reported by the one that started it, although a listener takes the error', async () => {
    const { code, stdout, failures } = await run(
      `${START}${THREAD}
      console.log(await thread('throw new TypeError("no stock")'));
      console.log(await thread('Promise.reject(new RangeError("no paper"))'));
      console.log(await thread('process.exit(3)'));
      await flush();
      process.exit(4);`,
      version,
    );
    expect({ code, stdout }).toEqual({ code: 4, stdout: 'handled TypeError\n1\nhandled RangeError\n1\n3\n' });
    expect(failures).toMatchObject([
      { failure: 'TypeError: no stock', thread: 0, worker: { thread_id: 1 } },
      { failure: 'RangeError: no paper', thread: 0, worker: { thread_id: 2 } },
    ]);
    expect(failures).toHaveLength(2);
  });

  it('with the library is reported by itself, at its end and once', async () => {
    const { code, stdout, failures, ids } = await run(
      `${START}${THREAD}
      console.log(await thread(own('throw new TypeError("no stock")')));
      console.log(await thread(own('require("@culprit/node").captureException(new RangeError("no paper")); process.exit(3)')));
      await flush();
      process.exit(4);`,
      version,
    );
    expect({ code, stdout }).toEqual({ code: 4, stdout: 'handled TypeError\n1\n3\n' });
    const evidence = { tags: { part: 'resizer' }, logs: ['resizing'], worker: null };
    expect(failures).toMatchObject([
      { failure: 'TypeError: no stock', thread: 1, ...evidence },
      { failure: 'RangeError: no paper', thread: expect.any(Number), ...evidence },
    ]);
    expect(ids).toHaveLength(2);
  });

  it('that nothing takes ends the process as ever, and is one failure', async () => {
    const source = (start: string) => `${start}${THREAD}
      new Worker(own('throw new TypeError("no stock")'), { eval: true, stdout: true });
      new Worker('setInterval(() => {}, 1000)', { eval: true });`;
    const watched = await run(source(START), version);
    expect(watched.failures).toMatchObject([{ failure: 'TypeError: no stock', thread: 1 }]);
    expect(watched.ids).toHaveLength(1);
    const bare = await run(source(''), version);
    expect([watched.code, watched.signal]).toEqual([bare.code, bare.signal]);
  });
});

it('a thread that runs out of memory is a failure of the request that waits for it, with its answer', async () => {
  const { stdout, failures } = await run(`${START}${THREAD}
    import express from 'express';
    const app = express();
    app.get('/resize', async () => {
      await new Promise((_resolve, reject) => {
        const source = 'const all = []; for (;;) all.push(new Array(1e6).fill("x"));';
        new Worker(source, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 8 } }).on('error', reject);
      });
    });
    const server = app.listen(0, async () => {
      console.log((await fetch('http://127.0.0.1:' + server.address().port + '/resize')).status);
      await flush();
      process.exit(0);
    });`);
  expect(stdout).toBe('500\n');
  expect(failures).toMatchObject([{ path: '/resize', worker: { thread_id: 1 } }]);
  expect(failures).toHaveLength(1);
});

it('a failure that ends a thread of a pool is one, although the request that waits for the result fails with it', async () => {
  const { stdout, failures, ids } = await run(`${START}${THREAD}
    import express from 'express';
    const app = express();
    const task = (work) => new Promise((_resolve, reject) => {
      new Worker(own(work), { eval: true, stdout: true }).on('error', reject);
    });
    app.get('/resize', () => task('throw new TypeError("no stock")'));
    const server = app.listen(0, async () => {
      console.log((await fetch('http://127.0.0.1:' + server.address().port + '/resize')).status);
      await flush();
      process.exit(0);
    });`);
  expect(stdout).toBe('500\n');
  expect(failures).toMatchObject([{ failure: 'TypeError: no stock', thread: 1 }]);
  expect(ids).toHaveLength(1);
});

it('the user of a program without a server is that of all its work, wherever it is named', async () => {
  // The endpoint of the tests is a server, so this needs a process without it.
  await run(`${START}
    import { captureException, setUser } from '@culprit/node';
    setTimeout(() => setUser({ id: 'of the program' }), 5);
    setTimeout(async () => {
      captureException(new Error('later'));
      await flush();
      process.exit(0);
    }, 50);`);
  expect(endpoint.events()).toMatchObject([
    { payload: { message: 'later' }, context: { user: { id: 'of the program' } } },
  ]);
});

it('processes of a cluster keep their exit codes, and each failure arrives', async () => {
  const { code, stdout, failures } = await run(`${START}
    import cluster from 'node:cluster';
    import { captureException } from '@culprit/node';
    if (cluster.isPrimary) {
      const codes = {};
      cluster.on('exit', (worker, exitCode) => {
        codes[worker.id] = exitCode;
        if (Object.keys(codes).length < 3) return;
        console.log(JSON.stringify(codes));
        process.exit(0);
      });
      for (const how of ['throw', 'reject', 'exit']) cluster.fork({ HOW: how });
    } else if (process.env.HOW === 'throw') throw new TypeError('no stock');
    else if (process.env.HOW === 'reject') Promise.reject(new RangeError('no paper'));
    else { captureException(new SyntaxError('no sense')); process.exit(7); }`);
  expect({ code, stdout }).toEqual({ code: 0, stdout: '{"1":1,"2":1,"3":7}\n' });
  // One may stand in the spool while another process of the cluster looks there: then it comes twice, under one id.
  expect([...new Set(failures.map(({ failure }) => failure))].sort()).toEqual([
    'RangeError: no paper',
    'SyntaxError: no sense',
    'TypeError: no stock',
  ]);
});

it('a job of a queue that fails is one exception, with its name, its id and its own trail, at each attempt', async () => {
  const { stdout, failures, ids } = await run(`${START}
    import fastq from 'fastq';
    import { setTag, withJob } from '@culprit/node';
    const queue = fastq.promise(async (job) => withJob('mails.' + job.name, async () => {
      setTag('job_id', job.id);
      console.log('sending', job.id);
      await new Promise((done) => setTimeout(done, 20));
      if (job.isBad) throw new TypeError('no server');
    }), 3);
    const jobs = [{ name: 'welcome', id: '1' }, { name: 'invite', id: '2', isBad: true }, { name: 'bill', id: '3' }];
    const attempts = [...jobs, jobs[1]].map((job) => queue.push(job).then(() => 'sent', (error) => error.message));
    console.log((await Promise.all(attempts)).join());
    process.exit(0);`);
  expect(stdout.trim().split('\n').at(-1)).toBe('sent,no server,sent,no server');
  const failure = {
    failure: 'TypeError: no server',
    tags: { job_id: '2' },
    job: { name: 'mails.invite' },
    logs: ['sending 2'],
  };
  expect(failures).toMatchObject([failure, failure]);
  expect(ids).toHaveLength(2);
});
