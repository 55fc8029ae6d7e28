import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { normalizeEmail } from '@culprit/contract/workspace/email-address';
import { sendBusy } from './busy/send-busy.ts';
import type { Checks } from './checks.ts';
import { say, section } from './report/paper.ts';
import { ConnectError, connect } from './service/connect.ts';
import { showSlot } from './story/show-slot.ts';
import { tellStory } from './story/tell-story.ts';

/**
 * The demo: a small shop that really fails sends its events to the running server, and the demo shows the incidents that
 * the server creates. It checks them itself; the exit code is 0 only when all of them are as expected. With `--data busy`
 * it sends two weeks of a busy project instead.
 */

const USAGE = `Usage: npm run demo -- [--data NAME] [--email ADDRESS]

Needs a running server (npm start) and the same settings.

--data NAME      shop (the default): a small shop really fails, in the project "Demo shop"
                 busy: two weeks of seven services with 60 incidents, in the project "Busy shop"; runs no shop
--email ADDRESS  the account that gets the project; without it the only account, else the demo asks
`;

try {
  const { values } = parseArgs({
    options: {
      data: { type: 'string', default: 'shop' },
      email: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) process.stdout.write(USAGE);
  else await run(values.data, values.email);
} catch (error) {
  process.stderr.write(`\n${isPlain(error) ? error.message : describe(error)}\n`);
  process.exitCode = 1;
}

async function run(data: string, address: string | undefined): Promise<void> {
  if (data !== 'shop' && data !== 'busy') throw new ConnectError('--data must be shop or busy');
  const email = address === undefined ? undefined : normalizeEmail(address);
  if (email === null) throw new ConnectError('--email must be an e-mail address');
  const startedAt = new Date();
  const owner = { email, ask: isTerminal() ? ask : null };
  let checks: Checks;
  if (data === 'busy') {
    checks = await sendBusy(await connect(process.env, owner, 'Busy shop'), startedAt);
  } else {
    const connection = await connect(process.env, owner);
    checks = await tellStory(connection, startedAt);
    await showSlot(connection, startedAt, checks);
  }
  section('Result');
  for (const expectation of checks.missing) say(`Missing: ${expectation}`);
  const seconds = ((Date.now() - startedAt.getTime()) / 1000).toFixed(1);
  const isGood = checks.missing.length === 0;
  say(
    isGood
      ? `All ${checks.count} expectations held, in ${seconds} seconds.`
      : `${checks.missing.length} of ${checks.count} expectations did not hold.`,
  );
  process.exitCode = isGood ? 0 : 1;
}

function isTerminal(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY;
}

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return (await terminal.question(question)).trim();
  } finally {
    terminal.close();
  }
}

/** Returns true if a person needs only the message: a wrong option, or a problem of the connection. */
function isPlain(error: unknown): error is Error {
  if (error instanceof ConnectError) return true;
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}

function describe(error: unknown): string {
  return `The demo stopped. ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}
