import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { eventually } from '../../../server/test/support/eventually.ts';
import { codeIn, nextMail } from '../../../server/test/support/mailbox.ts';
import { ensurePackages } from '../../../server/test/support/packages.ts';
import { shareCulprit } from '../../../server/test/support/shared-culprit.ts';
import { createApplication, type TestApplication, withRegistry } from '../support/application.ts';
import { cliLine, KEYS, type Screen, startAtTerminal } from '../support/at-terminal.ts';
import { type CliHome, CONFIG, createCliHome } from '../support/built-cli.ts';
import { type DiskRegistry, startDiskRegistry } from '../support/disk-registry.ts';

/** `culprit init` for somebody who has no account yet, by the keyboard alone (C-21). */

const INSTALL_MAX_MS = 300_000;
const TEST_MAX_MS = 180_000;
/** What stands behind it is the work of package managers and mails, on a machine that may be busy. */
const STEP_MAX_MS = 60_000;

let culprit: TestCulprit;
let home: CliHome;
let registry: DiskRegistry;
let environment: Record<string, string>;
let application: TestApplication;
beforeAll(async () => {
  await ensurePackages();
  culprit = await shareCulprit();
  registry = await startDiskRegistry();
}, INSTALL_MAX_MS);
beforeEach(async () => {
  home = await createCliHome();
  environment = { ...(await withRegistry(home, registry)), CULPRIT_URL: culprit.url };
  application = await createApplication(
    home,
    'kiosk',
    {
      '.gitignore': 'node_modules\n.env*\n',
      'package.json': '{"name":"kiosk","version":"1.0.0","type":"module"}\n',
      'index.js': "console.log('open');\n",
    },
    environment,
  );
}, INSTALL_MAX_MS);
afterEach(() => home?.remove());
afterAll(() => registry?.close());

/** Waits for a question below what was answered already. */
async function asked(screen: Screen, question: string, from: number): Promise<number> {
  return await eventually(() => {
    const at = screen.text().indexOf(question, from);
    if (at < 0) throw new Error(`"${question}" is not asked: ${screen.text().slice(from)}`);
    return at + question.length;
  }, STEP_MAX_MS);
}

it('leads from no account to a visible incident, with a code that is mistyped first', {
  timeout: TEST_MAX_MS,
}, async () => {
  const email = `kim-${crypto.randomUUID()}@example.test`;
  const line = await cliLine(['init', '--agent', 'claude-code']);
  const screen = startAtTerminal(home, line, { environment, directory: 'kiosk' });
  let at = await asked(screen, 'How do you want to sign in?', 0);
  // What the server does not offer is no choice.
  at = await asked(screen, 'a code by mail', at);
  expect(screen.text()).not.toContain('GitHub');
  screen.type(`${KEYS.down}${KEYS.down}${KEYS.enter}`);
  at = await asked(screen, 'Do you accept the terms', at);
  screen.type(KEYS.enter);
  at = await asked(screen, 'Your address', at);
  screen.type(`${email}${KEYS.enter}`);
  at = await asked(screen, 'Code (6 digits)', at);
  const code = codeIn(await nextMail(culprit.mailDirectory, email, 0, 'Sign-in code'));
  screen.type(`${code}0${KEYS.enter}`);
  at = await asked(screen, 'A code has six digits.', at);
  at = await asked(screen, 'Code (6 digits)', at);
  screen.type(`${code}${KEYS.enter}`);
  at = await asked(screen, 'Name of the new project', at);
  screen.type(KEYS.enter);
  at = await asked(screen, 'mails you about new and regressed incidents', at);
  at = await asked(screen, '+import', at);
  at = await asked(screen, 'mcpServers', at);
  at = await asked(screen, 'Install and write all of this?', at);
  screen.type('y');
  at = await asked(screen, `Urgent and high priority incidents are mailed to ${email}.`, at);
  at = await asked(screen, 'Waiting for its first event', at);
  expect(screen.text()).toContain('CulpritVerification: ');
  expect(screen.text()).toMatch(/after \d+ ms/);
  screen.type(KEYS.enter);
  expect(await screen.ended).toBe(0);
  expect(screen.text()).not.toMatch(/svc_(?:mem|proj)_[0-9A-Za-z]{8}/);
  const { '.mcp.json': agent, 'index.js': entry } = application.files();
  expect(JSON.parse(agent ?? '')).toMatchObject({
    mcpServers: { culprit: { command: 'npx', args: expect.arrayContaining(['mcp']) } },
  });
  expect(entry).toContain('@culprit/node/register');
  expect(home.read(`${CONFIG}/credentials.json`)).toContain('"made_by": "email"');
});
