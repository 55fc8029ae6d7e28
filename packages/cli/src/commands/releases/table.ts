import { RELEASE_INCIDENT_KINDS } from '@culprit/contract/releases/releases';
import type { CommandGroup } from '../../command.ts';
import { LIST_FLAGS } from '../../lists/list-flags.ts';
import { DRY_RUN } from '../../records/dry-run-flag.ts';
import { RELEASE_FACTS, RELEASE_FILTERS } from './flags.ts';

export const RELEASES: CommandGroup = {
  noun: 'releases',
  aliases: ['release'],
  says: 'show what each release broke and fixed',
  heading: 'Send',
  commands: [
    {
      path: 'releases list',
      says: 'list releases, newest first',
      flags: [...RELEASE_FILTERS, ...LIST_FLAGS],
      examples: ['releases list', 'releases list --service shop-api -e production'],
      endpoints: ['listReleases'],
      load: () => import('./records.ts').then(({ list }) => list),
    },
    {
      path: 'releases show',
      says: 'show a release with its services, counts and commits',
      arguments: '<VERSION>',
      flags: [
        { name: 'activity', says: 'include its events and its new and regressed incidents by day, as JSON' },
      ],
      examples: ['releases show shop@1.9.0', 'releases show shop@1.9.0 --activity'],
      endpoints: ['listReleases', 'getRelease', 'getReleaseActivity'],
      load: () => import('./records.ts').then(({ show }) => show),
    },
    {
      path: 'releases incidents',
      says: 'list the incidents of a release',
      arguments: '<VERSION>',
      flags: [
        {
          name: 'kind',
          value: 'KIND',
          choices: RELEASE_INCIDENT_KINDS,
          says: 'new in it (default), regressed in it, last seen in it, or resolved in it',
        },
      ],
      examples: ['releases incidents shop@1.9.0', 'releases incidents shop@1.9.0 --kind regressed'],
      endpoints: ['listReleases', 'listReleaseIncidents'],
      load: () => import('./records.ts').then(({ incidents }) => incidents),
    },
    {
      path: 'releases create',
      says: 'create a release, or update one',
      arguments: '<VERSION>',
      flags: [
        ...RELEASE_FACTS,
        {
          name: 'commits',
          value: 'auto',
          choices: ['auto'],
          says: 'the commits since the previous release, from git; addresses are not sent',
        },
        DRY_RUN,
      ],
      examples: [
        'releases create shop@1.9.0 --commits auto',
        'releases create shop@1.9.0 --commit 3f2a9c1 --branch main',
        'releases create shop@1.9.0 --link https://ci.example.com/builds/81',
      ],
      endpoints: ['listReleases', 'createRelease'],
      load: () => import('./records.ts').then(({ create }) => create),
    },
    {
      path: 'releases delete',
      says: 'delete a release; its incidents and events stay',
      arguments: '<VERSION>',
      examples: ['releases delete shop@1.9.0', 'releases delete shop@1.9.0 --yes'],
      endpoints: ['listReleases', 'deleteRelease'],
      load: () => import('./records.ts').then(({ remove }) => remove),
    },
  ],
};
