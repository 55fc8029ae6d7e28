import { readFileSync, statSync } from 'node:fs';
import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { usageError } from '../../cli-error.ts';
import type { Context } from '../../context.ts';
import { readSentryFile } from '../../import/sentry-file.ts';
import type { Input } from '../../input.ts';
import { readStandardInput } from '../../output/ask.ts';
import { say } from '../../output/print.ts';
import { visibleLine } from '../../output/visible-text.ts';
import { serviceOf } from './event-of-flags.ts';

const FILE_BYTES_MAX = 32 * 1_048_576;

/** The events of a file of Sentry; null where files have our own form. */
export async function sentryEvents(
  context: Context,
  input: Input,
  path: string,
): Promise<JsonObject[] | null> {
  if (input.text('format') !== 'sentry') return null;
  const bytes = path === '-' ? Buffer.from(await readStandardInput(FILE_BYTES_MAX)) : contentOf(path);
  const { events, leftOut } = readSentryFile(bytes, {
    serviceName: serviceOf(context, input, 'cli').name,
    nowMs: Date.now(),
  });
  if (leftOut > 0)
    say(context, `${visibleLine(path)}: ${leftOut} items are not errors, messages or logs and are skipped.`);
  return events;
}

function contentOf(path: string): Buffer {
  let size: number;
  try {
    ({ size } = statSync(path));
  } catch {
    throw usageError(`${visibleLine(path)} does not exist or cannot be read.`);
  }
  if (size > FILE_BYTES_MAX) throw usageError(`${visibleLine(path)} is larger than 32 MiB.`);
  return readFileSync(path);
}
