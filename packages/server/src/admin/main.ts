import { startFailureText } from '../roles/start-failure.ts';
import { backupCommand, restoreCommand } from './backup/backup-command.ts';
import { bootstrapCommand } from './bootstrap-command.ts';
import { type AdminCommand, CommandRefused, UsageError } from './command.ts';
import { listDeadLettersCommand, retryDeadLettersCommand } from './dead-letters-command.ts';
import { doctorCommand } from './doctor/doctor-command.ts';
import { setPlanCommand, showPlanCommand } from './plan-command.ts';

/** The administrator's commands. They work beside a running server and, on the embedded database, without one. */
const COMMANDS: readonly { words: readonly string[]; command: AdminCommand }[] = [
  { words: ['bootstrap'], command: bootstrapCommand },
  { words: ['plan', 'show'], command: showPlanCommand },
  { words: ['plan', 'set'], command: setPlanCommand },
  { words: ['doctor'], command: doctorCommand },
  { words: ['backup'], command: backupCommand },
  { words: ['restore'], command: restoreCommand },
  { words: ['dead-letters', 'list'], command: listDeadLettersCommand },
  { words: ['dead-letters', 'retry'], command: retryDeadLettersCommand },
];

const CALL = 'npm run -s admin --';
const USAGE = `${COMMANDS.map(
  ({ command }, index) => `${index === 0 ? 'Usage:' : '      '} ${CALL} ${command.usage}`,
).join('\n')}

${COMMANDS.map(({ words, command }) => `${words.join(' ').padEnd(19)}${command.purpose}`).join('\n')}
`;

try {
  await run(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${failureText(error)}\n`);
  process.exitCode = 1;
}

async function run(args: readonly string[]): Promise<void> {
  const found = COMMANDS.find(({ words }) => words.every((word, index) => args[index] === word));
  if (found !== undefined) {
    await found.command.run(args.slice(found.words.length));
    return;
  }
  const [word] = args;
  process.stderr.write(USAGE);
  process.exitCode = word === undefined || word === 'help' || word === '--help' ? 0 : 1;
}

function failureText(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}\n\n${USAGE}`;
  return error instanceof CommandRefused ? error.message : startFailureText(error);
}
