import type { Flag } from '../flag.ts';

/** Makes fields null: `fieldsOf` reads it. */
export const CLEAR: Flag = {
  name: 'clear',
  value: 'FLAG',
  isRepeatable: true,
  says: 'clear the field of this flag',
};
