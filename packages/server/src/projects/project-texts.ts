import { ENVIRONMENT_DEFAULT_LENGTH_MAX, PROJECT_NAME_LENGTH_MAX } from '@culprit/contract/projects';
import { Problem } from '../platform/http/problem.ts';

/**
 * A project's name as it is stored: trimmed, 1 to 120 characters (incidents.md 7.2).
 * @throws Problem `invalid_payload`
 */
export function readProjectName(text: string): string {
  return readTrimmed(text, PROJECT_NAME_LENGTH_MAX);
}

/**
 * A default environment as it is stored: trimmed, as environments of events are, 1 to 50 characters.
 * @throws Problem `invalid_payload`
 */
export function readEnvironmentDefault(text: string): string {
  return readTrimmed(text, ENVIRONMENT_DEFAULT_LENGTH_MAX);
}

/**
 * An IANA time zone. Offsets such as `+01:00` are none, though the platform would take them.
 * @throws Problem `invalid_payload`
 */
export function readTimezone(text: string): string {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(text) || !isTimezone(text)) throw new Problem('invalid_payload');
  return text;
}

function readTrimmed(text: string, lengthMax: number): string {
  const trimmed = text.trim();
  if (trimmed === '' || [...trimmed].length > lengthMax) throw new Problem('invalid_payload');
  return trimmed;
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
