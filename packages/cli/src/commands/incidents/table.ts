import type { CommandGroup } from '../../command.ts';
import type { Flag } from '../../flag.ts';
import { LIST_FLAGS } from '../../lists/list-flags.ts';
import { DRY_RUN } from '../../records/dry-run-flag.ts';

/** Filters of incidents, for every command that chooses some. */
export const INCIDENT_FILTERS: readonly Flag[] = [
  {
    name: 'status',
    value: 'STATUS',
    choices: ['active', 'open', 'regressed', 'resolved', 'all'],
    standard: 'active',
    says: 'active is open or regressed',
  },
  {
    name: 'severity',
    value: 'WORD',
    choices: ['low', 'medium', 'high', 'critical'],
    says: 'exactly this severity',
  },
  { name: 'service', value: 'NAME', says: 'exactly this service' },
  { name: 'environment', short: 'e', value: 'NAME', says: 'exactly this environment' },
  { name: 'since', value: 'TIME', kind: 'time', says: 'new or back since then' },
  { name: 'first-seen-since', value: 'TIME', kind: 'time', says: 'new since then' },
  { name: 'search', value: 'TEXT', says: 'part of the title, or the beginning of the fingerprint' },
  {
    name: 'severity-min',
    value: 'WORD',
    choices: ['low', 'medium', 'high', 'critical'],
    says: 'this severity or more',
  },
  { name: 'all-projects', says: 'of every project you see' },
];

/** The span that occurrences are counted over. */
export const OCCURRENCE_WINDOW: readonly Flag[] = [
  { name: 'from', value: 'TIME', kind: 'time', says: 'since when' },
  { name: 'to', value: 'TIME', kind: 'time', says: 'until when' },
];

export const INCIDENTS: CommandGroup = {
  noun: 'incidents',
  aliases: ['incident'],
  says: 'list, show, resolve and reopen incidents',
  heading: 'Look',
  commands: [
    {
      path: 'incidents list',
      aliases: ['ls'],
      says: 'list incidents, latest activity first',
      flags: [
        ...INCIDENT_FILTERS,
        ...LIST_FLAGS,
        { name: 'web', short: 'w', says: 'open the list in the browser' },
      ],
      examples: [
        'incidents list --severity critical',
        'incidents list --since 24h --json --fields incident_id,title',
      ],
      endpoints: ['listIncidents'],
      load: () => import('./list.ts').then(({ run }) => run),
    },
    {
      path: 'incidents show',
      says: 'show one incident, its likely cause and where it happened',
      arguments: '<REF>',
      examples: ['incidents show @1', 'incidents show @latest --json'],
      endpoints: ['getIncident'],
      local: 'local show',
      load: () => import('./show.ts').then(({ run }) => run),
    },
    {
      path: 'incidents resolve',
      says: 'resolve incidents; one that happens again regresses',
      arguments: '[REF...]',
      flags: [
        { name: 'matching', says: 'all that the filters match, instead of references' },
        ...INCIDENT_FILTERS,
        { name: 'dry-run', says: 'say which, and change nothing' },
      ],
      examples: [
        'incidents resolve @1 @2',
        'incidents list -q --service shop-api | culprit incidents resolve - --yes',
      ],
      exits: { 7: 'some are resolved and some not' },
      endpoints: ['resolveIncident', 'resolveIncidents'],
      local: 'local resolve',
      load: () => import('./change-status.ts').then(({ resolve }) => resolve),
    },
    {
      path: 'incidents reopen',
      says: 'reopen resolved incidents',
      arguments: '[REF...]',
      flags: [
        { name: 'matching', says: 'all that the filters match, instead of references' },
        ...INCIDENT_FILTERS,
        { name: 'dry-run', says: 'say which, and change nothing' },
      ],
      examples: ['incidents reopen @1', 'incidents reopen --matching --status resolved --service shop-api'],
      exits: { 7: 'some are open and some not' },
      endpoints: ['reopenIncident', 'reopenIncidents'],
      local: 'local reopen',
      load: () => import('./change-status.ts').then(({ reopen }) => reopen),
    },
    {
      path: 'incidents assign',
      says: 'assign incidents to a person, or to none',
      arguments: '<REF...> <WHO>',
      examples: ['incidents assign @1 me', 'incidents assign @1 @2 ada', 'incidents assign @1 none'],
      endpoints: ['updateIncident', 'updateIncidents'],
      load: () => import('./triage.ts').then(({ assign }) => assign),
    },
    {
      path: 'incidents priority',
      says: 'set the priority of incidents, or give it back to the rules',
      arguments: '<REF...> <urgent|high|normal|low|auto>',
      examples: ['incidents priority @1 urgent', 'incidents priority @1 @2 auto'],
      endpoints: ['updateIncident', 'updateIncidents'],
      load: () => import('./triage.ts').then(({ prioritize }) => prioritize),
    },
    {
      path: 'incidents snooze',
      says: 'send no alerts for incidents until a time, or until something happens',
      arguments: '<REF...> <DURATION|TIME>',
      flags: [
        {
          name: 'occurrences',
          value: 'N',
          kind: 'integer',
          min: 1,
          says: 'wake with so many more occurrences',
        },
        { name: 'users', value: 'N', kind: 'integer', min: 1, says: 'wake with so many more users' },
        { name: 'next-release', says: 'wake with the first occurrence after the next deploy' },
        { name: 'even-if-escalating', says: 'do not wake with a spike or a higher severity' },
        { name: 'reason', value: 'TEXT', says: 'why, for the history' },
        { name: 'preview', says: 'show what it would have done in the last 30 days, and change nothing' },
      ],
      examples: [
        'incidents snooze @1 1d',
        'incidents snooze @1 @2 30d --occurrences 100',
        'incidents snooze @1 7d --preview',
      ],
      endpoints: ['snoozeIncident', 'snoozeIncidents', 'previewSnooze'],
      load: () => import('./snooze.ts').then(({ snooze }) => snooze),
    },
    {
      path: 'incidents wake',
      says: 'end the snooze of incidents',
      arguments: '<REF...>',
      examples: ['incidents wake @1', 'incidents wake @1 @2'],
      endpoints: ['wakeIncident', 'wakeIncidents'],
      load: () => import('./snooze.ts').then(({ wake }) => wake),
    },
    {
      path: 'incidents history',
      says: 'list what happened to an incident, and who did it',
      arguments: '<REF>',
      flags: LIST_FLAGS,
      examples: ['incidents history @1', 'incidents history @1 --json'],
      endpoints: ['getIncidentHistory'],
      load: () => import('./readings.ts').then(({ history }) => history),
    },
    {
      path: 'incidents similar',
      says: 'list the incidents of the project that are most like one, and why',
      arguments: '<REF>',
      examples: ['incidents similar @1', 'incidents similar @1 --json'],
      endpoints: ['listSimilarIncidents'],
      load: () => import('./readings.ts').then(({ similar }) => similar),
    },
    {
      path: 'incidents occurrences',
      says: 'show when an incident occurred, or all of the project',
      arguments: '[REF]',
      flags: OCCURRENCE_WINDOW,
      examples: ['incidents occurrences @1', 'incidents occurrences --from 7d --json'],
      endpoints: ['getIncidentOccurrences', 'getProjectOccurrences'],
      load: () => import('./readings.ts').then(({ occurrences }) => occurrences),
    },
    {
      path: 'incidents activity',
      says: 'show trend, users and place of several incidents',
      arguments: '<REF...>',
      flags: [
        { name: 'window', value: 'SPAN', choices: ['24h', '7d'], standard: '24h', says: 'how far back' },
      ],
      examples: ['incidents activity @1 @2', 'incidents activity @1 --window 7d --json'],
      endpoints: ['getIncidentActivity'],
      load: () => import('./readings.ts').then(({ activity }) => activity),
    },
    {
      path: 'incidents grouping',
      says: 'show which events an incident takes, and what was merged into it',
      arguments: '<REF>',
      examples: ['incidents grouping @1', 'incidents grouping @1 --json'],
      endpoints: ['getIncidentGrouping'],
      load: () => import('./grouping.ts').then(({ grouping }) => grouping),
    },
    {
      path: 'incidents merge',
      says: 'merge incidents of one service into the oldest of them',
      arguments: '<REF...>',
      flags: [DRY_RUN],
      examples: ['incidents merge @1 @3', 'incidents merge @1 @3 @4 --yes'],
      endpoints: ['mergeIncidents'],
      load: () => import('./grouping.ts').then(({ merge }) => merge),
    },
    {
      path: 'incidents split',
      says: 'take incidents out again that were merged into the first one, and close slots permanently',
      arguments: '<REF> [MEMBER...]',
      flags: [
        {
          name: 'slot',
          value: 'ID',
          isRepeatable: true,
          says: 'close this slot, as `incidents grouping` names it; its incidents come back',
        },
        DRY_RUN,
      ],
      examples: [
        'incidents split @1 inc_01a2…',
        'incidents split @1 --slot 5f1c…',
        'incidents split @1 inc_01a2… --dry-run',
      ],
      endpoints: ['splitIncident'],
      load: () => import('./grouping.ts').then(({ split }) => split),
    },
  ],
};
