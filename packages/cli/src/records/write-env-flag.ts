import type { Flag } from '../flag.ts';

/** The flag of every command that makes a secret. */
export const WRITE_ENV: Flag = {
  name: 'write-env',
  value: 'FILE[:NAME]',
  says: 'put the secret into a file of environment lines instead of printing it',
};
