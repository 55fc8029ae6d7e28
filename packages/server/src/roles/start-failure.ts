import { ConfigError } from '../platform/config/config.ts';
import { DatabaseUnavailableError } from '../platform/db/database.ts';
import { EmbeddedPostgresError } from '../platform/db/embedded/embedded-postgres-error.ts';
import { MigrationError } from '../platform/db/migrate.ts';
import { ServerVersionError } from '../platform/db/server-version.ts';
import { ListenError } from '../platform/http/server/listen-error.ts';
import { DataKeyError } from '../platform/secrets/data-key.ts';
import { DurabilityError } from './prepare-database.ts';
import { ObjectStoreError } from './prepare-object-store.ts';

/** A role did not start; the message is what its process said. */
export class RoleStartError extends Error {
  override name = 'RoleStartError';
}

const WRITTEN_FOR_OPERATORS = [
  ConfigError,
  EmbeddedPostgresError,
  ServerVersionError,
  MigrationError,
  DurabilityError,
  ListenError,
  DataKeyError,
  ObjectStoreError,
  RoleStartError,
];

/** Returns the text of an error for the operator: our own messages unchanged, anything else with its kind. */
export function startFailureText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (WRITTEN_FOR_OPERATORS.some((kind) => error instanceof kind)) return error.message;
  if (error instanceof DatabaseUnavailableError) return `the database cannot be reached: ${error.message}`;
  return `${error.name}: ${error.message}`;
}
