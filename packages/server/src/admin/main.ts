import { closestName } from '../platform/config/closest-name.ts';
import { startFailureText } from '../roles/start-failure.ts';
import { listAccountsCommand } from './account-list-command.ts';
import { backupCommand, restoreCommand } from './backup/backup-command.ts';
import { bootstrapCommand } from './bootstrap-command.ts';
import { type AdminCommand, CommandRefused, UsageError } from './command.ts';
import { listDeadLettersCommand, retryDeadLettersCommand } from './dead-letters-command.ts';
import { doctorCommand } from './doctor/doctor-command.ts';
import { setOperatorCommand } from './operator-command.ts';
import { setPlanCommand, showPlanCommand } from './plan-command.ts';
import { regroupCommand } from './regroup-command.ts';

/** The administrator's commands. They work beside a running server and, on the embedded database, without one. */
const COMMANDS: readonly { words: readonly string[]; command: AdminCommand }[] = [
  { words: ['bootstrap'], command: bootstrapCommand },
  { words: ['account', 'list'], command: listAccountsCommand },
  { words: ['plan', 'show'], command: showPlanCommand },
  { words: ['plan', 'set'], command: setPlanCommand },
  { words: ['doctor'], command: doctorCommand },
  { words: ['backup'], command: backupCommand },
  { words: ['restore'], command: restoreCommand },
  { words: ['dead-letters', 'list'], command: listDeadLettersCommand },
  { words: ['dead-letters', 'retry'], command: retryDeadLettersCommand },
  { words: ['operator', 'set'], command: setOperatorCommand },
  { words: ['regroup'], command: regroupCommand },
];

const CALL = 'npm run -s admin --';
const HELP_WORDS = new Set(['help', '--help', '-h']);
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
  if (args.some((arg, index) => HELP_WORDS.has(arg) && (index === 0 || arg !== 'help'))) {
    process.stdout.write(helpText(args));
    return;
  }
  const found = COMMANDS.find(({ words }) => words.every((word, index) => args[index] === word));
  if (found === undefined) {
    process.stderr.write(
      args.length === 0 ? USAGE : `${unknownText(args)}\n\n${helpText([...args, '--help'])}`,
    );
    process.exitCode = args.length === 0 ? 0 : 1;
    return;
  }
  try {
    await found.command.run(args.slice(found.words.length));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n\nUsage: ${CALL} ${found.command.usage}\n`);
    process.exitCode = 1;
  }
}

function unknownText(args: readonly string[]): string {
  const word = args.slice(0, 2).join(' ');
  const names = COMMANDS.map(({ words }) => words.join(' '));
  const meant = closestName(word, names) ?? closestName(args[0] ?? '', names);
  return `Unknown command "${word}"${meant === null ? '.' : `; did you mean ${meant}?`}`;
}

/** Returns the help of the commands that begin with the words before the request for help; of all if none does. */
function helpText(args: readonly string[]): string {
  const asked = args
    .slice(
      0,
      args.findIndex((arg) => HELP_WORDS.has(arg)),
    )
    .filter((arg) => !arg.startsWith('-'));
  const meant = COMMANDS.filter(({ words }) => words.every((word, index) => (asked[index] ?? word) === word));
  if (asked.length === 0 || meant.length === 0) return USAGE;
  return meant.map(({ command }) => `Usage: ${CALL} ${command.usage}\n\n${command.purpose}\n`).join('\n');
}

function failureText(error: unknown): string {
  return error instanceof CommandRefused ? error.message : startFailureText(error);
}
