import { spawnSync } from 'node:child_process';
import { openSync } from 'node:fs';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createLoggerTo } from '../../src/platform/log.ts';
import { Secret } from '../../src/platform/secrets/secret.ts';

describe('a log line', () => {
  it('is one line of JSON with time, level, role, process and message', () => {
    const { log, entries, lines } = capture();
    log.info({ status: 202, text: 'two\nlines' }, 'request answered');
    expect(lines).toHaveLength(1);
    expect(lines[0]?.trimEnd()).not.toContain('\n');
    expect(entries()[0]).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      role: 'api',
      pid: process.pid,
      status: 202,
      text: 'two\nlines',
      msg: 'request answered',
    });
  });

  it('is written from the chosen level on', () => {
    const { log, lines } = capture();
    log.debug('not this');
    log.warn('this');
    expect(lines).toHaveLength(1);
  });

  it('of a child carries the id that ties lines together', () => {
    const { log, entries } = capture();
    log.child({ requestId: 'r1' }).info('one');
    log.child({ jobId: 7 }).info('two');
    expect(entries()).toMatchObject([{ requestId: 'r1' }, { jobId: 7 }]);
  });
});

describe('secrets', () => {
  it.each([
    'authorization',
    'cookie',
    'Set-Cookie',
    'token',
    'project_token',
    'memberToken',
    'password',
    'secret',
    'clientSecret',
    'plaintext',
    'data_key',
    'CULPRIT_DATA_KEY',
    'databaseUrl',
  ])('in a field called %s are replaced at the top, inside, in lists and in child loggers', (name) => {
    const { log, lines } = capture();
    const entry = { [name]: 'hunter2' };
    log.info({ ...entry, headers: entry, list: [entry] }, 'x');
    log.child(entry).info('y');
    expect(lines.join('')).not.toContain('hunter2');
    expect(lines.join('').split('[secret]')).toHaveLength(5);
  });

  it('do not take the fields with them that only sound alike', () => {
    const { log, entries } = capture();
    log.info({ tokenId: 'abc', code: '57P01', tokens: 3 }, 'x');
    expect(entries()[0]).toMatchObject({ tokenId: 'abc', code: '57P01', tokens: 3 });
  });

  it('in addresses and in errors lose the password', () => {
    const { log, lines } = capture();
    const error = new Error('connect postgres://culprit:hunter2@127.0.0.1:1/culprit failed');
    log.warn({ err: error, error, detail: 'smtp://me:hunter2@mail and postgres://u:hunter2@db' }, 'x');
    expect(lines.join('')).not.toContain('hunter2');
    expect(lines.join('')).toContain('postgres://culprit:[secret]@127.0.0.1:1/culprit failed');
  });

  it('wrapped as Secret print as [secret] everywhere and are given only when revealed', () => {
    const secret = new Secret('hunter2');
    const { log, lines } = capture();
    log.info({ key: secret, nested: { key: secret } }, 'x');
    const printed = [
      String(secret),
      `${secret}`,
      JSON.stringify({ secret }),
      inspect({ secret }, { showHidden: true, depth: 5 }),
      lines.join(''),
      Object.values(secret).join(),
    ].join('\n');
    expect(printed).not.toContain('hunter2');
    expect(printed.split('[secret]')).toHaveLength(7);
    expect(secret.reveal()).toBe('hunter2');
    expect(new Secret(Buffer.from('k')).reveal()).toEqual(Buffer.from('k'));
  });
});

describe('hostile fields', () => {
  it('neither break the line nor make it endless', () => {
    const { log, entries } = capture();
    const circle: Record<string, unknown> = { name: 'circle' };
    circle.self = circle;
    const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`k${index}`, index]));
    log.info({ circle, wide, big: 10n, fields: JSON.parse('{"__proto__":{"polluted":1}}') }, 'x');
    const [entry] = entries();
    expect(entry).toMatchObject({ big: '10' });
    expect(JSON.stringify(entry).length).toBeLessThan(3_000);
    expect(Object.hasOwn({}, 'polluted')).toBe(false);
  });
});

describe('a log that cannot be written', () => {
  it('does not end the process', () => {
    const program = `
      import { createLogger } from ${JSON.stringify(new URL('../../src/platform/log.ts', import.meta.url).href)};
      const log = createLogger({ level: 'info', role: 'api' });
      for (let line = 0; line < 2000; line += 1) log.info({ line }, 'nobody reads this');
      process.stderr.write('still here');`;
    // Every write to this device fails as on a full disk.
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: 'still here' });
  });
});

function capture() {
  const lines: string[] = [];
  const log = createLoggerTo({ write: (line) => lines.push(line) }, { level: 'info', role: 'api' });
  return { log, lines, entries: () => lines.map((line): Record<string, unknown> => JSON.parse(line)) };
}
