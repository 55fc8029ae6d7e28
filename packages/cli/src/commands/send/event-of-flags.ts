import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { usageError } from '../../cli-error.ts';
import { variable } from '../../config/folders.ts';
import { isObject, type JsonObject } from '../../config/json-file.ts';
import { readProjectFile } from '../../config/project-file.ts';
import type { Context } from '../../context.ts';
import type { Input } from '../../input.ts';
import { readStandardInput } from '../../output/ask.ts';
import { VERSION } from '../../version.ts';

/** Service and environment, from flags, the environment and the project file, in this order. */
export function serviceOf(
  context: Context,
  input: Input,
  standard: string,
): { name: string; environment: string } {
  const file = readProjectFile(context.directory, context.environment);
  return {
    name:
      input.list('service')[0] ??
      variable(context.environment, 'CULPRIT_SERVICE') ??
      file?.service ??
      standard,
    environment:
      input.text('environment') ??
      variable(context.environment, 'CULPRIT_ENVIRONMENT') ??
      file?.environment ??
      'production',
  };
}

/** One event as flags describe it. */
export async function eventOfFlags(context: Context, input: Input): Promise<JsonObject> {
  const type = input.required('type');
  const service = serviceOf(context, input, 'cli');
  const traceId = input.text('trace-id');
  const pairs = input.list('context').map((pair): [string, string] => {
    const at = pair.indexOf('=');
    if (at <= 0) throw usageError(`"${pair}" is not KEY=VALUE.`);
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
  return {
    event_id: `cli_${randomUUID()}`,
    event_type: type,
    timestamp: input.time('time') ?? new Date().toISOString(),
    service,
    sdk: { name: 'culprit-cli', version: VERSION },
    ...(traceId === null ? {} : { correlation: { trace_id: traceId } }),
    ...(pairs.length === 0 ? {} : { context: Object.fromEntries(pairs) }),
    payload: { ...(await payloadOf(input, type)), ...extraPayload(input) },
  };
}

async function payloadOf(input: Input, type: string): Promise<JsonObject> {
  const message = input.text('message');
  if (type === 'log_event')
    return { level: input.text('level') ?? 'error', message: input.required('message') };
  if (!type.endsWith('_exception')) return message === null ? {} : { message };
  const name = input.text('error') ?? 'Error';
  const stack = await stackOf(input);
  return {
    name,
    message: message ?? name,
    ...(stack === null ? {} : { stack }),
    ...(type === 'backend_exception' ? { handled: input.has('handled') } : {}),
  };
}

async function stackOf(input: Input): Promise<string | null> {
  const file = input.text('stack-file');
  if (file === null) return null;
  return file === '-' ? await readStandardInput() : readFileSync(file, 'utf8');
}

function extraPayload(input: Input): JsonObject {
  const text = input.text('payload');
  if (text === null) return {};
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // The words below say it.
  }
  throw usageError('--payload is not a JSON object.');
}
