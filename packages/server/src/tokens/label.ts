import { TOKEN_LABEL_LENGTH_MAX } from '@culprit/contract/tokens';
import { Problem } from '../platform/http/problem.ts';

/**
 * A token's label as it is stored: trimmed, 1 to 120 characters (account.md 4.3). An operation asks for it first, since
 * bodies are judged before anything is looked up.
 * @throws Problem `invalid_payload`
 */
export function readTokenLabel(text: string): string {
  const label = text.trim();
  if (label === '' || [...label].length > TOKEN_LABEL_LENGTH_MAX) throw new Problem('invalid_payload');
  return label;
}
