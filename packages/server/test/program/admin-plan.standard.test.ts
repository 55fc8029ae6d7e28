import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addressOf,
  createDataDirectory,
  type ProgramSettings,
  processesOf,
  runAdmin,
  startProgram,
  stillRunning,
} from '../support/program.ts';
import { sendRequest } from '../support/send-events.ts';

/** `admin plan`, as an operator runs it beside the server (docs/contract/account.md 6.8). */

const EMAIL = ['--email', 'you@example.com'];
const HOSTED_PROFILE = {
  CULPRIT_PLAN_SOURCE: 'account',
  CULPRIT_PLAN_DEFAULT: 'free',
  CULPRIT_PLAN_LIMITS: 'enforce',
} as const;

let data: Awaited<ReturnType<typeof createDataDirectory>>;
let settings: ProgramSettings;

beforeAll(async () => {
  data = await createDataDirectory();
  settings = { ...HOSTED_PROFILE, CULPRIT_DATA_DIR: data.path, CULPRIT_PORT: '0' };
});
afterAll(() => data.remove());

async function adminJson(args: readonly string[]): Promise<Record<string, unknown>> {
  const { ending, stdout, stderr } = await runAdmin(settings, [...args, '--json']);
  if (ending !== 0) throw new Error(stderr);
  expect(stdout).toMatch(/^\{.*\}\n$/);
  const result: unknown = JSON.parse(stdout);
  if (!isJsonObject(result)) throw new Error(stdout);
  return result;
}

describe('admin plan', () => {
  it.each([
    [['plan'], 'Usage: '],
    [['plan', 'raise'], 'Usage: '],
    [['plan', 'show'], '--email must be an e-mail address'],
    [['plan', 'set', ...EMAIL], '--plan must be `solo`, `team` or `free`'],
    [['plan', 'set', ...EMAIL, '--plan', 'gold'], '--plan must be'],
    [['plan', 'set', ...EMAIL, '--plan', 'solo', '--units', '100'], '--units must be a whole number'],
    [['plan', 'set', ...EMAIL, '--plan', 'solo', '--units', '-1'], 'argument'],
    [['plan', 'set', ...EMAIL, '--plan', 'free', '--units', '1'], 'Free has no extra capacity units'],
  ])('refuses %j with a word on how it goes', async (args, words) => {
    const { ending, stdout, stderr } = await runAdmin(settings, args);
    expect({ ending, stdout }).toEqual({ ending: 1, stdout: '' });
    expect(stderr).toContain(words);
    const isShow = args[1] === 'show';
    expect(stderr).toContain(
      `npm run -s admin -- plan ${isShow ? 'show --email ADDRESS' : 'set --email ADDRESS --plan solo|team|free [--units N]'}`,
    );
    expect(stderr).not.toContain('    at ');
  });

  it('does not set plans that come from the configuration, and says why', async () => {
    const { ending, stdout, stderr } = await runAdmin({ CULPRIT_DATA_DIR: data.path }, [
      'plan',
      'set',
      ...EMAIL,
      '--plan',
      'solo',
    ]);
    expect({ ending, stdout }).toEqual({ ending: 1, stdout: '' });
    expect(stderr).toMatch(/^Plans come from the configuration: .*CULPRIT_PLAN_SOURCE to `account`/);
  });

  it('shows and sets the plan beside the server, which follows at once', { timeout: 120_000 }, async () => {
    const server = startProgram(settings);
    try {
      const address = await addressOf(server);
      const made = await adminJson(['bootstrap', ...EMAIL, '--project', 'my-app']);
      const read = async () => {
        const token = String(made.member_token);
        return (await sendRequest(`${address}/v1/billing`, { method: 'GET', token })).body;
      };
      const shown = await adminJson(['plan', 'show', ...EMAIL]);
      expect(shown).toMatchObject({
        email: 'you@example.com',
        organization_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        billing: { plan: 'free', billing_state: null },
      });
      expect(await read()).toEqual({ billing: shown.billing });

      const set = await adminJson(['plan', 'set', ...EMAIL, '--plan', 'solo', '--units', '2']);
      expect(set).toMatchObject({
        billing: {
          plan: 'solo',
          billing_state: 'admin_override',
          capacity_units: { total: 5, additional_purchased: 2 },
        },
      });
      expect(await read()).toEqual({ billing: set.billing });

      // The same plan again keeps its units and its window.
      expect(await adminJson(['plan', 'set', ...EMAIL, '--plan', 'solo'])).toEqual(set);

      const nobody = await runAdmin(settings, ['plan', 'show', '--email', 'nobody@example.com']);
      expect(nobody).toMatchObject({ ending: 1, stdout: '' });
      expect(nobody.stderr).toContain('No account has the address nobody@example.com.');

      const text = await runAdmin(settings, ['plan', 'show', ...EMAIL]);
      expect(text.stdout).toMatch(/^ {4}monthly_webhook_deliveries:\n {6}used: 0\n {6}limit: 1250$/m);
    } finally {
      const processes = processesOf(server);
      server.kill('SIGTERM');
      expect(await server.ended).toBe(0);
      expect(stillRunning(processes)).toEqual([]);
    }
  });
});
