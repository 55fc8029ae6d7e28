import { prepareTestPostgres } from './prepare-test-postgres.ts';

export default () => prepareTestPostgres('15');
