import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig, renderConfigurationDoc } from '../../src/platform/config/config.ts';
import { SETTING_GROUPS } from '../../src/platform/config/setting-table.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');
const EXTERNAL = { CULPRIT_DATABASE_URL: 'postgres://me:pw@db.example.com/culprit', CULPRIT_DATA_KEY: KEY };
const NAMES = Object.values(SETTING_GROUPS)
  .flatMap((group) => Object.values<{ name: string }>(group))
  .map((setting) => setting.name);

describe('without any setting', () => {
  it('one machine gets a loopback server on 4800 with the embedded database and everything open to its owner', () => {
    expect(readConfig({ PATH: '/bin' })).toMatchObject({
      port: 4800,
      host: '127.0.0.1',
      baseUrl: 'http://localhost:4800',
      appUrl: 'http://localhost:4800',
      isBaseUrlDefault: true,
      databaseUrl: null,
      roles: ['api', 'worker'],
      signup: 'open',
      signinRatePerMin: 600,
      emailTransport: 'console',
      isCookieSecure: false,
      planSource: 'config',
      planDefault: 'team',
      planLimits: 'off',
      retentionRawDays: 30,
      retentionIncidentDays: 90,
      warnings: [],
    });
  });

  it('a variable that is set to nothing counts as unset', () => {
    expect(readConfig({ CULPRIT_PORT: '', CULPRIT_BASE_URL: '  ' })).toEqual(readConfig({}));
  });
});

describe('defaults that depend on other settings', () => {
  it('become strict as soon as the base URL is not loopback', () => {
    expect(readConfig({ CULPRIT_BASE_URL: 'https://errors.example.com/' })).toMatchObject({
      baseUrl: 'https://errors.example.com',
      appUrl: 'https://errors.example.com',
      isBaseUrlDefault: false,
      isBaseUrlLoopback: false,
      signup: 'invited',
      signinRatePerMin: 10,
      emailTransport: 'off',
      emailFrom: 'culprit@errors.example.com',
      isCookieSecure: true,
    });
  });

  it.each([
    ['http://127.9.9.9:1', true],
    ['http://[::1]', true],
    ['http://localhost:4800', true],
    ['http://localhost.example.com', false],
    ['http://127.0.0.1.example.com', false],
  ])('judge %s by what is written: loopback is %s', (baseUrl, isLoopback) => {
    expect(readConfig({ CULPRIT_BASE_URL: baseUrl }).isBaseUrlLoopback).toBe(isLoopback);
  });

  it('follow the port, the mail server and the data directory', () => {
    expect(readConfig({ CULPRIT_PORT: '5000' }).baseUrl).toBe('http://localhost:5000');
    expect(readConfig({ CULPRIT_SMTP_URL: 'smtp://mail.example.com' }).emailTransport).toBe('smtp');
    expect(readConfig({ CULPRIT_DATA_DIR: '/srv/culprit' })).toMatchObject({
      dataDir: '/srv/culprit',
      objectStore: { kind: 'files', directory: '/srv/culprit/objects' },
      emailDir: '/srv/culprit/mail',
    });
  });
});

describe('values', () => {
  it.each([
    ['CULPRIT_PORT', '65536'],
    ['CULPRIT_PORT', '4800.5'],
    ['CULPRIT_PORT', '0x10'],
    ['CULPRIT_HOST', '999.1.1.1'],
    ['CULPRIT_BASE_URL', 'errors.example.com'],
    ['CULPRIT_BASE_URL', 'https://errors.example.com/path'],
    ['CULPRIT_BASE_URL', 'https://user:pw@errors.example.com'],
    ['CULPRIT_DATABASE_URL', 'mysql://db/culprit'],
    ['CULPRIT_DATABASE_URL', 'postgres:///culprit'],
    ['CULPRIT_DATABASE_DURABILITY_VOUCHED', 'yes'],
    ['CULPRIT_DATA_KEY', KEY.slice(4)],
    ['CULPRIT_ROLES', 'api,web'],
    ['CULPRIT_LOG_LEVEL', 'verbose'],
    ['CULPRIT_FREE_SPACE_MIN_BYTES', '10 MiB'],
    ['CULPRIT_RETENTION_RAW_DAYS', '0'],
    ['CULPRIT_PLAN_DEFAULT', 'Team'],
    ['CULPRIT_CORS_ORIGINS', '*'],
    ['CULPRIT_CORS_ORIGINS', 'https://app.example.com/'],
    ['CULPRIT_TRUSTED_PROXIES', '10.0.0.0/33'],
    ['CULPRIT_TRUSTED_PROXIES', 'proxy.example.com'],
    ['CULPRIT_OUTBOUND_ALLOWLIST', '10.0.0'],
    ['CULPRIT_OUTBOUND_ALLOWLIST', 'host:0'],
    ['CULPRIT_OUTBOUND_ALLOWLIST', '*'],
    ['CULPRIT_EMAIL_FROM', 'a@example.com\r\nBcc: b@example.com'],
    ['CULPRIT_EMAIL_FROM', 'Doe, Jane <a@example.com>'],
    ['CULPRIT_EMAIL_FROM', 'jörg@example.com'],
    ['CULPRIT_OPERATORS', 'a@example.com, Jane'],
    ['CULPRIT_SMTP_URL', 'smtp://mail.example.com?name=a b'],
    ['CULPRIT_SMTP_URL', 'smtp://mail.example.com?name='],
    ['CULPRIT_SMTP_URL', 'smtp://mail.example.com?name=[1.2.3]'],
    ['CULPRIT_SMTP_URL', 'smtp://mail.example.com?name=[IPv6:1.2.3.4]'],
    ['CULPRIT_SMTP_URL', 'smtp://mail.example.com?name=a%0d%0aMAIL'],
    ['CULPRIT_DELIVERY_SCHEDULE_MS', '1,2,3'],
    ['CULPRIT_OBJECT_STORE', 'gs://bucket'],
  ])('%s=%s is refused by name', (name, value) => {
    const problems = problemsOf({ ...EXTERNAL, [name]: value });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(name);
  });

  it.each([
    [
      'emailFrom',
      'CULPRIT_EMAIL_FROM',
      '"Doe, Jane" <Jane@bücher.example>',
      '"Doe, Jane" <Jane@bücher.example>',
    ],
    [
      'operators',
      'CULPRIT_OPERATORS',
      '"Doe, Jane" <Jane@bücher.example>, B@x.test',
      ['jane@xn--bcher-kva.example', 'b@x.test'],
    ],
    [
      'signupDomains',
      'CULPRIT_SIGNUP_DOMAINS',
      'Bücher.example, x.test',
      ['xn--bcher-kva.example', 'x.test'],
    ],
  ] as const)('%s of %s is read from %s', (field, name, text, value) => {
    expect(readConfig({ ...EXTERNAL, [name]: text })[field]).toEqual(value);
  });

  it.each(['culprit.example.com', '[192.0.2.1]', '[IPv6:2001:db8::1]'])(
    'take %s for the name in EHLO',
    (name) => {
      const url = `smtp://mail.example.com?name=${name}`;
      expect(readConfig({ ...EXTERNAL, CULPRIT_SMTP_URL: url }).smtpUrl?.reveal()).toBe(url);
    },
  );

  it('are read in their units', () => {
    const config = readConfig({
      ...EXTERNAL,
      CULPRIT_FREE_SPACE_MIN_BYTES: '2GB',
      CULPRIT_ROLES: 'worker, worker',
      CULPRIT_DATABASE_DURABILITY_VOUCHED: 'on',
      CULPRIT_GITHUB_API_URL: 'https://github.example.com/api/v3/',
      CULPRIT_OUTBOUND_ALLOWLIST: '127.0.0.1:9009, *.Internal, 10.0.0.0/8, [fd00::/8]:443, fd00::1, hooks:80',
      CULPRIT_SIGNUP_DOMAINS: 'Example.com,',
    });
    expect(config).toMatchObject({
      freeSpaceMinBytes: 2 * 1024 ** 3,
      roles: ['worker'],
      isDatabaseDurabilityVouched: true,
      githubApiUrl: 'https://github.example.com/api/v3',
      outboundAllowlist: [
        '127.0.0.1:9009',
        '*.internal',
        '10.0.0.0/8',
        '[fd00::/8]:443',
        'fd00::1',
        'hooks:80',
      ],
      signupDomains: ['example.com'],
    });
    expect(config.dataKey?.reveal()).toEqual(Buffer.alloc(32, 7));
    expect(config.databaseUrl?.reveal()).toBe(EXTERNAL.CULPRIT_DATABASE_URL);
  });

  it('that are secret are printed neither by the configuration nor by its refusal', () => {
    expect(JSON.stringify(readConfig(EXTERNAL))).not.toContain('me:pw');
    expect(problemsOf({ CULPRIT_DATABASE_URL: 'mysql://me:pw@db' }).join()).not.toContain('me:pw');
    expect(problemsOf({ CULPRIT_DATA_KEY: 'hunter2' }).join()).not.toContain('hunter2');
  });

  it('of any text end in a configuration or in a ConfigError', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...NAMES), fc.string({ unit: 'binary' })), (env) => {
        try {
          readConfig(env);
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigError);
        }
      }),
    );
  });
});

describe('unknown names', () => {
  it('are refused with the name that was probably meant', () => {
    expect(problemsOf({ CULPRIT_DATABSE_URL: 'x' })).toEqual([
      'CULPRIT_DATABSE_URL is unknown; did you mean CULPRIT_DATABASE_URL?',
    ]);
    expect(problemsOf({ CULPRIT_QUITE_SOMETHING_ELSE_ENTIRELY: 'x' })).toEqual([
      'CULPRIT_QUITE_SOMETHING_ELSE_ENTIRELY is unknown',
    ]);
  });

  it.each(clientNames())('of clients are left alone: %s', (name) => {
    expect(readConfig({ [name]: 'x' })).toEqual(readConfig({}));
  });

  it('that only look like those of clients are refused', () => {
    expect(problemsOf({ CULPRIT_TOKENS: 'x' })).toHaveLength(1);
  });

  it('of the test suite and of other programs are left alone', () => {
    expect(readConfig({ CULPRIT_TEST_POSTGRES_URL: 'x', CULPRITS: 'x' })).toEqual(readConfig({}));
  });
});

describe('contradictions', () => {
  it.each<[string, Record<string, string>, string]>([
    ['roles with the embedded database', { CULPRIT_ROLES: 'api' }, 'embedded database'],
    [
      'an external database without a shared key',
      { CULPRIT_DATABASE_URL: EXTERNAL.CULPRIT_DATABASE_URL },
      'CULPRIT_DATA_KEY is required',
    ],
    ['a payment provider, until there is one', { CULPRIT_BILLING_PROVIDER: 'stripe' }, 'not available'],
    ['mail by smtp without a server', { CULPRIT_EMAIL_TRANSPORT: 'smtp' }, 'CULPRIT_SMTP_URL'],
    [
      'a mail server with another transport',
      { CULPRIT_EMAIL_TRANSPORT: 'console', CULPRIT_SMTP_URL: 'smtp://mail' },
      'CULPRIT_SMTP_URL',
    ],
    ['a mail directory without the file transport', { CULPRIT_EMAIL_DIR: '/tmp' }, 'CULPRIT_EMAIL_DIR'],
    ['half of a provider', { CULPRIT_OIDC_CLIENT_ID: 'a' }, 'CULPRIT_OIDC_ISSUER'],
    [
      'a provider without encryption',
      { CULPRIT_OIDC_ISSUER: 'http://id.example.com', CULPRIT_OIDC_CLIENT_ID: 'a' },
      'CULPRIT_OIDC_ISSUER must be https',
    ],
    [
      'a provider that knows the whole world',
      { CULPRIT_OIDC_ISSUER: 'https://accounts.google.com', CULPRIT_OIDC_CLIENT_ID: 'a' },
      'CULPRIT_SIGNUP_DOMAINS',
    ],
    [
      'a way to sign in that is not set up',
      { CULPRIT_SIGNIN_WAYS: 'oidc' },
      'CULPRIT_OIDC_ISSUER is not set',
    ],
    ['half of a GitHub application', { CULPRIT_GITHUB_CLIENT_ID: 'a' }, 'CULPRIT_GITHUB_CLIENT_SECRET'],
    ['half of a Slack application', { CULPRIT_SLACK_CLIENT_SECRET: 'a' }, 'CULPRIT_SLACK_CLIENT_ID'],
    ['domains for a closed sign-up', { CULPRIT_SIGNUP: 'closed', CULPRIT_SIGNUP_DOMAINS: 'a.org' }, 'closed'],
    [
      'secure cookies on plain http',
      { CULPRIT_COOKIE_SECURE: 'true', CULPRIT_BASE_URL: 'http://errors.example.com' },
      'CULPRIT_COOKIE_SECURE',
    ],
    [
      'strict transport for subdomains on plain http',
      { CULPRIT_HSTS_SUBDOMAINS: 'on', CULPRIT_BASE_URL: 'http://errors.example.com' },
      'CULPRIT_HSTS_SUBDOMAINS',
    ],
    [
      'events that outlive their incident',
      { CULPRIT_RETENTION_RAW_DAYS: '10', CULPRIT_RETENTION_INCIDENT_DAYS: '5' },
      'CULPRIT_RETENTION_RAW_DAYS',
    ],
    [
      'a test schedule in production',
      { CULPRIT_DELIVERY_SCHEDULE_MS: '1,1,1,1,1,1,1,1,1', NODE_ENV: 'production' },
      'CULPRIT_DELIVERY_SCHEDULE_MS',
    ],
  ])('%s: one sentence', (_case, env, phrase) => {
    const problems = problemsOf(env);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(phrase);
  });

  it('are reported together with every other problem, in one message', () => {
    const problems = problemsOf({
      CULPRIT_PROT: '1',
      CULPRIT_HOST: '!',
      CULPRIT_ROLES: 'api',
      CULPRIT_SLACK_CLIENT_ID: 'a',
    });
    expect(problems).toHaveLength(4);
    const message = new ConfigError(problems).message;
    for (const problem of problems) {
      expect(message).toContain(problem);
    }
  });

  it('are not guessed from values that could not be read', () => {
    expect(problemsOf({ ...EXTERNAL, CULPRIT_DATA_KEY: 'short' })).toHaveLength(1);
  });
});

describe('warnings', () => {
  it.each<[string, Record<string, string>, string]>([
    ['plain http for others', { CULPRIT_BASE_URL: 'http://errors.example.com' }, 'not https'],
    ['an open port with a loopback base URL', { CULPRIT_HOST: '0.0.0.0' }, 'CULPRIT_BASE_URL'],
    ['durability vouched for', { CULPRIT_DATABASE_DURABILITY_VOUCHED: 'on' }, 'not checked'],
    [
      'retention that plans decide',
      { CULPRIT_PLAN_LIMITS: 'enforce', CULPRIT_RETENTION_RAW_DAYS: '3' },
      'no effect',
    ],
    ['no way to sign in', { CULPRIT_BASE_URL: 'https://errors.example.com' }, 'No account can sign in'],
  ])('%s: the start goes on and says so', (_case, env, phrase) => {
    expect(readConfig(env).warnings.join('\n')).toContain(phrase);
  });
});

describe('the configuration page', () => {
  it('names every setting once, with no computed value of this machine', () => {
    const page = renderConfigurationDoc();
    for (const name of NAMES) {
      expect(page.split(`| \`${name}\` |`)).toHaveLength(2);
    }
    expect(page).not.toContain(process.cwd());
    expect(page).toContain('one less than the processor cores');
  });
});

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) {
      return error.problems;
    }
    throw error;
  }
  return [];
}

/** Those that the chapter on the command line lists. */
function clientNames(): string[] {
  const chapter = readFileSync(new URL('../../../../docs/contract/command-line.md', import.meta.url), 'utf8');
  const row = chapter.split('\n').find((line) => line.startsWith('| A1 |')) ?? '';
  const names = (row.split('|')[3] ?? '').match(/`(?:CULPRIT)?_[A-Z_]+`/g) ?? [];
  return [...new Set(names.map((name) => `CULPRIT${name.replaceAll('`', '').replace('CULPRIT', '')}`))];
}
