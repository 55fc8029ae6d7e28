/** Installs the hosts beside the tests of a lane, so that no test file holds a place of a worker while npm works. */
import { installHosts } from './hosts.ts';

await installHosts();
