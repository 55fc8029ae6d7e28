import { SourceError } from '@culprit/mcp/source';
import { CliError } from '../../cli-error.ts';

/** The failures of a command as those of a tool: the same words and the same next step. */
export async function inWords<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof CliError ? new SourceError(error.message, error.hint) : error;
  }
}
