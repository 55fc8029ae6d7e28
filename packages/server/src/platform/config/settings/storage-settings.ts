import { availableParallelism } from 'node:os';
import { HTTP_LIMITS } from '../../http/limits/http-limits.ts';
import {
  byteSize,
  directory,
  listOf,
  oneOf,
  onOrOff,
  s3Address,
  secretKey,
  secretUrl,
  wholeNumber,
} from '../setting-kinds.ts';
import { setting } from './setting.ts';

/** Settings of data and processes. */
export const STORAGE_SETTINGS = {
  dataDir: setting({
    name: 'CULPRIT_DATA_DIR',
    kind: directory(),
    default: null,
    defaultWords: '`./data`',
    doc: 'Directory of the embedded database, stored events and generated keys. Only one Culprit at a time can use it.',
  }),
  databaseUrl: setting({
    name: 'CULPRIT_DATABASE_URL',
    kind: secretUrl('postgres://user:password@host:5432/culprit', 'postgres:', 'postgresql:'),
    default: null,
    defaultWords: 'the embedded PostgreSQL',
    doc: 'Address of a PostgreSQL 15 or newer to use instead of the embedded one.',
  }),
  isDatabaseDurabilityVouched: setting({
    name: 'CULPRIT_DATABASE_DURABILITY_VOUCHED',
    kind: onOrOff(),
    default: false,
    doc: 'The server refuses a database with `fsync`, `full_page_writes` or `synchronous_commit` off. `on` accepts such a database: you confirm that it is durable by other means. Each start logs this.',
  }),
  databasePoolApi: setting({
    name: 'CULPRIT_DATABASE_POOL_API',
    kind: wholeNumber(6, 200),
    default: 12,
    doc: 'Maximum number of database connections of an API process.',
  }),
  databasePoolWorker: setting({
    name: 'CULPRIT_DATABASE_POOL_WORKER',
    kind: wholeNumber(1, 200),
    default: 4,
    doc: 'Maximum number of database connections of a worker process, not counting the two of each of its threads.',
  }),
  objectStore: setting({
    name: 'CULPRIT_OBJECT_STORE',
    kind: s3Address(),
    default: null,
    defaultWords: 'files in the data directory',
    doc: 'Where raw events and bundles are stored: a bucket of an S3-compatible store, the same for all processes. Credentials are found as in every AWS program: in `AWS_*` variables, a profile, or the role of the machine.',
  }),
  roles: setting({
    name: 'CULPRIT_ROLES',
    kind: listOf(oneOf('api', 'worker')),
    default: null,
    defaultWords: '`api,worker`',
    doc: 'What this process does. Choosing roles needs `CULPRIT_DATABASE_URL`, because the embedded database belongs to one process.',
  }),
  drainMs: setting({
    name: 'CULPRIT_DRAIN_MS',
    kind: wholeNumber(0, 60_000),
    default: 0,
    doc: 'Milliseconds for which a stopping API process keeps serving while `/ready` answers 503. Behind a load balancer, this must be longer than the balancer takes to notice.',
  }),
  keepAliveMs: setting({
    name: 'CULPRIT_KEEP_ALIVE_MS',
    kind: wholeNumber(1000, 3_600_000),
    default: HTTP_LIMITS.keepAliveTimeoutMs,
    doc: 'Milliseconds for which an idle connection of a client stays open. Behind a load balancer, this must be longer than the balancer keeps idle connections.',
  }),
  workerThreads: setting({
    name: 'CULPRIT_WORKER_THREADS',
    kind: wholeNumber(1, 64),
    default: Math.min(8, Math.max(1, availableParallelism() - 1)),
    defaultWords: 'one less than the processor cores, 1 to 8',
    doc: 'Threads of a worker process that process batches of events.',
  }),
  workerGrowthMaxBytes: setting({
    name: 'CULPRIT_WORKER_GROWTH_MAX_BYTES',
    kind: byteSize(0, 1024 ** 5),
    default: 96 * 1024 ** 2,
    defaultWords: '`96MB`',
    doc: 'If one Culprit runs everything: a worker process that has grown by this much since its start is replaced after an idle minute. 0 never replaces it.',
  }),
  freeSpaceMinBytes: setting({
    name: 'CULPRIT_FREE_SPACE_MIN_BYTES',
    kind: byteSize(1024 ** 2, 1024 ** 5),
    default: null,
    defaultWords: '5 % of the volume, 512 MB to 4 GB',
    doc: 'When the volume of the data directory has less free space, events are answered 503 so that nothing accepted is lost.',
  }),
  upgradeCopyMaxBytes: setting({
    name: 'CULPRIT_UPGRADE_COPY_MAX_BYTES',
    kind: byteSize(0, 1024 ** 5),
    default: 10 * 1024 ** 3,
    defaultWords: '`10GB`',
    doc: 'An embedded database up to this size is copied to `before-upgrade` in the data directory before a new release changes it. 0 never copies.',
  }),
  dataKey: setting({
    name: 'CULPRIT_DATA_KEY',
    kind: secretKey(),
    default: null,
    defaultWords: 'generated at the first start and kept in the data directory',
    doc: 'Encrypts signing secrets and Slack addresses. Required with an external database, where all processes must share it. If it is lost, so are those secrets.',
  }),
};
