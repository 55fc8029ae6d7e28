import type { Migration } from '../../platform/db/migrate.ts';
import type { Manifest } from './manifest.ts';

/**
 * The last of the files from which `0001_schema.sql` was made before the first release. A database with it has all
 * others, because they were applied in order, and so the tables and columns of `0001_schema.sql`.
 */
const LAST_BEFORE = {
  name: '0360_alert_channels.sql',
  checksum: '370f5461c3f5a7eafcb7ccd6e1430f2dfe8c5f500b83879db769aa9e50d10072',
};

/**
 * Returns the manifest of a backup that was made with the last schema before `0001_schema.sql` as one made with that
 * file, and any other unchanged. It serves installations of the commits before the first release, and can be deleted
 * with that release.
 */
export function asOfFirstSchema(manifest: Manifest, migrations: readonly Migration[]): Manifest {
  const [first] = migrations;
  const isBefore = manifest.migrations.some(
    ({ name, checksum }) => name === LAST_BEFORE.name && checksum === LAST_BEFORE.checksum,
  );
  if (first === undefined || !isBefore) return manifest;
  const later = manifest.migrations.filter(({ name }) => name > LAST_BEFORE.name);
  return { ...manifest, migrations: [{ name: first.name, checksum: first.checksum }, ...later] };
}
