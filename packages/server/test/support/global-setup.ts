import { prepareTestPostgres } from './prepare-test-postgres.ts';
import { testedPostgres } from './test-postgres.ts';

export default () => prepareTestPostgres(testedPostgres());
