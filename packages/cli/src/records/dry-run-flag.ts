import type { Flag } from '../flag.ts';

export const DRY_RUN: Flag = { name: 'dry-run', says: 'print what would be sent, and change nothing' };
