import { fileURLToPath } from 'node:url';

/** The numbered SQL files of this release. */
export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../migrations', import.meta.url));
