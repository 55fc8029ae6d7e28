import { NAME_LENGTH_MAX } from '@culprit/contract/incidents/triage-words';
import { invalidPayload } from '../../platform/http/binding/payload-fault.ts';

/** A name of a person or a team on one line, without what no screen shows. @throws Problem `invalid_payload` */
export function shownName(name: string): string {
  const line = name.replace(/[\p{C}\s]+/gu, ' ').trim();
  if (line === '') throw invalidPayload('/name', 'must have a visible character');
  return [...line].slice(0, NAME_LENGTH_MAX).join('');
}
