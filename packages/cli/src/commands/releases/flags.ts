import { createRelease, listReleases } from '@culprit/contract/releases/releases';
import { flagsOf } from '../../records/field-flags.ts';

const filter = flagsOf(listReleases);

export const RELEASE_FILTERS = [
  filter('--service NAME', 'only those of this service'),
  filter('-e, --environment NAME', 'only in this environment'),
  filter('--search TEXT', 'part of the version', 'q'),
];

const fact = flagsOf(createRelease);

export const RELEASE_FACTS = [
  fact('--commit SHA', 'commit of the release', 'commit_sha'),
  fact('--branch NAME', 'branch of the release'),
  fact('--link URL', 'page about the release', 'url'),
];
