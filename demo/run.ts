import { say, section } from './report/paper.ts';
import { ConnectError, connect } from './service/connect.ts';
import { showSlot } from './story/show-slot.ts';
import { tellStory } from './story/tell-story.ts';

/**
 * The demo: a small shop that really fails sends its events to the running server, which shows what it made of them.
 * The demo judges that itself; the exit code is 0 only when everything was as it should be.
 */

if (process.argv.includes('--help')) {
  process.stdout.write('Usage: npm run demo. Needs a running server (npm start) and the same settings.\n');
  process.exit(0);
}

try {
  const startedAt = new Date();
  const connection = await connect(process.env);
  const checks = await tellStory(connection, startedAt);
  await showSlot(connection, startedAt, checks);
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
} catch (error) {
  process.stderr.write(`\n${error instanceof ConnectError ? error.message : describe(error)}\n`);
  process.exitCode = 1;
}

function describe(error: unknown): string {
  return `The demo broke off. ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}
