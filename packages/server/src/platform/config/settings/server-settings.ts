import { MAP_BYTES_MAX } from '@culprit/contract/releases/map-limits';
import {
  httpOrigin,
  listenAddress,
  mailAddresses,
  oneOf,
  onOrOff,
  secretText,
  wholeNumber,
} from '../setting-kinds.ts';
import { setting } from './setting.ts';

/** Settings of the API, its dashboard and its endpoints. */
export const SERVER_SETTINGS = {
  port: setting({
    name: 'CULPRIT_PORT',
    kind: wholeNumber(0, 65_535),
    default: 4800,
    doc: 'Port on which the API and the dashboard listen. 0 selects any free port.',
  }),
  host: setting({
    name: 'CULPRIT_HOST',
    kind: listenAddress(),
    default: '127.0.0.1',
    doc: 'Address to listen on. `0.0.0.0` or `::` accepts connections from other machines.',
  }),
  baseUrl: setting({
    name: 'CULPRIT_BASE_URL',
    kind: httpOrigin(),
    default: null,
    defaultWords: '`http://localhost:<port>`',
    doc: 'Address under which applications and browsers reach this server. It should be https unless it is a loopback address.',
  }),
  appUrl: setting({
    name: 'CULPRIT_APP_URL',
    kind: httpOrigin(),
    default: null,
    defaultWords: 'the base URL',
    doc: 'Address of the dashboard, used in links and redirects.',
  }),
  logLevel: setting({
    name: 'CULPRIT_LOG_LEVEL',
    kind: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    default: 'info',
    doc: 'Lowest level of the log lines that are written.',
  }),
  logFormat: setting({
    name: 'CULPRIT_LOG_FORMAT',
    kind: oneOf('auto', 'pretty', 'json'),
    default: 'auto',
    doc: 'Format of log lines. `pretty` is for people: one line with time, level, message and the fields that matter. `json` is for programs and contains everything. `auto` is `pretty` on a terminal and `json` elsewhere.',
  }),
  metricsToken: setting({
    name: 'CULPRIT_METRICS_TOKEN',
    kind: secretText(),
    default: null,
    doc: 'Bearer token for `/metrics`. Without it, only this machine can read the metrics.',
  }),
  isCanaryOn: setting({
    name: 'CULPRIT_CANARY',
    kind: onOrOff(),
    default: true,
    doc: 'Whether an event of a hidden project is sent through the whole pipeline to a webhook every minute, so that metrics and log show when a part fails.',
  }),
  isDashboardOn: setting({
    name: 'CULPRIT_DASHBOARD',
    kind: onOrOff(),
    default: true,
    doc: 'Whether the API serves the dashboard. `npm start` builds it when it is missing or outdated.',
  }),
  arePackagesOn: setting({
    name: 'CULPRIT_PACKAGES',
    kind: onOrOff(),
    default: true,
    doc: 'Whether the API serves the client libraries, the command line and the script for pages, to every client that reaches it. `npm start` builds them when they are missing or outdated.',
  }),
  areMapsOn: setting({
    name: 'CULPRIT_SOURCE_MAPS',
    kind: onOrOff(),
    default: true,
    doc: 'Whether projects keep source maps, and stacks are mapped. `off`: the endpoints answer 404.',
  }),
  mapBudgetBytes: setting({
    name: 'CULPRIT_SOURCE_MAP_BYTES',
    kind: wholeNumber(1_048_576, 1_099_511_627_776),
    default: 2_147_483_648,
    doc: 'Maximum bytes of compressed source maps in a project. The least recently needed ones are removed to make room for new ones.',
  }),
  mapBytesMax: setting({
    name: 'CULPRIT_SOURCE_MAP_MAX_BYTES',
    kind: wholeNumber(1024, MAP_BYTES_MAX),
    default: MAP_BYTES_MAX,
    doc: 'Maximum bytes of one source map.',
  }),
  operators: setting<readonly string[]>({
    name: 'CULPRIT_OPERATORS',
    kind: mailAddresses(),
    default: null,
    defaultWords: 'the first owner of an organization with the embedded PostgreSQL, otherwise no account',
    doc: 'E-mail addresses of the accounts that can see the health of the installation in the dashboard.',
  }),
  mcp: setting({
    name: 'CULPRIT_MCP',
    kind: oneOf('off', 'read', 'write'),
    default: 'read',
    doc: 'What coding agents may do at `/mcp` with a member token. `read` lets them read incidents, `write` also lets those that request it (`/mcp?writes=on`) resolve incidents, create filters and enable probes. `off` answers 404.',
  }),
  metricsPort: setting({
    name: 'CULPRIT_METRICS_PORT',
    kind: wholeNumber(0, 65_535),
    default: null,
    doc: 'Port on which a process of `--roles worker` answers `/metrics`, at the address of `CULPRIT_HOST`. The API serves it on its own port, which on one machine includes the metrics of the worker. 0 selects any free port.',
  }),
};
