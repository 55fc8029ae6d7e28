import { shownLetter } from '../installation/operator/dead-letters.ts';
import {
  countDeadLetters,
  type DeadLetterChoice,
  listDeadLetters,
  putBackDeadLetters,
} from '../pipeline/incidents/processing/dead-letters.queries.ts';
import { readConfig } from '../platform/config/config.ts';
import type { Database } from '../platform/db/database.ts';
import { parseId } from '../platform/ids.ts';
import { type AdminCommand, CommandRefused, printResult, readOptions, UsageError } from './command.ts';
import { withDatabase } from './with-database.ts';

const LISTED_MAX = 100;
/** In one transaction. */
const PUT_BACK_AT_ONCE = 500;

/** `admin dead-letters list` */
export const listDeadLettersCommand: AdminCommand = {
  usage: 'dead-letters list [--project ID] [--json]',
  purpose: `Prints the oldest ${LISTED_MAX} events that could not be processed and the reasons, but never their content.`,
  async run(args) {
    const values = readOptions(args, {
      project: { type: 'string' },
      json: { type: 'boolean', default: false },
    });
    const choice = { deadLetterIds: null, projectId: readProject(values.project) };
    const result = await withDatabase(readConfig(process.env), (database) =>
      showDeadLetters(database, choice),
    );
    printResult(result, values.json);
  },
};

/** `admin dead-letters retry` */
export const retryDeadLettersCommand: AdminCommand = {
  usage: 'dead-letters retry --id ID | --all [--project ID] [--json]',
  purpose:
    'Queues dead letters again: a worker processes them like new events, with as many attempts. It is safe to repeat.',
  async run(args) {
    const values = readOptions(args, {
      id: { type: 'string' },
      all: { type: 'boolean', default: false },
      project: { type: 'string' },
      json: { type: 'boolean', default: false },
    });
    if ((values.id === undefined) !== values.all) throw new UsageError('either --id or --all is required');
    if (values.id !== undefined && !/^\d{1,15}$/.test(values.id)) {
      throw new UsageError('--id must be the number that `dead-letters list` shows');
    }
    const choice: DeadLetterChoice = {
      deadLetterIds: values.id === undefined ? null : [Number(values.id)],
      projectId: readProject(values.project),
    };
    const result = await withDatabase(readConfig(process.env), (database) =>
      retryDeadLetters(database, choice),
    );
    if (values.id !== undefined && result.retried === 0) {
      throw new CommandRefused(`No dead letter has the id ${values.id}, or its batch no longer exists.`);
    }
    printResult(result, values.json);
  },
};

/** Returns how many dead letters there are, and the oldest ones, in the form that `list` prints. */
export async function showDeadLetters(database: Database, choice: DeadLetterChoice) {
  const letters = await listDeadLetters(database, choice, LISTED_MAX);
  return {
    total: await countDeadLetters(database, choice),
    dead_letters: letters.map(shownLetter),
  };
}

/** Puts back those that are there now, in transactions of a bearable size. */
export async function retryDeadLetters(
  database: Database,
  choice: DeadLetterChoice,
): Promise<{ retried: number }> {
  // A letter that a worker has parked again since is not part of this call.
  const asked = await countDeadLetters(database, choice);
  let retried = 0;
  for (let some = 1; some > 0 && retried < asked; retried += some) {
    const limit = Math.min(PUT_BACK_AT_ONCE, asked - retried);
    some = await database.transaction((transaction) => putBackDeadLetters(transaction, choice, limit));
  }
  return { retried };
}

function readProject(text: string | undefined): string | null {
  if (text === undefined) return null;
  const projectId = parseId(['proj'], text);
  if (projectId === null) throw new UsageError('--project must be the id of a project, like `proj_…`');
  return projectId;
}
