import { MACHINE, type Machine } from '../../machine.ts';

/**
 * The tuning of the embedded server: a small machine that stores events, shared with our own processes. No setting here
 * trades durability for speed. They are passed on the command line, so that the cluster's own files stay unchanged.
 */
const TUNED_SETTINGS: Readonly<Record<string, string>> = {
  // Durability, said aloud: the service refuses to run when one of them is off.
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',

  // Backups are our own dump, so nothing replicates and bulk loads into new tables skip the log.
  wal_level: 'minimal',
  max_wal_senders: '0',
  wal_compression: 'on',
  wal_buffers: '4MB',
  // The first change of a page behind a checkpoint writes all of it to the log, which the events of an hour share. 1 GB
  // bounds the log's disk use, and recovery after a kill: 480 MB take 11 s of a processor.
  checkpoint_timeout: '60min',
  checkpoint_completion_target: '0.9',
  min_wal_size: '128MB',
  max_wal_size: '1GB',

  max_connections: '60',
  // Pages that are not in here are in the system's cache; twice the size saved no time and stayed allocated after a
  // load.
  shared_buffers: '64MB',
  effective_cache_size: '512MB',
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  random_page_cost: '1.1',
  // Short statements on two cores: compiling them or spreading them over processes costs more than it gives.
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  max_worker_processes: '4',
  max_parallel_workers: '2',

  // Queue rows live for milliseconds and incident rows are updated over and over: vacuum early, in small bites.
  autovacuum: 'on',
  autovacuum_max_workers: '2',
  // Each check starts a process for each database, a cost that shows on an idle server.
  autovacuum_naptime: '60s',
  autovacuum_vacuum_scale_factor: '0.1',
  // Statistics of growing tables hardly change; counting them at every twentieth more was work of each round.
  autovacuum_analyze_scale_factor: '0.2',
  autovacuum_vacuum_cost_limit: '1000',

  // Nothing replicates.
  max_logical_replication_workers: '0',
  // These processes look for work: on an idle server five times a second is needless, and every commit syncs by itself.
  bgwriter_delay: '2s',
  wal_writer_delay: '2s',

  idle_in_transaction_session_timeout: '30s',
  timezone: 'UTC',

  // The log goes through our own. Statements and details may quote event data and stay out of it.
  log_timezone: 'UTC',
  log_line_prefix: '[%p|%e|%b] ',
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
  log_destination: 'stderr',
  logging_collector: 'off',
};

/**
 * The settings of the release that is part of the program; older releases, on which tests run, do not have them. The
 * data that is read fits into memory, so three processes that only wait for reads would be a cost without use.
 */
export const RELEASE_SETTINGS: Readonly<Record<string, string>> = { io_method: 'sync' };

/** The place where a server listens: a port of 127.0.0.1 and, unless null, the directory of a socket file. */
export interface ServerPlace {
  port: number;
  socketDirectory: string | null;
}

/** The `-c` arguments of the server. `extra` overrides the tuning, never where the server listens. */
export function serverArguments(
  { port, socketDirectory }: ServerPlace,
  extra: Readonly<Record<string, string>>,
  machine: Pick<Machine, 'postgresSettings'> = MACHINE,
): string[] {
  const settings = {
    ...TUNED_SETTINGS,
    ...machine.postgresSettings,
    ...extra,
    listen_addresses: '127.0.0.1',
    port: String(port),
    // The setting is a list, so the path is quoted.
    unix_socket_directories: socketDirectory === null ? '' : `"${socketDirectory.replaceAll('"', '""')}"`,
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
