import { CapturePreset } from '@culprit/contract/capture/capture';
import type { CommandGroup } from '../../command.ts';
import type { Flag } from '../../flag.ts';
import { LIST_FLAGS } from '../../lists/list-flags.ts';
import { DRY_RUN } from '../../records/dry-run-flag.ts';
import { FORMAT, MARKDOWN_FLAGS } from '../bundle/table.ts';
import { INCIDENT_FILTERS } from '../incidents/table.ts';
import { DEPLOY_FILTERS } from './flags.ts';

const REQUEST_FORM: Flag = {
  name: 'as',
  value: 'FORM',
  choices: ['curl', 'httpie', 'json', 'test'],
  standard: 'curl',
  says: 'output format',
};

const RETRY_FOR: Flag = {
  name: 'retry-for',
  value: 'DURATION',
  kind: 'duration',
  standard: '10m',
  says: 'how long to retry after connection errors',
};

const IMPORT_FLAGS: readonly Flag[] = [
  RETRY_FOR,
  { name: 'restart', says: 'restart instead of continuing where an earlier run ended' },
  { name: 'accept-duplicates', says: 'continue an import that is older than six days' },
  { name: 'strict', says: 'stop at the first line that is not an event' },
];

/** Filters of what `tail` shows. */
const TAIL_FLAGS: readonly Flag[] = [
  ...INCIDENT_FILTERS.filter(({ name }) =>
    ['severity', 'severity-min', 'service', 'environment', 'all-projects'].includes(name),
  ),
  { name: 'search', value: 'TEXT', says: 'part of the title' },
  { name: 'since', value: 'TIME', kind: 'time', says: 'begin with what appeared or returned since then' },
  { name: 'kind', value: 'LIST', says: 'only these: new, regressed, reopened, resolved, spike, severity' },
  { name: 'for', value: 'DURATION', kind: 'duration', says: 'end after this time' },
  {
    name: 'max',
    value: 'N',
    kind: 'integer',
    min: 1,
    max: 1_000_000,
    says: 'end after this number of lines',
  },
  { name: 'fail-on', value: 'LIST', says: 'exit 8 at the first of these kinds' },
  RETRY_FOR,
];

export const SENDING: CommandGroup = {
  noun: null,
  says: '',
  heading: 'Send',
  commands: [
    {
      path: 'send',
      says: 'send events from flags, files or standard input',
      arguments: '[FILE...]',
      flags: [
        { name: 'type', value: 'TYPE', says: 'event type, such as backend_exception or log_event' },
        { name: 'error', value: 'NAME', says: 'name of the error' },
        { name: 'message', value: 'TEXT', says: 'message of the error or log' },
        { name: 'stack-file', value: 'FILE', says: 'stack of the error, - for standard input' },
        { name: 'payload', value: 'JSON', says: 'more fields of the payload' },
        { name: 'service', value: 'NAME', standard: 'cli', says: 'service' },
        { name: 'environment', short: 'e', value: 'NAME', says: 'environment' },
        { name: 'level', value: 'LEVEL', says: 'level of a log' },
        { name: 'context', value: 'KEY=VALUE', isRepeatable: true, says: 'context of the event' },
        { name: 'time', value: 'TIME', kind: 'time', says: 'time of the event; default now' },
        { name: 'trace-id', value: 'ID', says: 'trace of the event' },
        { name: 'handled', says: 'the error was caught' },
        {
          name: 'format',
          value: 'FORMAT',
          choices: ['culprit', 'sentry'],
          standard: 'culprit',
          says: 'format of the files; sentry: events or envelopes of its libraries',
        },
        { name: 'wait', says: "wait until the event's incident is visible, at most 30 s" },
        ...IMPORT_FLAGS,
        { name: 'dry-run', says: 'check the events and send nothing' },
      ],
      examples: [
        'send --type backend_exception --error CronError --message "backup failed" --wait',
        'send events.ndjson',
        'send --dry-run events.json',
        'send --format sentry crash.envelope',
      ],
      exits: { 7: 'some events were rejected', 8: 'with --wait: no incident appeared' },
      endpoints: ['postEvents'],
      load: () => import('./send.ts').then(({ run }) => run),
    },
  ],
};

export const DEPLOYS: CommandGroup = {
  noun: 'deploys',
  aliases: ['deploy'],
  says: 'announce deployments, so that regressions name the version',
  heading: 'Send',
  commands: [
    {
      path: 'deploys list',
      says: 'list deployments, newest first',
      flags: [...DEPLOY_FILTERS, ...LIST_FLAGS],
      examples: ['deploys list', 'deploys list --service shop-api -e production --json'],
      endpoints: ['listDeployments'],
      load: () => import('../deploys/list.ts').then(({ run }) => run),
    },
    {
      path: 'deploys announce',
      says: 'announce a deployment of services',
      flags: [
        { name: 'service', value: 'NAME', isRepeatable: true, says: 'service that was deployed' },
        { name: 'all-services', says: 'every service of the project and environment' },
        { name: 'environment', short: 'e', value: 'NAME', says: 'environment' },
        { name: 'version', value: 'TEXT', says: 'version that was deployed' },
        { name: 'commit', value: 'SHA', says: 'commit; default from git or the CI job' },
        { name: 'branch', value: 'NAME', says: 'branch; default from git or the CI job' },
        {
          name: 'deployed-at',
          value: 'TIME',
          kind: 'time',
          says: 'time of the deployment; default now',
        },
        {
          name: 'watch',
          value: 'DURATION',
          kind: 'duration',
          says: 'then follow incidents for this time, like tail',
        },
        { name: 'fail-on', value: 'LIST', says: 'with --watch: exit 8 at the first of these kinds' },
        DRY_RUN,
      ],
      examples: [
        'deploys announce --service shop-api -e production --version 1.4.2',
        'deploys announce --all-services -e production --watch 10m --fail-on new,regressed',
      ],
      exits: { 8: 'with --fail-on: something happened' },
      endpoints: ['postEvents'],
      load: () => import('../deploys/announce.ts').then(({ run }) => run),
    },
  ],
};

export const LIVE: CommandGroup = {
  noun: null,
  says: '',
  heading: 'Look',
  commands: [
    {
      path: 'tail',
      says: 'follow what happens to incidents, one line each',
      flags: TAIL_FLAGS,
      examples: [
        'tail',
        'tail --for 10m --fail-on new,regressed --service shop-api',
        'tail --json --all-projects',
      ],
      exits: { 8: 'with --fail-on: one of these happened' },
      endpoints: ['listLifecycle'],
      load: () => import('../tail/tail.ts').then(({ run }) => run),
    },
    {
      path: 'reproduce',
      says: 'show how to repeat the failed request, or repeat it',
      arguments: '<REF>',
      flags: [
        REQUEST_FORM,
        { name: 'run', says: 'send the request, without any shell' },
        {
          name: 'base-url',
          value: 'URL',
          says: 'with --run: send it there instead of where it was captured',
        },
        { name: 'header', value: 'NAME:VALUE', isRepeatable: true, says: 'with --run: set a header' },
        {
          name: 'set',
          value: 'PATH=VALUE',
          isRepeatable: true,
          says: 'with --run: set a value of the JSON body; @FILE reads it',
        },
        {
          name: 'expect',
          value: 'WORD',
          choices: ['reproduced', 'fixed'],
          standard: 'reproduced',
          says: 'with --run: expected result',
        },
        { name: 'dry-run', says: 'with --run: show the request and send nothing' },
      ],
      examples: [
        'reproduce @1',
        'reproduce @1 --run --base-url http://localhost:3000',
        'reproduce @1 --run --expect fixed --yes',
      ],
      exits: { 8: 'not possible, or another verdict than expected' },
      endpoints: ['getIncidentReproduction'],
      local: 'local reproduce',
      load: () => import('../reproduce/reproduce.ts').then(({ run }) => run),
    },
    {
      path: 'open',
      says: 'open the dashboard, or the page of an incident',
      arguments: '[REF]',
      flags: [{ name: 'print', says: 'print the address instead of opening it' }],
      examples: ['open', 'open @1', 'open project --print'],
      endpoints: ['getServer'],
      load: () => import('../open/open.ts').then(({ run }) => run),
    },
  ],
};

const READING: readonly Flag[] = [
  { name: 'dir', value: 'DIRECTORY', says: 'events folder, or a folder that contains one' },
  {
    name: 'preset',
    value: 'NAME',
    choices: CapturePreset.enum,
    standard: 'balanced',
    says: 'capture preset',
  },
];
const BUNDLE_FLAGS: readonly Flag[] = [
  ...MARKDOWN_FLAGS,
  FORMAT,
  { name: 'markdown', says: 'same as --format markdown' },
  { name: 'section', value: 'LIST', says: 'only these sections, separated by commas' },
  { name: 'full', says: 'show everything' },
  { name: 'output', short: 'o', value: 'FILE', says: 'write to a file' },
  { name: 'write', says: 'write the JSON to .culprit/local/bundles' },
];

export const LOCAL: CommandGroup = {
  noun: 'local',
  says: 'work on local events, without a server',
  heading: 'Send',
  commands: [
    {
      path: 'local list',
      says: 'list local incidents, latest first',
      flags: [
        ...INCIDENT_FILTERS.filter(({ name }) => name !== 'all-projects' && name !== 'release'),
        {
          name: 'limit',
          value: 'N',
          kind: 'integer',
          min: 1,
          max: 10_000,
          says: 'number of rows; default all',
        },
        ...READING,
      ],
      examples: [
        'local list',
        'local list --since 24h --severity-min high',
        'local list --status all --json',
      ],
      load: () => import('../local/local.ts').then(({ list }) => list),
    },
    {
      path: 'local show',
      says: 'show one local incident and its likely cause',
      arguments: '<REF>',
      flags: READING,
      examples: ['local show @1', 'local show latest --json'],
      load: () => import('../local/local.ts').then(({ show }) => show),
    },
    {
      path: 'local bundle',
      says: 'show everything that is known about one local incident',
      arguments: '<REF>',
      flags: [...BUNDLE_FLAGS, ...READING],
      examples: ['local bundle latest', 'local bundle @1 --markdown', 'local bundle @1 --write'],
      load: () => import('../local/local.ts').then(({ bundle }) => bundle),
    },
    {
      path: 'local logs',
      says: 'list the log lines of a local incident',
      arguments: '<REF>',
      flags: [{ name: 'level', value: 'LEVEL', says: 'only this level' }, ...READING],
      examples: ['local logs @1', 'local logs latest --level error'],
      load: () => import('../local/local.ts').then(({ logs }) => logs),
    },
    {
      path: 'local reproduce',
      says: 'show how to repeat the failed request of a local incident',
      arguments: '<REF>',
      flags: [REQUEST_FORM, ...READING],
      examples: ['local reproduce @1', 'local reproduce latest --as json'],
      exits: { 8: 'not possible' },
      load: () => import('../local/local.ts').then(({ reproduce }) => reproduce),
    },
    {
      path: 'local resolve',
      says: 'resolve local incidents until a later event reopens them',
      arguments: '<REF...>',
      flags: READING,
      examples: ['local resolve @1', 'local resolve @1 @2'],
      load: () => import('../local/change-local.ts').then(({ resolve }) => resolve),
    },
    {
      path: 'local reopen',
      says: 'reopen resolved local incidents',
      arguments: '<REF...>',
      flags: READING,
      examples: ['local reopen @1', 'local reopen @1 @2'],
      load: () => import('../local/change-local.ts').then(({ reopen }) => reopen),
    },
    {
      path: 'local watch',
      says: 'follow local incidents, one line each',
      flags: [
        ...READING,
        { name: 'for', value: 'DURATION', kind: 'duration', says: 'end after this time' },
        {
          name: 'max',
          value: 'N',
          kind: 'integer',
          min: 1,
          max: 1_000_000,
          says: 'end after this number of lines',
        },
      ],
      examples: ['local watch', 'local watch --for 1m --json'],
      load: () => import('../local/watch.ts').then(({ run }) => run),
    },
    {
      path: 'local push',
      says: 'send local events to the server',
      flags: [
        { name: 'dir', value: 'DIRECTORY', says: 'events folder, or a folder that contains one' },
        { name: 'keep', says: 'keep files that were accepted' },
        {
          name: 'retry-for',
          value: 'DURATION',
          kind: 'duration',
          standard: '10m',
          says: 'how long to retry after connection errors',
        },
        DRY_RUN,
      ],
      examples: ['local push', 'local push --keep'],
      exits: { 7: 'some events were rejected; their files stay' },
      endpoints: ['postEvents'],
      load: () => import('../local/push.ts').then(({ run }) => run),
    },
    {
      path: 'local clear',
      says: 'remove local event files',
      flags: [
        { name: 'dir', value: 'DIRECTORY', says: 'events folder, or a folder that contains one' },
        { name: 'older-than', value: 'DURATION', kind: 'duration', says: 'only older files' },
        DRY_RUN,
      ],
      examples: ['local clear', 'local clear --older-than 1d --yes'],
      load: () => import('../local/change-local.ts').then(({ clear }) => clear),
    },
  ],
};
