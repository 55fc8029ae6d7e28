import { TOKEN_LABEL_LENGTH_MAX } from '@culprit/contract/workspace/tokens';
import { invalidPayload } from '../../platform/http/binding/payload-fault.ts';

/**
 * Returns a token's label in its stored form: trimmed, 1 to 120 characters (docs/contract/account.md 4.3).
 * @throws Problem `invalid_payload`
 */
export function parseTokenLabel(text: string): string {
  const label = text.trim();
  if (label === '' || [...label].length > TOKEN_LABEL_LENGTH_MAX)
    throw invalidPayload('/label', `must have 1 to ${TOKEN_LABEL_LENGTH_MAX} characters besides white space`);
  return label;
}
