import {
  ENVIRONMENT_DEFAULT_LENGTH_MAX,
  PROJECT_NAME_LENGTH_MAX,
} from '@culprit/contract/workspace/projects';
import { invalidPayload } from '../../platform/http/binding/payload-fault.ts';

/**
 * Returns a project's name in its stored form: trimmed, 1 to 120 characters (docs/contract/incidents.md 7.2).
 * @throws Problem `invalid_payload`
 */
export function parseProjectName(text: string): string {
  return parseTrimmed('/name', text, PROJECT_NAME_LENGTH_MAX);
}

/**
 * Returns a default environment in its stored form: trimmed, like environments of events, 1 to 50 characters.
 * @throws Problem `invalid_payload`
 */
export function parseEnvironmentDefault(text: string): string {
  return parseTrimmed('/environment_default', text, ENVIRONMENT_DEFAULT_LENGTH_MAX);
}

/**
 * An IANA time zone. Offsets such as `+01:00` are none, though the platform would take them.
 * @throws Problem `invalid_payload`
 */
export function parseTimezone(pointer: string, text: string): string {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(text) || !isTimezone(text)) {
    throw invalidPayload(pointer, 'is not a time zone such as Europe/Berlin');
  }
  return text;
}

function parseTrimmed(pointer: string, text: string, lengthMax: number): string {
  const trimmed = text.trim();
  if (trimmed === '' || [...trimmed].length > lengthMax) {
    throw invalidPayload(pointer, `must have 1 to ${lengthMax} characters besides white space`);
  }
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
