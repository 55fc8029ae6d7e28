import type { Flag } from '../flag.ts';

export const DRY_RUN: Flag = { name: 'dry-run', says: 'show what the command would do, and change nothing' };
