import { describe, expect, it } from 'vitest';
import { runProgram } from '../support/program.ts';

describe('a start with settings that cannot be used', () => {
  it('ends with one message that names them all, and shows no secret', async () => {
    const { ending, stdout, stderr } = await runProgram({
      CULPRIT_PORT: '99999',
      CULPRIT_DATABASE_URL: 'mysql://me:hunter2@db/culprit',
      CULPRIT_DATA_KEY: 'hunter2',
      CULPRIT_BASE_ULR: 'https://errors.example.com',
      CULPRIT_BILLING_PROVIDER: 'stripe',
    });
    expect({ ending, stdout }).toEqual({ ending: 1, stdout: '' });
    expect(stderr).toContain('5 settings are not usable');
    for (const name of [
      'CULPRIT_PORT',
      'CULPRIT_DATABASE_URL',
      'CULPRIT_DATA_KEY',
      'CULPRIT_BILLING_PROVIDER',
    ]) {
      expect(stderr).toContain(`- ${name}`);
    }
    expect(stderr).toContain('CULPRIT_BASE_ULR is unknown; did you mean CULPRIT_BASE_URL?');
    expect(stderr).not.toContain('hunter2');
    expect(stderr).not.toContain('    at ');
  });

  it.each([[['--roles']], [['--roles=']], [['--port', '80']], [['--roles', 'api', 'worker']]])(
    'says what is wrong with the arguments %j',
    async (args) => {
      const { ending, stderr } = await runProgram({}, args);
      expect(ending).toBe(1);
      expect(stderr).toContain(JSON.stringify(args.join(' ')));
      expect(stderr).toContain('--roles api,worker');
    },
  );

  it('says that the database cannot be reached, without its password', async () => {
    const { ending, stderr } = await runProgram(
      {
        CULPRIT_DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/culprit',
        CULPRIT_DATA_KEY: Buffer.alloc(32, 7).toString('base64'),
      },
      ['--roles', 'api'],
    );
    expect(ending).toBe(1);
    expect(stderr).toMatch(/^Culprit could not start: the database cannot be reached: .*127\.0\.0\.1:1/);
    expect(stderr).not.toContain('hunter2');
  });
});
