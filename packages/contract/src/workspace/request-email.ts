import Type from 'typebox';
import { EMAIL_LENGTH_MAX, EMAIL_PATTERN, EMAIL_TEXT_LENGTH_MAX } from './email-address.ts';

/** An address in a request: one, bare, with white space around it at most. `normalizeEmail` decides. */
export const RequestEmail = Type.String({
  minLength: 3,
  maxLength: EMAIL_TEXT_LENGTH_MAX,
  pattern: `^\\s*${EMAIL_PATTERN}\\s*$`,
  description: `One address of at most ${EMAIL_LENGTH_MAX} characters; trimmed, lower-cased, its domain as A-labels (\`xn--…\`). ASCII before the \`@\``,
});
