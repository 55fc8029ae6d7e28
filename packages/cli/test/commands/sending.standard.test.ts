import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixture } from '../../../evidence/test/events/event-fixtures.ts';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { eventually } from '../../../server/test/support/eventually.ts';
import { shareCulprit } from '../../../server/test/support/shared-culprit.ts';
import { readUserFile, writeUserFile } from '../../src/config/user-file.ts';
import { atTerminal } from '../support/at-terminal.ts';
import { type SignedIn, signIn } from '../support/signed-in.ts';

let culprit: TestCulprit;
let signedIn: SignedIn;
beforeAll(async () => {
  culprit = await shareCulprit();
  signedIn = await signIn(culprit);
});
afterAll(() => signedIn.home.remove());

const run: SignedIn['home']['run'] = (...args) => signedIn.home.run(...args);

/** Occurrences of the incident of a service. */
async function countOf(service: string): Promise<number> {
  const body = await signedIn.home.json(['incidents', 'list', '--service', service]);
  const incidents = isJsonObject(body) && Array.isArray(body.incidents) ? body.incidents : [];
  return incidents.reduce(
    (sum: number, each) => sum + (isJsonObject(each) ? Number(each.occurrence_count) : 0),
    0,
  );
}

describe('send', () => {
  it('sends one event from flags and waits for its incident', async () => {
    const args = [
      '--type',
      'backend_exception',
      '--error',
      'CronError',
      '--message',
      'backup failed',
      '--service',
      'cron',
    ];
    const { code, out, err } = await run(['send', ...args, '--wait']);
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(out).toMatch(/^Incident +CronError: backup failed$/m);
  });

  it('checks events without sending them, with their lines', async () => {
    const file = signedIn.home.write(
      'wrong.ndjson',
      `${JSON.stringify(fixture('A'))}\n{"event_type":"nope"}\nnot json\n`,
    );
    const { code, out } = await run(['send', '--dry-run', file]);
    expect(code).toBe(7);
    expect(out).toMatch(/:2: /);
    expect(out).toMatch(/:3: not JSON/);
  });

  it('sends events and envelopes of Sentry, and leaves out what is neither an error nor a log', async () => {
    const event = (id: string) => ({
      event_id: id.repeat(32),
      timestamp: Date.now() / 1000,
      platform: 'python',
      tags: { service: 'of-sentry' },
      exception: { values: [{ type: 'KeyError', value: 'sku' }] },
    });
    const line = (value: object) => JSON.stringify(value);
    const items = [
      { type: 'event' },
      event('b'),
      { type: 'session' },
      { sid: '1' },
      { type: 'transaction' },
      {},
    ];
    const files = {
      'one.json': line(event('a')),
      'crash.envelope': [{ sdk: { name: 'sentry.python', version: '2.1.0' } }, ...items].map(line).join('\n'),
      'lines.ndjson': [event('c'), event('d')].map(line).join('\n'),
    };
    const paths = Object.entries(files).map(([name, content]) => signedIn.home.write(name, content));
    const checked = await run(['send', '--format', 'sentry', '--dry-run', ...paths]);
    expect(checked).toMatchObject({ code: 0, err: expect.stringContaining('4 events, 0 of them not valid') });
    for (let time = 1; time <= 2; time += 1) {
      const { code, out, err } = await run(['send', '--format', 'sentry', ...paths]);
      expect({ code, out, err }).toMatchObject({
        code: 0,
        out: expect.stringContaining('4 of 4 events accepted'),
      });
      expect(err).toContain('2 items are not errors');
    }
    await eventually(async () => expect(await countOf('of-sentry')).toBe(4));
    const text = signedIn.home.write('words.txt', 'no events at all');
    expect(await run(['send', '--format', 'sentry', text])).toMatchObject({
      code: 2,
      err: expect.stringContaining('neither Sentry events nor an envelope'),
    });
  });

  it('imports a file exactly once, however often it is killed, and puts broken lines aside', async () => {
    const events = 3000;
    const lines = Array.from({ length: events }, (_, index) =>
      JSON.stringify(
        fixture('LOG', {
          'service.name': 'import',
          'payload.message': 'import me',
          'payload.attributes.n': index,
        }),
      ),
    );
    lines[16] = 'broken';
    lines[2000] = '[]';
    const file = signedIn.home.write('import.ndjson', `${lines.join('\n')}\n`);
    for (let kills = 0; kills < 3; kills += 1) {
      const running = signedIn.home.start(['send', file, '-v']);
      // After a batch or two, wherever that is.
      await eventually(() => {
        if (running.err().split('POST /v1/events').length <= kills + 1)
          throw new Error('nothing is sent yet');
      });
      running.kill('SIGKILL');
      await running.ended;
    }
    const { code, out, err } = await run(['send', file, '--json']);
    expect({ code, err }).toMatchObject({ code: 7 });
    expect(JSON.parse(out)).toMatchObject({
      submitted: events,
      accepted: events - 2,
      rejected: 2,
      duplicates_possible: true,
    });
    const rejected = signedIn.home.read('import.ndjson.rejected.ndjson').trim().split('\n');
    expect(rejected.map((line) => JSON.parse(line).line)).toEqual([17, 2001]);
    await culprit.drain();
    await eventually(async () => expect(await countOf('import')).toBe(events - 2));
  });

  it('goes on after the server was away, and stops at once where the token is refused', async () => {
    let tries = 0;
    const away = createServer((_, response) => {
      tries += 1;
      if (tries === 1) response.writeHead(503).end('{"error":"service_unavailable"}');
      else
        response
          .writeHead(202, { 'content-type': 'application/json' })
          .end('{"accepted":1,"rejected":0,"errors":[],"probe_directives":{"active_probes":[]}}');
    });
    await new Promise<void>((resolve) => away.listen(0, '127.0.0.1', resolve));
    const address = away.address();
    const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
    const environment = { CULPRIT_URL: url, CULPRIT_PROJECT_TOKEN: signedIn.project.projectToken };
    const input = `${JSON.stringify(fixture('A'))}\n`;
    const again = await run(['send', '-'], { environment, input });
    expect(again).toMatchObject({ code: 0 });
    expect(tries).toBe(2);
    away.close();
    const refused = await run(['send', '-'], {
      environment: {
        CULPRIT_URL: culprit.url,
        CULPRIT_PROJECT_TOKEN: 'svc_proj_0000000000000000000000000000',
      },
      input,
    });
    expect(refused.code).toBe(4);
    const wrongKind = await run(['send', '-'], {
      environment: { CULPRIT_URL: culprit.url, CULPRIT_PROJECT_TOKEN: signedIn.project.memberToken },
      input,
    });
    expect(wrongKind).toMatchObject({ code: 4 });
    expect(wrongKind.err).not.toContain(signedIn.project.memberToken);
  });
});

describe('deploys announce', () => {
  it('announces the same deployment once, and needs a version or a commit', async () => {
    const args = [
      'deploys',
      'announce',
      '--service',
      'cron',
      '-e',
      'production',
      '--version',
      '1.2.3',
      '--commit',
      'abc1234',
    ];
    const first = await signedIn.home.json(args);
    expect(await signedIn.home.json(args)).toEqual(first);
    await culprit.drain();
    const listed = await signedIn.home.json(['deploys', 'list', '--service', 'cron']);
    expect(isJsonObject(listed) && Array.isArray(listed.deployments) ? listed.deployments.length : -1).toBe(
      1,
    );
    expect((await run(['deploys', 'announce', '--service', 'cron'])).code).toBe(2);
    const gate = ['deploys', 'announce', '--service', 'gated', '--version', '1', '--fail-on', 'new'];
    expect(await run(gate)).toMatchObject({ code: 2, err: expect.stringContaining('--watch') });
    await culprit.drain();
    expect((await run(['deploys', 'list', '--service', 'gated', '-q'])).out).toBe('');
  });
});

describe('tail', () => {
  it('fails at the first kind that it was told to, and is quiet when nothing happens', async () => {
    expect((await run(['tail', '--for', '1s', '--fail-on', 'new'])).code).toBe(0);
    const running = signedIn.home.start(['tail', '--json', '--fail-on', 'new', '--for', '1m']);
    await eventually(() => {
      if (!running.err().includes('Following') && running.err() !== '') throw new Error(running.err());
    });
    await eventually(async () => {
      await signedIn.fail(`tail ${crypto.randomUUID()}`);
      if (running.out() === '') throw new Error('no line yet');
    });
    const { code, out } = await running.ended;
    expect(code).toBe(8);
    expect(JSON.parse(out.split('\n')[0] ?? '')).toMatchObject({
      kind: 'new',
      project_id: signedIn.project.projectId,
    });
  });
});

describe('tail --since', () => {
  it('begins with what was new since then and fits the filters, and goes on from there', async () => {
    await signedIn.fail('first of all');
    await signedIn.fail('second of all');
    const args = ['tail', '--json', '--since', '1h', '--search', 'OF all'];
    const running = signedIn.home.start([...args, '--severity-min', 'high', '--max', '3', '--for', '1m']);
    const lines = () => running.out().split('\n').slice(0, -1);
    await eventually(() => expect(lines()).toHaveLength(2));
    await signedIn.fail('third of all');
    expect(await running.ended).toMatchObject({ code: 0 });
    const told = lines().map((line) => JSON.parse(line));
    expect(told.map(({ kind }) => kind)).toEqual(['new', 'new', 'new']);
    const named = told.map(({ title }) => /\w+ of all/.exec(title)?.[0]);
    expect(named).toEqual(['first of all', 'second of all', 'third of all']);
    expect(await run([...args, '--severity-min', 'critical', '--for', '1s'])).toMatchObject({ out: '' });
    expect((await run([...args, '--fail-on', 'new', '--for', '1m'])).code).toBe(8);
  });
});

describe('reproduce --run', () => {
  it('sends the captured request only where somebody said, and says whether the failure is back', async () => {
    let status = 500;
    const seen: { url: string; body: string }[] = [];
    const application = createServer((request, response) => {
      let body = '';
      request.on('data', (part) => {
        body += part;
      });
      request.on('end', () => {
        seen.push({ url: request.url ?? '', body });
        response.writeHead(status).end('{}');
      });
    });
    await new Promise<void>((resolve) => application.listen(0, '127.0.0.1', resolve));
    const address = application.address();
    const base = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
    const marker = join(signedIn.home.path, 'owned');
    await signedIn.fail('reproduce me', {
      'service.name': 'replay',
      'payload.request': {
        method: 'POST',
        path: '/cart',
        query: {},
        headers: { host: '169.254.169.254', 'content-type': 'application/json' },
        body: { note: `$(touch ${marker}) \`touch ${marker}\`` },
      },
    });
    const listed = await run(['incidents', 'list', '-q', '--service', 'replay']);
    const id = listed.out.trim();
    await eventually(async () => expect((await run(['bundle', id])).code).toBe(0));
    const metadata = await run(['reproduce', id, '--run', '--yes']);
    expect(metadata.code).not.toBe(0);
    expect((await run(['reproduce', id, '--run', '--base-url', base])).code).toBe(2);
    expect(seen).toEqual([]);
    const back = await run(['reproduce', id, '--run', '--base-url', base, '--yes']);
    expect({ code: back.code, out: back.out.split(':')[0] }).toEqual({ code: 0, out: 'reproduced' });
    expect(seen).toEqual([{ url: '/cart', body: expect.stringContaining('$(touch') }]);
    status = 200;
    const fixed = await run(['reproduce', id, '--run', '--base-url', base, '--yes', '--expect', 'fixed']);
    expect({ code: fixed.code, out: fixed.out.split(':')[0] }).toEqual({ code: 0, out: 'not_reproduced' });
    application.close();
    expect(existsSync(marker)).toBe(false);
  });

  it('asks no place of this machine that only an event named, until a person agreed to it', async () => {
    let asked = 0;
    const application = createServer((_, response) => {
      asked += 1;
      response.writeHead(500).end('{}');
    });
    await new Promise<void>((resolve) => application.listen(0, '127.0.0.1', resolve));
    const address = application.address();
    const host = `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
    await signedIn.fail('reproduce a read', {
      'service.name': 'reads',
      'payload.request': { method: 'GET', path: '/', query: {}, headers: { host } },
    });
    const id = (await run(['incidents', 'list', '-q', '--service', 'reads'])).out.trim();
    await eventually(async () => expect((await run(['bundle', id])).code).toBe(0));
    const shown = await run(['reproduce', id]);
    const origin = /http:\/\/127\.0\.0\.1:\d+/.exec(shown.out)?.[0] ?? '';
    expect(origin).toBe(`http://${host}`);
    for (const more of [[], ['--yes']]) {
      const refused = await run(['reproduce', id, '--run', ...more]);
      expect({ code: refused.code, names: refused.err.includes(`--base-url ${origin}`) }).toEqual({
        code: 2,
        names: true,
      });
    }
    expect(asked).toBe(0);
    const screen = await atTerminal(signedIn.home, ['reproduce', id, '--run']);
    await eventually(() => expect(screen.text()).toContain(`Send this request to ${origin}?`));
    screen.type('y');
    expect(await screen.ended).toBe(0);
    expect(asked).toBe(1);
    expect((await run(['reproduce', id, '--run'])).code).toBe(0);
    expect(asked).toBe(2);
    application.close();
  });

  it('remembers places of this machine alone, because a name can lead elsewhere afterwards', async () => {
    const reproduced = async (service: string, host: string): Promise<string> => {
      const request = { method: 'GET', path: '/', query: {}, headers: { host } };
      await signedIn.fail(`reproduce ${service}`, { 'service.name': service, 'payload.request': request });
      const id = (await run(['incidents', 'list', '-q', '--service', service])).out.trim();
      await eventually(async () => expect((await run(['bundle', id])).code).toBe(0));
      return id;
    };
    // What a name led to this machine when a person agreed to it, and now leads to a private network, looks like this.
    const moved = await reproduced('moved', '10.255.255.1:9');
    const environment = { HOME: signedIn.home.path };
    const file = readUserFile(environment);
    writeUserFile(environment, { ...file, reproduce_origins: ['http://10.255.255.1:9'] });
    const refused = await run(['reproduce', moved, '--run', '--yes']);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('private network')]);
    // A public one that was agreed to is asked for again.
    const outside = await reproduced('outside', '192.0.2.1:9');
    const screen = await atTerminal(signedIn.home, ['reproduce', outside, '--run']);
    await eventually(() => expect(screen.text()).toMatch(/Send this request to https?:\/\/192\.0\.2\.1:9\?/));
    screen.type('y');
    await screen.ended;
    expect(readUserFile(environment).reproduce_origins).toEqual(['http://10.255.255.1:9']);
  });
});

describe('heartbeats', () => {
  const record = async (...args: string[]) => {
    const body = await signedIn.home.json(['heartbeats', ...args]);
    const heartbeat = isJsonObject(body) ? body.heartbeat : null;
    if (!isJsonObject(heartbeat)) throw new Error('no heartbeat');
    return heartbeat;
  };
  const addressOf = ({ ping_url: url }: { ping_url?: unknown }) =>
    `${culprit.url}${new URL(String(url)).pathname}`;
  const runsOf = async (id: string) => {
    const body = await signedIn.home.json(['heartbeats', 'runs', id]);
    return isJsonObject(body) && Array.isArray(body.check_ins) ? body.check_ins : [];
  };

  it('a command is run with its output and exit code, which its heartbeat gets too', async () => {
    const made = await record('create', '--slug', 'backup', '--every', '15 minutes');
    expect(made.schedule).toEqual({ type: 'interval', value: 15, unit: 'minute' });
    const id = String(made.heartbeat_id);
    const command = (code: string) =>
      run(['heartbeats', 'run', '--address', addressOf(made), '--', process.execPath, '-e', code]);
    const failed = await command("console.log('a'.repeat(3000) + ' the end'); process.exit(3)");
    expect(failed).toMatchObject({ code: 3, err: '' });
    expect(failed.out).toMatch(/^a{3000} the end$/m);
    const [first] = await runsOf(id);
    expect(first).toMatchObject({ status: 'error', output: expect.stringMatching(/^a+ the end$/) });
    expect((await command('process.exit(0)')).code).toBe(0);
    expect((await command("process.kill(process.pid, 'SIGTERM')")).code).toBe(143);
    const statuses = (await runsOf(id)).map((each) => (isJsonObject(each) ? each.status : null));
    expect(statuses).toEqual(['error', 'ok', 'error']);
  });

  it('a report that fails changes nothing of the command', async () => {
    const made = await record('create', '--slug', 'rotated', '--cron', '@daily');
    const id = String(made.heartbeat_id);
    const changed = await record('rotate-key', id, '--yes');
    expect(addressOf(changed)).not.toBe(addressOf(made));
    const { code, err } = await run([
      'heartbeats',
      'run',
      '--address',
      addressOf(made),
      '--',
      process.execPath,
      '-e',
      'process.exit(4)',
    ]);
    expect(code).toBe(4);
    expect(err).toContain('the heartbeat was not reported: the server answered 404');
    const missing = await run([
      'heartbeats',
      'run',
      '--address',
      addressOf(changed),
      '--',
      'no-such-command',
    ]);
    expect(missing.code).toBe(127);
    expect(await runsOf(id)).toMatchObject([{ status: 'error', output: 'command not found' }]);
    expect((await run(['heartbeats', 'run', '--', 'true'])).code).toBe(2);
  });

  it('signals reach the command, whose exit code counts', async () => {
    const made = await record('create', '--slug', 'signalled', '--cron', '@daily');
    const code =
      "process.on('SIGTERM', () => process.exit(7)); setInterval(() => {}, 1000); console.log('ready')";
    const args = ['heartbeats', 'run', '--address', addressOf(made), '--', process.execPath, '-e', code];
    const running = signedIn.home.start(args);
    await eventually(() => expect(running.out()).toContain('ready'));
    running.kill('SIGTERM');
    expect((await running.ended).code).toBe(7);
    expect(await runsOf(String(made.heartbeat_id))).toMatchObject([{ status: 'error' }]);
  });

  it.each(['never answers', 'is not there'])(
    'a server that %s holds up no job and does not change its exit code',
    async (way) => {
      const sockets = new Set<Socket>();
      let requests = 0;
      const server = createServer(() => {
        requests += 1;
      });
      server.on('connection', (socket: Socket) => sockets.add(socket));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const bound = server.address();
      const port = typeof bound === 'object' ? bound?.port : 0;
      const isThere = way === 'never answers';
      if (!isThere) await new Promise((resolve) => server.close(resolve));
      const address = `http://127.0.0.1:${port}/v1/heartbeats/hb_${'x'.repeat(43)}`;
      const command = ['--', process.execPath, '-e', "console.log('done'); process.exit(5)"];
      // An answer is waited for longer than this test may take.
      const { code, out, err } = await run([
        'heartbeats',
        ...['run', '--timeout', '600', '--address', address],
        ...command,
      ]);
      expect({ code, out }).toMatchObject({ code: 5, out: expect.stringContaining('done') });
      expect(err.match(/the heartbeat was not reported/g)).toHaveLength(2);
      expect(requests).toBe(isThere ? 2 : 0);
      for (const socket of sockets) socket.destroy();
      if (isThere) server.close();
    },
  );

  it('a heartbeat is paused and waited for again', async () => {
    const id = String((await record('create', '--slug', 'paused', '--cron', '@daily')).heartbeat_id);
    expect(await record('update', id, '--disable')).toMatchObject({ status: 'paused' });
    expect(await record('update', id, '--enable', '--every', '2 hours')).toMatchObject({
      status: 'unknown',
      schedule: { type: 'interval', value: 2, unit: 'hour' },
    });
    const { code, err } = await run(['heartbeats', 'update', id, '--every', '7 fortnights']);
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('--every') });
  });
});
