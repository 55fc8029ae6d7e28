import { listDeployments } from '@culprit/contract/releases/deployments';
import { listCommand } from '../../records/record-commands.ts';
import { DEPLOY_FILTERS } from '../send/flags.ts';

export const run = listCommand({
  endpoint: listDeployments,
  project: 'params.id',
  key: 'deployments',
  id: 'deployment_id',
  flags: DEPLOY_FILTERS,
  columns: [
    ['DEPLOYED', 'deployed_at'],
    ['SERVICE', 'service_name'],
    ['ENVIRONMENT', 'environment'],
    ['VERSION', 'version', 'wide'],
    ['COMMIT', ({ commit_sha }) => (typeof commit_sha === 'string' ? commit_sha.slice(0, 8) : null)],
    ['BRANCH', 'branch'],
    ['ID', 'deployment_id'],
  ],
  empty: 'No deployments. Announce one with: culprit deploys announce',
});
