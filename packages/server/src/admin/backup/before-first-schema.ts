import type { Migration } from '../../platform/db/migrate.ts';
import type { Manifest } from './manifest.ts';

/**
 * Backups of the commits before the first release: `0001_schema.sql` took the place of 22 migrations. This file serves
 * installations of those commits, and can be deleted with that release.
 */

/** The last of the 22. A database with it has all others, because they were applied in order. */
const LAST_BEFORE = {
  name: '0030_deployed_fixes.sql',
  checksum: '68ad804fe69aa79314068c7486b149e69168fd2b6b6ced170e635d0a0297361f',
};

/**
 * Returns the manifest of a backup that was made with the last schema before `0001_schema.sql` as one made with that
 * file, and any other unchanged.
 */
export function asOfFirstSchema(manifest: Manifest, migrations: readonly Migration[]): Manifest {
  const [first] = migrations;
  const isBefore = manifest.migrations.some(
    ({ name, checksum }) => name === LAST_BEFORE.name && checksum === LAST_BEFORE.checksum,
  );
  if (first === undefined || !isBefore) return manifest;
  const known = new Set(migrations.map(({ name }) => name));
  const later = manifest.migrations.filter(({ name }) => name !== first.name && known.has(name));
  return { ...manifest, migrations: [{ name: first.name, checksum: first.checksum }, ...later] };
}
