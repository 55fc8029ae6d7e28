import Type from 'typebox';

/**
 * A page of the dashboard to come back to (docs/contract/notifications.md 2.3): one leading `/`, not `//`, no `\`, no
 * control characters, so that it can never name another site.
 */
export const ReturnTo = Type.String({
  minLength: 1,
  maxLength: 512,
  pattern: '^/(?!/)[^\\\\\\p{Cc}]*$',
  description: 'Path of the dashboard to return to',
});
