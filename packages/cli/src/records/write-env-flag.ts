import type { Flag } from '../flag.ts';

/** The flag of every command that makes a secret. */
export const WRITE_ENV: Flag = {
  name: 'write-env',
  value: 'FILE[:NAME]',
  says: 'write the secret to an environment file instead of printing it',
};
