import { listDeployments } from '@culprit/contract/releases/deployments';
import { flagsOf } from '../../records/field-flags.ts';

const filter = flagsOf(listDeployments);

/** Filters of deployments. */
export const DEPLOY_FILTERS = [
  filter('--service NAME', 'only this service'),
  filter('-e, --environment NAME', 'only in this environment'),
];
