import type { Flag } from '../command.ts';

export const DRY_RUN: Flag = { name: 'dry-run', says: 'print what would be sent, and change nothing' };
