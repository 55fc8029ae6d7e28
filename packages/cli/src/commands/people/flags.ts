import type { Flag } from '../../flag.ts';

/** What people say of themselves. */
export const PROFILE_FIELDS: readonly Flag[] = [
  { name: 'name', value: 'NAME', says: 'as others see you' },
  { name: 'handle', value: 'HANDLE', says: 'by which notes mention you' },
];
